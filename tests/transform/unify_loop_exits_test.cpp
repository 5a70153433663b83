// SPDX-License-Identifier: BSL-1.0
#include "plan_runs.hpp"
#include "support/long_run.hpp"
#include <simtflow/analysis/loops.hpp>
#include <simtflow/analysis/structure.hpp>
#include <simtflow/graph/function_graph.hpp>
#include <simtflow/graph/snapshot.hpp>
#include <simtflow/testing/shapes.hpp>
#include <simtflow/testing/transform_shapes.hpp>
#include <simtflow/transform/fix_irreducible.hpp>
#include <simtflow/transform/unify_loop_exits.hpp>

#include <set>

using namespace simtflow;
using namespace plan_runs;

namespace {

// The targets of edges that leave a set of blocks, "the end" (no_block) included.
std::set<block_id> targets(const csr_graph& g, const std::set<block_id>& blocks) {
  std::set<block_id> found;
  for (const block_id b : blocks) {
    for (const block_id s : g.successors(b))
      if (blocks.count(s) == 0) found.insert(s);
    if (g.is_exit(b)) found.insert(no_block);
  }
  return found;
}

// Loops are compared as sets of blocks of the graph: the loops of an irreducible graph may be other ones in the plan,
// because they depend on the order of its search, but a former loop still is a strongly connected set with one exit
// target.
void check(std::uint64_t seed, const csr_graph& g, bool run = true) {
  const flow_plan plan = unify_loop_exits(g);
  const csr_graph shape = snapshot(plan);
  const auto before = loops(g);
  const auto after = loops(plan);
  REQUIRE_MESSAGE(before.is_reducible() == after.is_reducible(), text(seed, g, plan));
  std::size_t several = 0, guards = 0;
  for (const loop_id l : ids_below<loop_id>(before.num_loops())) {
    std::set<block_id> blocks(before.blocks(l).begin(), before.blocks(l).end());
    several += targets(g, blocks).size() > 1 ? 1 : 0;
    // The hubs of loops inside are in the loop now: guards that come from it and lead back into it.
    std::set<block_id> coming(blocks), going(blocks);
    for (bool more = true; more;) {
      more = false;
      for (block_id b = static_cast<block_id>(g.num_blocks()); b < plan.num_blocks(); ++b) {
        for (const block_id s : shape.successors(b)) more = (going.count(s) != 0 && going.insert(b).second) || more;
        for (const block_id p : shape.predecessors(b)) more = (coming.count(p) != 0 && coming.insert(b).second) || more;
      }
    }
    for (const block_id b : coming)
      if (going.count(b) != 0) blocks.insert(b);
    REQUIRE_MESSAGE(targets(shape, blocks).size() <= 1, "loop " << l << " of\n" << text(seed, g, plan));
  }
  if (after.is_reducible())
    for (const loop_id l : ids_below<loop_id>(after.num_loops())) {
      const std::set<block_id> blocks(after.blocks(l).begin(), after.blocks(l).end());
      REQUIRE_MESSAGE(targets(shape, blocks).size() <= 1, text(seed, g, plan));
    }
  const plan_cost cost = plan.cost();
  for (const loop_id l : ids_below<loop_id>(before.num_loops())) {
    const std::set<block_id> blocks(before.blocks(l).begin(), before.blocks(l).end());
    guards += targets(g, blocks).size() > 1 ? targets(g, blocks).size() - 1 : 0;
  }
  REQUIRE_MESSAGE(cost.guards <= guards, text(seed, g, plan));
  REQUIRE(cost.variables == (cost.guards == 0 ? 0 : 1));
  REQUIRE(cost.copies == 0);
  REQUIRE(cost.empties <= 1);
  if (several == 0) REQUIRE(shape == snapshot(g));
  flow_plan again = plan;
  if (after.is_reducible()) REQUIRE_MESSAGE(unify_loop_exits(again) == 0, text(seed, g, plan));
  if (run) check_same(seed, g, plan);

  flow_plan both(g);
  fix_irreducible(both);
  unify_loop_exits(both);
  REQUIRE(loops(both).is_reducible());
  const auto all = loops(both);
  const csr_graph both_shape = snapshot(both);
  for (const loop_id l : ids_below<loop_id>(all.num_loops())) {
    const std::set<block_id> blocks(all.blocks(l).begin(), all.blocks(l).end());
    REQUIRE_MESSAGE(targets(both_shape, blocks).size() <= 1, text(seed, g, both));
  }
  if (run) check_same(seed, g, both);
}

constexpr bool in_a_constant_expression() {
  const flow_plan plan = unify_loop_exits(testing::break_two_loops());
  return plan.cost().guards == 2 && plan.cost().variables == 1;
}
static_assert(in_a_constant_expression());

}  // namespace

