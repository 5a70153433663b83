// SPDX-License-Identifier: BSL-1.0
#include "analysis/oracles.hpp"
#include <simtflow/analysis/control_dependence.hpp>
#include <simtflow/analysis/dominance_frontiers.hpp>

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

using namespace simtflow_tests;

namespace {

std::vector<block_id> listed(std::span<const block_id> blocks) { return {blocks.begin(), blocks.end()}; }
std::vector<edge> listed(std::span<const edge> edges) { return {edges.begin(), edges.end()}; }

std::string show(const std::vector<edge>& edges) {
  std::string text = "{";
  for (const edge& e : edges)
    text += (text.size() > 1 ? " " : "") + std::to_string(e.from) + ":" + std::to_string(e.slot);
  return text + "}";
}

/// Ferrante, Ottenstein and Warren's definition, on paths: the edge (a, slot) begins a path to b on which b
/// post-dominates every block, and b does not strictly post-dominate a.
std::vector<std::vector<edge>> dependences_by_definition(const small_graph& g, const std::vector<block_set>& below) {
  std::vector<std::vector<edge>> found(g.n);
  for (block_id b = 0; b < g.n; ++b)
    for (block_id a = 0; a < g.n; ++a) {
      if (below[a] == 0 || (a != b && has(below[b], a))) continue;
      for (std::uint32_t slot = 0; slot < g.slots[a].size(); ++slot)
        if (has(g.reach(only(g.slots[a][slot]), below[b]), b)) found[b].push_back({a, slot});
    }
  return found;
}

/// From runs: whether a walk that starts on the way (a, slot) can get to the end without b, and whether any way on from
/// a can. It depends if the edge decides: not along the edge, but along another way (or b is a, which has run already).
bool edge_decides(const small_graph& g, block_set ends, block_id b, block_id a, std::uint32_t slot) {
  const auto can_avoid = [&](block_id from) { return from != b && (g.reach(only(from), ~only(b)) & ends) != 0; };
  const auto can_end = [&](block_id from) { return (g.reach(only(from)) & ends) != 0; };
  const block_id t = g.slots[a][slot];
  if (!has(g.reachable, a) || !can_end(a) || !can_end(t) || can_avoid(t)) return false;
  if (b == a || has(ends, a)) return true;
  for (const block_id s : g.slots[a])
    if (can_avoid(s)) return true;
  return false;
}

void check(const subject& at, post_dominator_tree<csr_graph>& tree, control_dependences<csr_graph>& made) {
  const small_graph g(at.graph);
  const block_set extra = virtual_edges(g, recursive_search(g).rpo());
  for (const infinite_loops endless : {infinite_loops::virtual_edge, infinite_loops::ignore}) {
    const block_set ends = endless == infinite_loops::ignore ? g.exits : g.exits | extra;
    const std::vector<block_set> below = post_dominated_sets(g, ends);
    const std::vector<std::vector<edge>> expected = dependences_by_definition(g, below);
    const std::string which = endless == infinite_loops::ignore ? " (ignore)" : "";
    tree.recompute(at.graph, {endless});
    made.recompute(at.graph, tree);
    const auto frontiers = post_dominance_frontiers(at.graph, tree);
    const control_dependence_query<csr_graph> query(at.graph, tree);
    std::size_t total = 0;
    block_set entry_region = 0;
    for (block_id b = 0; b < g.n; ++b) {
      const std::string who = "block " + std::to_string(b) + which;
      const std::vector<edge> got = listed(made.dependences_of(b));
      if (got != expected[b])
        return report(at, "edges that " + who + " depends on: expected " + show(expected[b]) + ", got " + show(got));
      if (query.dependences_of(b) != got) return report(at, "the query: edges that " + who + " depends on");
      total += got.size();
      if (has(below[b], g.entry)) entry_region |= only(b);
      if (below[b] != 0 && got.empty() && !has(below[b], g.entry)) return report(at, "what runs always: " + who);
      block_set sources = 0;
      for (const edge& e : got) sources |= only(e.from);
      if (sources != to_set(frontiers.of(b))) return report(at, "post-dominance frontier of " + who);
    }
    if (made.total_size() != total) return report(at, "total size" + which);
    if (to_set(made.entry_region()) != entry_region ||
        (g.n != 0 && !made.entry_region().empty() && made.entry_region()[0] != g.entry))
      return report(at, "entry region" + which + ": expected " + simtflow_tests::show(entry_region));
    for (block_id i = 1; i < made.entry_region().size(); ++i)
      if (tree.ipdom(made.entry_region()[i - 1]) != made.entry_region()[i]) return report(at, "order of the region");

    for (block_id a = 0; a < g.n; ++a) {
      std::vector<block_id> of_block;
      block_set seen = 0;
      for (std::uint32_t slot = 0; slot < g.slots[a].size(); ++slot) {
        const std::string who = "edge " + std::to_string(a) + ":" + std::to_string(slot) + which;
        block_set dependents = 0;
        for (block_id b = 0; b < g.n; ++b) {
          const bool depends = has(to_set(made.dependents_of(a, slot)), b);
          bool listed_there = false;
          for (const edge& e : expected[b]) listed_there = listed_there || e == edge{a, slot};
          if (depends != listed_there || made.depends(b, a, slot) != listed_there ||
              query.depends(b, a, slot) != listed_there)
            return report(at, "does block " + std::to_string(b) + " depend on " + who);
          if (edge_decides(g, ends, b, a, slot) != listed_there)
            return report(at, who + " decides about block " + std::to_string(b));
          if (depends) dependents |= only(b);
        }
        const std::vector<block_id> row = listed(made.dependents_of(a, slot));
        if (query.dependents_of(a, slot) != row) return report(at, "the query: what depends on " + who);
        if (row.size() != static_cast<std::size_t>(std::popcount(dependents))) return report(at, "twice under " + who);
        if (!row.empty() && row[0] != g.slots[a][slot]) return report(at, "the target comes first under " + who);
        for (std::size_t i = 1; i < row.size(); ++i)
          if (tree.ipdom(row[i - 1]) != row[i]) return report(at, "order under " + who);
        for (const block_id b : row)
          if (!has(seen, b)) {
            seen |= only(b);
            of_block.push_back(b);
          }
      }
      if (listed(made.dependents_of(a)) != of_block)
        return report(at, "what depends on block " + std::to_string(a) + which);
    }
  }
}

constexpr bool constant_expression() {
  const csr_graph g = testing::diamond();
  const auto tree = post_dominators(g);
  const auto made = control_dependence(g, tree);
  return made.depends(1, 0, 0) && !made.depends(1, 0, 1) && made.dependences_of(3).empty() &&
         made.dependents_of(0).size() == 2 && made.entry_region().size() == 2 &&
         control_dependence(g).total_size() == 2;
}
static_assert(constant_expression());

// Results that refer to a graph are not made from a temporary one.
using lists = std::vector<std::vector<int>>;
template <class G>
concept takes_temporary = requires(G g, const post_dominator_tree<G>& t) {
  control_dependence(static_cast<G&&>(g));
  control_dependence(static_cast<G&&>(g), t);
};
static_assert(takes_temporary<csr_graph> && !takes_temporary<lists>);
template <class F>
concept gives_from_temporary = requires(F f) {
  static_cast<F&&>(f).dependents_of(0);
};
static_assert(!gives_from_temporary<control_dependences<csr_graph>>);

/// A row of `count` if statements without else: 2 i -> {2 i + 1, 2 i + 2}, 2 i + 1 -> 2 i + 2.
csr_graph ifs(std::uint32_t count) {
  csr_builder b(2 * count + 1);
  for (block_id i = 0; i < count; ++i)
    b.add_edge(2 * i, 2 * i + 1).add_edge(2 * i, 2 * i + 2).add_edge(2 * i + 1, 2 * i + 2);
  return b.build();
}

}  // namespace

