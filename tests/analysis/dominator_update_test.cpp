// SPDX-License-Identifier: BSL-1.0
//
// A dominator tree that follows changes of its graph, against a tree that is made anew and against the definition.
#include "analysis/oracles.hpp"
#include <simtflow/analysis/dominators.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

using namespace simtflow_tests;

namespace {

using change = changed_edge<block_id>;

struct edge_list {
  std::size_t blocks = 0;
  std::vector<change> edges;
  [[nodiscard]] csr_graph graph(block_id entry = 0) const {
    csr_builder builder(blocks, entry);
    for (const change& e : edges) builder.add_edge(e.from, e.to);
    return builder.build();
  }
};

edge_list edges_of(const csr_graph& g) {
  edge_list list{g.num_blocks(), {}};
  for (block_id b = 0; b < g.num_blocks(); ++b)
    for (const block_id s : g.successors(b)) list.edges.push_back({b, s});
  return list;
}

std::string listed(const std::vector<change>& changes) {
  std::string text;
  for (const change& e : changes) text += " " + std::to_string(e.from) + "->" + std::to_string(e.to);
  return text;
}

std::vector<change> those(std::initializer_list<change> changes) { return changes; }

// Gives what update() gave. `at` is the graph after the changes.
std::size_t follow(const subject& at, dominator_tree<csr_graph>& tree, const std::vector<change>& changes, effort how) {
  const std::size_t done = tree.update(at.graph, std::span<const change>(changes));
  const dominator_tree<csr_graph> fresh(at.graph);
  if (!std::equal(tree.idoms().begin(), tree.idoms().end(), fresh.idoms().begin(), fresh.idoms().end())) {
    report(at, "immediate dominators after" + listed(changes) + ": expected " +
                   show({fresh.idoms().begin(), fresh.idoms().end()}) + ", got " +
                   show({tree.idoms().begin(), tree.idoms().end()}));
  } else if (const tree_check found = verify(tree, at.graph, how); !found) {
    report(at, found.broken + (" after" + listed(changes)));
  }
  return done;
}

constexpr bool constant_expression() {
  const csr_graph before = testing::adjacency({{1}, {2, 3}, {4}, {4}, {5}, {6}, {7}, {}});
  const csr_graph after = testing::adjacency({{1}, {2, 3}, {4}, {4}, {5}, {6, 7}, {7}, {}});
  auto tree = dominators(before);
  const change changes[] = {{5, 7}};
  return tree.idom(7) == 6U && tree.update(after, changes) == 3 && tree.idom(7) == 5U && tree.idom(6) == 5U &&
         static_cast<bool>(verify(tree, after, effort::full));
}
static_assert(constant_expression());

}  // namespace

TEST_CASE("dominator update: every edge put into and taken out of every graph of up to three blocks, many of four") {
  for (std::size_t n = 1; n <= 4; ++n)
    for (std::uint64_t code = 0; code < testing::num_small_cfgs(n); code += n < 4 ? 1 : 97) {
      const edge_list before = edges_of(testing::small_cfg(n, code));
      dominator_tree<csr_graph> tree(before.graph());
      const auto there_and_back = [&](const edge_list& after, const change& e) {
        const csr_graph changed = after.graph(), unchanged = before.graph();
        follow({"small_cfg, changed", code, changed}, tree, those({e}), effort::full);
        follow({"small_cfg, changed back", code, unchanged}, tree, those({e}), effort::full);
      };
      for (block_id from = 0; from < n; ++from)
        for (block_id to = 0; to < n; ++to) {
          edge_list more = before;
          more.edges.push_back({from, to});
          there_and_back(more, {from, to});
        }
      for (std::size_t i = 0; i < before.edges.size(); ++i) {
        edge_list fewer = before;
        fewer.edges.erase(fewer.edges.begin() + static_cast<std::ptrdiff_t>(i));
        there_and_back(fewer, before.edges[i]);
      }
    }
}

