// SPDX-License-Identifier: BSL-1.0
//
// A bound that no lockstep policy can beat. It depends on the threads' paths alone, so observe it under any policy
// (policies::lane_serial, say) and compare every other policy with it.
//
// Static warps: a warp executes block b at least as often as its busiest thread visits b, and at most once for each
// visit. If a policy forms warps anew out of the threads of a scope, each execution of b takes along at most one thread
// of every home lane. So b is executed at least as often as the threads of its busiest home lane visit it, added up:
//
//   fetches >= sum over scopes and blocks of  max over home lanes of  sum of visits by the lane's threads
//
// In a warp a home lane has one thread, and the two bounds are the same. Without home lanes (the ideal that no
// compactor reaches) any `width` threads fit together. The bound of a block is then the larger of two numbers: the
// busiest thread's visits, and all visits divided by the width, rounded up.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/simt/events.hpp>
#include <simtflow/simt/home_lanes.hpp>
#include <simtflow/simt/policy.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// Observer: lower and upper bounds on what a policy executes, added up over thread blocks that ran to their end.
/// Space, and time at the end of each thread block: its threads times the program's blocks. Time:
/// O(lanes) for each executed block.
class lower_bound {
 public:
  /// The bound for policies that keep the threads of a warp together, or that form warps out of the threads of a wider
  /// scope. The scope and lanes of the observed policy do not matter.
  /// \pre the program's blocks are 0 .. num_blocks - 1.
  constexpr explicit lower_bound(std::size_t num_blocks, policy_scope scope = policy_scope::warp,
                                 lane_rule rule = lane_rule::identity)
      : num_blocks_(num_blocks), scope_(scope), rule_(rule) {
    weight_.assign(num_blocks, 0);
  }

  /// The least number of times that a block must be executed, added up over blocks and scopes (warps, unless the
  /// constructor got another scope).
  [[nodiscard]] constexpr std::uint64_t fetches() const { return fetches_; }
  /// The same, each visit weighted with the block's instructions.
  [[nodiscard]] constexpr std::uint64_t warp_instructions() const { return warp_instructions_; }
  /// Sum of all visits by all threads: the blocks that a policy without merging executes.
  [[nodiscard]] constexpr std::uint64_t visits() const { return all_visits_; }

  /// Begins a thread block. A thread block that does not come to its end is forgotten when the next thread block
  /// starts.
  constexpr void operator()(const event::started& e) {
    threads_ = e.threads;
    width_ = e.warp_width;
    visits_.assign(static_cast<std::size_t>(threads_) * num_blocks_, 0);
  }
  /// Notes the visits. \pre the block is one of the num_blocks blocks.
  template <class Mask>
  constexpr void operator()(const event::issued<Mask>& e) {
    SIMTFLOW_EXPECTS(e.block < num_blocks_, "a lower_bound was made for all blocks of the program");
    weight_[e.block] = e.weight;
    e.lanes.for_each([&](std::uint32_t lane) { ++visits_[(e.first_thread + lane) * num_blocks_ + e.block]; });
  }
  /// Adds up the thread block. O(threads times blocks).
  constexpr void operator()(const event::ended& e) {
    const std::size_t block = threads_ / e.thread_blocks;
    const std::size_t many = scope_ == policy_scope::warp ? width_ : scope_ == policy_scope::block ? block : threads_;
    lane_.clear();
    lanes_ = 0;
    if (scope_ != policy_scope::warp && rule_ != lane_rule::free) {  // in a warp every thread has a lane of its own
      const home_lanes homes{width_, rule_};
      for (std::uint32_t t = 0; t < block; ++t) {
        lane_.push_back(homes.lane(t));
        if (lane_.back() >= lanes_) lanes_ = lane_.back() + 1;
      }
    }
    for (std::size_t first = 0; first < threads_;) {
      std::size_t last = first + many;  // a warp ends with its thread block
      if (scope_ == policy_scope::warp && last > (first / block + 1) * block) last = (first / block + 1) * block;
      for (std::size_t b = 0; b < num_blocks_; ++b) add(b, first, last, block);
      first = last;
    }
  }

 private:
  // Adds how often block b must be executed for threads first .. last - 1 of thread blocks of size `block`.
  constexpr void add(std::size_t b, std::size_t first, std::size_t last, std::size_t block) {
    in_lane_.assign(lanes_, 0);
    std::uint64_t most = 0, all = 0;
    for (std::size_t t = first; t < last; ++t) {
      std::uint64_t n = visits_[t * num_blocks_ + b];
      all += n;
      if (lanes_ != 0) n = in_lane_[lane_[t % block]] += n;
      if (n > most) most = n;
    }
    if (const std::uint64_t full = (all + width_ - 1) / width_; full > most) most = full;
    all_visits_ += all;
    fetches_ += most;
    warp_instructions_ += most * weight_[b];
  }

  std::size_t num_blocks_;
  policy_scope scope_;
  lane_rule rule_;
  std::uint32_t threads_ = 0, width_ = 1, lanes_ = 0;
  std::vector<std::uint64_t> visits_;  // by thread, then block
  std::vector<std::uint32_t> weight_;
  std::vector<std::uint32_t> lane_;     // home lane by thread of a thread block; empty: no two threads share a lane
  std::vector<std::uint64_t> in_lane_;  // visits by home lane
  std::uint64_t fetches_ = 0, warp_instructions_ = 0, all_visits_ = 0;
};

}  // namespace v0
}  // namespace simtflow
