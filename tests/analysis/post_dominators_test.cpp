// SPDX-License-Identifier: BSL-1.0
#include "analysis/oracles.hpp"
#include <simtflow/analysis/post_dominators.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

using namespace simtflow_tests;

namespace {

void check_post_dominators(const subject& at, post_dominator_tree<csr_graph>& tree) {
  const small_graph g(at.graph);
  const block_set extra = virtual_edges(g, recursive_search(g).rpo());
  for (const infinite_loops endless : {infinite_loops::virtual_edge, infinite_loops::ignore}) {
    const block_set ends = endless == infinite_loops::ignore ? g.exits : g.exits | extra;
    const std::vector<block_set> below = post_dominated_sets(g, ends);
    tree.recompute(at.graph, {endless});
    block_set roots = 0;
    for (block_id b = 0; b < g.n; ++b) {
      const std::string who = "block " + std::to_string(b) + (endless == infinite_loops::ignore ? " (ignore)" : "");
      const block_id up = below[b] == 0 ? no_block : immediate(below, b);
      if (tree.is_reachable(b) != has(g.reachable, b)) return report(at, "reachability of " + who);
      if (tree.reaches_exit(b) != (has(g.reachable, b) && (g.reach(only(b)) & g.exits) != 0))
        return report(at, "does an exit lie ahead of " + who);
      if (tree.ipdom(b).value_or(no_block) != up || tree.ipdoms()[b] != up)
        return report(at, "immediate post-dominator of " + who + ": expected " + std::to_string(up) + ", got " +
                              std::to_string(tree.ipdoms()[b]));
      std::uint32_t above = below[b] == 0 ? 0 : 1;
      block_set children = 0;
      for (block_id a = 0; a < g.n; ++a) {
        if (tree.post_dominates(a, b) != has(below[a], b))
          return report(at, "does " + std::to_string(a) + " post-dominate " + who);
        if (tree.strictly_post_dominates(a, b) != (a != b && has(below[a], b))) return report(at, "strictly, " + who);
        above += a != b && has(below[a], b);
        if (below[a] != 0 && immediate(below, a) == b) children |= only(a);
        block_id common = no_block;
        for (block_id c = 0; c < g.n; ++c)
          if (has(below[c], a) && has(below[c], b) && (common == no_block || has(below[common], c))) common = c;
        if (tree.nearest_common(a, b).value_or(no_block) != common) return report(at, "nearest common, " + who);
      }
      if (below[b] != 0 && up == no_block) roots |= only(b);
      if (tree.depth(b) != above) return report(at, "depth of " + who);
      if (to_set(tree.children(b)) != children) return report(at, "children of " + who);
      if (to_set(tree.blocks_post_dominated_by(b)) != below[b]) return report(at, "subtree of " + who);
    }
    if (to_set(tree.roots()) != roots) return report(at, "roots");
    const tree_check found = verify(tree, at.graph, effort::normal, {endless});
    if (!found) return report(at, found.broken);
  }
}

constexpr bool constant_expression() {
  const csr_graph g = testing::diamond();
  return post_dominators(g).ipdom(0) == 3U && !post_dominators(g).ipdom(3).has_value();
}
static_assert(constant_expression());

}  // namespace

TEST_CASE("post-dominators: all graphs of up to four blocks against removing a block") {
  post_dominator_tree<csr_graph> tree{csr_graph{}};
  for_each_small([&](const subject& at) { check_post_dominators(at, tree); });
}

TEST_CASE("post-dominators: marked exits, shapes and random graphs against removing a block") {
  post_dominator_tree<csr_graph> tree{csr_graph{}};
  for_each_shape([&](const subject& at) { check_post_dominators(at, tree); });
  for_each_small_with_exits([&](const subject& at) { check_post_dominators(at, tree); });
  for_each_random(2000, 12, [&](const subject& at) { check_post_dominators(at, tree); });
}

TEST_CASE("post-dominators: an endless arm joins at the virtual exit only") {
  const csr_graph g = testing::infinite_loop_arm();  // 0 -> {1, 2}, 1 -> 1, 2 -> 3
  const auto tree = post_dominators(g);
  CHECK_FALSE(tree.ipdom(0).has_value());
  CHECK(tree.is_reachable(0));
  CHECK(tree.reaches_exit(0));
  CHECK_FALSE(tree.reaches_exit(1));
  CHECK(tree.post_dominates(1, 1));
  CHECK(tree.depth(1) == 1);
  const auto ignoring = post_dominators(g, {.endless = infinite_loops::ignore});
  CHECK(ignoring.ipdom(0) == 2U);
  CHECK_FALSE(ignoring.ipdom(1).has_value());
  CHECK_FALSE(ignoring.post_dominates(1, 1));
  CHECK(ignoring.depth(1) == 0);
}

