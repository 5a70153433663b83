// SPDX-License-Identifier: BSL-1.0
//
// Dynamic warp formation with warp barriers (DWF-WB): threads stay in their static warp until it diverges. Then they
// mix with others as under dynamic warp formation, but their static warp has a barrier at the immediate post-dominator
// of the branch. Threads that come there leave their dynamic warp and wait until all live threads of their static warp
// are there; then the static warp goes on. This bounds how far threads can lag.
//
// Follows Fung, Aamodt: Thread Block Compaction (HPCA 2011), section 2.4. Only top-level divergent branches arm a
// barrier: branches that are not control dependent on an earlier divergent branch. A static warp has no armed barrier
// exactly when no divergence of its own is open. So every branch at which it diverges is top-level in the run; this is
// the default. A table of flags restricts barriers to branches that are top-level in the program text (no other branch
// controls them: control_dependence()). A warp that diverges elsewhere has no barrier, and is static again when all its
// live threads happen to leave one warp for one block. The same holds if the branch has no post-dominator.
//
// Analysis: immediate post-dominators, control dependence if flags are wanted. Parameters besides: scheduler, home
// lanes. Needs barrier_model::thread_arrival for programs with barriers; a barrier between branch and post-dominator
// that not all threads of the warp reach is a deadlock. Progress: none, whatever the scheduler; a thread waits at a
// warp barrier for its static warp.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/simt/home_lanes.hpp>
#include <simtflow/simt/mask.hpp>
#include <simtflow/simt/policies/dynamic_warps.hpp>
#include <simtflow/simt/policy.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace policies {

/// Dynamic warp formation with warp barriers, for a thread block or a core (dynamic_warp_options::scope).
template <class Mask>
class basic_dynamic_warps_barrier {
 public:
  using mask_type = Mask;                                           ///< as of basic_dynamic_warps
  static constexpr policy_scope scope = policy_scope::block;        ///< the scope of dynamic_warp_options by default
  static constexpr progress_class progress = progress_class::none;  ///< what it promises
  /// True: the scheduler of the pool picks the warp that issues (overlapping_policy).
  static constexpr bool schedules_issue = true;

  /// A warp as its thread block started with it.
  struct static_warp {
    Mask all{};                 ///< its threads
    Mask live{};                ///< its threads that have not ended
    Mask waiting{};             ///< its threads that wait at its own barrier
    block_id armed = no_block;  ///< the block of that barrier; no_block: there is no barrier
    friend constexpr bool operator==(const static_warp&, const static_warp&) = default;
  };

  /// `ipdom[b]` is the reconvergence point of a branch that ends b (post_dominator_tree::ipdoms()); `top_level`, by
  /// block, says which branches arm a barrier (empty: all). The spans must outlive the policy.
  constexpr basic_dynamic_warps_barrier(std::span<const block_id> ipdom, const dynamic_warp_options& options,
                                        std::span<const unsigned char> top_level = {})
      : ipdom_(ipdom), top_level_(top_level), pool_(options) {}

  /// The abilities of its type, with the scope of the options.
  [[nodiscard]] constexpr policy_abilities abilities() const {
    policy_abilities can = static_abilities<basic_dynamic_warps_barrier>;
    can.scope = pool_.abilities().scope;
    return can;
  }

  /// O(threads).
  constexpr void start(const basic_fragment<Mask>& f) {
    pool_.start(f);
    warps_.clear();
    enter(f.lanes);
  }

  /// A warp of the pool. O(warps in the pool).
  constexpr std::optional<basic_fragment<Mask>> next() { return pool_.next(); }

  /// As next(): a warp in flight is no longer in the pool (overlapping_policy).
  constexpr std::optional<basic_fragment<Mask>> take() { return pool_.take(); }

  /// \pre next() or take() has named f, and f has not advanced since. O(threads of f), plus O(targets) for each of
  /// their static warps.
  constexpr void advance(const basic_fragment<Mask>& f, std::span<const basic_fragment<Mask>> out) {
    Mask ended = f.lanes;
    for (const auto& o : out) ended -= o.lanes;
    if (ended.any()) {
      each_warp(ended, [&](static_warp& w) { w.live -= ended; });
      pool_.ended(ended);
    }

    if (out.size() > 1 && arms(f.block))
      each_warp(f.lanes, [&](static_warp& w) {
        if (w.armed != no_block || !w.live.is_subset_of(f.lanes)) return;
        int ways = 0;
        for (const auto& o : out) ways += (o.lanes & w.live).any() ? 1 : 0;
        if (ways > 1) w.armed = ipdom_[f.block];
      });
    for (const auto& o : out) arrive(o);
    each_warp(f.lanes, [&](static_warp& w) { reform(w); });
  }

