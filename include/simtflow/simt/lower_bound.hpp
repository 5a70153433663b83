// SPDX-License-Identifier: BSL-1.0
//
// What no lockstep policy can beat: a warp executes block b at least as often as its busiest thread visits b, and at
// most once for each visit. The bound depends on the threads' paths alone, so observe it under any policy (lane_serial,
// say) and hold every other one against it.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/simt/events.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// Observer: lower and upper bounds on what a policy executes, added up over thread blocks that ran to their end.
/// Space, and time at the end of each thread block: its threads times the program's blocks. Time: O(lanes) for each
/// executed block.
class lower_bound {
 public:
  /// \pre the program's blocks are 0 .. num_blocks - 1.
  constexpr explicit lower_bound(std::size_t num_blocks) : num_blocks_(num_blocks) { weight_.assign(num_blocks, 0); }

  /// Sum over warps and blocks of the largest number of visits by one thread.
  [[nodiscard]] constexpr std::uint64_t fetches() const { return fetches_; }
  /// The same, each visit weighted with the block's instructions.
  [[nodiscard]] constexpr std::uint64_t warp_instructions() const { return warp_instructions_; }
  /// Sum of all visits by all threads: what a policy that never merges executes.
  [[nodiscard]] constexpr std::uint64_t visits() const { return all_visits_; }

  /// The events it takes. A thread block that does not come to its end is forgotten when the next one starts.
  constexpr void operator()(const event::started& e) {
    threads_ = e.threads;
    width_ = e.warp_width;
    visits_.assign(static_cast<std::size_t>(threads_) * num_blocks_, 0);
  }
  template <class Mask>
  constexpr void operator()(const event::issued<Mask>& e) {
    SIMTFLOW_EXPECTS(e.block < num_blocks_, "a lower_bound was made for all blocks of the program");
    weight_[e.block] = e.weight;
    e.lanes.for_each([&](std::uint32_t lane) { ++visits_[(e.first_thread + lane) * num_blocks_ + e.block]; });
  }
  constexpr void operator()(const event::ended&) {
    for (std::size_t first = 0; first < threads_; first += width_) {
      const std::size_t last = first + width_ < threads_ ? first + width_ : threads_;
      for (std::size_t b = 0; b < num_blocks_; ++b) {
        std::uint64_t most = 0;
        for (std::size_t t = first; t < last; ++t) {
          const std::uint64_t n = visits_[t * num_blocks_ + b];
          all_visits_ += n;
          if (n > most) most = n;
        }
        fetches_ += most;
        warp_instructions_ += most * weight_[b];
      }
    }
  }

 private:
  std::size_t num_blocks_;
  std::uint32_t threads_ = 0, width_ = 1;
  std::vector<std::uint64_t> visits_;  // by thread, then block
  std::vector<std::uint32_t> weight_;
  std::uint64_t fetches_ = 0, warp_instructions_ = 0, all_visits_ = 0;
};

}  // namespace v0
}  // namespace simtflow
