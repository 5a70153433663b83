// SPDX-License-Identifier: BSL-1.0
#include "analysis/oracles.hpp"
#include "support/gz.hpp"
#include <simtflow/analysis/regions.hpp>
#include <simtflow/graph/views.hpp>
#include <simtflow/io/graph_text.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

using namespace simtflow_tests;

namespace {

// --- regions by definition ----------------------------------------------------------------------------

// All edges that count, with node n as the virtual exit; the first is the start edge.
struct all_edges {
  struct arc {
    edge name;
    block_id from, to;
  };
  small_graph g;
  block_set ends;
  std::vector<arc> arcs;

  explicit all_edges(const csr_graph& graph) : g(graph), ends(0) {
    if (g.n == 0) return;
    ends = g.exits | virtual_edges(g, recursive_search(g).rpo());
    arcs.push_back({start_edge, g.n, g.entry});
    for (block_id b = 0; b < g.n; ++b) {
      if (!has(g.reachable, b)) continue;
      for (std::uint32_t k = 0; k < g.slots[b].size(); ++k) arcs.push_back({{b, k}, b, g.slots[b][k]});
      if (has(ends, b)) arcs.push_back({{b, static_cast<std::uint32_t>(g.slots[b].size())}, b, g.n});
    }
  }

  // The blocks that `from` reaches without edge `removed`; past the virtual exit only if `round`.
  [[nodiscard]] block_set reach(block_id from, std::size_t removed, bool round) const {
    block_set seen = only(from);
    for (bool more = true; more;) {
      const block_set before = seen;
      for (std::size_t i = round ? 0 : 1; i < arcs.size(); ++i)
        if (i != removed && has(seen, arcs[i].from)) seen |= only(arcs[i].to);
      more = seen != before;
    }
    return seen;
  }
  // Every cycle through a contains b.
  [[nodiscard]] bool all_cycles(std::size_t a, std::size_t b) const {
    return a == b || !has(reach(arcs[a].to, b, true), arcs[a].from);
  }
  [[nodiscard]] block_set from_start_without(std::size_t a) const { return a == 0 ? 0 : reach(g.entry, a, false); }
};

// A relation between edges.
struct relation {
  std::size_t m;
  std::vector<unsigned char> holds;
  template <class F>
  relation(std::size_t size, F&& f) : m(size) {
    for (std::size_t a = 0; a < m; ++a)
      for (std::size_t b = 0; b < m; ++b) holds.push_back(f(a, b) ? 1 : 0);
  }
  bool operator()(std::size_t a, std::size_t b) const { return holds[a * m + b] != 0; }
};

struct expected_region {
  edge in, out;
  block_set blocks;
};

void check_tree(const subject& at, program_structure_tree<csr_graph>& tree) {
  tree.recompute(at.graph);
  const all_edges all(at.graph);
  const small_graph& g = all.g;
  if (g.n == 0) {
    if (tree.num_regions() != 0) report(at, "regions of nothing");
    return;
  }
  const std::size_t m = all.arcs.size();
  const auto show_edge = [](edge e) { return std::to_string(e.from) + "/" + std::to_string(e.slot); };
  const relation together(m,
                          [&](std::size_t a, std::size_t b) { return all.all_cycles(a, b) && all.all_cycles(b, a); });
  std::vector<block_set> without;
  for (std::size_t a = 0; a < m; ++a) without.push_back(all.from_start_without(a));
  const relation dominates(
      m, [&](std::size_t a, std::size_t b) { return a == b || (b != 0 && !has(without[a], all.arcs[b].from)); });
  const relation post_dominates(
      m, [&](std::size_t b, std::size_t a) { return a == b || !has(all.reach(all.arcs[a].to, b, false), g.n); });
  const relation sese(m, [&](std::size_t a, std::size_t b) {
    return a != b && together(a, b) && dominates(a, b) && post_dominates(b, a);
  });
  for (std::size_t a = 0; a < m; ++a)
    for (std::size_t b = 0; b < m; ++b)
      if (together(a, b) != (tree.edge_class(all.arcs[a].name) == tree.edge_class(all.arcs[b].name)))
        return report(at,
                      "cycle equivalence of " + show_edge(all.arcs[a].name) + " and " + show_edge(all.arcs[b].name));
  std::vector<expected_region> expected;
  for (std::size_t a = 0; a < m; ++a)
    for (std::size_t b = 0; b < m; ++b) {
      bool canonical = sese(a, b);
      for (std::size_t c = 0; c < m && canonical; ++c)
        canonical = (!sese(a, c) || dominates(b, c)) && (!sese(c, b) || post_dominates(a, c));
      if (!canonical) continue;
      block_set blocks = 0;
      for (block_id x = 0; x < g.n; ++x)
        if (has(g.reachable, x) && !has(without[a], x) && !has(all.reach(x, b, false), g.n)) blocks |= only(x);
      expected.push_back({all.arcs[a].name, all.arcs[b].name, blocks});
    }
  if (tree.num_regions() != expected.size() + 1)
    return report(
        at, "expected " + std::to_string(expected.size()) + " regions, got " + std::to_string(tree.num_regions() - 1));
  if (to_set(tree.blocks(whole_program)) != g.reachable || tree.entry(whole_program) != g.entry ||
      tree.parent(whole_program) || tree.depth(whole_program) != 0 || tree.entry_edge(whole_program) != start_edge ||
      tree.exit(whole_program))
    return report(at, "the whole program");

  std::vector<block_set> blocks{g.reachable};  // by region id
  for (const region_id r : ids_below<region_id>(tree.num_regions())) {
    if (r == whole_program) continue;
    const expected_region* found = nullptr;
    for (const expected_region& e : expected)
      if (e.in == tree.entry_edge(r)) found = &e;
    const std::string who = "region " + std::to_string(index_of(r));
    if (found == nullptr || found->out != tree.exit_edge(r)) return report(at, "edges of " + who);
    if (to_set(tree.blocks(r)) != found->blocks) return report(at, "blocks of " + who);
    if (static_cast<int>(tree.blocks(r).size()) != std::popcount(found->blocks))
      return report(at, "listed twice, " + who);
    if (tree.entered_by(found->in) != r || tree.left_by(found->out) != r) return report(at, "region by edge, " + who);
    blocks.push_back(found->blocks);
    const block_id entry = found->in == start_edge ? g.entry : g.slots[found->in.from][found->in.slot];
    const block_id exit =
        found->out.slot < g.slots[found->out.from].size() ? g.slots[found->out.from][found->out.slot] : no_block;
    if (tree.entry(r) != entry || tree.exit(r).value_or(no_block) != exit) return report(at, "entry and exit, " + who);
  }
  for (const auto& arc : all.arcs) {
    bool enters = false, leaves = false;
    for (const expected_region& e : expected) {
      enters = enters || e.in == arc.name;
      leaves = leaves || e.out == arc.name;
    }
    if (enters != tree.entered_by(arc.name).has_value() || leaves != tree.left_by(arc.name).has_value())
      return report(at, "region by edge");
  }
  const std::vector<block_id> rpo = recursive_search(g).rpo();
  const auto place = [&](block_id b) { return std::find(rpo.begin(), rpo.end(), b) - rpo.begin(); };
  for (const region_id r : ids_below<region_id>(blocks.size())) {
    const block_set mine = blocks[index_of(r)];
    // The smallest region around this one; regions are nested or disjoint.
    region_id around = no_region;
    block_set inside = 0;
    std::vector<region_id> children;
    for (const region_id s : ids_below<region_id>(blocks.size())) {
      const block_set other = blocks[index_of(s)];
      const block_set common = mine & other;
      if (common != 0 && common != mine && common != other) return report(at, "regions overlap");
      const bool contains = s != r && common == mine && (mine != other || s < r);
      if (tree.is_nested(s, r) != (contains || s == r)) return report(at, "is_nested");
      if (contains && (around == no_region || (other & ~blocks[index_of(around)]) == 0)) around = s;
      if (s != r && tree.is_nested(r, s)) inside |= other;
      if (tree.parent(s) == r) children.push_back(s);
    }
    const std::string who = "region " + std::to_string(index_of(r));
    if (tree.parent(r).value_or(no_region) != around) return report(at, "parent of " + who);
    if (r != whole_program && tree.depth(r) != tree.depth(around) + 1) return report(at, "depth of " + who);
    if (to_set(tree.own_blocks(r)) != (mine & ~inside)) return report(at, "own blocks of " + who);
    if (std::vector<region_id>(tree.children(r).begin(), tree.children(r).end()) != children)
      return report(at, "children of " + who);
    for (std::size_t i = 1; i < children.size(); ++i)
      if (place(tree.entry(children[i - 1])) >= place(tree.entry(children[i]))) return report(at, "order, " + who);
    for (std::size_t i = 1; i < tree.own_blocks(r).size(); ++i)
      if (place(tree.own_blocks(r)[i - 1]) >= place(tree.own_blocks(r)[i])) return report(at, "order in " + who);
    for (block_id b = 0; b < g.n; ++b) {
      if (tree.contains(r, b) != has(mine, b)) return report(at, "contains, " + who);
      if ((tree.innermost(b) == r) != has(mine & ~inside, b)) return report(at, "innermost, " + who);
    }
  }
  for (block_id b = 0; b < g.n; ++b)
    if (!has(g.reachable, b) && tree.innermost(b)) report(at, "region of an unreachable block");
}

// For big graphs: give every edge outside a breadth-first spanning tree (of the undirected graph) a random number,
// every tree edge the sum of those that close a cycle with it. Edges are cycle equivalent if they have the same number,
// up to chance.
std::vector<std::uint64_t> random_labels(const csr_graph& g, std::uint64_t seed,
                                         const program_structure_tree<csr_graph>& tree, std::vector<edge>& names) {
  const std::uint32_t n = static_cast<std::uint32_t>(g.num_blocks());
  struct arc {
    block_id from, to;
  };
  std::vector<arc> arcs{{n, g.entry()}};
  names = {start_edge};
  const csr_graph closed = with_virtual_exit(g);
  for (block_id b = 0; b < n; ++b) {
    if (!tree.innermost(b)) continue;
    for (std::uint32_t k = 0; k < closed.successors(b).size(); ++k) {
      arcs.push_back({b, closed.successors(b)[k]});
      names.push_back({b, k});
    }
  }
  std::vector<std::vector<std::uint32_t>> at(n + 1);
  for (std::uint32_t e = 0; e < arcs.size(); ++e) {
    at[arcs[e].from].push_back(e);
    at[arcs[e].to].push_back(e);
  }
  std::vector<std::uint32_t> up(n + 1, no_block);
  std::vector<block_id> order{g.entry()};
  std::vector<unsigned char> seen(n + 1, 0), in_tree(arcs.size(), 0);
  seen[g.entry()] = 1;
  for (std::size_t i = 0; i < order.size(); ++i)
    for (const std::uint32_t e : at[order[i]]) {
      const block_id t = arcs[e].from == order[i] ? arcs[e].to : arcs[e].from;
      if (seen[t]) continue;
      seen[t] = 1;
      in_tree[e] = 1;
      up[t] = e;
      order.push_back(t);
    }
  std::vector<std::uint64_t> label(arcs.size(), 0), below(n + 1, 0);
  for (std::uint32_t e = 0; e < arcs.size(); ++e)
    if (!in_tree[e]) {
      label[e] = testing::mix_bits(seed + e + 1);
      below[arcs[e].from] ^= label[e];
      below[arcs[e].to] ^= label[e];
    }
  for (std::size_t i = order.size(); i-- > 1;) {
    const std::uint32_t e = up[order[i]];
    label[e] = below[order[i]];
    below[arcs[e].from == order[i] ? arcs[e].to : arcs[e].from] ^= below[order[i]];
  }
  return label;
}

void check_big(const subject& at, const program_structure_tree<csr_graph>& tree) {
  std::vector<edge> names;
  const std::vector<std::uint64_t> label = random_labels(at.graph, at.seed * 0x1234'5678'9ABCU, tree, names);
  std::vector<std::pair<std::uint64_t, std::uint32_t>> pairs;
  for (std::size_t e = 0; e < names.size(); ++e) pairs.emplace_back(label[e], tree.edge_class(names[e]));
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  std::vector<std::uint32_t> classes;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (i > 0 && pairs[i].first == pairs[i - 1].first) return report(at, "equivalent edges in two classes");
    classes.push_back(pairs[i].second);
  }
  std::sort(classes.begin(), classes.end());
  for (std::size_t i = 1; i < classes.size(); ++i)
    if (classes[i] == classes[i - 1]) return report(at, "one class, but not equivalent");
  // Every edge crosses the borders of the regions that it enters and leaves, and no others.
  for (const edge& e : names) {
    if (e == start_edge || e.slot >= at.graph.successors(e.from).size()) continue;
    region_id from = tree.innermost(e.from).value(), to = tree.innermost(at.graph.successors(e.from)[e.slot]).value();
    if (const auto left = tree.left_by(e)) {
      if (*left != from) return report(at, "an edge leaves a region that is not the innermost");
      from = tree.parent(from).value();
    }
    if (const auto entered = tree.entered_by(e)) {
      if (*entered != to) return report(at, "an edge enters a region that is not the innermost");
      to = tree.parent(to).value();
    }
    if (from != to) return report(at, "an edge crosses a border elsewhere");
  }
}