TEST_CASE("dominator update: random batches, blocks added, edges named that did not change") {
  std::size_t nothing = 0, part = 0, whole = 0;
  for (std::uint64_t seed = 0; seed < 6000; ++seed) {
    testing::rng random(seed);
    edge_list list{random.between(1, 14 + seed / 200), {}};
    const auto any = [&] { return static_cast<block_id>(random.below(list.blocks)); };
    for (std::size_t k = random.below(2 * list.blocks); k-- > 0;) list.edges.push_back({any(), any()});
    for (block_id b = 1; b < list.blocks; ++b)
      if (random.chance(75)) list.edges.push_back({static_cast<block_id>(random.between(b > 3 ? b - 3 : 0, b - 1)), b});
    dominator_tree<csr_graph> tree(list.graph());
    for (int step = 0; step < 6; ++step) {
      std::vector<change> changes;
      if (random.chance(20)) list.blocks += random.between(1, 2);
      for (std::size_t k = random.below(4); k-- > 0;)
        if (random.chance(50) && !list.edges.empty()) {
          const std::size_t i = random.below(list.edges.size());
          changes.push_back(list.edges[i]);
          list.edges.erase(list.edges.begin() + static_cast<std::ptrdiff_t>(i));
        } else {
          list.edges.push_back({any(), any()});
          changes.push_back(list.edges.back());
        }
      if (random.chance(10)) changes.push_back({any(), any()});
      random.shuffle(changes);
      const csr_graph g = list.graph();
      const std::size_t done = follow({"edges, changed", seed, g}, tree, changes, effort::full);
      (done == 0 ? nothing : done == list.blocks ? whole : part) += 1;
    }
  }
  // All three ways are taken often.
  CHECK(nothing > 3000);
  CHECK(part > 1000);
  CHECK(whole > 3000);
}

TEST_CASE("dominator update: a change in a small part of a large program looks at that part only") {
  testing::rng random(7);
  std::size_t small = 0, changes = 0;
  for (int round = 0; round < 5; ++round) {
    const csr_graph program =
        testing::random_structured_program(random, {.statements = 2000, .max_depth = 8, .break_continue = true}).graph;
    edge_list list = edges_of(program);
    dominator_tree<csr_graph> tree(program);
    for (int step = 0; step < 20; ++step, ++changes) {
      // Split an edge: what a compiler does all day.
      const std::size_t i = random.below(list.edges.size());
      const change old = list.edges[i];
      const block_id middle = static_cast<block_id>(list.blocks++);
      list.edges[i] = {old.from, middle};
      list.edges.push_back({middle, old.to});
      const csr_graph g = list.graph(program.entry());
      small += follow({"split an edge", static_cast<std::uint64_t>(step), g}, tree,
                      those({old, {old.from, middle}, {middle, old.to}}), effort::normal) < list.blocks / 10;
    }
  }
  CHECK(small > changes / 2);
}

TEST_CASE("dominator update: entry, first blocks, last blocks") {
  dominator_tree<csr_graph> tree{csr_graph{}};
  const csr_graph one = testing::one_block(), row = testing::straight_line();
  const csr_graph turned = csr_builder(3, 2).add_edge(2, 1).add_edge(1, 0).build();
  follow({"from nothing", 0, one}, tree, those({}), effort::full);
  follow({"to three blocks", 0, row}, tree, those({{0, 1}, {1, 2}}), effort::full);
  follow({"another entry", 0, turned}, tree, those({{0, 1}, {1, 2}, {2, 1}, {1, 0}}), effort::full);
  follow({"back to one", 0, one}, tree, those({{2, 1}, {1, 0}}), effort::full);
  follow({"to nothing", 0, csr_graph{}}, tree, those({}), effort::full);
}

TEST_CASE("dominator update: the order is known after a whole computation only") {
  const csr_graph before = chain(100);
  edge_list list = edges_of(before);
  list.edges.push_back({90, 99});
  auto tree = dominators(before);
  const change changes[] = {{90, 99}};
  CHECK(tree.rpo().size() == 100);
  CHECK(tree.update(list.graph(), changes) == 10);
  CHECK_FALSE(tree.ids().has_rpo());
  tree.recompute(list.graph());
  CHECK(tree.rpo().size() == 100);
}

TEST_CASE("dominator update: speaks the vertices of any graph") {
  std::vector<std::vector<int>> g{{1}, {2, 3}, {4}, {4}, {5}, {6}, {7}, {}};
  auto tree = dominators(g);
  g[4] = {5, 7};
  const changed_edge<int> changes[] = {{4, 7}};
  CHECK(tree.update(g, changes) == 4);
  CHECK(tree.idom(7) == 4);
  CHECK(verify(tree, g, effort::full));
}
