// SPDX-License-Identifier: BSL-1.0
#include "analysis/oracles.hpp"
#include <simtflow/analysis/dominance_frontiers.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace simtflow_tests;

namespace {

// --- oracles ---------------------------------------------------------------------------------------------------------

using sets = std::vector<block_set>;

/// The definition: x dominates the near end of an edge into y, and y not or as itself. `dominated` comes from removing
/// blocks and searching; `into` are the near ends of the edges into each block.
sets frontiers_by_definition(const sets& dominated, const sets& into) {
  sets frontier(dominated.size(), 0);
  for (block_id x = 0; x < dominated.size(); ++x)
    for (block_id y = 0; y < dominated.size(); ++y)
      if ((dominated[x] & into[y]) != 0 && !has(dominated[x] & ~only(x), y)) frontier[x] |= only(y);
  return frontier;
}

sets dominance_by_definition(const small_graph& g) {
  sets into(g.n, 0);
  for (block_id p = 0; p < g.n; ++p)
    for (block_set s = has(g.reachable, p) ? g.out[p] : 0; s != 0; s &= s - 1) into[lowest(s)] |= only(p);
  return frontiers_by_definition(dominated_sets(g), into);
}

/// Edges out of blocks that lie outside the tree count for nothing; nor do, for dominance, edges into the virtual exit.
sets post_dominance_by_definition(const small_graph& g, infinite_loops endless) {
  const block_set ends =
      endless == infinite_loops::ignore ? g.exits : g.exits | virtual_edges(g, recursive_search(g).rpo());
  const sets below = post_dominated_sets(g, ends);
  sets out(g.n, 0);
  for (block_id b = 0; b < g.n; ++b)
    if (below[b] != 0) out[b] = g.out[b];
  return frontiers_by_definition(below, out);
}

/// The least set with the frontiers of `from` and of its own members, without blocks that are not in `live`.
block_set closure(const sets& frontier, block_set from, block_set live = ~block_set{0}) {
  block_set all = 0;
  for (bool changed = true; changed;) {
    const block_set before = all;
    for (block_set rest = from | all; rest != 0; rest &= rest - 1) all |= frontier[lowest(rest)] & live;
    changed = all != before;
  }
  return all;
}

/// Two paths of one edge or more to z, from two different blocks of `from` or from one of them and a start of its own
/// before the entry, that share nothing but z: two units of flow in the graph with every block split in two.
bool paths_meet_at(const small_graph& g, block_set from, block_id z) {
  constexpr std::uint32_t out = 20, source = 40;
  const std::uint32_t start = g.n;
  std::vector<std::uint64_t> room(source + 1, 0);
  const auto join = [&](std::uint32_t a, std::uint32_t b) { room[a] |= std::uint64_t{1} << b; };
  for (block_id b = 0; b < g.n; ++b) {
    if (!has(g.reachable, b)) continue;
    if (b != z) join(b, out + b);
    for (block_set s = g.out[b]; s != 0; s &= s - 1) join(out + b, lowest(s));
    if (has(from, b)) join(source, b == z ? out + b : b);
  }
  join(source, start);
  join(start, g.entry);
  for (int units = 0; units < 2; ++units) {
    std::vector<std::uint32_t> came(source + 1, source + 1), work{source};
    for (std::size_t i = 0; i < work.size() && came[z] > source; ++i)
      for (std::uint64_t to = room[work[i]]; to != 0; to &= to - 1) {
        const auto v = static_cast<std::uint32_t>(std::countr_zero(to));
        if (v == source || came[v] <= source) continue;
        came[v] = work[i];
        work.push_back(v);
      }
    if (came[z] > source) return false;
    for (std::uint32_t v = z; v != source; v = came[v]) {
      room[came[v]] &= ~(std::uint64_t{1} << v);
      room[v] |= std::uint64_t{1} << came[v];
    }
  }
  return true;
}

block_set joins(const small_graph& g, block_set from) {
  block_set met = 0;
  for (block_id z = 0; z < g.n; ++z)
    if (has(g.reachable, z) && paths_meet_at(g, from & g.reachable, z)) met |= only(z);
  return met;
}

// --- checks ----------------------------------------------------------------------------------------------------------

std::vector<block_id> members(block_set s) {
  std::vector<block_id> blocks;
  for (; s != 0; s &= s - 1) blocks.push_back(lowest(s));
  return blocks;
}

std::vector<block_id> listed(std::span<const block_id> blocks) { return {blocks.begin(), blocks.end()}; }

struct results {
  dominator_tree<csr_graph> tree{csr_graph{}};
  post_dominator_tree<csr_graph> post_tree{csr_graph{}};
  dominance_frontier_sets<csr_graph> frontiers{csr_graph{}, tree};
  iterated_frontier<csr_graph> iterated{csr_graph{}, tree};
};

/// The part that is the same for dominance and post-dominance. `from` runs over all subsets, or some at random.
bool check_against(const subject& at, const results& made, iterated_frontier<csr_graph>& iterated, const sets& expected,
                   std::size_t queries, const char* which) {
  const std::size_t n = at.graph.num_blocks();
  const std::string kind = which;
  std::size_t total = 0;
  for (block_id b = 0; b < n; ++b) {
    const std::span<const block_id> got = made.frontiers.of(b);
    bool ascending = true;
    for (std::size_t i = 1; i < got.size(); ++i) ascending = ascending && got[i - 1] < got[i];
    total += got.size();
    if (to_set(got) != expected[b] || !ascending || made.frontiers.size(b) != got.size()) {
      report(at, kind + " frontier of " + std::to_string(b) + ": expected " + show(expected[b]) + ", got " +
                     show(listed(got)));
      return false;
    }
    for (block_id x = 0; x < n; ++x)
      if (made.frontiers.contains(b, x) != has(expected[b], x)) {
        report(at, kind + " frontier of " + std::to_string(b) + " contains " + std::to_string(x));
        return false;
      }
  }
  if (made.frontiers.total_size() != total) {
    report(at, kind + " total size");
    return false;
  }
  testing::rng random(at.seed);
  const bool all = n <= 4 && queries == 0;
  for (std::uint64_t q = 0; q < (all ? std::uint64_t{1} << n : queries); ++q) {
    const auto from = static_cast<block_set>((all ? q : random.next() & random.next()) & ((block_set{1} << n) - 1));
    const auto live = static_cast<block_set>(random.next() | random.next());
    std::vector<block_id> blocks = members(from);
    random.shuffle(blocks);
    if (!blocks.empty()) blocks.push_back(blocks[random.below(blocks.size())]);  // twice is as good as once
    const std::vector<block_id> want = members(closure(expected, from));
    const std::vector<block_id> linear = listed(iterated.of(blocks));
    if (linear != want) {
      report(at, kind + ", linear iterated frontier of " + show(blocks) + ": expected " + show(want) + ", got " +
                     show(linear));
      return false;
    }
    const std::vector<block_id> pruned = listed(iterated.of(blocks, [&](block_id b) { return has(live, b); }));
    if (pruned != members(closure(expected, from, live))) {
      report(at, kind + ", iterated frontier of " + show(blocks) + " where live in " + show(live) + ": expected " +
                     show(members(closure(expected, from, live))) + ", got " + show(pruned));
      return false;
    }
    if (q % 3 == 0 && made.frontiers.iterated(blocks) != want) {
      report(at, kind + ", iterated frontier of " + show(blocks) + ": expected " + show(want));
      return false;
    }
  }
  return true;
}

/// queries: how many sets of blocks, 0 for all. thorough: disjoint paths and post-dominance for all.
void check(const subject& at, results& made, std::size_t queries = 0, bool thorough = true) {
  const small_graph g(at.graph);
  const sets expected = dominance_by_definition(g);
  made.tree.recompute(at.graph);
  made.frontiers.recompute(at.graph, made.tree);
  made.iterated.recompute(at.graph, made.tree);
  if (!check_against(at, made, made.iterated, expected, queries, "dominance")) return;
  if (thorough && g.n != 0) {
    testing::rng random(at.seed);
    for (int q = 0; q < 3; ++q) {
      const auto from = static_cast<block_set>(random.next() & random.next() & ((block_set{1} << g.n) - 1));
      const block_set met = joins(g, from), found = to_set(made.iterated.of(members(from)));
      if (met != found)
        return report(at, "disjoint paths from " + show(from) + " and the start meet at " + show(met) +
                              ", iterated frontier " + show(found));
    }
  }
  for (const infinite_loops endless : {infinite_loops::virtual_edge, infinite_loops::ignore}) {
    if (!thorough && at.seed % 4 != (endless == infinite_loops::ignore ? 1 : 3)) continue;
    made.post_tree.recompute(at.graph, {endless});
    made.frontiers.recompute(at.graph, made.post_tree);
    made.iterated.recompute(at.graph, made.post_tree);
    if (!check_against(at, made, made.iterated, post_dominance_by_definition(g, endless), thorough ? 2 : 1,
                       endless == infinite_loops::ignore ? "post-dominance (ignore)" : "post-dominance"))
      return;
  }
}

constexpr bool constant_expression() {
  const csr_graph g = testing::nested_loops();  // 0 -> 1 -> {2, 5}, 2 -> {3, 4}, 3 -> 2, 4 -> 1
  const auto tree = dominators(g);
  const auto frontiers = dominance_frontiers(g, tree);
  const auto post = post_dominance_frontiers(g);
  const block_id three[] = {3};
  iterated_frontier<csr_graph> iterated(g, tree);
  return frontiers.size(3) == 1 && frontiers.contains(3, 2) && frontiers.contains(2, 1) && frontiers.contains(2, 2) &&
         frontiers.of(0).empty() && post.contains(3, 2) && !post.contains(5, 1) && iterated.of(three).size() == 2 &&
         frontiers.iterated(three).size() == 2;
}
static_assert(constant_expression());

// Results that refer to a graph are not made from a temporary one.
using lists = std::vector<std::vector<int>>;
template <class G>
concept takes_temporary = requires(G g, const dominator_tree<G>& t) {
  dominance_frontiers(static_cast<G&&>(g));
  dominance_frontiers(static_cast<G&&>(g), t);
};
static_assert(takes_temporary<csr_graph> && !takes_temporary<lists>);
template <class F>
concept gives_from_temporary = requires(F f) {
  static_cast<F&&>(f).of(0);
};
static_assert(!gives_from_temporary<dominance_frontier_sets<csr_graph>>);

/// 0 -> 1 -> ... -> n - 1 -> n, and an edge from each of them to n.
csr_graph fan(std::uint32_t n) {
  csr_builder b(n + 1);
  for (block_id i = 0; i < n; ++i) b.add_edge(i, i + 1).add_edge(i, n);
  return b.build();
}

}  // namespace

