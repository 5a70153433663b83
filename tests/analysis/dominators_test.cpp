// SPDX-License-Identifier: BSL-1.0
#include "analysis/oracles.hpp"
#include <simtflow/analysis/dominators.hpp>
#include <simtflow/graph/function_graph.hpp>

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace simtflow_tests;

namespace {

// A graph with successors that come by value: it cannot be walked in place.
struct by_value {
  std::vector<std::vector<int>> out;
};

}  // namespace

template <>
struct simtflow::graph_traits<by_value> : integer_vertices<by_value> {
  static std::size_t num_vertices(const by_value& g) { return g.out.size(); }
  static std::vector<int> successors(const by_value& g, vertex v) { return g.out[v]; }
};

namespace {

void check_dominators(const subject& at, dominator_tree<csr_graph>& tree, immediate_dominator_map<csr_graph>& map) {
  const small_graph g(at.graph);
  const std::vector<block_set> dominated = dominated_sets(g);
  tree.recompute(at.graph);
  map.recompute(at.graph);
  if (map.idoms().size() != g.n) return report(at, "number of immediate dominators");
  for (block_id b = 0; b < g.n; ++b) {
    const bool reached = has(g.reachable, b);
    const block_id up = reached ? immediate(dominated, b) : no_block;
    const std::string who = "block " + std::to_string(b);
    if (tree.is_reachable(b) != reached) return report(at, "reachability of " + who);
    if (tree.idom(b).value_or(no_block) != up || tree.idoms()[b] != up)
      return report(at, "immediate dominator of " + who + ": expected " + std::to_string(up) + ", got " +
                            std::to_string(tree.idoms()[b]));
    if (map.idom(b).value_or(no_block) != up || map.idoms()[b] != up || map.is_reachable(b) != reached)
      return report(at, "immediate dominator alone of " + who);
    std::uint32_t above = 0;
    block_set children = 0, dominators = 0;
    for (block_id a = 0; a < g.n; ++a) {
      if (tree.dominates(a, b) != has(dominated[a], b))
        return report(at, "does " + std::to_string(a) + " dominate " + who);
      if (tree.strictly_dominates(a, b) != (a != b && has(dominated[a], b))) return report(at, "strictly, " + who);
      if (has(dominated[a], b)) dominators |= only(a);
      above += a != b && has(dominated[a], b);
      if (has(g.reachable, a) && immediate(dominated, a) == b) children |= only(a);
      // The common dominator with the most dominators of its own.
      block_id common = no_block;
      for (block_id c = 0; c < g.n; ++c)
        if (has(dominated[c], a) && has(dominated[c], b) && (common == no_block || has(dominated[common], c)))
          common = c;
      if (tree.nearest_common(a, b).value_or(no_block) != common) return report(at, "nearest common, " + who);
    }
    if (tree.depth(b) != above) return report(at, "depth of " + who);
    if (to_set(tree.children(b)) != children) return report(at, "children of " + who);
    if (to_set(tree.blocks_dominated_by(b)) != dominated[b]) return report(at, "subtree of " + who);
    block_set walked = 0;
    block_id last = no_block;
    for (const block_id d : tree.dominators_of(b)) {
      if (last != no_block && !has(dominated[d], last)) return report(at, "order of the dominators of " + who);
      walked |= only(last = d);
    }
    if (walked != dominators) return report(at, "dominators of " + who);
  }
  const std::vector<block_id> rpo = recursive_search(g).rpo();
  if (tree.rpo() != rpo) return report(at, "rpo");
  // Children come in the order of the search.
  const std::vector<block_id> pre = recursive_search(g).pre;
  std::vector<std::size_t> place(g.n, 0);
  for (std::size_t i = 0; i < pre.size(); ++i) place[pre[i]] = i;
  for (block_id b = 0; b < g.n; ++b) {
    std::size_t last = 0;
    for (const block_id c : tree.children(b)) {
      if (place[c] < last) return report(at, "order of children");
      last = place[c];
    }
  }
}

// Cooper, Harvey and Kennedy's iteration: another algorithm for graphs that are too big for definitions.
std::vector<block_id> iterated(const csr_graph& g) {
  const auto order = depth_first(g);
  std::vector<block_id> idom(g.num_blocks(), no_block);
  idom[g.entry()] = g.entry();
  for (bool changed = true; changed;) {
    changed = false;
    for (const block_id b : order.rpo()) {
      if (b == g.entry()) continue;
      block_id best = no_block;
      for (block_id p : g.predecessors(b)) {
        if (!order.is_reachable(p) || idom[p] == no_block) continue;
        for (block_id q = best; q != no_block && p != q;) {
          if (order.rpo_number(p) > order.rpo_number(q))
            p = idom[p];
          else
            best = q = idom[q];
        }
        best = p;
      }
      changed = changed || idom[b] != best;
      idom[b] = best;
    }
  }
  idom[g.entry()] = no_block;
  return idom;
}

bool same(std::span<const block_id> a, const std::vector<block_id>& b) {
  return std::vector<block_id>(a.begin(), a.end()) == b;
}

// Blocks 1 .. n form a path; from n a second path jumps back into the first one, latest block first. The walks from the
// parent to the semidominator would take quadratic time without a budget.
csr_graph long_walks(std::uint32_t n) {
  csr_builder b(2 * n + 1);
  b.add_edge(0, 1);
  for (block_id i = 1; i < n; ++i) b.add_edge(i, i + 1);
  b.add_edge(n, n + 1);
  for (block_id i = 1; i < n; ++i) b.add_edge(n + i, n + i + 1);
  for (block_id i = 1; i <= n; ++i) b.add_edge(0, n + i);
  for (block_id i = 1; i < n; ++i) b.add_edge(i, n + 1 + (n - 1 - i));
  return b.build();
}

constexpr bool constant_expression() {
  const csr_graph g = testing::figure_1();
  const auto tree = dominators(g);
  return tree.idom(5) == 0U && tree.dominates(2, 4) && !tree.dominates(1, 2) && tree.depth(4) == 2 &&
         static_cast<bool>(verify(tree, g, effort::full));
}
static_assert(constant_expression());

}  // namespace

