// SPDX-License-Identifier: BSL-1.0
#include "support/graphs.hpp"
#include <simtflow/analysis/loops.hpp>
#include <simtflow/io/dot.hpp>
#include <simtflow/testing/generate.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

using namespace simtflow;
using namespace simtflow_tests;

namespace {

using reach_matrix = std::vector<std::vector<unsigned char>>;

// Transitive closure without `without`.
reach_matrix closure(const csr_graph& g, block_id without = no_block) {
  const std::size_t n = g.num_blocks();
  reach_matrix reach(n, std::vector<unsigned char>(n, 0));
  for (block_id b = 0; b < n; ++b)
    for (const block_id s : g.successors(b)) reach[b][s] = b != without && s != without;
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        if (reach[i][k] && reach[k][j]) reach[i][j] = 1;
  for (block_id b = 0; b < n; ++b) reach[b][b] = 1;
  return reach;
}

// Reducible: taking away every edge to a dominator of its source leaves no cycle.
bool is_reducible(const csr_graph& g) {
  const std::size_t n = g.num_blocks();
  const reach_matrix all = closure(g);
  rows kept(n);
  for (block_id a = 0; a < n; ++a) {
    const reach_matrix around = closure(g, a);
    for (block_id b = 0; b < n; ++b) {
      if (!all[g.entry()][b]) continue;
      const bool a_dominates_b = a == b || a == g.entry() || !around[g.entry()][b];
      if (a_dominates_b && all[g.entry()][a]) continue;
      for (const block_id s : g.successors(b))
        if (s == a) kept[b].push_back(a);
    }
  }
  csr_builder builder(n, g.entry());
  for (block_id b = 0; b < n; ++b)
    for (const block_id s : kept[b]) builder.add_edge(b, s);
  const csr_graph rest = builder.build();
  const reach_matrix left = closure(rest);
  for (block_id b = 0; b < n; ++b)
    for (const block_id s : rest.successors(b))
      if (left[s][b]) return false;
  return true;
}

}  // namespace

TEST_CASE("the generator gives the same numbers everywhere") {
  testing::rng random(42);
  CHECK(random.next() == 0xBDD732262FEB6E95U);
  CHECK(random.next() == 0x28EFE333B266F103U);
  testing::rng other(0);
  std::uint64_t sum = 0;
  for (int i = 0; i < 1000; ++i) sum += other.below(1000);
  CHECK(sum > 450'000);
  CHECK(sum < 550'000);
  CHECK(testing::rng(7).below(1) == 0);
  CHECK(testing::rng(7).between(3, 3) == 3);
}

TEST_CASE("random graphs have the properties that were asked for") {
  std::size_t cyclic = 0, irreducible = 0, parallel = 0, self_loops = 0, unreached = 0, marked = 0;
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    testing::rng random(seed);
    testing::cfg_options o;
    o.blocks = random.between(1, 14);
    o.max_successors = random.between(1, 3);
    o.exits = random.between(1, 3);
    o.loops = random.chance(70);
    o.reducible = random.chance(30);
    o.terminating = random.chance(30);
    o.shuffled = random.chance(50);
    o.exit_mark_percent = random.chance(20) ? 20 : 0;
    o.unreachable_percent = random.chance(20) ? 20 : 0;
    const csr_graph g = testing::random_cfg(random, o);
    CAPTURE(seed);
    CAPTURE(to_dot(g));
    const std::size_t n = o.blocks;
    REQUIRE(g.num_blocks() == n);
    const reach_matrix reach = closure(g);
    bool cycle = false;
    for (block_id b = 0; b < n; ++b) {
      CHECK(g.successors(b).size() <= o.max_successors);
      if (o.unreachable_percent == 0) CHECK(reach[g.entry()][b]);
      unreached += !reach[g.entry()][b];
      bool ends = false;
      for (block_id to = 0; to < n; ++to) ends = ends || (reach[b][to] && g.is_exit(to));
      if (o.terminating || !o.loops) CHECK(ends);
      marked += g.is_exit(b) && !g.successors(b).empty();
      std::vector<block_id> out = list(g.successors(b));
      for (const block_id s : out) {
        cycle = cycle || reach[s][b];
        self_loops += s == b;
      }
      std::sort(out.begin(), out.end());
      parallel += std::adjacent_find(out.begin(), out.end()) != out.end();
    }
    cyclic += cycle;
    if (!o.loops) CHECK_FALSE(cycle);
    const bool reducible = is_reducible(g);
    irreducible += !reducible;
    if (o.reducible) CHECK(reducible);
  }
  CHECK(cyclic > 100);
  CHECK(irreducible > 20);
  CHECK(parallel > 20);
  CHECK(self_loops > 20);
  CHECK(unreached > 20);
  CHECK(marked > 20);
}

TEST_CASE("graphs without an exit") {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    testing::rng random(seed);
    const csr_graph g =
        testing::random_cfg(random, {.blocks = random.between(1, 9), .exits = 0, .reducible = random.chance(50)});
    CAPTURE(seed);
    for (block_id b = 0; b < g.num_blocks(); ++b) CHECK_FALSE(g.is_exit(b));
  }
  testing::rng random(1);
  CHECK(testing::random_cfg(random, {.blocks = 0}) == csr_graph{});
  CHECK(testing::random_cfg(random, {.blocks = 1}).is_exit(0));
}

