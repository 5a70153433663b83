// SPDX-License-Identifier: BSL-1.0
#include "analysis/oracles.hpp"
#include <simtflow/analysis/components.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace simtflow_tests;

namespace {

// By mutual reachability.
void check_components(const subject& at, strong_components<csr_graph>& found) {
  const small_graph g(at.graph);
  const std::vector<block_id> rpo = recursive_search(g).rpo();
  found.recompute(at.graph);
  std::vector<block_set> ahead;
  for (block_id b = 0; b < g.n; ++b) ahead.push_back(has(g.reachable, b) ? g.reach(only(b)) : 0);
  block_set seen = 0;
  std::size_t count = 0;
  for (block_id b = 0; b < g.n; ++b) {
    if (found.component_of(b).has_value() != has(g.reachable, b)) return report(at, "reachability of " + show(only(b)));
    if (!has(g.reachable, b)) continue;
    block_set members = 0;
    for (block_id a = 0; a < g.n; ++a)
      if (has(ahead[b], a) && has(ahead[a], b)) members |= only(a);
    const component_id c = *found.component_of(b);
    if (index_of(c) >= found.num_components()) return report(at, "number of the component of " + show(only(b)));
    const auto blocks = found.blocks(c);
    const std::string who = "component " + show(members) + ", got " + show(std::vector(blocks.begin(), blocks.end()));
    std::vector<block_id> sorted;
    for (const block_id r : rpo)
      if (has(members, r)) sorted.push_back(r);
    if (std::vector(blocks.begin(), blocks.end()) != sorted) return report(at, who);
    bool cycle = false, leaves = false;
    for (const block_id m : sorted) {
      cycle = cycle || (g.out[m] & members) != 0;
      leaves = leaves || (g.out[m] & ~members) != 0;
      for (block_set rest = g.out[m] & ~members; rest != 0; rest &= rest - 1)
        if (*found.component_of(lowest(rest)) <= c) return report(at, who + ": topological order");
    }
    if (found.has_cycle(c) != cycle || found.is_trivial(c) == cycle) return report(at, who + ": cycle");
    if (found.is_terminal(c) == leaves) return report(at, who + ": terminal");
    for (block_id a = 0; a < g.n; ++a)
      if (found.are_connected(a, b) != has(members, a)) return report(at, who + ": connected to " + show(only(a)));
    if (!has(seen, b)) ++count;
    seen |= members;
  }
  if (count != found.num_components()) return report(at, "number of components");
  std::vector<block_id> all;
  for (const component_id c : found.all())
    for (const block_id b : found.blocks(c)) all.push_back(b);
  if (all != std::vector<block_id>(found.order().begin(), found.order().end())) return report(at, "order");

  const csr_graph points = condensation(at.graph, found);
  const small_graph p(points);
  if (p.n != count ||
      (p.n != 0 && (p.entry != 0 || p.reachable != p.reach(only(0)) || std::popcount(p.reachable) != int(count))))
    return report(at, "blocks of the condensation");
  block_set exits = 0;
  std::vector<block_set> edges(p.n, 0);
  std::size_t distinct = 0;
  for (block_id b = 0; b < g.n; ++b) {
    if (!has(g.reachable, b)) continue;
    const block_id c = index_of(*found.component_of(b));
    if (has(g.exits, b)) exits |= only(c);
    for (block_set rest = g.out[b]; rest != 0; rest &= rest - 1) {
      const block_id to = index_of(*found.component_of(lowest(rest)));
      if (to == c) continue;
      distinct += !has(edges[c], to);
      edges[c] |= only(to);
    }
  }
  for (block_id c = 0; c < p.n; ++c)
    if (edges[c] == 0) exits |= only(c);
  if (p.out != edges || points.num_edges() != distinct) return report(at, "edges of the condensation");
  if (p.exits != exits) return report(at, "exits of the condensation");
}

constexpr bool constant_expression() {
  const csr_graph g = testing::nested_loops();  // 0 -> 1, 1 -> {2, 5}, 2 -> {3, 4}, 3 -> 2, 4 -> 1
  const auto parts = strongly_connected_components(g);
  return parts.num_components() == 3 && parts.blocks(component_id{1}).size() == 4 && parts.has_cycle(component_id{1}) &&
         parts.is_trivial(component_id{0}) && parts.is_terminal(component_id{2}) &&
         condensation(g, parts).num_edges() == 2;
}
static_assert(constant_expression());

}  // namespace

TEST_CASE("components: all graphs of up to four blocks against mutual reachability") {
  strong_components<csr_graph> found{csr_graph{}};
  for_each_small([&](const subject& at) { check_components(at, found); });
}

TEST_CASE("components: shapes and random graphs against mutual reachability") {
  strong_components<csr_graph> found{csr_graph{}};
  for_each_shape([&](const subject& at) { check_components(at, found); });
  for_each_small_with_exits([&](const subject& at) { check_components(at, found); });
  for_each_random(5000, 16, [&](const subject& at) { check_components(at, found); });
}

TEST_CASE("components: no block, one block, a self loop, unreachable blocks") {
  CHECK(strongly_connected_components(csr_graph{}).num_components() == 0);
  const csr_graph one = csr_builder(1).build();
  const auto alone = strongly_connected_components(one);
  REQUIRE(alone.num_components() == 1);
  CHECK(alone.is_trivial(component_id{0}));
  CHECK(alone.is_terminal(component_id{0}));
  const csr_graph g =
      csr_builder(4, 2).add_edge(2, 2).add_edge(2, 3).add_edge(0, 1).add_edge(1, 0).add_edge(1, 2).build();
  const auto some = strongly_connected_components(g);
  REQUIRE(some.num_components() == 2);
  CHECK(some.has_cycle(component_id{0}));
  CHECK_FALSE(some.is_terminal(component_id{0}));
  CHECK_FALSE(some.component_of(0).has_value());
  CHECK_FALSE(some.are_connected(0, 1));
  CHECK(some.order().size() == 2);
}

TEST_CASE("components: a million blocks in a row, in a ring, in rings, in a nest") {
  const std::uint32_t n = 1'000'000;
  strong_components<csr_graph> found(chain(n));
  CHECK(found.num_components() == n);
  CHECK(found.component_of(n - 1) == component_id{n - 1});
  csr_builder ring(n);
  for (block_id i = 0; i < n; ++i) ring.add_edge(i, (i + 1) % n);
  found.recompute(ring.build());
  REQUIRE(found.num_components() == 1);
  CHECK(found.blocks(component_id{0}).size() == n);
  csr_builder rings(n);  // of two blocks, each leads to the next
  for (block_id i = 0; i + 2 < n; i += 2) rings.add_edge(i, i + 1).add_edge(i + 1, i).add_edge(i + 1, i + 2);
  found.recompute(rings.build());
  CHECK(found.num_components() == n / 2);
  CHECK(found.has_cycle(component_id{0}));
  found.recompute(nest(200'000));
  CHECK(found.num_components() == 2);
  found.recompute(ladder(200'000));
  CHECK(found.num_components() == 400'002);
}

TEST_CASE("components: speak the vertices of any graph") {
  const std::vector<std::vector<int>> g{{1}, {2, 3}, {1}, {}, {1}};
  const auto found = strongly_connected_components(g);
  REQUIRE(found.num_components() == 3);
  CHECK(found.component_of(2) == component_id{1});
  CHECK(found.blocks(component_id{1})[0] == 1);
  CHECK_FALSE(found.component_of(4).has_value());
  CHECK(condensation(g, found).num_blocks() == 3);
}