// The graph with an edge to one more block, the only exit, wherever threads end or are said to end.
TEST_CASE("post-dominators: roots as the caller says, with and without endless loops") {
  post_dominator_tree<csr_graph> tree{csr_graph{}};
  immediate_post_dominator_map<csr_graph> map{csr_graph{}};
  for_each_random(3000, 14, [&](const subject& at) {
    const csr_graph& g = at.graph;
    const block_id n = static_cast<block_id>(g.num_blocks());
    testing::rng random(at.seed);
    std::vector<block_id> roots;
    for (std::size_t k = random.below(4); k-- > 0;) roots.push_back(static_cast<block_id>(random.below(n)));
    const infinite_loops endless = random.chance(50) ? infinite_loops::ignore : infinite_loops::virtual_edge;
    csr_builder builder(n + 1, g.entry());
    for (block_id b = 0; b < n; ++b) {
      for (const block_id s : g.successors(b)) builder.add_edge(b, s);
      bool ends = g.is_exit(b);
      for (const block_id r : roots) ends = ends || r == b;
      if (ends) builder.add_edge(b, n);
    }
    const csr_graph closed = builder.build();
    const post_dominator_options options{.endless = endless, .roots = std::span<const block_id>(roots)};
    tree.recompute(g, options);
    map.recompute(g, options);
    const auto expected = post_dominators(closed, {.endless = endless});
    for (block_id b = 0; b < n; ++b) {
      const block_id up = expected.ipdoms()[b] == n ? no_block : expected.ipdoms()[b];
      const std::string who = "block " + std::to_string(b);
      if (tree.ipdoms()[b] != up || map.ipdoms()[b] != up) return report(at, "immediate post-dominator of " + who);
      if (tree.reaches_exit(b) != expected.reaches_exit(b)) return report(at, "does it reach an exit, " + who);
    }
    const tree_check found = verify(tree, g, effort::full, options);
    if (!found) report(at, found.broken);
  });
}

TEST_CASE("post-dominators: a program that never ends") {
  const csr_graph g = testing::infinite_loop();  // 0 -> 1 -> {1, 0}
  const auto tree = post_dominators(g);
  CHECK_FALSE(tree.ipdom(0).has_value());
  CHECK(tree.ipdom(1) == 0U);
  CHECK_FALSE(tree.reaches_exit(0));
}

TEST_CASE("post-dominators: a predicated exit moves the join to the virtual exit") {
  const csr_graph plain = testing::straight_line();
  CHECK(post_dominators(plain).ipdom(0) == 1U);
  CHECK(post_dominators(plain).ipdom(1) == 2U);
  const csr_graph g = testing::predicated_exit();  // 0 -> 1 -> 2, threads may end in 1
  CHECK(post_dominators(g).ipdom(0) == 1U);
  CHECK_FALSE(post_dominators(g).ipdom(1).has_value());
}

TEST_CASE("post-dominators: the paper's Figure 1 joins every branch at Exit") {
  const csr_graph g = testing::figure_1();
  const auto tree = post_dominators(g);
  for (block_id b = 0; b < 5; ++b) CHECK(tree.ipdom(b) == 5U);
}

TEST_CASE("post-dominators: are the dominators of the reversed graph") {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    testing::rng random(seed);
    testing::cfg_options options;
    options.blocks = 20 + 4 * seed;
    options.exits = random.below(4);
    const csr_graph g = testing::random_cfg(random, options);
    const auto tree = post_dominators(g);
    const csr_graph turned = reversed(g);
    const auto other = dominators(turned);
    for (block_id b = 0; b < g.num_blocks(); ++b) {
      const block_id up = *other.idom(b);
      if (tree.ipdoms()[b] != (up == g.num_blocks() ? no_block : up))
        report({"random_cfg", seed, g}, "immediate post-dominator of block " + std::to_string(b));
    }
    const tree_check found = verify(tree, g, seed % 20 == 0 ? effort::full : effort::normal);
    if (!found) report({"random_cfg", seed, g}, found.broken);
  }
}

TEST_CASE("post-dominators: verify notices a tree of another graph") {
  const csr_graph g = testing::diamond();
  const csr_graph other = testing::adjacency({{1, 2}, {3}, {}, {}});
  CHECK(verify(post_dominators(g), g, effort::full));
  CHECK_FALSE(verify(post_dominators(g), other, effort::full));
}

TEST_CASE("post-dominators: speak the vertices of any graph") {
  const std::vector<std::vector<int>> g{{1, 2}, {3}, {3}, {}, {3}};
  const auto tree = post_dominators(g);
  CHECK(tree.ipdom(0) == 3);
  CHECK_FALSE(tree.is_reachable(4));
  CHECK_FALSE(tree.ipdom(4).has_value());
  CHECK(tree.roots().size() == 1);
  CHECK(verify(tree, g, effort::full));
}

TEST_CASE("post-dominators: long chains and deep nests") {
  const csr_graph row = chain(500'000);
  CHECK(post_dominators(row).depth(0) == 500'000);
  const csr_graph deep = nest(100'000);
  CHECK(post_dominators(deep).ipdom(199'999) == 199'998U);
}
