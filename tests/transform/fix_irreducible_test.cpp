// SPDX-License-Identifier: BSL-1.0
#include "plan_runs.hpp"
#include "support/long_run.hpp"
#include "support/sanitized.hpp"
#include <simtflow/analysis/loops.hpp>
#include <simtflow/graph/function_graph.hpp>
#include <simtflow/graph/snapshot.hpp>
#include <simtflow/testing/shapes.hpp>
#include <simtflow/testing/transform_shapes.hpp>
#include <simtflow/transform/fix_irreducible.hpp>

using namespace simtflow;
using namespace plan_runs;

namespace {

// Reducible by another idea than the loop forest's: T1 and T2 (no self loops; a block with one predecessor becomes part
// of it) leave one block. Hecht and Ullman 1972.
bool reduces(const csr_graph& g) {
  const std::size_t n = g.num_blocks();
  if (n == 0) return true;
  const auto order = depth_first_order(g);
  std::vector<std::vector<unsigned char>> edge(n, std::vector<unsigned char>(n, 0));
  std::vector<block_id> left(order.rpo().begin(), order.rpo().end());
  for (const block_id b : left)
    for (const block_id s : g.successors(b)) edge[b][s] = 1;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < left.size(); ++i) {
      const block_id b = left[i];
      edge[b][b] = 0;
      if (b == g.entry()) continue;
      block_id only = no_block;
      std::size_t count = 0;
      for (const block_id p : left)
        if (edge[p][b] != 0) {
          ++count;
          only = p;
        }
      if (count != 1) continue;
      for (const block_id s : left)
        if (edge[b][s] != 0) edge[only][s] = 1;
      for (const block_id s : left) edge[b][s] = edge[s][b] = 0;
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(i));
      changed = true;
      break;
    }
  }
  return left.size() == 1;
}

void check(std::uint64_t seed, const csr_graph& g, bool run = true) {
  const flow_plan plan = fix_irreducible(g);
  const csr_graph shape = snapshot(plan);
  REQUIRE_MESSAGE(loops(plan).is_reducible(), text(seed, g, plan));
  if (shape.num_blocks() <= 40) REQUIRE_MESSAGE(reduces(shape), text(seed, g, plan));
  const auto before = loops(g);
  std::size_t irreducible = 0, ways_in = 0;
  for (const loop_id l : ids_below<loop_id>(before.num_loops()))
    if (before.is_irreducible(l)) {
      ++irreducible;
      ways_in += before.entries(l).size() - 1;
    }
  const plan_cost cost = plan.cost();
  REQUIRE_MESSAGE(cost.variables == (irreducible == 0 ? 0 : 1), text(seed, g, plan));
  REQUIRE_MESSAGE(cost.guards <= ways_in, text(seed, g, plan));
  REQUIRE(cost.guards >= irreducible);
  REQUIRE(cost.copies == 0);
  REQUIRE(cost.empties == 0);
  if (irreducible == 0) REQUIRE(shape == snapshot(g));
  flow_plan again = plan;
  REQUIRE(fix_irreducible(again) == 0);
  if (run) check_same(seed, g, plan);
}

constexpr bool in_a_constant_expression() {
  const flow_plan plan = fix_irreducible(testing::two_entry_loop());
  return plan.num_blocks() == 5 && plan.cost().guards == 1 && loops(plan).is_reducible();
}
static_assert(in_a_constant_expression());

}  // namespace

TEST_CASE("fix_irreducible: every graph of up to four blocks") {
  std::uint64_t changed = 0;
  for (std::size_t n = 0; n <= 3; ++n) testing::for_each_small_cfg(n, [&](const csr_graph& g) { check(n, g, n != 0); });
  constexpr std::uint64_t every = simtflow_tests::is_sanitized ? 83 : 4;
  std::uint64_t code = 0;
  testing::for_each_small_cfg(4, [&](const csr_graph& g) {
    if (++code % every != 0 || loops(g).is_reducible()) return;
    ++changed;
    check(code, g, code % (20 * every) == 0);
  });
  CHECK(changed > 8'000 / every);
}

TEST_CASE("fix_irreducible: random graphs become reducible and do the same") {
  std::size_t changed = 0;
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    testing::rng random(seed);
    const csr_graph g = random_graph(random, 4 + seed % 20);
    changed += loops(g).is_reducible() ? 0 : 1;
    check(seed, g);
  }
  CHECK(changed > 300);
}