  /// Nothing to do: the threads' static warps count on them until they end.
  constexpr void park(const basic_fragment<Mask>&) {}
  /// Threads have passed a barrier, or a new thread block begins, as under basic_dynamic_warps. O(threads of f).
  constexpr void release(const basic_fragment<Mask>& f) {
    if (scope_is_core() && !is_live(f.lanes.first())) {
      enter(f.lanes);
      return pool_.release(f);
    }
    Mask rest = f.lanes;
    each_warp(f.lanes, [&](static_warp& w) {
      if (w.armed != f.block) return;
      rest -= wait(w, f.lanes);
      reform(w);
    });
    if (rest.any()) pool_.release({f.block, rest});
  }
  /// Threads that were parked have ended. O(threads).
  constexpr void ended(const Mask& threads) {
    each_warp(threads, [&](static_warp& w) {
      w.live -= threads;
      reform(w);
    });
    pool_.ended(threads);
  }

  /// Warps in the pool, the running one included. O(1).
  [[nodiscard]] constexpr std::size_t depth() const { return pool_.depth(); }

  /// Threads that wait at the barrier of their static warp. O(warps).
  [[nodiscard]] constexpr Mask blocked() const {
    Mask threads;
    for (const static_warp& w : warps_) threads |= w.waiting;
    return threads;
  }

  /// As of basic_dynamic_warps.
  [[nodiscard]] constexpr std::uint64_t pool_stalls() const { return pool_.pool_stalls(); }
  /// As of basic_dynamic_warps.
  [[nodiscard]] constexpr std::uint64_t table_evictions() const { return pool_.table_evictions(); }

  /// The pool: warps that are ready.
  [[nodiscard]] constexpr const basic_dynamic_warps<Mask>& pool() const { return pool_; }
  /// The static warps and their barriers.
  [[nodiscard]] constexpr std::span<const static_warp> static_warps() const {
    return std::span<const static_warp>(warps_);
  }

  /// The same pool and static warps. O(warps in the pool ^ 2).
  friend constexpr bool operator==(const basic_dynamic_warps_barrier& a, const basic_dynamic_warps_barrier& b) {
    return a.warps_ == b.warps_ && a.pool_ == b.pool_;
  }

 private:
  constexpr std::size_t index(std::uint32_t thread) const { return pool_.packer().lanes().warp(thread); }
  constexpr bool scope_is_core() const { return pool_.abilities().scope == policy_scope::core; }
  constexpr bool is_live(std::uint32_t thread) const {
    return index(thread) < warps_.size() && warps_[index(thread)].live.test(thread);
  }

  // Threads begin, in static warps without barriers.
  constexpr void enter(const Mask& threads) {
    threads.for_each([&](std::uint32_t t) {
      while (warps_.size() <= index(t)) warps_.push_back({});
      warps_[index(t)].all.set(t);
    });
    each_warp(threads, [](static_warp& w) { w.live = w.all; });
  }

  constexpr bool arms(block_id b) const {
    SIMTFLOW_EXPECTS(b < ipdom_.size(), "every block that runs has a place in the table of post-dominators");
    return ipdom_[b] != no_block && (top_level_.empty() || (b < top_level_.size() && top_level_[b] != 0));
  }

  // Calls g(warp) for each static warp of some threads.
  template <class F>
  constexpr void each_warp(const Mask& threads, F&& g) {
    for (Mask rest = threads; rest.any();) {
      static_warp& w = warps_[index(rest.first())];
      g(w);
      rest -= w.all;
    }
  }

  constexpr Mask wait(static_warp& w, const Mask& threads) {
    const Mask mine = w.live & threads;
    w.waiting |= mine;
    return mine;
  }

  constexpr void arrive(const basic_fragment<Mask>& o) {
    Mask rest = o.lanes;
    each_warp(o.lanes, [&](static_warp& w) {
      if (w.armed == o.block) {
        rest -= wait(w, o.lanes);
      } else if (w.armed == no_block && w.live.is_subset_of(o.lanes)) {
        pool_.form(o.block, w.live);  // whole: a static warp
        rest -= w.live;
      }
    });
    pool_.join(o.block, rest);
  }

  constexpr void reform(static_warp& w) {
    if (w.armed == no_block || !(w.waiting == w.live)) return;
    if (w.live.any()) pool_.form(w.armed, w.live);
    w.waiting = Mask{};
    w.armed = no_block;
  }

  std::span<const block_id> ipdom_;
  std::span<const unsigned char> top_level_;
  basic_dynamic_warps<Mask> pool_;
  std::vector<static_warp> warps_;
};

/// Warp barriers for a thread block of up to 64 threads.
using dynamic_warps_barrier = basic_dynamic_warps_barrier<lane_mask>;

}  // namespace policies
}  // namespace v0
}  // namespace simtflow
