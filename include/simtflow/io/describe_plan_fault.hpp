// SPDX-License-Identifier: BSL-1.0
//
// A plan that is wrong (transform/check_plan.hpp), in words for a person:
//
//   wrong way: after slot 1 of BB2 a thread must execute BB4, but executes BB5
//     its way: BB0 -> BB2 -> guard 7 -> guard 8 -> BB5
//
// And a plan to meld two arms (transform/check_meld_plan.hpp):
//
//   wrong block: threads of the left side must be in BB4, but are in BB5, in block 3 of the plan
//     their way: 0 -> 1 -> 3
//
// `name(block)` names a block of the graph. A copy is called "copy 9 of BB4"; guards and empty blocks have their number
// in the plan.
#pragma once

#include <simtflow/block_name.hpp>
#include <simtflow/config.hpp>
#include <simtflow/transform/meld_plan.hpp>
#include <simtflow/transform/meld_plan_fault.hpp>
#include <simtflow/transform/plan.hpp>
#include <simtflow/transform/plan_fault.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace simtflow {
inline namespace v0 {

namespace detail {

/// A block of a plan as above.
template <class Name>
std::string plan_block_name(const flow_plan& plan, block_id b, Name& name) {
  std::string text;
  switch (plan[b].role) {
    case plan_role::original:
      text += name(plan[b].executes);
      return text;
    case plan_role::copy:
      text += "copy " + std::to_string(b) + " of ";
      text += name(plan[b].executes);
      return text;
    default:
      text += to_string(plan[b].role);
      return text += ' ' + std::to_string(b);
  }
}

}  // namespace detail

/// The fault in two lines. From the middle of a long way only the number of blocks is given.
/// \pre the fault is one of this plan. Complexity: linear in what is printed.
template <class Name>
  requires requires(Name& name, block_id b, std::string& s) { s += name(b); }
[[nodiscard]] inline std::string describe(const plan_fault& fault, const flow_plan& plan, Name&& name) {
  const auto target = [&](block_id b, const char* verb, const char* end) {
    if (b == no_block) return std::string(end);
    std::string s = verb;
    s += name(b);
    return s;
  };
  std::string text, where = "after the entry";
  if (fault.plan_block != no_block) {
    where = "after slot " + std::to_string(fault.slot) + " of ";
    where += detail::plan_block_name(plan, fault.plan_block, name);
  }
  switch (fault.kind) {
    case plan_fault_kind::other_graph:
      return "other graph: the plan is for a graph of " + std::to_string(plan.num_originals()) + " blocks\n";
    case plan_fault_kind::wrong_way:
      text = "wrong way: " + where + " a thread must " + target(fault.wanted, "execute ", "end") + ", but " +
             target(fault.found, "executes ", "ends");
      break;
    case plan_fault_kind::wrong_outcomes:
      text = "wrong outcomes: " + detail::plan_block_name(plan, fault.plan_block, name) +
             " has not as many as the block that it executes";
      break;
    case plan_fault_kind::no_way_out:
      text = "no way out: a thread that ends in " + detail::plan_block_name(plan, fault.plan_block, name) +
             " can neither end there nor go on";
      break;
    case plan_fault_kind::lost:
      text = "lost: " + where + " a thread must " + target(fault.wanted, "execute ", "end") +
             ", but goes round through guards and empty blocks forever";
      break;
    case plan_fault_kind::undecided:
      text = "undecided: too many combinations of values are live across blocks";
      break;
  }
  constexpr std::size_t first = 8, last = 24;  // blocks that are named
  text += "\n  its way:";
  for (std::size_t i = 0; i < fault.path.size(); ++i) {
    text += i == 0 ? " " : " -> ";
    if (i == first && fault.path.size() > first + last + 1) {
      const std::size_t left_out = fault.path.size() - first - last;
      text += "(" + std::to_string(left_out) + " blocks)";
      i += left_out - 1;
      continue;
    }
    text += detail::plan_block_name(plan, fault.path[i], name);
  }
  return text += '\n';
}

/// The fault of a meld plan, with the way of a thread if it is on one.
/// \pre the fault is one of this plan. Complexity: linear in what is printed.
template <class Name>
  requires requires(Name& name, block_id b, std::string& s) { s += name(b); }
[[nodiscard]] inline std::string describe(const meld_plan_fault& fault, const meld_plan& plan, Name&& name) {
  const auto block = [&](block_id b) {
    std::string s;
    if (b == no_block) return s = "no block";
    s += name(b);
    return s;
  };
  const auto instruction = [](std::uint32_t i) {
    return i == no_instruction ? std::string("none") : "instruction " + std::to_string(i);
  };
  std::string text;
  const std::string who = fault.side == meld_side::both
                              ? std::string("threads")
                              : "threads of the " + std::string(to_string(fault.side)) + " side";
  switch (fault.kind) {
    case meld_fault_kind::not_two_arms:
      text = "not two arms: control enters or leaves an arm of the branch elsewhere, at " +
             block(fault.found != no_block ? fault.found : fault.wanted);
      break;
    case meld_fault_kind::rows:
      text = "rows: pieces, blocks, slots or successors overlap or leave a hole";
      break;
    case meld_fault_kind::wrong_block:
      text = "wrong block: " + who + " must be in " + block(fault.wanted) + ", but are in " + block(fault.found);
      break;
    case meld_fault_kind::wrong_instruction:
      text = "wrong instruction: " + who + " must execute " + instruction(fault.wanted) + ", but execute " +
             instruction(fault.found);
      break;
    case meld_fault_kind::wrong_part:
      text = "wrong part: " + block(fault.found) + " does not begin or end where the plan says so";
      break;
    case meld_fault_kind::wrong_outcomes:
      text = "wrong outcomes: the branch has not as many successors as the branch of " + block(fault.found);
      break;
    case meld_fault_kind::no_way:
      text = "no way: " + who + " have no way out";
      break;
    case meld_fault_kind::lost:
      text = "lost: " + who + " go round and execute nothing";
      break;
    case meld_fault_kind::twice:
      text = "twice: " + block(fault.found) + " stands in two places, or where no thread comes";
      break;
    case meld_fault_kind::not_compatible:
      text = "not compatible: " + std::to_string(fault.wanted) + " may not become one with another, or be forced";
      break;
    case meld_fault_kind::pinned:
      text = "pinned: " + instruction(fault.wanted) + " must be executed by the same threads as before";
      break;
    case meld_fault_kind::order:
      text = "order: the right side comes before the left side";
      break;
  }
  if (fault.plan_block < plan.blocks.size()) text += ", in block " + std::to_string(fault.plan_block) + " of the plan";
  if (!fault.path.empty()) text += "\n  their way:";
  for (std::size_t i = 0; i < fault.path.size(); ++i) text += (i == 0 ? " " : " -> ") + std::to_string(fault.path[i]);
  return text += '\n';
}
/// The same; blocks are called BB and their dense id.
[[nodiscard]] inline std::string describe(const meld_plan_fault& fault, const meld_plan& plan) {
  return describe(fault, plan, [](block_id b) { return block_name(b); });
}

/// The same as for a flow_plan above; blocks are called BB and their dense id.
[[nodiscard]] inline std::string describe(const plan_fault& fault, const flow_plan& plan) {
  return describe(fault, plan, [](block_id b) { return block_name(b); });
}

}  // namespace v0
}  // namespace simtflow
