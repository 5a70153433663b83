// SPDX-License-Identifier: BSL-1.0
//
// Large warps: the threads of K warps share one post-dominator stack, as a matrix of K rows and one column for each
// lane. To run a block, threads of the top entry are packed into sub-warps, one thread from each column for each cycle,
// until all have run. Then the large warp resolves the branch as a whole. Large warps never wait for each other.
//
// Follows Narasiman et al.: Improving GPU Performance via Large Warps and Two-Level Warp Scheduling (MICRO 2011),
// section 3; its default is K = 8, 256 threads in warps of 32. The second half of the mechanism, fetch groups, needs a
// model of latency and is not here. Parameters besides K: the home lanes (home_lanes.hpp; a column is a home lane).
// Chosen here, because the paper is silent: large warps take turns, one sub-warp each.
//
// Analysis: immediate post-dominators. Progress: none between threads of one large warp. Needs
// barrier_model::thread_arrival for programs with barriers; a barrier that only part of a large warp reaches is a
// deadlock.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/simt/home_lanes.hpp>
#include <simtflow/simt/mask.hpp>
#include <simtflow/simt/policies/ipdom_stack.hpp>
#include <simtflow/simt/policy.hpp>
#include <simtflow/simt/program.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace policies {

/// The options of large warps.
struct large_warp_options {
  home_lanes lanes{};       ///< width of a warp, and the lane of each thread
  std::uint32_t warps = 8;  ///< warps that share a stack (K), at least 1
};

/// The large warps of a thread block: threads 0 .. K * width - 1, and so on; the last one may be partial.
template <class Mask>
class basic_large_warps {
 public:
  using mask_type = Mask;                                           ///< threads of one thread block
  static constexpr policy_scope scope = policy_scope::block;        ///< one instance for each thread block
  static constexpr progress_class progress = progress_class::none;  ///< what it promises

  /// `ipdom` as for basic_ipdom_stack. \pre options.warps >= 1. The span must outlive the policy.
  constexpr basic_large_warps(std::span<const block_id> ipdom, const large_warp_options& options)
      : stack_(ipdom), packer_(options.lanes) {
    SIMTFLOW_EXPECTS(options.warps >= 1, "a large warp is made of at least one warp");
    const std::uint64_t threads = std::uint64_t{options.warps} * options.lanes.width;
    threads_ = threads < Mask::capacity ? static_cast<std::uint32_t>(threads) : Mask::capacity;
  }

  /// O(threads).
  constexpr void start(const basic_fragment<Mask>& f) {
    count_ = current_ = 0;
    for (Mask rest = f.lanes; rest.any(); ++count_) {
      if (count_ == groups_.size()) groups_.push_back(large_warp{stack_});
      large_warp& g = groups_[count_];
      const auto first = static_cast<std::uint32_t>(count_ * threads_);
      g.all = f.lanes & below(first + threads_);
      g.all -= below(first);
      rest -= g.all;
      g.stack.start({f.block, g.all});
      fetch(g);
    }
    current_ = count_ == 0 ? 0 : count_ - 1;
  }

  /// The next sub-warp of the next large warp that can run. O(1), plus O(large warps) to skip large warps that cannot.
  constexpr std::optional<basic_fragment<Mask>> next() {
    for (std::size_t tried = 0; tried < count_; ++tried) {
      current_ = current_ + 1 < count_ ? current_ + 1 : 0;
      large_warp& g = groups_[current_];
      if (g.issued < g.sub_warps.size()) return basic_fragment<Mask>{g.running.block, g.sub_warps[g.issued]};
    }
    return std::nullopt;
  }

  /// The sub-warp that next() would name. Sub-warps of one block may be in flight together, and sub-warps of different
  /// large warps also (overlapping_policy). As next().
  constexpr std::optional<basic_fragment<Mask>> take() {
    const auto f = next();
    if (f) {
      ++groups_[current_].issued;
      ++groups_[current_].in_flight;
    }
    return f;
  }

  /// \pre f is what next() named last, or in flight. O(targets), plus O(threads of the large warp) after its last
  /// sub-warp.
  constexpr void advance(const basic_fragment<Mask>& f, std::span<const basic_fragment<Mask>> out) {
    large_warp& g = group_of(f.lanes);
    Mask gone = f.lanes;
    for (const auto& o : out) {
      g.out.go(o.block, o.lanes);
      gone -= o.lanes;
    }
    if (gone.any()) forget(g, gone);
    has_run(g);
    resolve_if_complete(g);
  }

