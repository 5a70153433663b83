// SPDX-License-Identifier: BSL-1.0
//
// The blocks that each thread executes, in order: an observer that turns any run into paths. Compare them with a
// thread's path alone, replay them under another policy (simt/trace.hpp), or search the best schedule for them
// (simt/optimal_schedule.hpp).
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/simt/events.hpp>
#include <simtflow/simt/trace.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// Observer: the paths of the thread block that ran last, as far as it got. O(lanes) for each executed block; memory is
/// the sum of all visits, kept for the next thread block.
class thread_paths {
 public:
  /// The threads of the thread block.
  [[nodiscard]] constexpr std::size_t size() const { return last_.size(); }
  /// True if the thread block ran to its end: then the paths are complete.
  [[nodiscard]] constexpr bool complete() const { return complete_; }

  /// Every thread's path: path t belongs to thread t. Linear in the visits.
  [[nodiscard]] constexpr block_paths paths() const {
    block_paths all;
    std::vector<block_id> path;
    for (std::uint32_t at : last_) {
      path.clear();
      for (; at != none; at = visits_[at].before) path.push_back(visits_[at].block);
      for (std::size_t low = 0, high = path.size(); low + 1 < high; ++low) {
        const block_id kept = path[low];
        path[low] = path[--high];
        path[high] = kept;
      }
      all.add(std::span<const block_id>(path));
    }
    return all;
  }

  /// Begins a thread block; the paths of the thread block before are gone.
  constexpr void operator()(const event::started& e) {
    last_.assign(e.threads, none);
    visits_.clear();
    complete_ = false;
  }
  /// Adds the block to the paths of its lanes.
  template <class Mask>
  constexpr void operator()(const event::issued<Mask>& e) {
    e.lanes.for_each([&](std::uint32_t lane) {
      const std::size_t thread = e.first_thread + lane;
      while (last_.size() <= thread) last_.push_back(none);
      visits_.push_back({e.block, last_[thread]});
      last_[thread] = static_cast<std::uint32_t>(visits_.size() - 1);
    });
  }
  constexpr void operator()(const event::ended&) { complete_ = true; }  ///< completes the paths

 private:
  static constexpr std::uint32_t none = 0xFFFF'FFFFU;
  struct visit {
    block_id block;
    std::uint32_t before;  // the same thread's visit before this one
  };

  std::vector<visit> visits_;
  std::vector<std::uint32_t> last_;  // by thread
  bool complete_ = false;
};

}  // namespace v0
}  // namespace simtflow
