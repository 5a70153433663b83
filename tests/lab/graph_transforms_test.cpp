// SPDX-License-Identifier: BSL-1.0
#include "lab/graph_transforms.hpp"

#include "lab/files.hpp"
#include "transform/plan_runs.hpp"
#include <simtflow/simt/ordered_trace.hpp>
#include <simtflow/testing/shapes.hpp>

using namespace simtflow;
using namespace plan_runs;

namespace {

std::vector<std::size_t> fetches(const flow_plan& plan, auto& program, const launch& shape) {
  std::vector<std::size_t> of(plan.num_blocks(), 0);
  const csr_graph g = snapshot(plan);
  const auto pdom = post_dominators(g);
  overloaded watch{[&](const event::issued<lane_mask>& e) { ++of[e.block]; }};
  executor<policies::ipdom_stack> machine(policies::ipdom_stack(pdom.ids().ipdoms()));
  REQUIRE(machine.run(program, shape, watch).finished());
  return of;
}

}  // namespace

TEST_CASE("graph transforms: a transformed trace is fetched as the program is that walks through the plan") {
  const char* const texts[] = {"linearize",   "linearize=none", "struct",       "fix-irreducible",
                               "unify-exits", "merge-loops",    "stack-depth=3"};
  std::size_t changed = 0;
  for (std::uint64_t seed = 1; seed <= 700; ++seed) {
    testing::rng random(seed);
    recorded_trace trace;
    trace.graph.graph = random_graph(random, 3 + seed % 9);
    const csr_graph& g = trace.graph.graph;
    if (g.num_blocks() == 0 || !always_ends(g)) continue;
    CAPTURE(seed);
    constexpr std::uint32_t threads = 8;
    const testing::random_walks walks(g, {.seed = seed, .patience = 4});
    for (block_id b = 0; b < g.num_blocks(); ++b) trace.graph.weights.push_back(1 + b % 5);
    trace.graph.barriers.assign(g.num_blocks(), 0);
    trace.graph.branches.assign(g.num_blocks(), branch_kind::unmarked);
    for (std::uint32_t t = 0; t < threads; ++t) {
      trace.paths.add(walks.path(t, 100'000));
      trace.path_of_thread.push_back(t);
    }
    trace.first_thread.push_back(threads);
    const lab::graph_step steps[] = {lab::parse_graph_step(texts[seed % 7], "--transform"),
                                     lab::parse_graph_step(texts[seed / 7 % 7], "--transform")};
    const lab::graph_outcome made =
        lab::transformed_graph({g, trace.graph.weights, trace.graph.barriers}, std::span(steps, 1 + seed % 2), 5000);
    if (!made.refused.empty()) {
      REQUIRE(snapshot(made.plan) == snapshot(flow_plan(g)));
      continue;
    }
    const plan_cost cost = made.plan.cost();
    changed += cost.guards + cost.copies + cost.empties != 0 ? 1 : 0;
    planned_program walking(made.plan, g, callable_program(testing::walking_threads(walks, threads)));
    const launch shape{.threads = threads, .warp_width = threads, .entry = made.plan.entry()};
    const std::vector<std::size_t> expected = fetches(made.plan, walking, shape);
    const recorded_trace after = lab::transformed_trace(trace, made.plan);
    const csr_graph now = snapshot(made.plan);
    REQUIRE(after.graph.graph == now);
    ordered_trace<lane_mask> program(trace_program(after.paths, after.graph.weights, after.graph.barriers), now, now,
                                     threads);
    REQUIRE(program.select_block(after.thread_block(0), now.entry()));
    REQUIRE_MESSAGE(fetches(made.plan, program, shape) == expected, text(seed, g, made.plan));
  }
  CHECK(changed > 100);
}

TEST_CASE("graph transforms: steps are read, the sentinel is no block, nested branches are counted") {
  CHECK(lab::parse_graph_step("linearize=o1", "--transform").text() == "linearize=o1");
  CHECK(lab::parse_graph_step("merge-loops=BB3", "--transform").number == 3);
  for (const char* bad : {"", "linearise", "linearize=", "linearize=o5", "struct=1", "stack-depth", "stack-depth=1",
                          "stack-depth=x", "merge-loops=BB", "stack-depth=99999999999"})
    CHECK_THROWS_AS((void)lab::parse_graph_step(bad, "--transform"), lab::input_error);
  recorded_graph g;
  g.graph = testing::adjacency({{1, 2}, {3}, {3, 4}, {4}, {}});
  g.sentinel = 4;
  const csr_graph kept = lab::without_sentinel(g);
  CHECK(kept.num_blocks() == 4);
  CHECK(kept.is_exit(2));
  CHECK(lab::nested_branches(testing::adjacency({})) == 0);
  CHECK(lab::nested_branches(testing::adjacency({{1}, {}})) == 0);
  CHECK(lab::nested_branches(testing::adjacency({{1, 2}, {2}, {3, 4}, {4}, {}})) == 1);
  CHECK(lab::nested_branches(testing::adjacency({{1, 4}, {2, 3}, {3}, {4}, {}})) == 2);
}
