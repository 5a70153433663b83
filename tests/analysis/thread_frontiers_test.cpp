// SPDX-License-Identifier: BSL-1.0
#include "analysis/oracles.hpp"
#include <simtflow/analysis/thread_frontiers.hpp>

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

using namespace simtflow_tests;

namespace {

using frontiers = frontier_sets<csr_graph>;

// The order in which the blocks are numbered.
priority_order<csr_graph> as_listed(const csr_graph& g) {
  std::vector<block_id> all;
  for (block_id b = 0; b < g.num_blocks(); ++b) all.push_back(b);
  return *checked_order(g, std::span<const block_id>(all));
}

std::vector<block_set> sets_of(const frontiers& f, std::size_t n) {
  std::vector<block_set> sets;
  for (block_id b = 0; b < n; ++b) sets.push_back(to_set(f.of(b)));
  return sets;
}

std::string show_sets(const std::vector<block_set>& sets) {
  std::string text;
  for (const block_set s : sets) text += (text.empty() ? "" : " ") + show(s);
  return text;
}

enum class want { sound, exact };

void check_frontiers(const subject& at, const priority_order<csr_graph>& order, want how,
                     std::span<const unsigned char> uniform = {}) {
  const small_graph g(at.graph);
  const std::vector<block_set> expected = reachable_frontiers(g, order.ranks(), uniform);
  const frontiers f = thread_frontiers(at.graph, order, uniform);
  const std::vector<block_set> got = sets_of(f, g.n);
  bool good = how == want::sound || got == expected;
  for (block_id b = 0; b < g.n; ++b) good = good && (expected[b] & ~got[b]) == 0;
  if (!good) {
    std::vector<block_id> listed(order.blocks().begin(), order.blocks().end());
    return report(at, std::string(how == want::exact ? "exact" : "sound") + " under " + show(listed) +
                          (uniform.empty() ? "" : " with uniform blocks") + ": expected " + show_sets(expected) +
                          ", got " + show_sets(got));
  }
  if (got != iterated_frontiers(g, order.ranks(), uniform)) return report(at, "not the fixpoint: " + show_sets(got));
  // The object agrees with itself.
  std::size_t total = 0, largest = 0, checks = 0;
  for (block_id b = 0; b < g.n; ++b) {
    total += f.size(b);
    largest = f.size(b) > largest ? f.size(b) : largest;
    std::uint32_t last = order.rank(b);
    for (const block_id x : f.of(b)) {
      good = good && order.rank(x) > last && f.contains(b, x);
      last = order.rank(x);
    }
    for (block_id x = 0; x < g.n; ++x) good = good && f.contains(b, x) == has(got[b], x);
    for (std::uint32_t k = 0; k < g.slots[b].size(); ++k) {
      if (!has(got[b], g.slots[b][k])) continue;
      ++checks;
      bool listed = false;
      for (const edge& e : f.check_edges()) listed = listed || e == edge{b, k};
      good = good && listed;
    }
  }
  if (!good || total != f.total_size() || largest != f.max_size() || checks != f.check_edges().size())
    report(at, "sizes, order, contains or check edges of " + show_sets(got));
}

priority_order<csr_graph> shuffled(const csr_graph& g, std::uint64_t seed) {
  testing::rng random(seed);
  std::vector<block_id> all;
  for (block_id b = 0; b < g.num_blocks(); ++b) all.push_back(b);
  random.shuffle(all);
  return *checked_order(g, std::span<const block_id>(all));
}

std::vector<unsigned char> some_uniform(std::size_t n, std::uint64_t seed) {
  testing::rng random(seed);
  std::vector<unsigned char> flags(n, 0);
  for (unsigned char& u : flags) u = random.chance(50);
  return flags;
}

// Exactly the paper's picture: frontiers of BB1 .. BB5 and Exit.
void check_figure_1(const frontiers& f) {
  const std::vector<block_set> expected{0, only(2), only(5), only(4) | only(5), only(5), 0};
  CHECK(show_sets(sets_of(f, 6)) == show_sets(expected));
  CHECK(f.max_size() == 2);
  CHECK(f.total_size() == 5);
  REQUIRE(f.check_edges().size() == 4);
  CHECK(f.check_edges()[0] == edge{1, 1});  // BB2 -> BB3
  CHECK(f.check_edges()[1] == edge{3, 0});  // BB4 -> BB5
  CHECK(f.check_edges()[2] == edge{3, 1});  // BB4 -> Exit
}

constexpr bool constant_expression() {
  const csr_graph g = testing::figure_1();
  const auto order = reverse_post_order(g);
  const auto f = thread_frontiers(g, order);
  return f.size(3) == 2 && f.contains(1, 2) && !f.contains(0, 2) && f.of(3)[0] == 4;
}
static_assert(constant_expression());

}  // namespace

TEST_CASE("thread frontiers: the paper's Figure 1, by both algorithms") {
  const csr_graph g = testing::figure_1();
  check_figure_1(thread_frontiers(g, reverse_post_order(g)));
  check_figure_1(thread_frontiers(g, loop_contiguous_order(g)));
  check_figure_1(thread_frontiers_algorithm_1(g, reverse_post_order(g)));
}