TEST_CASE("fix_irreducible: named shapes") {
  for (const testing::shape& s : testing::shapes) {
    INFO(s.name);
    check(1, s.make(), s.make().num_blocks() != 0);
  }
  // 158 blocks is what LLVM's pass leaves of the 17 kernels.
  std::size_t blocks = 0;
  for (const auto& s : testing::transform_shapes) {
    const csr_graph g = s.make();
    INFO(s.name);
    check(1, g);
    blocks += fix_irreducible(g).cost().blocks();
  }
  CHECK(blocks == 158);
}

TEST_CASE("fix_irreducible: edges into several loops at once") {
  for (const bool side : {false, true})
    for (block_id depth = 1; depth <= 8; ++depth) {
      const csr_graph g = nest(depth, side, true);
      check(depth, g);
      flow_plan plan(g);
      CHECK(fix_irreducible(plan) == depth);
    }
  // Control enters the innermost of three loops from outside.
  const csr_graph g = csr_builder(8)
                          .add_edge(0, 1)
                          .add_edge(0, 3)
                          .add_edge(1, 2)
                          .add_edge(2, 3)
                          .add_edge(3, 4)
                          .add_edge(4, 3)
                          .add_edge(4, 5)
                          .add_edge(5, 2)
                          .add_edge(5, 6)
                          .add_edge(6, 1)
                          .add_edge(6, 7)
                          .build();
  check(1, g);
}

TEST_CASE("fix_irreducible: any graph, a plan that is there already, an entry in the loop") {
  const function_graph user{3, [](block_id b) {
                              static const std::vector<block_id> out[3] = {{1, 2}, {2}, {1}};
                              return std::span<const block_id>(out[b]);
                            }};
  CHECK(fix_irreducible(user).cost().guards == 1);
  flow_plan plan(testing::two_entry_loop());
  CHECK(fix_irreducible(plan) == 1);
  CHECK(fix_irreducible(plan) == 0);
  flow_plan nothing;
  CHECK(fix_irreducible(nothing) == 0);
  // The entry is in the loop itself: then it is the only way in.
  const csr_graph round =
      csr_builder(4).add_edge(0, 1).add_edge(0, 2).add_edge(1, 2).add_edge(2, 1).add_edge(2, 0).add_edge(1, 3).build();
  check(1, round);
}

TEST_CASE("fix_irreducible: long graphs; 100,000 blocks in the long run") {
  const block_id blocks = simtflow_tests::times(1) > 1 ? 100'000 : 20'000;
  const csr_graph deep = nest(blocks / 2, false, true);
  flow_plan plan(deep);
  CHECK(fix_irreducible(plan) == blocks / 2);
  CHECK(loops(plan).is_reducible());
  testing::rng random(1);
  const csr_graph wide = testing::random_cfg(random, {.blocks = blocks, .max_successors = 3});
  flow_plan other(wide);
  CHECK(fix_irreducible(other) > 0);
  CHECK(loops(other).is_reducible());
}

TEST_CASE("fix_irreducible: loops stay as they are where threads must come together as before") {
  // A loop with two entries, a barrier after it, and another such loop with a barrier inside.
  const csr_graph g = testing::adjacency({{1, 2}, {2, 3}, {1, 3}, {4, 5}, {5, 6}, {4}, {}});
  CHECK(fix_irreducible(g, [](block_id) { return false; }).hubs == 2);
  const hubs_made one = fix_irreducible(g, [](block_id b) { return b == 3 || b == 5; });
  CHECK(one.hubs == 1);
  CHECK(one.refused == std::vector<block_id>{5});
  for (const block_id b : {3U, 4U, 5U})
    for (std::size_t k = 0; k < g.successors(b).size(); ++k) CHECK(one.plan.successors(b)[k].to == g.successors(b)[k]);

  const hubs_tally all = check_hubs_around_convergent(
      [](const csr_graph& h, const auto& convergent) { return fix_irreducible(h, convergent); });
  CHECK(all.hubs > 150);
  CHECK(all.refused > 100);
  CHECK(all.both > 5);
}

namespace {

// The guards that threads test when they go through a plan one by one.
std::uint64_t tests_alone(const csr_graph& g, const flow_plan& plan, const testing::random_walks& walks,
                          std::uint32_t threads) {
  planned_program program(plan, g, callable_program(testing::walking_threads(walks, threads)));
  const csr_graph shape = snapshot(plan);
  const std::vector<std::uint32_t> rank = ranks(shape);
  executor<policies::min_pc> machine{policies::min_pc(rank)};
  REQUIRE(machine.run(program, {.threads = threads, .warp_width = 1, .entry = plan.entry()}).finished());
  return program.overhead().guard_tests;
}

}  // namespace

