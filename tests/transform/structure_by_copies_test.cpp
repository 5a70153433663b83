// SPDX-License-Identifier: BSL-1.0
#include "plan_runs.hpp"
#include <simtflow/analysis/loops.hpp>
#include <simtflow/analysis/structure.hpp>
#include <simtflow/graph/function_graph.hpp>
#include <simtflow/graph/snapshot.hpp>
#include <simtflow/testing/shapes.hpp>
#include <simtflow/testing/transform_shapes.hpp>
#include <simtflow/transform/fix_irreducible.hpp>
#include <simtflow/transform/plan_instructions.hpp>
#include <simtflow/transform/structure_by_copies.hpp>
#include <simtflow/transform/unify_loop_exits.hpp>

#include <cstring>
#include <tuple>

using namespace simtflow;
using namespace plan_runs;

namespace {

void check(std::uint64_t seed, const csr_graph& g, bool run = true, std::size_t max_blocks = 3000) {
  const copied_plan made = structure_by_copies(g, {.max_blocks = max_blocks});
  const csr_graph shape = snapshot(made.plan);
  if (!made.report.fits) {
    REQUIRE(shape == snapshot(g));
    return;
  }
  REQUIRE_MESSAGE(is_structured(shape), text(seed, g, made.plan));
  const plan_cost cost = made.plan.cost();
  REQUIRE_MESSAGE(cost.blocks() == made.report.blocks, text(seed, g, made.plan));
  REQUIRE(cost.blocks() <= max_blocks);
  const auto forest = loops(g);
  REQUIRE(cost.originals == forest.rpo().size());
  REQUIRE(cost.variables <= (made.report.cuts == 0 ? 0 : 1));
  REQUIRE(cost.copies <= made.report.backward_copies + made.report.forward_copies);
  const structural_transforms& applied = made.report.applied;  // at least a block a copy, at least a branch a test
  REQUIRE(applied.forward_copies <= made.report.forward_copies);
  REQUIRE((applied.forward_copies == 0) == (made.report.forward_copies == 0));
  REQUIRE((applied.backward_copies == 0) == (made.report.backward_copies == 0));
  REQUIRE(applied.cuts >= made.report.cuts);
  REQUIRE((applied.cuts == 0) == (made.report.cuts == 0));
  if (is_structured(g)) REQUIRE_MESSAGE(shape == snapshot(g), text(seed, g, made.plan));
  if (forest.is_reducible()) REQUIRE(made.report.backward_copies == 0);
  flow_plan again = made.plan;
  REQUIRE(structure_by_copies(again).blocks == cost.blocks());
  REQUIRE(snapshot(again) == shape);
  // One block less is not allowed to fit.
  if (cost.blocks() != 0) REQUIRE(!structure_by_copies(g, {.max_blocks = cost.blocks() - 1}).report.fits);
  if (run) check_same(seed, g, made.plan);
}

// b(i) -> b(i + 1), b(i + 2) between an entry and an exit.
csr_graph ladder(block_id n) {
  csr_builder builder(n + std::size_t{2});
  builder.add_edge(0, 1);
  for (block_id i = 1; i <= n; ++i) {
    builder.add_edge(i, i + 1);
    builder.add_edge(i, i + 2 < n + 1 ? i + 2 : n + 1);
  }
  return builder.build();
}

// How large a full expansion is, from its definition: a block, its arms up to the immediate post-dominator, what
// follows from there. Acyclic graphs only.
std::size_t expand(const csr_graph& g, const post_dominator_tree<>& pdom, block_id n, std::optional<block_id> end) {
  if (end && n == *end) return 0;
  const auto join = pdom.ipdom(n);
  std::size_t size = 1;
  std::vector<block_id> seen;
  for (const block_id a : g.successors(n)) {
    bool twice = false;
    for (const block_id s : seen) twice = twice || s == a;
    if (!twice) size += expand(g, pdom, a, join);
    seen.push_back(a);
  }
  return size + (join ? expand(g, pdom, *join, end) : 0);
}

constexpr bool in_a_constant_expression() {
  const copied_plan made = structure_by_copies(testing::two_entry_loop());
  return made.report.fits && made.report.backward_copies == 1 && is_structured(made.plan);
}
static_assert(in_a_constant_expression());

}  // namespace

