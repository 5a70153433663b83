// SPDX-License-Identifier: BSL-1.0
//
// Blocks of melded code, and what becomes of the blocks of the text.
#pragma once

#include <simtflow/ptx/text/module.hpp>

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
  std::vector<instruction> code;
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
