// SPDX-License-Identifier: BSL-1.0
//
// Dynamic warp formation (DWF): no stack. Ready warps lie in a pool; when a warp has run, its threads are sorted by
// next block. If a warp of the pool still accepts threads at that block, the threads join it, each in its home lane. A
// thread that finds its lane taken (a merge conflict) goes to a new warp, which from then on accepts the threads. The
// older warp stays as it is, partly empty, until it runs.
//
// Follows Fung, Sham, Yuan, Aamodt: Dynamic Warp Formation and Scheduling (MICRO 2007), as section 2.3 of Fung, Aamodt:
// Thread Block Compaction (HPCA 2011) sums it up. The hardware forms warps of all threads of a core
// (policy_scope::core); policy_scope::block keeps thread blocks apart. Hardware merges at every instruction, this
// policy at the beginning of blocks: timing/instruction_blocks.hpp makes a block of each instruction.
//
// Parameters: the scheduler, the scope, and the home lanes (home_lanes.hpp). Under core scope thread blocks come and
// go: release() of lanes that are not live brings a new thread block, with static warps as under start(). Choices where
// the papers are silent: "most frequent" and "fewest" count warps, the lower program counter wins a tie, and within one
// program counter the older warp runs first. Only warp_scheduler::post_dominators needs an analysis. Programs with
// barriers need barrier_model::thread_arrival: threads that have passed a barrier do not merge with other threads, and
// run before all others. Under warp_scheduler::time the older warp always goes first; otherwise a warp might never run.
//
// Further parameters are the sizes of the warp pool and of the PC-warp table, which names the warp that accepts threads
// at a program counter. If the pool is full, threads wait, in the order in which they came, until a warp issues. If the
// table is full, the entry used least recently makes room, and its warp accepts no more threads. The paper's public
// simulator (GPGPU-Sim, dwf.cc, 2010) has the same table, with sets. Its pool has an entry for each thread and is never
// full.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/simt/home_lanes.hpp>
#include <simtflow/simt/mask.hpp>
#include <simtflow/simt/policies/detail/warp_former.hpp>
#include <simtflow/simt/policies/warp_scheduler.hpp>
#include <simtflow/simt/policy.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace policies {

/// The options of a pool of dynamic warps. The spans must outlive the policy.
struct dynamic_warp_options {
  home_lanes lanes{};  ///< width of a warp, and the lane of each thread
  /// By block: its program counter, no two alike (priority_order::ranks(), say). Empty: the block's number.
  std::span<const std::uint32_t> pc{};
  /// By block: non-zero if it is the reconvergence point of some branch; warp_scheduler::post_dominators only.
  std::span<const unsigned char> reconvergence{};
  warp_scheduler scheduler = warp_scheduler::majority;  ///< which warp runs next
  /// The threads that share the pool: policy_scope::block or policy_scope::core, which asks for lanes.threads.
  policy_scope scope = policy_scope::block;
  std::uint32_t pool = 0;   ///< warps that the pool holds at most, without warps that issue or are in flight; 0: all
  std::uint32_t table = 0;  ///< entries of the PC-warp table; 0: one for each program counter
};

/// The warp pool of a thread block, or of a core. Every thread that runs is in one warp of the pool, in its home lane,
/// unless it waits for room in the pool.
///
/// Progress: fair under warp_scheduler::time; lockstep-safe under the other schedulers. These can delay a warp for as
/// long as other warps spin (spin locks hang), or until the others have gone ahead (starvation eddies: it is too late
/// to merge with them).
template <class Mask>
class basic_dynamic_warps {
 public:
  using mask_type = Mask;                                     ///< threads of one thread block, or of the core's
  static constexpr policy_scope scope = policy_scope::block;  ///< the scope of dynamic_warp_options by default
  /// The progress that it promises under every scheduler.
  static constexpr progress_class progress = progress_class::lockstep_safe;
  /// True: the scheduler of the pool picks the warp that issues (overlapping_policy).
  static constexpr bool schedules_issue = true;

  /// A warp of the pool.
  struct warp {
    block_id block;        ///< where its threads stand
    std::uint32_t passed;  ///< the most reconvergence points that one of its threads has passed
    std::uint64_t formed;  ///< warps are numbered as they are formed
    bool first;            ///< true after a barrier: it runs before others, but not under warp_scheduler::time
    Mask threads;          ///< by number in the thread block, or in the core
    Mask lanes;            ///< their home lanes
  };

  /// \pre options.lanes.width >= 1; the scope is not policy_scope::warp.
  constexpr explicit basic_dynamic_warps(const dynamic_warp_options& options)
      : options_(options), former_(options.lanes, options.pool, options.table) {}