TEST_CASE("all small graphs") {
  CHECK(testing::num_small_cfgs(0) == 1);
  CHECK(testing::num_small_cfgs(1) == 3);
  CHECK(testing::num_small_cfgs(2) == 49);
  CHECK(testing::num_small_cfgs(4) == 194'481);
  for (std::size_t n = 0; n <= 2; ++n) {
    std::set<rows> seen;
    testing::for_each_small_cfg(n, [&](const csr_graph& g) {
      CHECK(g.num_blocks() == n);
      seen.insert(rows_of(g));
    });
    CHECK(seen.size() == testing::num_small_cfgs(n));
  }
  std::uint64_t calls = 0, edges = 0;
  testing::for_each_small_cfg(3, [&](const csr_graph& g) {
    if (calls % 97 == 0) CHECK(g == testing::small_cfg(3, calls));
    ++calls;
    edges += g.num_edges();
  });
  CHECK(calls == 2197);
  CHECK(edges == 3 * 13 * 13 * 21);  // a block has 21 edges over its 13 choices
}

TEST_CASE("large reducible graphs take no quadratic time") {
  testing::rng random(5);
  const csr_graph g = testing::random_cfg(random, {.blocks = 200'000, .reducible = true});
  const loop_forest<csr_graph> forest(g);
  CHECK(forest.is_reducible());
  CHECK(forest.num_loops() > 1000);
}

TEST_CASE("structured programs are reducible, end, and have uniform barriers") {
  std::size_t barriers = 0, branches = 0, uniform = 0, loops = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    testing::rng random(seed);
    testing::program_options o;
    o.statements = random.between(0, 12);
    o.break_continue = random.chance(50);
    o.early_return = random.chance(30);
    o.barriers = random.chance(50);
    o.loops = random.chance(80);
    o.uniform_percent = random.chance(50) ? 60 : 25;
    const testing::structured_program p = testing::random_structured_program(random, o);
    const csr_graph& g = p.graph;
    CAPTURE(seed);
    CAPTURE(to_dot(g));
    const std::size_t n = g.num_blocks();
    REQUIRE(p.uniform.size() == n);
    const reach_matrix reach = closure(g);
    for (block_id b = 0; b < n; ++b) {
      CHECK(reach[0][b]);
      CHECK(reach[b][n - 1]);
      CHECK(g.is_exit(b) == (b == n - 1));
      CHECK(g.successors(b).size() <= 2);
      branches += g.successors(b).size() == 2;
      uniform += g.successors(b).size() == 2 && p.uniform[b];
      for (const block_id s : g.successors(b)) loops += reach[s][b] && s < b;
    }
    CHECK(is_reducible(g));
    if (!o.barriers) CHECK(p.barriers.empty());
    CHECK(std::is_sorted(p.barriers.begin(), p.barriers.end()));
    barriers += p.barriers.size();

    // All threads pass the same barriers in the same order.
    const testing::random_walks walks(g, {.seed = seed}, p.uniform);
    std::vector<block_id> first;
    for (std::uint64_t thread = 0; thread < 8; ++thread) {
      std::vector<block_id> met;
      for (const block_id b : walks.path(thread))
        if (std::binary_search(p.barriers.begin(), p.barriers.end(), b)) met.push_back(b);
      if (thread == 0) first = met;
      CHECK(met == first);
    }
  }
  CHECK(barriers > 50);
  CHECK(loops > 100);
  CHECK(branches > 500);
  CHECK(uniform > 50);
}

TEST_CASE("walks follow edges, end, and do not depend on the order of asking") {
  std::set<std::vector<block_id>> different;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    testing::rng random(seed);
    const csr_graph g = testing::random_cfg(random, {.blocks = random.between(1, 12),
                                                     .max_successors = 3,
                                                     .exits = random.between(1, 2),
                                                     .exit_mark_percent = random.chance(30) ? 20U : 0U});
    CAPTURE(seed);
    CAPTURE(to_dot(g));
    bool can_end = false;
    const reach_matrix reach = closure(g);
    for (block_id b = 0; b < g.num_blocks(); ++b) can_end = can_end || (reach[g.entry()][b] && g.is_exit(b));
    const testing::random_walks walks(g, {.seed = seed});
    testing::walking_threads together(walks, 4);
    std::vector<std::vector<block_id>> paths(4, std::vector<block_id>{g.entry()});
    for (int step = 0; step < 5000; ++step)  // threads take turns in a random order
      if (auto& path = paths[random.below(4)]; path.back() != no_block)
        path.push_back(together(static_cast<std::size_t>(&path - paths.data()), path.back()));
    for (std::size_t t = 0; t < 4; ++t) {
      std::vector<block_id> alone = walks.path(t);
      for (std::size_t i = 0; i + 1 < alone.size(); ++i) {
        const auto out = list(g.successors(alone[i]));
        CHECK(std::count(out.begin(), out.end(), alone[i + 1]) > 0);
      }
      if (can_end) {
        CHECK(g.is_exit(alone.back()));
        CHECK(alone.size() < 5000);
        different.insert(alone);
        if (paths[t].back() == no_block) {
          paths[t].pop_back();
          CHECK(paths[t] == alone);
        }
      }
    }
  }
  CHECK(different.size() > 100);
}
