// SPDX-License-Identifier: BSL-1.0
//
// A flow_program as a program that the executor runs, under masks of any width.
#pragma once

#include "playground/flow_program.hpp"
#include <simtflow/simt/launch.hpp>
#include <simtflow/simt/program.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace playground {

class flow_run {
 public:
  /// The program outlives this.
  explicit flow_run(const flow_program& program) : program_(&program) {
    for (const flow_block& b : program.blocks) {
      const bool counts = uses(b.code, flow_op::visits) || uses(b.code, flow_op::random);
      visit_slot_.push_back(counts ? slots_++ : no_slot);
      loop_slot_.push_back(b.ending == flow_ending::loop ? slots_++ : no_slot);
    }
  }

  /// Clears all flags and counts.
  void begin(const simtflow::launch& shape) {
    now_.counts.assign(std::size_t{shape.threads} * slots_, 0);
    now_.flags.assign(program_->flags.size(), 0);
  }

  /// Runs block b for the lanes of the group, the lowest first. O(lanes times the length of the block's expression).
  template <class Mask>
  simtflow::block_end run(simtflow::block_id b, const simtflow::basic_group<Mask>& g,
                          simtflow::basic_partition<Mask>& out) {
    g.lanes.for_each([&](std::uint32_t lane) { out.go(step(b, g.first_thread + lane), Mask::lane(lane)); });
    return program_->blocks[b].barrier ? simtflow::block_end::barrier : simtflow::block_end::next;
  }

  /// Instructions of b.
  [[nodiscard]] std::uint32_t weight(simtflow::block_id b) const { return program_->blocks[b].weight; }
  /// The barrier that b ends in. \pre it ends in one
  [[nodiscard]] std::uint32_t barrier_id(simtflow::block_id b) const { return program_->blocks[b].barrier.value_or(0); }

  /// Notes counts and flags.
  void remember() { noted_ = now_; }
  /// True if counts and flags are as noted.
  [[nodiscard]] bool as_remembered() const { return now_ == noted_; }

 private:
  static constexpr std::size_t no_slot = ~std::size_t{0};
  struct state {
    std::vector<std::uint32_t> counts;  // by thread, then slot
    std::vector<unsigned char> flags;
    friend bool operator==(const state&, const state&) = default;
  };

  simtflow::block_id step(simtflow::block_id b, std::uint32_t thread) {
    const flow_block& block = program_->blocks[b];
    for (const auto& [flag, set] : block.writes) now_.flags[flag] = set ? 1 : 0;
    if (block.ending == flow_ending::jump) return block.targets[0];
    const std::uint32_t width = program_->warp_width;
    flow_thread t{thread, thread % width, thread / width, program_->threads, b, 0};
    if (visit_slot_[b] != no_slot) t.visits = now_.counts[thread * slots_ + visit_slot_[b]]++;
    const std::int64_t value = value_of(block.code, t, now_.flags);
    if (block.ending == flow_ending::branch) return block.targets[value != 0 ? 0 : 1];
    if (block.ending == flow_ending::choice) {
      const std::size_t last = block.targets.size() - 1;
      const bool there = value >= 0 && static_cast<std::uint64_t>(value) < last;
      return block.targets[there ? static_cast<std::size_t>(value) : last];
    }
    std::uint32_t& gone = now_.counts[thread * slots_ + loop_slot_[b]];
    if (value > 0 && gone < static_cast<std::uint64_t>(value)) {
      ++gone;
      return block.targets[0];
    }
    gone = 0;
    return block.targets[1];
  }

  const flow_program* program_;
  std::size_t slots_ = 0;
  std::vector<std::size_t> visit_slot_, loop_slot_;  // by block
  state now_, noted_;
};

}  // namespace playground