// The columns of a small tree lie in the object, the columns of a large tree do not.
TEST_CASE("dominators: copies and moved trees answer as the original, small and large") {
  const csr_graph graphs[] = {csr_graph{}, testing::figure_1(), long_walks(8), long_walks(100)};
  for (const csr_graph& from : graphs)
    for (const csr_graph& to : graphs) {
      CAPTURE(from.num_blocks());
      CAPTURE(to.num_blocks());
      auto original = std::make_unique<dominator_tree<csr_graph>>(from);
      dominator_tree<csr_graph> copy = *original;
      dominator_tree<csr_graph> assigned(to), moved_into(to);
      assigned = *original;
      const std::vector<block_id> order = original->rpo();
      moved_into = std::move(*original);
      original.reset();
      const dominator_tree<csr_graph>& same = copy;
      copy = same;
      dominator_tree<csr_graph> moved(std::move(assigned));
      for (dominator_tree<csr_graph>* tree : {&copy, &moved_into, &moved}) {
        CHECK(verify(*tree, from, effort::normal));
        CHECK(tree->rpo() == order);
        tree->recompute(to);
        CHECK(verify(*tree, to, effort::normal));
        tree->recompute(from);
        CHECK(verify(*tree, from, effort::normal));
      }
    }
}

TEST_CASE("dominators: all graphs of up to four blocks against removing a block") {
  dominator_tree<csr_graph> tree{csr_graph{}};
  immediate_dominator_map<csr_graph> map{csr_graph{}};
  for_each_small([&](const subject& at) { check_dominators(at, tree, map); });
}

TEST_CASE("dominators: shapes and random graphs against removing a block") {
  dominator_tree<csr_graph> tree{csr_graph{}};
  immediate_dominator_map<csr_graph> map{csr_graph{}};
  for_each_shape([&](const subject& at) { check_dominators(at, tree, map); });
  for_each_random(2000, 12, [&](const subject& at) { check_dominators(at, tree, map); });
}

TEST_CASE("dominators: bigger random graphs against the iterative algorithm and verify") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    testing::rng random(seed);
    testing::cfg_options options;
    options.blocks = 20 + seed * 5;
    options.max_successors = random.between(2, 5);
    options.unreachable_percent = random.chance(30) ? 10 : 0;
    const csr_graph g = testing::random_cfg(random, options);
    const auto tree = dominators(g);
    if (!same(tree.idoms(), iterated(g))) report({"random_cfg", seed, g}, "immediate dominators");
    const tree_check found = verify(tree, g, seed % 20 == 0 ? effort::full : effort::normal);
    if (!found) report({"random_cfg", seed, g}, found.broken);
  }
}