  /// The abilities of its type, with the scope of the options, and progress_class::fair under warp_scheduler::time.
  [[nodiscard]] constexpr policy_abilities abilities() const {
    policy_abilities can = static_abilities<basic_dynamic_warps>;
    can.scope = options_.scope;
    if (is(warp_scheduler::time)) can.progress = progress_class::fair;
    return can;
  }

  /// Starts with static warps; none of these warps accepts threads. O(threads).
  constexpr void start(const basic_fragment<Mask>& f) {
    former_.clear(is(warp_scheduler::time));
    majority_ = no_block;
    if (is(warp_scheduler::post_dominators)) passed_.assign(Mask::capacity, 0);
    live_ = Mask{};
    enter(f);
  }

  /// The warp that the scheduler picks; it leaves the pool. O(1) under time, and under majority while the block has
  /// warps left; O(warps in the pool) otherwise.
  constexpr std::optional<basic_fragment<Mask>> next() {
    if (warps().empty()) return std::nullopt;
    const std::uint32_t i = pick();
    const basic_fragment<Mask> f{warps()[i].block, warps()[i].threads};
    former_.remove(i, most_passed());
    return f;
  }

  /// As next(): a warp in flight is no longer in the pool, so no thread joins it (overlapping_policy).
  constexpr std::optional<basic_fragment<Mask>> take() { return next(); }

  /// The warp's threads join other warps. \pre next() or take() has named f, and f has not advanced since.
  /// O(threads of f).
  constexpr void advance(const basic_fragment<Mask>& f, std::span<const basic_fragment<Mask>> out) {
    if (tracks_live()) {
      Mask gone = f.lanes;
      for (const auto& o : out) gone -= o.lanes;
      ended(gone);
    }
    for (const auto& o : out) join(o.block, o.lanes);
  }

  /// Nothing to do: next() has taken the threads out already.
  constexpr void park(const basic_fragment<Mask>&) {}
  /// Forms a warp of their own for threads that have passed a barrier. Under core scope, lanes that are not live are a
  /// new thread block, which begins as under start(). O(threads of f).
  constexpr void release(const basic_fragment<Mask>& f) {
    if (options_.scope == policy_scope::core && (live_ & f.lanes).none()) return enter(f);
    arrive(f);
    split_.clear();
    former_.packer().pack(f.lanes, split_);  // one warp, unless f holds more threads than ran together
    for (const Mask& threads : split_) former_.come(f.block, threads, detail::formation::first, most_passed());
  }
  /// Threads that were parked have ended: what they have passed no longer matters. O(1).
  constexpr void ended(const Mask& threads) {
    if (tracks_live()) live_ -= threads;
  }

  /// Puts threads into the warp that accepts threads at a block, and threads that do not fit into a new warp.
  /// O(threads).
  constexpr void join(block_id block, const Mask& threads) {
    if (threads.none()) return;
    arrive({block, threads});
    former_.come(block, threads, detail::formation::join, most_passed());
  }

  /// Forms a warp of its own for threads that come to a block and have distinct home lanes; no other thread joins it.
  /// O(threads).
  constexpr void form(block_id block, const Mask& threads) {
    arrive({block, threads});
    former_.come(block, threads, detail::formation::apart, most_passed());
  }

  /// Warps, including the warp that next() named last. O(1).
  [[nodiscard]] constexpr std::size_t depth() const { return warps().size() + 1; }

  /// The number of times that threads found a warp with room in which their lanes were not free.
  [[nodiscard]] constexpr std::uint64_t merge_conflicts() const { return former_.conflicts(); }
  /// Merge conflicts in which all threads would have fitted, had they no home lanes.
  [[nodiscard]] constexpr std::uint64_t fragmentations() const { return former_.fragmentations(); }
  /// The number of times that threads came to a block and had to wait because the pool was full, or threads waited.
  [[nodiscard]] constexpr std::uint64_t pool_stalls() const { return former_.stalls(); }
  /// The number of entries of the PC-warp table that made room for another entry while their warp was in the pool.
  [[nodiscard]] constexpr std::uint64_t table_evictions() const { return warps().evictions(); }

