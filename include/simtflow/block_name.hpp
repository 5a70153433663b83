// SPDX-License-Identifier: BSL-1.0
//
// How every message, report and picture calls a block:
//
//   BB6 $L__BB0_6    its number and, where the text has one, the label that stands before it
//   BB6              no label; and in a list of blocks, or a table with a column for labels: the number alone
//
// A block of a PTX kernel has the number that decode() gives it, in `analyze`, `run`, `draw` and every other command.
// If a line is given with a block, it is the line of the branch that ends the block when the sentence is about that
// branch, and the line of the block's first instruction otherwise.
#pragma once

#include <simtflow/config.hpp>

#include <string>
#include <string_view>

namespace simtflow {
inline namespace v0 {

/// The name of a block: "BB6", or "BB6 $L__BB0_6" with a label; "end" for no_block. O(length of the label).
[[nodiscard]] inline std::string block_name(block_id b, std::string_view label = {}) {
  if (b == no_block) return "end";
  std::string name = "BB" + std::to_string(b);
  if (!label.empty()) name.append(1, ' ').append(label);
  return name;
}

}  // namespace v0
}  // namespace simtflow
