// SPDX-License-Identifier: BSL-1.0
//
// The instructions of a plan, once it is written: the code expansion of a transform before any code is written.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/transform/plan.hpp>

#include <cstdint>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// Instructions that the additions of a plan take. The defaults fit PTX: a guard is a comparison and a branch, an
/// assignment a move, an empty block a branch.
struct addition_weights {
  std::uint32_t guard = 2;       ///< of each guard
  std::uint32_t assignment = 1;  ///< of each assignment of each edge
  std::uint32_t empty = 1;       ///< of each empty block
};

/// The instructions of what the entry of a plan reaches; block b of the graph has `weight(b)` instructions. The plan
/// that changes nothing has the instructions of the graph. So the code expansion of a plan is this number over the
/// number of the graph, less one. An empty plan has no instruction.
/// \pre weight(b) is an unsigned number for each block b of the graph.
/// Complexity: O(blocks + edges + assignments); no recursion.
template <class Weight>
[[nodiscard]] constexpr std::uint64_t plan_instructions(const flow_plan& plan, Weight weight,
                                                        const addition_weights& added = {}) {
  std::uint64_t sum = 0;
  if (plan.num_blocks() == 0) return sum;
  std::vector<unsigned char> seen;
  std::vector<block_id> work;
  seen.assign(plan.num_blocks(), 0);
  work.push_back(plan.entry());
  seen[plan.entry()] = 1;
  while (!work.empty()) {
    const block_id b = work.back();
    work.pop_back();
    const plan_role role = plan[b].role;
    sum += role == plan_role::guard   ? std::uint64_t{added.guard}
           : role == plan_role::empty ? std::uint64_t{added.empty}
                                      : static_cast<std::uint64_t>(weight(plan[b].executes));
    for (const flow_plan::edge& e : plan.successors(b)) {
      plan.for_each_assignment(e, [&](plan_assignment) { sum += added.assignment; });
      if (seen[e.to] != 0) continue;
      seen[e.to] = 1;
      work.push_back(e.to);
    }
  }
  return sum;
}

}  // namespace v0
}  // namespace simtflow