  /// The warps that are ready, in no particular order.
  [[nodiscard]] constexpr std::span<const warp> pool() const { return warps().warps(); }
  /// True if both have the same warps, formed in the same order, the same warps accept threads and leave the table in
  /// the same order, and the same threads wait for room. Counters of reconvergence points that differ by one number for
  /// all live threads count as equal. O(warps in the pool ^ 2).
  friend constexpr bool operator==(const basic_dynamic_warps& a, const basic_dynamic_warps& b) {
    const auto &these = a.warps(), &those = b.warps();
    if (these.size() != those.size() || !(a.live_ == b.live_)) return false;
    if (!a.former_.waits_like(b.former_) || !these.evicts_like(those)) return false;
    if (a.options_.scheduler != b.options_.scheduler) return false;
    if (a.is(warp_scheduler::majority) && a.majority_ != b.majority_) return false;
    if (a.is(warp_scheduler::post_dominators)) {
      const std::uint32_t t = a.live_.first();
      const std::uint32_t more = t < Mask::capacity ? a.passed_[t] - b.passed_[t] : 0;
      bool alike = true;
      a.live_.for_each([&](std::uint32_t u) { alike = alike && a.passed_[u] - b.passed_[u] == more; });
      if (!alike) return false;
    }
    for (std::size_t i = 0; i < these.size(); ++i) {
      const warp &v = these[i], &w = those[i];
      if (v.block != w.block || v.first != w.first || !(v.threads == w.threads) || !(v.lanes == w.lanes)) return false;
      if ((these.open_at(v.block) == i) != (those.open_at(w.block) == i)) return false;
      for (std::size_t k = 0; k < i; ++k)
        if ((these[k].formed < v.formed) != (those[k].formed < w.formed)) return false;
    }
    return true;
  }

  /// The home lanes in use.
  [[nodiscard]] constexpr const warp_packer<Mask>& packer() const { return former_.packer(); }

 private:
  [[nodiscard]] constexpr bool is(warp_scheduler s) const { return options_.scheduler == s; }
  [[nodiscard]] constexpr bool tracks_live() const {
    return is(warp_scheduler::post_dominators) || options_.scope == policy_scope::core;
  }

  // Threads begin, in static warps.
  constexpr void enter(const basic_fragment<Mask>& f) {
    if (tracks_live()) live_ |= f.lanes;
    if (is(warp_scheduler::post_dominators)) f.lanes.for_each([&](std::uint32_t t) { passed_[t] = 0; });
    split_.clear();
    former_.packer().keep(f.lanes, split_);
    for (const Mask& threads : split_) former_.come(f.block, threads, detail::formation::apart, most_passed());
  }

  constexpr std::uint32_t pc(block_id b) const {
    if (options_.pc.empty()) return b;
    SIMTFLOW_EXPECTS(b < options_.pc.size(), "every block that runs has a program counter");
    return options_.pc[b];
  }

  constexpr void arrive(const basic_fragment<Mask>& f) {
    if (is(warp_scheduler::post_dominators))
      if (f.block < options_.reconvergence.size() && options_.reconvergence[f.block] != 0)
        f.lanes.for_each([&](std::uint32_t t) { ++passed_[t]; });
  }
  // For the former: the most reconvergence points that a thread has passed, or `most`.
  constexpr auto most_passed() const {
    return [this](std::uint32_t most, const Mask& threads) {
      if (is(warp_scheduler::post_dominators))
        threads.for_each([&](std::uint32_t t) {
          if (passed_[t] > most) most = passed_[t];
        });
      return most;
    };
  }
  [[nodiscard]] constexpr const detail::warp_pool<warp>& warps() const { return former_.pool(); }

  constexpr std::uint32_t pick() {
    if (warps().oldest_in_line() != warps().none) return warps().oldest_in_line();
    if (is(warp_scheduler::post_dominators)) {
      std::uint32_t found = 0;
      for (std::uint32_t i = 1; i < warps().size(); ++i)
        if (passed_less(warps()[i], warps()[found])) found = i;
      return found;
    }
    // The majority runs until it is exhausted.
    block_id runs = majority_;
    if (runs == no_block || !is(warp_scheduler::majority) || warps().num_at(runs) == 0) {
      runs = warps()[0].block;
      for (const warp& w : warps().warps())
        if (w.block != runs && goes_before(w.block, runs)) runs = w.block;
      majority_ = runs;
    }
    return warps().oldest_at(runs);
  }

  // True if the scheduler takes the warps of block a before the warps of block b.
  constexpr bool goes_before(block_id a, block_id b) const {
    const std::uint32_t m = warps().num_at(a), n = warps().num_at(b);
    if (!is(warp_scheduler::pc) && m != n) return is(warp_scheduler::majority) ? m > n : m < n;
    return pc(a) < pc(b);
  }
  static constexpr bool passed_less(const warp& a, const warp& b) {
    if (a.passed != b.passed) return a.passed < b.passed;
    const std::uint32_t m = a.threads.count(), n = b.threads.count();
    return m != n ? m > n : a.formed < b.formed;
  }

  dynamic_warp_options options_;
  detail::warp_former<warp, Mask> former_;
  std::vector<std::uint32_t> passed_;  // by thread
  Mask live_{};                        // threads that have not ended, if tracks_live()
  std::vector<Mask> split_;
  block_id majority_ = no_block;
};

/// The pool of a thread block of up to 64 threads.
using dynamic_warps = basic_dynamic_warps<lane_mask>;

}  // namespace policies
}  // namespace v0
}  // namespace simtflow