  /// The sub-warp that ran waits. O(1).
  constexpr void park(const basic_fragment<Mask>& f) {
    large_warp& g = group_of(f.lanes);
    has_run(g);
    g.parked |= f.lanes;
  }
  /// Threads come back. \pre they were parked together. O(targets), plus O(threads of the large warp) for its last
  /// threads.
  constexpr void release(const basic_fragment<Mask>& f) {
    large_warp& g = group_of(f.lanes);
    g.out.go(f.block, f.lanes);
    g.parked -= f.lanes;
    resolve_if_complete(g);
  }
  /// Threads that were parked together have ended. O(entries), plus O(threads of the large warp) for its last threads.
  constexpr void ended(const Mask& threads) {
    large_warp& g = group_of(threads);
    forget(g, threads);
    g.parked -= threads;
    resolve_if_complete(g);
  }

  /// Entries on the stack of the large warp that runs. O(1).
  [[nodiscard]] constexpr std::size_t depth() const { return groups_[current_].stack.depth(); }

  /// Threads that wait for other threads of their large warp: all threads on the stacks except sub-warps that still
  /// have to run. O(entries + sub-warps).
  [[nodiscard]] constexpr Mask blocked() const {
    Mask all;
    for (std::size_t i = 0; i < count_; ++i) {
      const large_warp& g = groups_[i];
      for (const auto& e : g.stack.entries()) all |= e.lanes;
      for (std::size_t k = g.issued; k < g.sub_warps.size(); ++k) all -= g.sub_warps[k];
    }
    return all;
  }

  /// The same stacks, sub-warps and turn. O(entries + sub-warps).
  friend constexpr bool operator==(const basic_large_warps& a, const basic_large_warps& b) {
    if (a.count_ != b.count_ || a.current_ != b.current_) return false;
    for (std::size_t i = 0; i < a.count_; ++i)
      if (!(a.groups_[i] == b.groups_[i])) return false;
    return true;
  }

 private:
  struct large_warp {
    basic_ipdom_stack<Mask> stack;
    Mask all{};
    basic_fragment<Mask> running{};  // the top of the stack
    std::vector<Mask> sub_warps{};   // the sub-warps that it was packed into
    std::size_t issued = 0;          // the number of sub-warps that have run or are in flight
    std::size_t in_flight = 0;       // the number of sub-warps that take() has named and that have not run
    basic_partition<Mask> out{};     // where their threads go
    Mask parked{};                   // threads that wait at a barrier
    friend constexpr bool operator==(const large_warp&, const large_warp&) = default;
  };

  static constexpr Mask below(std::uint32_t n) { return Mask::first_lanes(n < Mask::capacity ? n : Mask::capacity); }

  constexpr void fetch(large_warp& g) {
    g.out.clear();
    g.sub_warps.clear();
    g.issued = g.in_flight = 0;
    g.parked = Mask{};
    const auto top = g.stack.next();
    if (!top) return;
    g.running = *top;
    packer_.pack(top->lanes, g.sub_warps);
  }
  constexpr large_warp& group_of(const Mask& threads) { return groups_[threads.first() / threads_]; }
  static constexpr void forget(large_warp& g, const Mask& threads) {
    g.running.lanes -= threads;
    g.stack.ended(threads);
  }
  // next() does not count the sub-warp that it names, take() does.
  static constexpr void has_run(large_warp& g) {
    if (g.in_flight != 0)
      --g.in_flight;
    else
      ++g.issued;
  }
  // If all sub-warps have run and no sub-warp waits, the large warp goes on.
  constexpr void resolve_if_complete(large_warp& g) {
    if (g.issued != g.sub_warps.size() || g.in_flight != 0 || g.parked.any()) return;
    g.stack.advance(g.running, g.out.fragments());
    fetch(g);
  }

  basic_ipdom_stack<Mask> stack_;  // each large warp has a copy of it
  warp_packer<Mask> packer_;
  std::uint32_t threads_ = 0;  // of a large warp
  std::vector<large_warp> groups_;
  std::size_t count_ = 0, current_ = 0;
};

/// The large warps of a thread block of up to 64 threads.
using large_warps = basic_large_warps<lane_mask>;

}  // namespace policies
}  // namespace v0
}  // namespace simtflow
