// SPDX-License-Identifier: BSL-1.0
#include "linearized.hpp"
#include <simtflow/testing/shapes.hpp>
#include <simtflow/transform/interleave.hpp>

using namespace simtflow;
using namespace linearized;

TEST_CASE("interleave: puts the arms of a branch in the caller's order") {
  // Figure 2a: if (c1) { 2; if (c2) 3 else 4 } else { 5; if (c3) 6 else 7 }
  const csr_graph g = testing::adjacency({{1}, {2, 5}, {3, 4}, {8}, {8}, {6, 7}, {8}, {8}, {}});
  const std::vector<block_id> order = {2, 5, 3, 6, 4, 7};
  const linearization made = interleave(g, block_id{1}, order);
  CHECK(made.structured);
  CHECK(wrong_way(g, made.plan) == "");
  CHECK(wrong_shape(made.plan) == "");
  check_same(0, g, made.plan, 16);
  // The row of guards is the order.
  std::vector<block_id> row;
  for (block_id at = made.plan.successors(1)[0].to; made.plan[at].role == plan_role::guard;
       at = made.plan.successors(at)[1].to)
    row.push_back(made.plan[at].executes);
  CHECK(row == order);
}