TEST_CASE("dominance frontiers: all graphs of up to four blocks against the definition and disjoint paths") {
  results made;
  std::uint64_t count = 0;
  for_each_small([&](const subject& at) {
    ++count;
    check(at, made, at.graph.num_blocks() < 4 || count % 24 == 0 ? 0 : 1, count % 8 == 0);
  });
}

TEST_CASE("dominance frontiers: shapes, marked exits and random graphs against the definition and disjoint paths") {
  results made;
  for_each_shape([&](const subject& at) { check(at, made, 4); });
  for_each_small_with_exits([&](const subject& at) { check(at, made); });
  for_each_random(1500, 12, [&](const subject& at) { check(at, made, 4); });
}

TEST_CASE("dominance frontiers: bigger random graphs against what the tree says about every edge") {
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    testing::rng random(seed);
    testing::cfg_options options;
    options.blocks = 20 + seed;
    options.max_successors = random.between(2, 5);
    options.exits = random.below(4);
    options.exit_mark_percent = random.chance(30) ? 10 : 0;
    options.unreachable_percent = random.chance(30) ? 10 : 0;
    const csr_graph g = testing::random_cfg(random, options);
    const auto tree = dominators(g);
    const auto post_tree = post_dominators(g);
    const auto frontiers = dominance_frontiers(g, tree);
    const auto post = post_dominance_frontiers(g, post_tree);
    const std::size_t n = g.num_blocks();
    for (block_id x = 0; x < n; ++x) {
      std::vector<unsigned char> in(n, 0), post_in(n, 0);
      for (block_id b = 0; b < n; ++b)
        for (const block_id s : g.successors(b)) {
          if (tree.dominates(x, b) && !tree.strictly_dominates(x, s)) in[s] = 1;
          if (post_tree.post_dominates(x, s) && post_tree.is_reachable(b) && !post_tree.strictly_post_dominates(x, b))
            post_in[b] = 1;
        }
      for (block_id y = 0; y < n; ++y) {
        if (frontiers.contains(x, y) != (in[y] != 0))
          return report({"random_cfg", seed, g}, "frontier of " + std::to_string(x) + ": " + std::to_string(y));
        if (post.contains(x, y) != (post_in[y] != 0))
          return report({"random_cfg", seed, g},
                        "post-dominance frontier of " + std::to_string(x) + ": " + std::to_string(y));
      }
    }
  }
}