TEST_CASE("control dependence: all graphs of up to four blocks against paths and runs") {
  post_dominator_tree<csr_graph> tree{csr_graph{}};
  control_dependences<csr_graph> made{csr_graph{}, tree};
  std::uint64_t count = 0;
  for_each_small([&](const subject& at) {
    if (at.graph.num_blocks() < 4 || ++count % 3 == 0) check(at, tree, made);
  });
}

TEST_CASE("control dependence: shapes, marked exits and random graphs against paths and runs") {
  post_dominator_tree<csr_graph> tree{csr_graph{}};
  control_dependences<csr_graph> made{csr_graph{}, tree};
  for_each_shape([&](const subject& at) { check(at, tree, made); });
  for_each_small_with_exits([&](const subject& at) { check(at, tree, made); });
  for_each_random(1000, 12, [&](const subject& at) { check(at, tree, made); });
}

TEST_CASE("control dependence: bigger random graphs against what the tree says about every edge") {
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    testing::rng random(seed);
    testing::cfg_options options;
    options.blocks = 20 + seed;
    options.max_successors = random.between(2, 5);
    options.exits = random.below(4);
    options.exit_mark_percent = random.chance(30) ? 10 : 0;
    options.unreachable_percent = random.chance(30) ? 10 : 0;
    const csr_graph g = testing::random_cfg(random, options);
    const auto tree = post_dominators(g);
    const auto made = control_dependence(g, tree);
    for (block_id a = 0; a < g.num_blocks(); ++a)
      for (std::uint32_t slot = 0; slot < g.successors(a).size(); ++slot)
        for (block_id b = 0; b < g.num_blocks(); ++b) {
          const bool depends = tree.is_reachable(a) && tree.post_dominates(b, g.successors(a)[slot]) &&
                               !tree.strictly_post_dominates(b, a);
          if (made.depends(b, a, slot) != depends)
            return report({"random_cfg", seed, g}, "does block " + std::to_string(b) + " depend on edge " +
                                                       std::to_string(a) + ":" + std::to_string(slot));
        }
  }
}

