// SPDX-License-Identifier: BSL-1.0
//
// How often each instruction of a program was issued, and for how many lanes. Every figure of a run that depends on
// kinds of instructions is a sum over this profile: latency-weighted issues, lanes of arithmetic alone, loads and
// stores (ptx/machine/instruction_figures.hpp).
//
//   issue     one instruction for one group of lanes: a block of w instructions is w issues
//   executed  issues in which at least one lane had a true guard. The other issues did nothing in any lane
//   lanes     lanes of the issues; lanes that were predicated off are among them and counted apart
//
// Lanes that waited inside a block may continue in other groups than those that were issued (predicated_off in
// simt/events.hpp). Their false guards count as lanes, and their instructions as executed.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/simt/events.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// Issues of one instruction.
struct instruction_issues {
  std::uint64_t issues = 0;    ///< for a group of lanes
  std::uint64_t executed = 0;  ///< issues in which at least one lane had a true guard
  std::uint64_t lanes = 0;     ///< of all issues, lanes with a false guard included
  std::uint64_t lanes_on = 0;  ///< lanes with a true guard, or without a guard
};

/// Observer: issues of each instruction, for runs of the executor, which reports false guards when a block has run. It
/// adds up over thread blocks, also over thread blocks that do not come to
/// their end. O(1) for each event. Space: 16 bytes for each instruction and 24 bytes for each block.
class instruction_profile {
 public:
  /// \param weights by block: its number of instructions, the weight that `issued` events state
  explicit instruction_profile(std::span<const std::uint32_t> weights) {
    std::size_t all = 0;
    for (const std::uint32_t w : weights) {
      blocks_.push_back({all, 0, 0});
      all += w;
    }
    blocks_.push_back({all, 0, 0});
    off_.assign(all, {});
  }

  /// Number of blocks. O(1).
  [[nodiscard]] std::size_t num_blocks() const { return blocks_.size() - 1; }
  /// Instructions of block b. \pre b < num_blocks(). O(1).
  [[nodiscard]] std::uint32_t weight(block_id b) const {
    SIMTFLOW_EXPECTS(b < num_blocks(), "a question about a block that is not in the program");
    return static_cast<std::uint32_t>(blocks_[b + 1].first - blocks_[b].first);
  }
  /// Instruction i of block b; all zero if the block was never executed. \pre b < num_blocks(); i < weight(b). O(1).
  [[nodiscard]] instruction_issues of(block_id b, std::uint32_t i) const {
    SIMTFLOW_EXPECTS(b < num_blocks() && i < weight(b), "a question about an instruction that is not in the program");
    const block_row& row = blocks_[b];
    const off_row& off = off_[row.first + i];
    return {row.fetches, row.fetches - off.issues, row.lanes, row.lanes - off.lanes};
  }
  /// Lanes of a warp, as the last thread block stated; 0 before the first one.
  [[nodiscard]] std::uint32_t warp_width() const { return warp_width_; }

  /// Takes the warp width.
  void operator()(const event::started& e) { warp_width_ = e.warp_width; }
  /// Counts an executed block. \pre the block is one of the program, with the weight that the constructor was given.
  template <class Mask>
  void operator()(const event::issued<Mask>& e) {
    SIMTFLOW_EXPECTS(e.block < num_blocks(), "the program that runs has the weights of the constructor");
    block_row& row = blocks_[e.block];
    ++row.fetches;
    last_ = group_of(e);
    row.lanes += last_.lanes;
  }
  /// Counts lanes with a false guard: the instruction did nothing if these are all lanes of the block issued last.
  template <class Mask>
  void operator()(const event::predicated_off<Mask>& e) {
    SIMTFLOW_EXPECTS(e.block < num_blocks() && e.instruction < weight(e.block), "an instruction of the program");
    off_row& row = off_[blocks_[e.block].first + e.instruction];
    const group off = group_of(e);
    row.lanes += off.lanes;
    if (off == last_) ++row.issues;
  }

 private:
  struct block_row {
    std::size_t first;  // instruction
    std::uint64_t fetches, lanes;
  };
  struct off_row {
    std::uint64_t issues = 0, lanes = 0;
  };
  // A group of lanes. No other group of the same warp has its first lane.
  struct group {
    std::uint32_t warp = 0, first = 0, lanes = 0;
    bool operator==(const group&) const = default;
  };
  template <class Event>
  static group group_of(const Event& e) {
    return {e.warp, static_cast<std::uint32_t>(e.lanes.first()), static_cast<std::uint32_t>(e.lanes.count())};
  }

  std::vector<block_row> blocks_;  // and one row after the last block
  std::vector<off_row> off_;       // by instruction
  group last_;                     // issued last
  std::uint32_t warp_width_ = 0;
};

}  // namespace v0
}  // namespace simtflow