TEST_CASE("thread frontiers: where Algorithm 1 as printed is wrong") {
  struct {
    const char* what;
    csr_graph graph;
    block_id block;
    block_set printed, fixpoint;
  } const cases[] = {
      {"threads of B wait behind an undivided branch", testing::adjacency({{1, 2}, {3}, {3}, {}}), 2, 0, only(3)},
      {"a while loop: T0 waits at X while T1 runs H again", testing::adjacency({{1, 2}, {0}, {}}), 0, 0, only(2)},
      {"a loop of one block", testing::adjacency({{0, 1}, {}}), 0, 0, only(1)},
  };
  for (const auto& c : cases) {
    CAPTURE(c.what);
    const auto order = as_listed(c.graph);
    const frontiers printed = thread_frontiers_algorithm_1(c.graph, order);
    const frontiers f = thread_frontiers(c.graph, order);
    CHECK(to_set(printed.of(c.block)) == c.printed);
    CHECK(to_set(f.of(c.block)) == c.fixpoint);
  }
}

TEST_CASE("thread frontiers: all graphs of up to four blocks against every reachable state") {
  for_each_small([](const subject& at) {
    check_frontiers(at, reverse_post_order(at.graph), want::exact);
    check_frontiers(at, loop_contiguous_order(at.graph), want::exact);
    check_frontiers(at, shuffled(at.graph, at.seed), want::sound);
    check_frontiers(at, loop_contiguous_order(at.graph), want::exact, some_uniform(at.graph.num_blocks(), at.seed));
  });
}

TEST_CASE("thread frontiers: marked exits, shapes and random graphs against every reachable state") {
  const auto check = [](const subject& at) {
    const std::vector<unsigned char> flags = some_uniform(at.graph.num_blocks(), at.seed);
    for (const auto& order : {reverse_post_order(at.graph), loop_contiguous_order(at.graph)}) {
      check_frontiers(at, order, want::exact);
      check_frontiers(at, order, want::sound, flags);
    }
    check_frontiers(at, shuffled(at.graph, at.seed), want::sound);
    check_frontiers(at, shuffled(at.graph, at.seed), want::sound, flags);
  };
  for_each_shape(check);
  for_each_small_with_exits(check);
  for_each_random(3000, 9, check);
}

TEST_CASE("thread frontiers: bits and lists give the same sets") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    testing::rng random(seed);
    testing::cfg_options options;
    options.blocks = 10 + 3 * seed;
    options.max_successors = 3;
    const csr_graph g = testing::random_cfg(random, options);
    const auto order = loop_contiguous_order(g);
    detail::frontier_index<> bits, lists;
    bits.fixpoint(g, order.ids(), {}, 1'000'000);
    lists.fixpoint(g, order.ids(), {}, 0);
    bool same = bits.total_size() == lists.total_size() && bits.max_size() == lists.max_size();
    for (block_id b = 0; b < g.num_blocks(); ++b)
      for (const block_id x : lists.of(b)) same = same && bits.contains(b, x);
    if (!same) report({"random_cfg", seed, g}, "bits and lists differ");
  }
}

TEST_CASE("thread frontiers: unreachable blocks may be in the order or not") {
  const csr_graph g = testing::adjacency({{1, 2}, {2}, {}, {0, 4}, {}});  // 3 and 4 are not reached
  const std::vector<block_id> listed{3, 0, 1, 2};
  const auto order = checked_order(g, std::span<const block_id>(listed));
  REQUIRE(order.has_value());
  const frontiers f = thread_frontiers(g, *order), printed = thread_frontiers_algorithm_1(g, *order);
  CHECK(show_sets(sets_of(f, 5)) == show_sets(std::vector<block_set>{0, only(2), 0, 0, 0}));
  CHECK(show_sets(sets_of(printed, 5)) == show_sets(std::vector<block_set>{0, only(2), 0, 0, 0}));
}

TEST_CASE("thread frontiers: averages are over the blocks that are reached") {
  const csr_graph g = testing::adjacency({{1, 2}, {2}, {}, {0}});
  const auto order = reverse_post_order(g);
  CHECK(thread_frontiers(g, order).average_size() == doctest::Approx(1.0 / 3));
  const csr_graph nothing;
  CHECK(thread_frontiers(nothing, reverse_post_order(nothing)).average_size() == 0);
  CHECK(thread_frontiers(nothing, reverse_post_order(nothing)).max_size() == 0);
}

TEST_CASE("thread frontiers: uniform branches and parallel edges keep threads together") {
  const csr_graph g = testing::diamond();
  const auto order = reverse_post_order(g);
  const std::vector<unsigned char> uniform{1, 0, 0, 0};
  CHECK(thread_frontiers(g, order).total_size() == 2);
  CHECK(thread_frontiers(g, order, uniform).total_size() == 0);
  const csr_graph twice = testing::adjacency({{1, 1}, {2}, {}});
  CHECK(thread_frontiers(twice, reverse_post_order(twice)).total_size() == 0);
}

TEST_CASE("thread frontiers: speak the vertices of any graph") {
  const std::vector<std::vector<int>> g{{1, 2}, {5, 2}, {3, 4}, {4, 5}, {5}, {}};
  const auto order = reverse_post_order(g);
  const auto f = thread_frontiers(g, order);
  std::vector<int> members;
  for (const int v : f.of(3)) members.push_back(v);
  CHECK(members == std::vector<int>{4, 5});
  CHECK(f.contains(1, 2));
}

TEST_CASE("thread frontiers: long chains, big ladders, deep nests") {
  const csr_graph row = chain(100'000);
  CHECK(thread_frontiers(row, reverse_post_order(row)).total_size() == 0);
  const csr_graph rungs = ladder(20'000);
  CHECK(thread_frontiers(rungs, reverse_post_order(rungs)).max_size() == 2);
  const csr_graph deep = nest(1'000);
  const frontiers f = thread_frontiers(deep, loop_contiguous_order(deep));
  CHECK(f.max_size() == 1'000);
}