TEST_CASE("control dependence: a loop depends on itself") {
  const csr_graph g = testing::while_loop();  // 0 -> 1 -> {2, 3}, 2 -> 1
  const auto made = control_dependence(g);
  CHECK(listed(made.dependences_of(1)) == std::vector<edge>{{1, 0}});
  CHECK(listed(made.dependences_of(2)) == std::vector<edge>{{1, 0}});
  CHECK(listed(made.dependents_of(1, 0)) == std::vector<block_id>{2, 1});
  CHECK(made.dependents_of(1, 1).empty());
  CHECK(listed(made.entry_region()) == std::vector<block_id>{0, 1, 3});
  const auto repeat = control_dependence(testing::self_loop());  // 0 -> 1 -> {1, 2}
  CHECK(listed(repeat.dependences_of(1)) == std::vector<edge>{{1, 0}});
  CHECK(listed(repeat.entry_region()) == std::vector<block_id>{0, 1, 2});
}

TEST_CASE("control dependence: a predicated exit is a branch") {
  const csr_graph g = testing::predicated_exit();  // 0 -> 1 -> 2, threads may end in 1
  const auto made = control_dependence(g);
  CHECK(listed(made.dependences_of(2)) == std::vector<edge>{{1, 0}});
  CHECK(listed(made.entry_region()) == std::vector<block_id>{0, 1});
}

TEST_CASE("control dependence: endless loops") {
  const csr_graph g = testing::infinite_loop_arm();  // 0 -> {1, 2}, 1 -> 1, 2 -> 3
  const auto made = control_dependence(g);
  CHECK(listed(made.dependences_of(1)) == std::vector<edge>{{0, 0}, {1, 0}});
  CHECK(listed(made.dependences_of(3)) == std::vector<edge>{{0, 1}});
  CHECK(listed(made.entry_region()) == std::vector<block_id>{0});
  const auto ignoring = control_dependence(g, {.endless = infinite_loops::ignore});
  CHECK(ignoring.total_size() == 0);
  CHECK(listed(ignoring.entry_region()) == std::vector<block_id>{0, 2, 3});
  const csr_graph forever = testing::infinite_loop();  // 0 -> 1 -> {1, 0}
  const auto never = control_dependence(forever, {.endless = infinite_loops::ignore});
  CHECK(never.entry_region().empty());
}

TEST_CASE("control dependence: nothing, one block, a switch") {
  const auto nothing = control_dependence(testing::empty_graph());
  CHECK(nothing.entry_region().empty());
  CHECK(nothing.total_size() == 0);
  const auto one = control_dependence(testing::one_block());
  CHECK(one.dependences_of(0).empty());
  CHECK(one.dependents_of(0).empty());
  CHECK(listed(one.entry_region()) == std::vector<block_id>{0});
  const auto many = control_dependence(testing::switch_parallel());  // 0 -> {1, 2, 2, 3}, 1 -> 4, 2 -> 3, 3 -> 4
  CHECK(listed(many.dependences_of(2)) == std::vector<edge>{{0, 1}, {0, 2}});
  CHECK(listed(many.dependences_of(3)) == std::vector<edge>{{0, 1}, {0, 2}, {0, 3}});
  CHECK(listed(many.dependents_of(0, 2)) == std::vector<block_id>{2, 3});
  CHECK(listed(many.dependents_of(0)) == std::vector<block_id>{1, 2, 3});
}

TEST_CASE("control dependence: speaks the vertices of any graph") {
  const lists g{{1, 2}, {3}, {3}, {}, {3}};
  const auto tree = post_dominators(g);
  const auto made = control_dependence(g, tree);
  CHECK(made.depends(2, 0, 1));
  CHECK(made.dependences_of(4).empty());
  std::vector<int> found;
  for (const int v : made.dependents_of(0)) found.push_back(v);
  CHECK(found == std::vector<int>{1, 2});
  CHECK(made.dependents_of(0, 1)[0] == 2);
  CHECK(made.entry_region().size() == 2);
  CHECK(control_dependence(g).total_size() == 2);
}

TEST_CASE("control dependence: large graphs") {
  const std::uint32_t n = 100'000;
  const csr_graph row = ifs(n);
  const auto made = control_dependence(row);
  CHECK(made.total_size() == n);
  CHECK(made.entry_region().size() == n + 1);
  CHECK(listed(made.dependences_of(2 * n - 1)) == std::vector<edge>{{2 * n - 2, 0}});
  const auto line = control_dependence(chain(1'000'000));
  CHECK(line.entry_region().size() == 1'000'000);
  CHECK(control_dependence(ladder(n)).total_size() == 4 * n - 2);
  // Latch d + i runs the loops from header i inwards again: headers i .. d - 1 and latches i .. d - 1 depend on it.
  const std::uint32_t depth = 1'000;
  const auto loops = control_dependence(nest(depth));
  CHECK(loops.total_size() == depth * (depth + 1));
  for (block_id i = 0; i < depth; ++i) {
    if (loops.dependents_of(depth + i, 0).size() != 2 * (depth - i)) return report({"nest", depth, chain(1)}, "row");
    if (loops.dependences_of(i).size() != i + 1) return report({"nest", depth, chain(1)}, "column");
  }
}
