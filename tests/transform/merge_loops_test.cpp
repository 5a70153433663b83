// SPDX-License-Identifier: BSL-1.0
#include "linearized.hpp"
#include <simtflow/graph/snapshot.hpp>
#include <simtflow/testing/shapes.hpp>
#include <simtflow/transform/merge_loops.hpp>

using namespace simtflow;
using namespace linearized;

TEST_CASE("merge_loops: the example of the paper") {
  // for (i < 2) { S1; for (j < cond) S2; S3; }: 0 entry, 1 S1, 2 inner test, 3 S2, 4 S3 and outer test, 5 end. Trip
  // counts of two threads: 10 and 15, 15 and 10.
  const csr_graph g = testing::adjacency({{1}, {2}, {3, 4}, {2}, {1, 5}, {}});
  const auto run = [&](const flow_plan& p) {
    std::uint32_t i[2] = {}, j[2] = {};
    const std::uint32_t trips[2][2] = {{10, 15}, {15, 10}};
    const auto go = [&](std::uint32_t t, block_id b) -> block_id {
      switch (b) {
        case 0:
          return 1;
        case 1:
          j[t] = 0;
          return 2;
        case 2:
          return j[t] < trips[t][i[t]] ? 3 : 4;
        case 3:
          ++j[t];
          return 2;
        case 4:
          return ++i[t] < 2 ? 1 : 5;
        default:
          return no_block;
      }
    };
    std::vector<std::size_t> of(p.num_blocks(), 0);
    const csr_graph shape = snapshot(p);
    const auto pdom = post_dominators(shape);
    planned_program program(p, g, callable_program(go));
    overloaded watch{[&](const event::issued<lane_mask>& e) { ++of[e.block]; }};
    executor<policies::ipdom_stack> machine(policies::ipdom_stack(pdom.ids().ipdoms()));
    REQUIRE(machine.run(program, {.threads = 2, .warp_width = 2, .entry = p.entry()}, watch).finished());
    return of;
  };
  const std::vector<std::size_t> before = run(flow_plan(g));
  CHECK(before[3] == 30);
  CHECK(before[1] == 2);
  CHECK(before[4] == 2);
  for (const guard_optimization level : levels) {
    const linearization made = merge_loops(g, block_id{1}, level);
    CHECK(made.structured);
    CHECK(made.regions.size() == 1);
    CHECK(made.regions[0].loops == 1);
    CHECK(wrong_way(g, made.plan) == "");
    const std::vector<std::size_t> after = run(made.plan);
    CHECK(after[3] == 26);
    CHECK(after[1] == 3);
    CHECK(after[4] == 3);
  }
  CHECK(merge_loops(g, block_id{0}).regions.empty());
}