TEST_CASE("dominance frontiers: an entry with an edge back to it is in frontiers") {
  const csr_graph loop = testing::self_loop_at_entry();  // 0 -> {0, 1}
  const auto frontiers = dominance_frontiers(loop);
  CHECK(listed(frontiers.of(0)) == std::vector<block_id>{0});
  CHECK(frontiers.of(1).empty());
  const csr_graph back = testing::while_at_entry();  // 0 -> {2, 1}, 1 -> 0
  const auto around = dominance_frontiers(back);
  CHECK(listed(around.of(0)) == std::vector<block_id>{0});
  CHECK(listed(around.of(1)) == std::vector<block_id>{0});
  CHECK(around.of(2).empty());
}

TEST_CASE("dominance frontiers: nothing, one block, unreachable blocks") {
  const auto nothing = dominance_frontiers(testing::empty_graph());
  CHECK(nothing.total_size() == 0);
  CHECK(nothing.iterated({}).empty());
  CHECK(post_dominance_frontiers(testing::empty_graph()).total_size() == 0);
  CHECK(iterated_dominance_frontier(testing::empty_graph(), dominators(testing::empty_graph()), {}).empty());
  CHECK(dominance_frontiers(testing::one_block()).size(0) == 0);
  const csr_graph island = testing::unreachable_island();  // 0 -> 1; 2 -> 3, 3 -> {2, 1}
  CHECK(dominance_frontiers(island).total_size() == 0);
  CHECK(post_dominance_frontiers(island).total_size() == 0);
  const std::vector<block_id> all{0, 1, 2, 3};
  CHECK(iterated_dominance_frontier(island, dominators(island), all).empty());
  CHECK(iterated_post_dominance_frontier(island, post_dominators(island), all).empty());
}