TEST_CASE("unify_loop_exits: every graph of up to four blocks") {
  for (std::size_t n = 0; n <= 3; ++n)
    testing::for_each_small_cfg(n, [&](const csr_graph& g) { check(n, g, n == 1 || n == 2); });
  std::uint64_t code = 0;
  testing::for_each_small_cfg(4, [&](const csr_graph& g) {
    if (++code % 101 == 0) check(code, g, code % 5 == 0);
  });
}

TEST_CASE("unify_loop_exits: random graphs have one exit target for each loop and do the same") {
  std::size_t changed = 0;
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    testing::rng random(seed);
    const csr_graph g = random_graph(random, 4 + seed % 20);
    flow_plan plan(g);
    changed += unify_loop_exits(plan) != 0 ? 1 : 0;
    check(seed, g);
  }
  CHECK(changed > 500);
}

TEST_CASE("unify_loop_exits: named shapes") {
  for (const testing::shape& s : testing::shapes) {
    INFO(s.name);
    check(1, s.make(), s.make().num_blocks() != 0);
  }
  // 164 blocks is what LLVM's two passes leave of the 17 kernels.
  std::size_t blocks = 0;
  for (const auto& s : testing::transform_shapes) {
    INFO(s.name);
    const csr_graph g = s.make();
    check(1, g);
    flow_plan plan(g);
    fix_irreducible(plan);
    unify_loop_exits(plan);
    blocks += plan.cost().blocks();
  }
  CHECK(blocks == 164);
}

TEST_CASE("unify_loop_exits: edges out of several loops at once") {
  for (const bool entries : {false, true})
    for (block_id depth = 1; depth <= 8; ++depth) {
      const csr_graph g = nest(depth, true, entries);
      check(depth, g);
      flow_plan plan(g);
      CHECK(unify_loop_exits(plan) == depth - 1);
    }
  // A switch in the innermost of three loops that leaves one, two and three of them, or ends.
  csr_builder builder(9);
  builder.add_edge(0, 1).add_edge(1, 2).add_edge(2, 3).add_edge(3, 4).add_edge(4, 3).add_edge(4, 5).add_edge(4, 6);
  builder.add_edge(4, 7).add_edge(4, 8).add_edge(5, 2).add_edge(6, 1).add_edge(7, 8).mark_exit(4);
  const csr_graph g = builder.build();
  check(1, g);
  flow_plan plan(g);
  CHECK(unify_loop_exits(plan) == 3);
  CHECK(plan.cost().guards == 4);
  CHECK(plan.cost().empties == 1);
}

TEST_CASE("unify_loop_exits: any graph, a plan that is there already") {
  const function_graph user{4, [](block_id b) {
                              static const std::vector<block_id> out[4] = {{1, 2}, {0, 3}, {}, {}};
                              return std::span<const block_id>(out[b]);
                            }};
  CHECK(unify_loop_exits(user).cost().guards == 1);
  flow_plan plan(testing::break_two_loops());
  CHECK(unify_loop_exits(plan) == 2);
  CHECK(unify_loop_exits(plan) == 0);
  flow_plan nothing;
  CHECK(unify_loop_exits(nothing) == 0);
}

TEST_CASE("unify_loop_exits: long graphs; 100,000 blocks in the long run") {
  const block_id blocks = simtflow_tests::times(1) > 1 ? 100'000 : 20'000;
  flow_plan deep(nest(blocks / 2, true, false));
  CHECK(unify_loop_exits(deep) == blocks / 2 - 1);
  CHECK(unify_loop_exits(deep) == 0);
  testing::rng random(1);
  flow_plan wide(testing::random_cfg(random, {.blocks = blocks, .max_successors = 3, .exits = blocks / 100}));
  fix_irreducible(wide);
  CHECK(unify_loop_exits(wide) > 0);
  CHECK(unify_loop_exits(wide) == 0);
}

TEST_CASE("unify_loop_exits: loops stay as they are where threads must come together as before") {
  // A loop with two ways out that meet in a barrier, and another one with a barrier on a way out.
  const csr_graph g = testing::adjacency({{1}, {2, 3}, {1, 4}, {5}, {5}, {6}, {7, 8}, {6, 9}, {10}, {10}, {}});
  CHECK(unify_loop_exits(g, [](block_id) { return false; }).hubs == 2);
  const hubs_made one = unify_loop_exits(g, [](block_id b) { return b == 5 || b == 9; });
  CHECK(one.hubs == 1);
  CHECK(one.refused == std::vector<block_id>{9});
  for (const block_id b : {6U, 7U, 8U, 9U})
    for (std::size_t k = 0; k < g.successors(b).size(); ++k) CHECK(one.plan.successors(b)[k].to == g.successors(b)[k]);

  const hubs_tally all = check_hubs_around_convergent(
      [](const csr_graph& h, const auto& convergent) { return unify_loop_exits(h, convergent); });
  CHECK(all.hubs > 300);
  CHECK(all.refused > 300);
  CHECK(all.both > 5);
}