TEST_CASE("dominators: verify notices a tree of another graph") {
  const csr_graph g = testing::diamond();
  const csr_graph other = testing::adjacency({{1, 2}, {3}, {}, {}});
  const csr_graph island = testing::adjacency({{1, 1}, {3}, {3}, {}});
  const csr_graph smaller = testing::triangle();
  const csr_graph shortcut = testing::adjacency({{1, 1}, {2, 3}, {3}, {}});
  const csr_graph around = testing::adjacency({{1, 3}, {2, 3}, {3}, {}});
  CHECK(verify(dominators(g), g, effort::full));
  CHECK_FALSE(verify(dominators(smaller), g, effort::quick));
  CHECK_FALSE(verify(dominators(island), g, effort::normal));
  CHECK_FALSE(verify(dominators(shortcut), around, effort::normal));
  CHECK(verify(dominators(g), other, effort::normal));  // no edge contradicts it, but it is too coarse
  CHECK_FALSE(verify(dominators(g), other, effort::full));
}

TEST_CASE("dominators: walks that would be quadratic, long chains, deep nests, ladders") {
  for (const std::uint32_t n : {5U, 50U, 500U}) {
    const csr_graph g = long_walks(n);
    const auto made = dominators(g);
    CHECK(same(made.idoms(), iterated(g)));
  }
  const csr_graph walks = long_walks(200'000);
  CHECK(verify(dominators(walks), walks));
  const csr_graph row = chain(1'000'000);
  const auto tree = dominators(row);
  CHECK(tree.depth(999'999) == 999'999);
  CHECK(tree.dominates(0, 999'999));
  for (const csr_graph& g : {nest(3'000), ladder(100'000)}) {
    const auto made = dominators(g);
    CHECK(same(made.idoms(), iterated(g)));
  }
  const csr_graph deep = nest(200'000);
  CHECK(verify(dominators(deep), deep));
}

TEST_CASE("dominators: jumps instead of walks, from the first step on or later") {
  const auto check = [](const subject& at) {
    dense::dominator_tree walked, jumped;
    walked.recompute(at.graph, 1'000'000);
    for (const std::size_t budget : {0U, 1U, 2U}) {
      jumped.recompute(at.graph, budget);
      if (!same(jumped.idoms(), {walked.idoms().begin(), walked.idoms().end()})) report(at, "immediate dominators");
    }
  };
  for_each_random(500, 40, check);
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    testing::rng random(seed);
    const std::uint32_t n = 300;
    csr_builder b(n);
    for (block_id i = 0; i + 1 < n; ++i) b.add_edge(i, i + 1);
    for (block_id i = 2; i < n; ++i) b.add_edge(static_cast<block_id>(random.below(random.chance(50) ? 4 : i)), i);
    const csr_graph g = b.build();
    check({"path with shortcuts", seed, g});
  }
}

TEST_CASE("dominators: the same for every way to get at the successors") {
  const std::vector<std::vector<int>> none;
  dominator_tree<std::vector<std::vector<int>>> in_place(none);
  for_each_random(300, 60, [&](const subject& at) {
    std::vector<std::vector<int>> lists(at.graph.num_blocks());
    for (block_id b = 0; b < at.graph.num_blocks(); ++b)
      for (const block_id s : at.graph.successors(b)) lists[b].push_back(static_cast<int>(s));
    const auto expected = dominators(at.graph);
    if (at.graph.entry() != 0) return;
    in_place.recompute(lists);
    const by_value copied{lists};
    const auto from_copies = dominators(copied);
    const auto parents = immediate_dominators(copied);
    const function_graph called(
        lists.size(), [&](block_id b) { return lists[b]; }, 0);
    const auto from_calls = dominators(called);
    for (block_id b = 0; b < lists.size(); ++b)
      if (in_place.idoms()[b] != expected.idoms()[b] || from_copies.idoms()[b] != expected.idoms()[b] ||
          parents.idoms()[b] != expected.idoms()[b] || from_calls.idoms()[b] != expected.idoms()[b])
        return report(at, "immediate dominator of block " + std::to_string(b) + " by another way");
  });
}

TEST_CASE("dominators: speak the vertices of any graph") {
  const std::vector<std::vector<int>> g{{1, 2}, {3}, {3}, {}, {3}};
  const auto tree = dominators(g);
  CHECK(tree.idom(3) == 0);
  CHECK_FALSE(tree.idom(0).has_value());
  CHECK_FALSE(tree.idom(4).has_value());
  CHECK_FALSE(tree.is_reachable(4));
  CHECK_FALSE(tree.dominates(4, 4));
  CHECK_FALSE(tree.nearest_common(1, 4).has_value());
  CHECK(tree.nearest_common(1, 2) == 0);
  std::vector<int> children;
  for (const int c : tree.children(0)) children.push_back(c);
  CHECK(children == std::vector<int>{1, 3, 2});
  std::vector<int> up;
  for (const int d : tree.dominators_of(3)) up.push_back(d);
  CHECK(up == std::vector<int>{3, 0});
  CHECK(tree.blocks_dominated_by(0).size() == 4);
  CHECK(verify(tree, g, effort::full));
}