TEST_CASE("structure_by_copies: every graph of up to four blocks") {
  for (std::size_t n = 0; n <= 3; ++n) testing::for_each_small_cfg(n, [&](const csr_graph& g) { check(n, g, n != 0); });
  std::uint64_t code = 0;
  testing::for_each_small_cfg(4, [&](const csr_graph& g) {
    if (++code % 17 == 0) check(code, g, code % 5 == 0);
  });
}

TEST_CASE("structure_by_copies: random graphs become structured and do the same") {
  std::size_t changed = 0, fit = 0;
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    testing::rng random(seed);
    const csr_graph g = random_graph(random, 3 + seed % 10);
    changed += is_structured(g) ? 0 : 1;
    fit += structure_by_copies(g, {.max_blocks = 3000}).report.fits ? 1 : 0;
    check(seed, g);
  }
  CHECK(changed > 800);
  CHECK(fit > 2800);
}

TEST_CASE("structure_by_copies: after other transforms") {
  std::size_t hubs = 0;
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    testing::rng random(seed);
    const csr_graph g = random_graph(random, 3 + seed % 9);
    flow_plan plan(g);
    hubs += fix_irreducible(plan);
    if (seed % 2 == 0) hubs += unify_loop_exits(plan);
    const copy_report report = structure_by_copies(plan, {.max_blocks = 3000});
    REQUIRE(report.backward_copies == 0);
    if (report.fits) REQUIRE_MESSAGE(is_structured(plan), text(seed, g, plan));
    check_same(seed, g, plan);
  }
  CHECK(hubs > 100);
}

TEST_CASE("structure_by_copies: an acyclic graph grows as much as its full expansion, exactly") {
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    testing::rng random(seed);
    const csr_graph g = testing::random_acyclic(
        random, {.blocks = 1 + seed % 14, .max_successors = 3, .exits = 1 + seed % 3, .exit_mark_percent = 10});
    const auto pdom = post_dominators(g);
    const auto made = structure_by_copies(g, {.max_blocks = 10'000'000});
    REQUIRE_MESSAGE(made.report.blocks == expand(g, pdom, g.entry(), std::nullopt), text(seed, g, made.plan));
  }
  const std::size_t expected[] = {9, 56, 378, 2585, 17712};
  for (block_id n = 4; n <= 20; n += 4) {
    const csr_graph g = ladder(n);
    CHECK(expand(g, post_dominators(g), 0, std::nullopt) == expected[n / 4 - 1]);
    CHECK(structure_by_copies(g).report.blocks == expected[n / 4 - 1]);
    check(n, g, n <= 12, 20'000);
  }
}