TEST_CASE(
    "fix_irreducible: the entry that becomes the header is chosen by frequency, and so is the order of the tests") {
  // 0 enters a loop at 1 or 2; 1 goes round by 3 forever, and to 2 rarely: the ways from 3 to 1 need no test.
  const csr_graph g = testing::adjacency({{1, 2}, {3, 2}, {1, 4}, {1}, {}});
  const auto frequency = [](block_id b, std::size_t k) -> std::uint64_t {
    constexpr std::uint64_t count[][2] = {{90, 10}, {1000, 100}, {10, 100}, {1000, 0}, {0, 0}};
    return count[b][k];
  };
  const auto nothing = [](block_id) { return false; };
  const irreducible_fix still = fix_irreducible(g, nothing);
  REQUIRE(still.loops.size() == 1);
  CHECK(!still.by_frequency);
  CHECK(still.loops[0].header == loops(g).header(loop_id{0}));
  CHECK(still.loops[0].entries.size() == 2);
  const irreducible_fix made = fix_irreducible(g, nothing, frequency);
  REQUIRE(made.loops.size() == 1);
  CHECK(made.by_frequency);
  CHECK(made.loops[0].header == 2);
  CHECK(made.loops[0].entries == std::vector<block_id>{2, 1});  // 110 threads go to 2, 90 to 1
  CHECK(made.tests == 200);
  CHECK(made.static_tests == 1110);
  CHECK(made.hubs == 1);
  // The oracle runs threads one by one; the profile is theirs.
  std::size_t better = 0, same = 0, mended = 0;
  for (std::uint64_t seed = 1; seed <= 1600; ++seed) {
    testing::rng random(seed);
    const csr_graph h = seed % 2 == 0 ? random_nest(random) : random_graph(random, 4 + seed % 12);
    if (h.num_blocks() == 0 || loops(h).is_reducible() || !always_ends(h)) continue;
    CAPTURE(seed);
    const testing::random_walks walks(h, {.seed = seed, .patience = 4});
    constexpr std::uint32_t threads = 6;
    std::vector<std::vector<std::uint64_t>> taken(h.num_blocks());
    for (block_id b = 0; b < h.num_blocks(); ++b) taken[b].resize(h.successors(b).size(), 0);
    for (std::uint32_t t = 0; t < threads; ++t) {
      const std::vector<block_id> path = walks.path(t, 100'000);
      for (std::size_t i = 0; i + 1 < path.size(); ++i) {
        std::size_t k = 0;
        while (h.successors(path[i])[k] != path[i + 1]) ++k;
        ++taken[path[i]][k];
      }
    }
    const auto convergent = [&](block_id b) { return seed % 5 == 0 && testing::mix_bits(seed * 1000 + b) % 16 == 0; };
    const irreducible_fix plain = fix_irreducible(h, convergent);
    const irreducible_fix by = fix_irreducible(h, convergent, [&](block_id b, std::size_t k) { return taken[b][k]; });
    REQUIRE(plain.loops.size() == plain.hubs);
    REQUIRE(by.loops.size() == by.hubs);
    REQUIRE(by.refused == plain.refused);
    if (by.refused.empty()) REQUIRE_MESSAGE(reduces(snapshot(by.plan)), text(seed, h, by.plan));
    REQUIRE_MESSAGE(wrong_meeting(h, by.plan, convergent) == "", text(seed, h, by.plan));
    const std::uint64_t expected = tests_alone(h, by.plan, walks, threads);
    REQUIRE_MESSAGE(by.tests == expected, text(seed, h, by.plan));
    REQUIRE_MESSAGE(by.static_tests == tests_alone(h, plain.plan, walks, threads), text(seed, h, plain.plan));
    REQUIRE(by.tests <= by.static_tests);
    REQUIRE(by.by_frequency == (by.tests < by.static_tests));
    for (const mended_loop& l : by.loops) {
      bool among = false;
      for (const block_id e : l.entries) among = among || e == l.header;
      REQUIRE((among || !by.by_frequency));
    }
    if (seed % 4 == 0) check_same(seed, h, by.plan);
    (by.by_frequency ? better : same) += 1;
    mended += by.hubs;
  }
  CHECK(better > 30);
  CHECK(same > 20);
  CHECK(mended > 100);
}