constexpr bool constant_expression() {
  const csr_graph g = testing::two_diamonds();
  const auto tree = structure_tree(g);
  return tree.num_regions() == 6 && tree.contains(*tree.innermost(1), 1);
}
static_assert(constant_expression());

}  // namespace

TEST_CASE("regions: the tree of all graphs of up to four blocks by cutting edges, every other one") {
  program_structure_tree<csr_graph> tree{csr_graph{}};
  for_each_small([&](const subject& at) {
    if (at.seed % 2 == 0) check_tree(at, tree);
  });
}

TEST_CASE("regions: the tree of all graphs of up to four blocks by cutting edges, the others") {
  program_structure_tree<csr_graph> tree{csr_graph{}};
  for_each_small([&](const subject& at) {
    if (at.seed % 2 == 1) check_tree(at, tree);
  });
}

TEST_CASE("regions: the tree of shapes, random graphs and structured programs by cutting edges") {
  program_structure_tree<csr_graph> tree{csr_graph{}};
  for_each_shape([&](const subject& at) { check_tree(at, tree); });
  for_each_small_with_exits([&](const subject& at) { check_tree(at, tree); });
  for_each_random(400, 14, [&](const subject& at) { check_tree(at, tree); });
  std::size_t deepest = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    testing::rng random(seed);
    testing::program_options options;
    options.statements = 2 + random.below(3);
    options.break_continue = random.chance(30);
    options.early_return = random.chance(20);
    const csr_graph g = testing::random_structured_program(random, options).graph;
    if (g.num_blocks() > 15) continue;
    check_tree({"structured program", seed, g}, tree);
    for (const region_id r : ids_below<region_id>(tree.num_regions()))
      deepest = std::max<std::size_t>(deepest, tree.depth(r));
  }
  CHECK(deepest >= 3);
}