TEST_CASE("dominance frontiers: endless loops and post-dominance") {
  const csr_graph g = testing::infinite_loop_arm();  // 0 -> {1, 2}, 1 -> 1, 2 -> 3
  const auto frontiers = post_dominance_frontiers(g);
  CHECK(listed(frontiers.of(1)) == std::vector<block_id>{0, 1});  // 1 can be left for the virtual exit
  CHECK(listed(frontiers.of(2)) == std::vector<block_id>{0});
  CHECK(listed(frontiers.of(3)) == std::vector<block_id>{0});
  const auto ignoring = post_dominance_frontiers(g, {.endless = infinite_loops::ignore});
  CHECK(ignoring.total_size() == 0);
}

TEST_CASE("dominance frontiers: speak the vertices of any graph") {
  const lists g{{1, 2}, {3}, {3, 1}, {0}, {3}};
  const auto tree = dominators(g);
  const auto post_tree = post_dominators(g);
  const auto frontiers = dominance_frontiers(g, tree);
  std::vector<int> found;
  for (const int v : frontiers.of(2)) found.push_back(v);
  CHECK(found == std::vector<int>{1, 3});
  CHECK(frontiers.contains(1, 3));
  CHECK_FALSE(frontiers.contains(4, 3));
  CHECK(frontiers.iterated(std::vector<int>{2}) == std::vector<int>{0, 1, 3});
  CHECK(iterated_dominance_frontier(g, tree, std::vector<int>{2}) == std::vector<int>{0, 1, 3});
  iterated_frontier<lists> iterated(g, tree);
  CHECK(iterated.of(std::vector<int>{1}, [](int v) { return v != 0; }).size() == 1);
  CHECK(iterated.of(std::vector<int>{1}).ids().size() == 2);
  const auto post = post_dominance_frontiers(g, post_tree);
  const auto made = dominance_frontier_sets<lists>(g, post_tree);
  CHECK(post.total_size() == made.total_size());
  CHECK(iterated_post_dominance_frontier(g, post_tree, std::vector<int>{1}) == post.iterated(std::vector<int>{1}));
}

TEST_CASE("dominance frontiers: a query may be made of the last answer") {
  const csr_graph g = nest(5);
  iterated_frontier<csr_graph> iterated(g, dominators(g));
  const std::vector<block_id> exit{10}, inner{4};
  CHECK(iterated.of(exit).empty());
  CHECK(iterated.of(iterated.of(inner)).size() == 5);
}