TEST_CASE("structure_by_copies: a budget stops the exponential ones at once") {
  for (const block_id n : {40U, 200U, 100'000U}) {
    const auto made = structure_by_copies(ladder(n));
    CHECK(!made.report.fits);
    CHECK(made.report.step == copy_step::forward_copy);
    CHECK(made.report.at != no_block);
    CHECK(made.plan.num_blocks() == n + 2);
    CHECK(made.plan.cost().copies == 0);
  }
  // A random graph of many blocks is one irreducible loop in the other.
  testing::rng random(1);
  const auto made = structure_by_copies(testing::random_cfg(random, {.blocks = 2000, .max_successors = 3}));
  CHECK(!made.report.fits);
  CHECK(made.report.step == copy_step::backward_copy);
  CHECK(made.plan.cost().copies == 0);
}

TEST_CASE("structure_by_copies: named shapes") {
  for (const testing::shape& s : testing::shapes) {
    INFO(s.name);
    check(1, s.make(), s.make().num_blocks() != 0);
  }
  // Blocks by the size oracle of the specification, but for statemachine: it says 25, without the test that a loop with
  // four copies of its only exit cannot do without. It is undercut where a loop entered twice keeps its better entry,
  // and where a loop is in order as it is.
  const std::pair<const char*, std::size_t> oracle[] = {
      {"short_circuit", 12}, {"jump_out", 10},       {"jump_in", 13},    {"irreducible2", 8},  {"tf_fig1", 12},
      {"shared_tail", 8},    {"cross_diamond", 10},  {"and_chain8", 19}, {"or_and_chain", 32}, {"loop_3exits", 14},
      {"break2", 15},        {"continue_outer", 11}, {"irr_nested", 30}, {"clique4", 20},      {"statemachine", 26},
      {"ladder12", 378},     {"structured_nest", 12}};
  std::size_t total = 0;
  for (const auto& s : testing::transform_shapes) {
    const csr_graph g = s.make();
    INFO(s.name);
    check(1, g);
    const auto made = structure_by_copies(g);
    total += made.report.blocks;
    bool known = false;
    for (const auto& [name, blocks] : oracle)
      if (std::strcmp(name, s.name) == 0) {
        known = true;
        CHECK(made.report.blocks <= blocks);
        if (loops(g).num_loops() == 0) CHECK(made.report.blocks == blocks);
      }
    CHECK(known);
  }
  CHECK(total == 624);
}

TEST_CASE("structure_by_copies: a loop that is left from within one that is not in order") {
  // All ways out of an outer loop leave from one block, which stands in an inner one too; but not every iteration of
  // that one passes it: both get a new test.
  for (const auto& [seed, size, expected] : {std::tuple{614U, 6U, 2U}, std::tuple{10'397U, 8U, 3U}}) {
    testing::rng random(seed);
    const csr_graph g = random_graph(random, size);
    check(seed, g);
    CHECK(structure_by_copies(g).report.cuts == expected);
  }
  // Edges that leave several loops from deep inside, on graphs larger than the ones above.
  std::size_t cuts = 0;
  for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
    testing::rng random(seed);
    const csr_graph h = random_graph(random, 12 + seed % 5);
    check(seed, h, seed % 4 == 0);
    cuts += structure_by_copies(h, {.max_blocks = 3000}).report.cuts;
  }
  CHECK(cuts > 500);
}

TEST_CASE("structure_by_copies: transforms are counted by the branches that they eliminate, as in Figure 5") {
  const auto applied = [](const csr_graph& g) { return structure_by_copies(g).report.applied; };
  // Figure 1 of the thread frontiers paper: BB2 -> BB3 and BB4 -> BB5 enter arms of BB1 and BB3.
  CHECK(applied(testing::figure_1()) == structural_transforms{2, 0, 0});
  // A loop with an exception: two ways out of the loop are one cut, since one way out may stay.
  CHECK(applied(testing::adjacency({{1}, {2, 4}, {3, 5}, {1, 4}, {5}, {}})) == structural_transforms{0, 0, 2});
  CHECK(applied(testing::adjacency({{1}, {2, 3}, {1, 4}, {4}, {}})) == structural_transforms{0, 0, 1});
  // Two branches into the middle of a loop: the blocks are copied once, the branches are two.
  CHECK(applied(testing::adjacency({{1, 2}, {3, 4}, {3, 4}, {4, 5}, {3}, {}})).backward_copies == 2);
  // The region that three branches enter is copied for two of them.
  CHECK(applied(testing::adjacency({{1, 4}, {2, 4}, {3, 4}, {5}, {5}, {}})) == structural_transforms{2, 0, 0});
  // The instructions are the sum of the weights: the copies of block 4 add two times 14.
  const csr_graph g = testing::adjacency({{1, 4}, {2, 4}, {3, 4}, {5}, {5}, {}});
  const auto weight = [](block_id b) { return 10U + b; };
  CHECK(plan_instructions(flow_plan(g), weight) == 75);
  CHECK(plan_instructions(structure_by_copies(g).plan, weight) == 75 + 2 * 14);
  const auto cut = structure_by_copies(testing::adjacency({{1}, {2, 3}, {1, 4}, {4}, {}}));
  const plan_cost cost = cut.plan.cost();
  CHECK(plan_instructions(cut.plan, weight) == 60 + 2 * cost.guards + cost.assignments + cost.empties);
  CHECK(plan_instructions(flow_plan(), weight) == 0);
}

TEST_CASE("structure_by_copies: any graph, a plan that is there already") {
  const function_graph user{4, [](block_id b) {
                              static const std::vector<block_id> out[4] = {{1, 2}, {2, 3}, {3}, {}};
                              return std::span<const block_id>(out[b]);
                            }};
  CHECK(structure_by_copies(user).report.blocks == 5);
  flow_plan nothing;
  CHECK(structure_by_copies(nothing).fits);
  CHECK(structure_by_copies(nothing).blocks == 0);
}

TEST_CASE("structure_by_copies: 100,000 blocks") {
  flow_plan deep(nest(50'000, true, false));
  const copy_report r = structure_by_copies(deep, {.max_blocks = 1'000'000});
  CHECK(r.fits);
  CHECK(r.cuts == 49'999);
  CHECK(is_structured(deep));
  flow_plan both(nest(50'000, false, true));
  const copy_report s = structure_by_copies(both, {.max_blocks = 1'000'000});
  CHECK(!s.fits);
  CHECK(s.step == copy_step::forward_copy);
}

TEST_CASE("structure_by_copies: convergent blocks are not copied") {
  std::size_t refused = 0, done = 0;
  for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
    testing::rng random(seed);
    const csr_graph g = random_graph(random, 3 + seed % 10);
    const auto free = structure_by_copies(g, {.max_blocks = 3000});
    if (!free.report.fits) continue;
    std::vector<unsigned char> copied(g.num_blocks(), 0);
    for (block_id b = 0; b < free.plan.num_blocks(); ++b)
      if (free.plan[b].role == plan_role::copy) copied[free.plan[b].executes] = 1;
    const auto convergent = [&](block_id b) { return testing::mix_bits(seed * 1000 + b) % 8 == 0; };
    const auto made = structure_by_copies(g, {.max_blocks = 3000}, convergent);
    REQUIRE(made.report.fits);
    std::vector<unsigned char> refusing(g.num_blocks(), 0);
    for (const block_id b : made.report.refused) refusing[b] = 1;
    for (block_id b = 0; b < g.num_blocks(); ++b) {
      if (copied[b] != 0 && convergent(b)) REQUIRE_MESSAGE(refusing[b] != 0, text(seed, g, free.plan));
      // Otherwise it lies in the closed set around a loop that needs a test.
      if (refusing[b] != 0) REQUIRE((convergent(b) && (copied[b] != 0 || free.report.cuts != 0)));
    }
    REQUIRE(made.report.done() == made.report.refused.empty());
    if (made.report.done()) {
      ++done;
      REQUIRE(snapshot(made.plan) == snapshot(free.plan));
    } else {
      ++refused;
      REQUIRE(snapshot(made.plan) == snapshot(g));
      REQUIRE(made.report.blocks == 0);
      REQUIRE(made.report.forward_copies + made.report.backward_copies + made.report.cuts == 0);
    }
  }
  CHECK(refused > 80);
  CHECK(done > 200);

  // A plan is asked for its own blocks: 6 stands for 4, which is not reachable any more.
  flow_plan plan(ladder(4));
  const block_id copy = plan.add_copy(4);
  plan.set_edge(2, 1, copy);
  plan.set_edge(3, 0, copy);
  const copy_report report = structure_by_copies(plan, {}, [&](block_id b) { return b == copy; });
  REQUIRE(report.refused.size() == 1);
  CHECK(report.refused[0] == copy);
  CHECK(plan.num_blocks() == 7);
  CHECK(structure_by_copies(plan, {}, [](block_id b) { return b == 4; }).done());
  CHECK(plan.num_blocks() > 7);
}

TEST_CASE("structure_by_copies: no loop around a convergent block gets a test") {
  // A loop that is left in two ways to two ends.
  const csr_graph g = testing::adjacency({{1}, {2, 4}, {1, 3}, {}, {}});
  CHECK(structure_by_copies(g).report.cuts == 1);
  const copied_plan made = structure_by_copies(g, {}, [](block_id b) { return b == 2; });
  CHECK(made.report.refused == std::vector<block_id>{2});
  CHECK(made.report.cuts == 0);
  CHECK(made.plan.cost().guards == 0);
}
