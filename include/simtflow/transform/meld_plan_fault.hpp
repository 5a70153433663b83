// SPDX-License-Identifier: BSL-1.0
//
// The outcome of check_meld_plan.hpp if a plan is wrong. io/describe_plan_fault.hpp puts it into words.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/transform/meld_plan.hpp>

#include <cstdint>
#include <string_view>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// The way in which a meld plan is wrong.
enum class meld_fault_kind : unsigned char {
  not_two_arms,       ///< the branch has not two different successors, or threads enter or leave an arm elsewhere
  rows,               ///< pieces, blocks, slots or successors overlap, leave a hole, or are not there
  wrong_block,        ///< threads must be in block `wanted`, but are in `found`; no_block: the end of the plan
  wrong_instruction,  ///< threads must execute instruction `wanted` next, but execute `found`
  wrong_part,         ///< a block does not begin or end where the plan says so
  wrong_outcomes,     ///< a branch has not as many successors as the one that it is
  no_way,             ///< threads come to a block that they have no way out of
  lost,               ///< threads go round and execute nothing
  twice,              ///< a block of an arm stands in two places, or where no thread comes
  not_compatible,     ///< two instructions or two branches become one that may not, or a branch cannot be forced
  pinned,             ///< an instruction that must be executed by the same threads as before is melded
  order               ///< slots or pieces of the right side come before the left side's
};

/// The kind in a word: "not_two_arms", "rows" and so on.
[[nodiscard]] constexpr std::string_view to_string(meld_fault_kind kind) {
  switch (kind) {
    case meld_fault_kind::not_two_arms:
      return "not_two_arms";
    case meld_fault_kind::rows:
      return "rows";
    case meld_fault_kind::wrong_block:
      return "wrong_block";
    case meld_fault_kind::wrong_instruction:
      return "wrong_instruction";
    case meld_fault_kind::wrong_part:
      return "wrong_part";
    case meld_fault_kind::wrong_outcomes:
      return "wrong_outcomes";
    case meld_fault_kind::no_way:
      return "no_way";
    case meld_fault_kind::lost:
      return "lost";
    case meld_fault_kind::twice:
      return "twice";
    case meld_fault_kind::not_compatible:
      return "not_compatible";
    case meld_fault_kind::pinned:
      return "pinned";
    case meld_fault_kind::order:
      return "order";
  }
  return "";
}

/// A meld plan that is wrong.
struct meld_plan_fault {
  meld_fault_kind kind = meld_fault_kind::rows;  ///< the way in which it is wrong
  meld_side side = meld_side::both;              ///< threads of this side go wrong; both: of either side
  std::uint32_t plan_block = 0xFFFF'FFFFU;       ///< in meld_plan::blocks; 0xFFFFFFFF: no block, or after the last one
  std::uint32_t wanted = 0xFFFF'FFFFU;           ///< a block of the graph or an instruction, where the kind has one
  std::uint32_t found = 0xFFFF'FFFFU;            ///< another one in its place
  std::vector<std::uint32_t> path;               ///< blocks of the plan on the way of a thread to plan_block

  friend constexpr bool operator==(const meld_plan_fault&, const meld_plan_fault&) = default;
};

}  // namespace v0
}  // namespace simtflow
