// SPDX-License-Identifier: BSL-1.0
//
// The outcome of check_plan.hpp if a plan is wrong: a thread and its way through the plan.
// io/describe_plan_fault.hpp puts it into words.
#pragma once

#include <simtflow/config.hpp>

#include <cstdint>
#include <string_view>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// The way in which a plan is wrong.
enum class plan_fault_kind : unsigned char {
  other_graph,     ///< the plan is for a graph with another number of blocks, or for none
  wrong_way,       ///< the thread executes another block than its target, or ends, or does not end
  wrong_outcomes,  ///< a block of the plan has not the outcomes of the block that it executes
  no_way_out,  ///< the thread would end in a block, but the plan neither lets it end there nor gives it an exit edge
  lost,        ///< the thread goes round through guards and empty blocks forever
  undecided    ///< too many combinations of values are live across blocks of the graph
};

/// The kind in a word: "other_graph", "wrong_way", "wrong_outcomes", "no_way_out", "lost" or "undecided".
[[nodiscard]] constexpr std::string_view to_string(plan_fault_kind kind) {
  switch (kind) {
    case plan_fault_kind::other_graph:
      return "other_graph";
    case plan_fault_kind::wrong_way:
      return "wrong_way";
    case plan_fault_kind::wrong_outcomes:
      return "wrong_outcomes";
    case plan_fault_kind::no_way_out:
      return "no_way_out";
    case plan_fault_kind::lost:
      return "lost";
    case plan_fault_kind::undecided:
      return "undecided";
  }
  return "";
}

/// A thread that goes wrong in a plan.
struct plan_fault {
  plan_fault_kind kind = plan_fault_kind::wrong_way;  ///< what it meets with
  /// The block of the plan that the thread executed last before it went wrong; no_block: it has just entered.
  block_id plan_block = no_block;
  std::uint32_t slot = 0;      ///< the slot of plan_block by which it left; for kinds without a way it is 0
  block_id wanted = no_block;  ///< the block of the graph that it must execute next; no_block: it must end
  block_id found = no_block;   ///< the block of the graph that it executes instead; no_block: it ends, or is lost
  std::vector<block_id> path;  ///< blocks of the plan from its entry to the place where it went wrong

  friend constexpr bool operator==(const plan_fault&, const plan_fault&) = default;
};

}  // namespace v0
}  // namespace simtflow