TEST_CASE("regions: the tree of big graphs by random sums of cycles") {
  program_structure_tree<csr_graph> tree{csr_graph{}};
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    testing::rng random(seed);
    csr_graph g;
    if (random.chance(50)) {
      testing::cfg_options options;
      options.blocks = 20 + seed * 2;
      options.max_successors = random.between(1, 3);
      options.exits = random.below(3);
      options.loops = options.exits == 0 || random.chance(70);
      options.exit_mark_percent = random.chance(30) ? 5 : 0;
      options.unreachable_percent = random.chance(30) ? 5 : 0;
      g = testing::random_cfg(random, options);
    } else {
      testing::program_options options;
      options.statements = 20 + seed;
      options.max_depth = 8;
      options.break_continue = random.chance(50);
      options.early_return = random.chance(20);
      g = testing::random_structured_program(random, options).graph;
    }
    tree.recompute(g);
    check_big({"big graph", seed, g}, tree);
  }
}

TEST_CASE("regions: the tree of real programs") {
  if (corpus_directory().empty()) {
    MESSAGE("skipped: no corpus");
    return;
  }
  program_structure_tree<csr_graph> tree{csr_graph{}};
  std::size_t graphs = 0;
  for (const char* name : {"rodinia.nvcc.cfg.gz", "parboil.nvcc.cfg.gz", "polybench.nvcc.cfg.gz", "rodinia.llvm.cfg.gz",
                           "cpu-O0.cfg.gz"}) {
    const auto text = read_file(corpus_directory() + "/" + name);
    REQUIRE_MESSAGE(text.has_value(), name);
    const result<std::vector<recorded_graph>> file = read_graphs(*text);
    REQUIRE(file);
    for (const recorded_graph& r : *file) {
      if (r.graph.num_blocks() == 0 || ++graphs % 4 != 0) continue;
      tree.recompute(r.graph);
      check_big({r.symbol.c_str(), graphs, r.graph}, tree);
    }
  }
  CHECK(graphs > 14'000);
}

TEST_CASE("regions: a million blocks in a row, deep nests, ladders") {
  program_structure_tree<csr_graph> tree{csr_graph{}};
  const csr_graph row = chain(1'000'000);
  tree.recompute(row);
  CHECK(tree.num_regions() == 1'000'001);
  CHECK(tree.children(whole_program).size() == 1'000'000);
  CHECK(tree.innermost(500'000) == region_id{500'001});
  const csr_graph deep = nest(100'000);
  tree.recompute(deep);
  check_big({"nest", 1, deep}, tree);
  CHECK(tree.innermost(99'999).has_value());
  CHECK(tree.depth(*tree.innermost(99'999)) > 90'000);
  const csr_graph rungs = ladder(100'000);
  tree.recompute(rungs);
  check_big({"ladder", 1, rungs}, tree);
  CHECK(tree.num_regions() == 2);  // all blocks lie between the start edge and the end
}

TEST_CASE("regions: speak the vertices of any graph") {
  const std::vector<std::vector<int>> g{{1, 2}, {3}, {3}, {}, {3}};
  const auto tree = structure_tree(g);
  CHECK(tree.innermost(1).has_value());
  CHECK_FALSE(tree.innermost(4).has_value());
  const region_id r = *tree.innermost(1);
  CHECK(tree.entry(r) == 1);
  CHECK(tree.exit(r) == 3);
  CHECK(tree.blocks(r).size() == 1);
  CHECK(tree.blocks(r)[0] == 1);
}