TEST_CASE("dominance frontiers: a switch with many parallel edges, a block with many predecessors") {
  const std::uint32_t n = 100'000;
  csr_builder builder(3);
  for (std::uint32_t i = 0; i < n; ++i) builder.add_edge(0, 1 + i % 2).add_edge(1, 2).add_edge(2, 1);
  const csr_graph parallel = builder.build();
  const auto twins = dominance_frontiers(parallel);
  CHECK(listed(twins.of(1)) == std::vector<block_id>{2});
  CHECK(twins.total_size() == 2);

  const csr_graph g = fan(n);
  const auto tree = dominators(g);
  const auto frontiers = dominance_frontiers(g, tree);
  CHECK(frontiers.total_size() == n - 1);
  for (block_id b = 1; b < n; ++b)
    if (frontiers.size(b) != 1 || !frontiers.contains(b, n)) return report({"fan", n, chain(1)}, "frontier");
  std::vector<block_id> all;
  for (block_id b = 0; b <= n; ++b) all.push_back(b);
  CHECK(iterated_dominance_frontier(g, tree, all) == std::vector<block_id>{n});
  CHECK(post_dominance_frontiers(g).total_size() == n - 1);
  const auto small = post_dominance_frontiers(fan(3));
  CHECK(listed(small.of(2)) == std::vector<block_id>{1});
}

TEST_CASE("dominance frontiers: deep nests are quadratic in all, but not for the iterated frontier") {
  const std::uint32_t n = 2'000;
  const csr_graph g = nest(n);
  const auto frontiers = dominance_frontiers(g);
  CHECK(frontiers.total_size() == n * (n + 1));
  for (block_id b = 0; b < n; ++b)
    if (frontiers.size(b) != b + 1 || frontiers.size(n + b) != b + 1) return report({"nest", n, chain(1)}, "sizes");

  const std::uint32_t depth = 200'000;
  const csr_graph deep = nest(depth);
  const auto tree = dominators(deep);
  iterated_frontier<csr_graph> iterated(deep, tree);
  const std::vector<block_id> last{2 * depth - 1}, first{0}, exit{2 * depth};
  CHECK(iterated.of(last).size() == depth);
  CHECK(listed(iterated.of(first)) == std::vector<block_id>{0});
  CHECK(iterated.of(exit).empty());
  std::vector<block_id> all;
  for (block_id b = 0; b <= 2 * depth; ++b) all.push_back(b);
  CHECK(iterated.of(all).size() == depth);
  CHECK(iterated.of(all, [](block_id b) { return b % 2 == 0; }).size() == depth / 2);
  // The branches are the latches; each decides about its whole loop.
  iterated.recompute(deep, post_dominators(deep));
  CHECK(iterated.of(std::vector<block_id>{depth - 1}).size() == depth);
  CHECK(iterated.of(all).size() == depth);
}

TEST_CASE("dominance frontiers: ladders, chains and large random graphs") {
  const std::uint32_t rungs = 100'000;
  const csr_graph g = ladder(rungs);
  const auto tree = dominators(g);
  const auto frontiers = dominance_frontiers(g, tree);
  CHECK(frontiers.total_size() == 4 * rungs - 2);
  CHECK(listed(frontiers.of(1)) == std::vector<block_id>{3, 4});
  iterated_frontier<csr_graph> iterated(g, tree);
  CHECK(iterated.of(std::vector<block_id>{1}).size() == 2 * rungs - 1);
  for (block_id b = 2 * rungs; b > 2 * rungs - 1'000; --b)
    CHECK(iterated.of(std::vector<block_id>{b}).size() == 2 * rungs - 2 * ((b - 1) / 2) - 1);

  const csr_graph row = chain(1'000'000);
  CHECK(dominance_frontiers(row).total_size() == 0);
  CHECK(iterated_dominance_frontier(row, dominators(row), std::vector<block_id>{0, 999'999, 500}).empty());

  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    testing::rng random(seed);
    testing::cfg_options options;
    options.blocks = 20'000;
    options.loops = seed % 2 == 0;
    const csr_graph big = testing::random_cfg(random, options);
    const auto big_tree = dominators(big);
    const auto all = dominance_frontiers(big, big_tree);
    iterated_frontier<csr_graph> linear(big, big_tree);
    for (int q = 0; q < 8; ++q) {
      std::vector<block_id> from;
      for (int i = 0; i <= q; ++i) from.push_back(static_cast<block_id>(random.below(options.blocks)));
      if (all.iterated(from) != listed(linear.of(from))) FAIL_CHECK("random graph of seed " << seed);
    }
  }
}
