// SPDX-License-Identifier: BSL-1.0
//
// Blocks of melded code, and what becomes of the blocks of the text.
#pragma once

#include <simtflow/diagnostic.hpp>
#include <simtflow/ptx/text/module.hpp>
#include <simtflow/ptx/text/warp_profile.hpp>
#include <simtflow/transform/meld_plan.hpp>

#include <cstdint>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

// A predicate: a register, negated or not; or a constant.
struct meld_condition {
  static constexpr std::uint32_t always = no_index - 1;  // in place of a register: true, or false if negated
  std::uint32_t reg = no_index;                          // no_index: none
  bool negated = false;
  friend bool operator==(const meld_condition&, const meld_condition&) = default;
  meld_condition operator!() const { return {reg, !negated}; }
};

// A block of melded code. Its number follows the numbers of the blocks of the text.
struct melded_block {
  enum class way : std::uint8_t { open, one, two, table };
  // Who executes an instruction.
  struct use {
    meld_side side = meld_side::both;  // threads of that side alone
    double idle = 0;                   // how likely none of these threads does, since its own guard is false
  };
  std::vector<instruction> code;
  std::vector<use> uses;      // by instruction
  bool straight = false;      // all threads come here once, one such block after the other
  double visits[2] = {1, 1};  // by side: how often its threads come here when they come to the branch
  // How likely a warp diverges at the end: if it has threads of both sides, of the left one, of the right one.
  double parts[3] = {0, 0, 0};
  position where;     // of the branch at its end
  warp_visits known;  // of that branch, if two have become one and a profile knows them
  way on = way::open;
  block_id to[2] = {no_block, no_block};
  meld_condition when;
  instruction brx{};
  std::vector<block_id> targets;
};

// The fate of a block of the text.
struct meld_fate {
  block_id starts = no_block, ends = no_block;  // its branch is the code of these blocks now, `ends` one past the last
  bool gone = false;                            // it was in an arm
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
