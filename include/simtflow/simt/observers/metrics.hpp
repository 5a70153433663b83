// SPDX-License-Identifier: BSL-1.0
//
// Figures of a run beyond counts.hpp, one observer for each; put together the observers that you want with `both`. All
// of them add up over thread blocks. An *issue* is one instruction for one group of lanes: a block of w instructions is
// w issues. Lanes that execute an instruction under a false guard count as used, because the mechanism issues them
// (counts::predicated_off is their number).
//
//   issue_widths     issues by the number of lanes that they used (the "W n:m" breakdown)
//   lane_activity    share of threads that an issue uses, over three denominators that the literature confuses
//   temporal_issues  issue slots on a unit narrower than the warp
//   entry_depth      entries the mechanism held
//   standing_places  blocks at which the lanes of a warp stood: the entries of a mechanism with one entry for each
//                    block
//   frontier_sizes   static frontiers of the branches at which lanes diverged
//
// Literature: W. Fung, T. Aamodt, Thread Block Compaction, HPCA 2011 (SIMD efficiency, W breakdown, stack entries);
// G. Diamos et al., SIMD Re-Convergence At Thread Frontiers, MICRO 2011 (activity factor, frontier sizes); GPU Ocelot's
// trace generators (temporal SIMT).
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/simt/events.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {

namespace detail {
[[nodiscard]] constexpr double quotient(std::uint64_t part, std::uint64_t whole, double if_nothing) {
  return whole == 0 ? if_nothing : static_cast<double>(part) / static_cast<double>(whole);
}
}  // namespace detail

/// Observer: issues by the number of lanes they used. O(1) for each executed block.
class issue_widths {
 public:
  /// Issues with exactly n lanes.
  [[nodiscard]] constexpr std::uint64_t of(std::size_t n) const { return n < issues_.size() ? issues_[n] : 0; }
  /// Issues with low .. high lanes: between(29, 32) is "W29-32".
  [[nodiscard]] constexpr std::uint64_t between(std::size_t low, std::size_t high) const {
    std::uint64_t sum = 0;
    for (std::size_t n = low; n <= high && n < issues_.size(); ++n) sum += issues_[n];
    return sum;
  }
  /// All issues.
  [[nodiscard]] constexpr std::uint64_t total() const { return total_; }
  /// The most lanes that an issue used; 0 without issues.
  [[nodiscard]] constexpr std::size_t widest() const { return issues_.empty() ? 0 : issues_.size() - 1; }

  /// The event it takes.
  template <class Mask>
  constexpr void operator()(const event::issued<Mask>& e) {
    const std::size_t n = e.lanes.count();
    if (e.weight == 0) return;
    while (issues_.size() <= n) issues_.push_back(0);
    issues_[n] += e.weight;
    total_ += e.weight;
  }

 private:
  std::vector<std::uint64_t> issues_;  // by lanes
  std::uint64_t total_ = 0;
};

/// Observer: the used share of the threads that an issue could have used. O(1) for each executed block.
struct lane_activity {
  std::uint64_t used = 0;     ///< lanes, added up over issues
  std::uint64_t live = 0;     ///< lanes of the warp that had not ended
  std::uint64_t started = 0;  ///< lanes the warp started with
  std::uint64_t block = 0;    ///< threads of the thread block

  /// Over the threads of the warp that have not ended: the cost of divergence alone. 1 if nothing was issued.
  [[nodiscard]] constexpr double of_live() const { return detail::quotient(used, live, 1); }
  /// Over the threads the warp started with: ended threads count as idle. 1 if nothing was issued.
  [[nodiscard]] constexpr double of_warp() const { return detail::quotient(used, started, 1); }
  /// Over the threads of the thread block: the activity factor of the thread frontiers paper, which has
  /// "infinitely wide" warps. Comparable only between runs with one warp; there it equals of_warp(). 1 if nothing was
  /// issued.
  [[nodiscard]] constexpr double of_thread_block() const { return detail::quotient(used, block, 1); }

  /// Takes the number of threads.
  constexpr void operator()(const event::started& e) { threads_ = e.threads; }
  /// Counts an executed block.
  template <class Mask>
  constexpr void operator()(const event::issued<Mask>& e) {
    const std::uint64_t weight = e.weight;
    used += weight * e.lanes.count();
    live += weight * e.live.count();
    started += weight * e.threads;
    block += weight * threads_;
  }

 private:
  std::uint32_t threads_ = 0;
};

/// Observer: issue slots when a warp runs on a unit of fewer lanes, part after part, and a part without an active lane
/// takes no slot (temporal SIMT). O(Words) for each part of each executed block.
class temporal_issues {
 public:
  /// Lanes 0 .. unit - 1 are the first part, and so on. \pre unit > 0.
  constexpr explicit temporal_issues(std::uint32_t unit) : unit_(unit) {
    SIMTFLOW_EXPECTS(unit > 0, "an execution unit has at least one lane");
  }

  /// Slots taken: for each instruction, the parts with an active lane.
  [[nodiscard]] constexpr std::uint64_t slots_taken() const { return slots_; }
  /// Slots that a unit would take if it ran every part, active or not.
  [[nodiscard]] constexpr std::uint64_t slots_without_skipping() const { return all_slots_; }
  /// Active lanes over the lanes of the slots taken: 0 .. 1; 1 if nothing was issued.
  [[nodiscard]] constexpr double efficiency() const { return detail::quotient(used_, slots_ * unit_, 1); }

  /// Takes the warp width.
  constexpr void operator()(const event::started& e) { parts_ = (e.warp_width - 1) / unit_ + 1; }
  /// Counts an executed block.
  template <class Mask>
  constexpr void operator()(const event::issued<Mask>& e) {
    std::uint32_t active = 0, part = 0, beyond = 0;  // lanes below `beyond` are in parts that were counted
    e.lanes.for_each([&](std::uint32_t lane) {
      if (lane < beyond) return;
      ++active;
      part = lane / unit_;
      beyond = (part + 1) * unit_;
    });
    slots_ += std::uint64_t{e.weight} * active;
    all_slots_ += std::uint64_t{e.weight} * parts_;
    used_ += std::uint64_t{e.weight} * e.lanes.count();
  }

 private:
  std::uint32_t unit_, parts_ = 1;
  std::uint64_t slots_ = 0, all_slots_ = 0, used_ = 0;
};

/// Observer: entries a mechanism held when it ran a block, the running one included. All zero under a policy without
/// depth(). O(1) for each executed block.
class entry_depth {
 public:
  /// The most entries; 0 if no block was executed.
  [[nodiscard]] constexpr std::uint64_t most() const { return max_; }
  /// Mean over executed blocks; 0 if no block was executed.
  [[nodiscard]] constexpr double mean() const { return detail::quotient(sum_, fetches_, 0); }

  /// The event it takes.
  template <class Mask>
  constexpr void operator()(const event::issued<Mask>& e) {
    ++fetches_;
    sum_ += e.depth;
    if (e.depth > max_) max_ = e.depth;
  }

 private:
  std::uint64_t fetches_ = 0, sum_ = 0, max_ = 0;
};

/// Observer: the number of different blocks at which the live lanes of a warp stood when a block ran, that block
/// included. It is the number of entries of a mechanism with one entry for each block, and the run-time size of a
/// frontier plus one. A lane's place is known only when the lane moves on, so thread blocks are added up when they end;
/// thread blocks that do not end are forgotten. Time at the end: O(lanes) for each executed block. Space: 16 bytes for
/// each visit of the thread block that runs.
class standing_places {
 public:
  /// The most places; 0 if no thread block has ended.
  [[nodiscard]] constexpr std::uint64_t most() const { return max_; }
  /// Mean over executed blocks; 0 if no block was executed.
  [[nodiscard]] constexpr double mean() const { return detail::quotient(sum_, fetches_, 0); }
  /// Executed blocks with all live lanes of the warp at one place.
  [[nodiscard]] constexpr std::uint64_t converged() const { return converged_; }

  /// Begins a thread block.
  constexpr void operator()(const event::started& e) {
    width_ = e.warp_width;
    threads_ = e.threads;
    step_.clear();
    visit_.clear();
  }
  /// Notes the lanes that run.
  template <class Mask>
  constexpr void operator()(const event::issued<Mask>& e) {
    step_.push_back(visit_.size());
    e.lanes.for_each([&](std::uint32_t lane) { visit_.push_back({e.first_thread + lane, e.block}); });
  }
  /// Adds the thread block to the results.
  // Backwards: at[t] is the block that thread t runs next, so it stands there; before its last visit it has not ended.
  constexpr void operator()(const event::ended&) {
    at_.assign(threads_, no_block);
    std::size_t end = visit_.size();
    for (std::size_t s = step_.size(); s-- > 0;) {
      for (std::size_t v = step_[s]; v < end; ++v) at_[visit_[v].thread] = visit_[v].block;
      end = step_[s];
      // The warp of the step's first lane; the observer does not tell warps apart that a policy formed itself.
      const std::size_t low = visit_[end].thread / width_ * width_;
      const std::size_t high = low + width_ < threads_ ? low + width_ : threads_;
      std::uint64_t here = 0;
      for (std::size_t t = low; t < high; ++t) {
        if (at_[t] == no_block) continue;
        bool known = false;
        for (std::size_t u = low; u < t && !known; ++u) known = at_[u] == at_[t];
        here += known ? 0U : 1U;
      }
      ++fetches_;
      sum_ += here;
      if (here > max_) max_ = here;
      converged_ += here == 1 ? 1U : 0U;
    }
  }

 private:
  struct visit {
    std::uint32_t thread;
    block_id block;
  };
  std::vector<std::size_t> step_;  // the first visit of each step
  std::vector<visit> visit_;
  std::vector<block_id> at_;
  std::uint32_t width_ = 1, threads_ = 0;
  std::uint64_t fetches_ = 0, sum_ = 0, max_ = 0, converged_ = 0;
};

/// Observer: the static thread frontiers of the branches at which lanes diverged. O(1) for each divergence.
class frontier_sizes {
 public:
  /// `size[b]`: blocks in the frontier of b (analysis/thread_frontiers.hpp). The table must outlive the observer.
  constexpr explicit frontier_sizes(std::span<const std::uint32_t> size) : size_(size) { met_.assign(size.size(), 0); }

  /// Branches at which lanes diverged at least once.
  [[nodiscard]] constexpr std::uint64_t branches() const { return branches_; }
  /// The smallest frontier of those branches; 0 if there is no such branch.
  [[nodiscard]] constexpr std::uint32_t smallest() const { return branches_ == 0 ? 0 : min_; }
  /// The largest frontier; 0 if there is no such branch.
  [[nodiscard]] constexpr std::uint32_t largest() const { return max_; }
  /// The mean, each branch once; 0 if there is no such branch.
  [[nodiscard]] constexpr double mean() const { return detail::quotient(sum_, branches_, 0); }
  /// The mean over all divergences, each branch as often as lanes diverged there; 0 if they never did.
  [[nodiscard]] constexpr double mean_at_run_time() const { return detail::quotient(all_, times_, 0); }

  /// The event it takes.
  template <class Mask>
  constexpr void operator()(const event::diverged<Mask>& e) {
    SIMTFLOW_EXPECTS(e.block < size_.size(), "every block of the program has a frontier size");
    const std::uint32_t n = size_[e.block];
    ++times_;
    all_ += n;
    if (met_[e.block] != 0) return;
    met_[e.block] = 1;
    sum_ += n;
    if (branches_++ == 0 || n < min_) min_ = n;
    if (n > max_) max_ = n;
  }

 private:
  std::span<const std::uint32_t> size_;
  std::vector<unsigned char> met_;  // by block
  std::uint32_t min_ = 0, max_ = 0;
  std::uint64_t branches_ = 0, sum_ = 0, times_ = 0, all_ = 0;
};

}  // namespace v0
}  // namespace simtflow
