// SPDX-License-Identifier: BSL-1.0
#include "analysis/oracles.hpp"
#include <simtflow/analysis/natural_loops.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace simtflow_tests;

namespace {

// Back edges by removing blocks, bodies by searching backwards.
void check_natural(const subject& at, natural_loop_forest<csr_graph>& forest, loop_forest<csr_graph>& nest) {
  const small_graph g(at.graph);
  const std::vector<block_set> dominated = dominated_sets(g);
  std::vector<block_set> in(g.n, 0);
  for (block_id b = 0; b < g.n; ++b)
    for (block_id s = 0; s < g.n; ++s)
      if (has(g.reachable, b) && has(g.out[b], s)) in[s] |= only(b);
  forest.recompute(at.graph);
  std::vector<block_set> body(g.n, 0);  // by header
  std::size_t count = 0;
  for (block_id h = 0; h < g.n; ++h) {
    const block_set latches = in[h] & dominated[h];
    if (latches == 0) continue;
    ++count;
    body[h] = small_graph::reach(in, latches, ~only(h)) | only(h);
    loop_id l = no_loop;
    for (const loop_id i : ids_below<loop_id>(forest.num_loops()))
      if (forest.header(i) == h) l = i;
    const std::string who = "natural loop " + show(body[h]) + " of " + std::to_string(h);
    if (l == no_loop) return report(at, who + " was not found");
    if (to_set(forest.blocks(l)) != body[h] ||
        forest.blocks(l).size() != static_cast<std::size_t>(std::popcount(body[h])) || forest.blocks(l)[0] != h)
      return report(at, who + ": got " + show(to_set(forest.blocks(l))));
    if (to_set(forest.latches(l)) != latches) return report(at, who + ": latches");
    if (forest.is_irreducible(l) || forest.entries(l) != std::vector<block_id>{h}) return report(at, who + ": entries");
    block_set exiting = 0;
    for (block_set rest = body[h]; rest != 0; rest &= rest - 1)
      if ((g.out[lowest(rest)] & ~body[h]) != 0) exiting |= only(lowest(rest));
    if (to_set(forest.exiting_blocks(l)) != exiting) return report(at, who + ": exits");
    for (block_id b = 0; b < g.n; ++b)
      if (forest.contains(l, b) != has(body[h], b)) return report(at, who + ": contains");
  }
  if (forest.num_loops() != count) return report(at, "number of natural loops");
  for (block_id b = 0; b < g.n; ++b) {
    std::uint32_t depth = 0;
    for (const block_set s : body) depth += has(s, b);
    if (forest.depth_of(b) != depth) return report(at, "depth of " + std::to_string(b));
  }
  for (const loop_id l : ids_below<loop_id>(count)) {
    const block_set mine = body[forest.header(l)];
    std::uint32_t depth = 0;
    for (const block_set s : body) depth += s != 0 && (mine & ~s) == 0;
    if (forest.depth(l) != depth) return report(at, "depth of a loop");
    if (const auto up = forest.parent(l); up ? (mine & ~body[forest.header(*up)]) != 0 : depth != 1)
      return report(at, "parent of a loop");
  }

  // How it relates to the nesting forest.
  nest.recompute(at.graph);
  if (forest.is_reducible() != nest.is_reducible()) return report(at, "reducibility");
  if (nest.is_reducible() && forest.num_loops() != nest.num_loops()) return report(at, "equal if reducible");
  block_set headers = 0;
  for (const loop_id l : ids_below<loop_id>(nest.num_loops())) {
    const block_id h = nest.header(l);
    headers |= only(h);
    const block_set all = to_set(nest.blocks(l));
    if (nest.is_irreducible(l) ? (body[h] & ~all) != 0 : body[h] != all) return report(at, "relation to the forest");
  }
  for (block_id h = 0; h < g.n; ++h)
    if (body[h] != 0 && !has(headers, h)) return report(at, "a natural loop with a header that heads no loop");
}

constexpr bool constant_expression() {
  const csr_graph g = testing::nested_loops();
  return natural_loops(g).num_loops() == 2 && natural_loops(testing::two_entry_loop()).num_loops() == 0;
}
static_assert(constant_expression());

}  // namespace

TEST_CASE("natural_loops: all graphs of up to four blocks against the definition") {
  natural_loop_forest<csr_graph> forest{csr_graph{}};
  loop_forest<csr_graph> nest{csr_graph{}};
  for_each_small([&](const subject& at) { check_natural(at, forest, nest); });
}

TEST_CASE("natural_loops: shapes and random graphs against the definition") {
  natural_loop_forest<csr_graph> forest{csr_graph{}};
  loop_forest<csr_graph> nest{csr_graph{}};
  for_each_shape([&](const subject& at) { check_natural(at, forest, nest); });
  for_each_random(5000, 16, [&](const subject& at) { check_natural(at, forest, nest); });
}

TEST_CASE("natural_loops: an irreducible loop with a back edge to its header") {
  // {1, 2} is entered twice; 1 -> 3 -> 1 is a natural loop inside the irreducible {1, 2, 3}.
  const std::vector<std::vector<int>> g{{1, 2}, {2, 3}, {1}, {1}};
  const auto natural = natural_loops(g);
  REQUIRE(natural.num_loops() == 1);
  CHECK(natural.blocks(loop_id{0}).size() == 2);
  CHECK(natural.latch(loop_id{0}) == 3);
  CHECK_FALSE(natural.is_reducible());
  CHECK_FALSE(natural.innermost(2).has_value());
  const auto all = loops(g);
  CHECK(all.blocks(loop_id{0}).size() == 3);
}

TEST_CASE("natural_loops: deep nests") {
  natural_loop_forest<csr_graph> forest(nest(100'000));
  CHECK(forest.num_loops() == 100'000);
  // The same, and a second way into the innermost loop: no header dominates its latch.
  const csr_graph deep = nest(100'000);
  csr_builder b(200'002, 200'001);
  b.add_edge(200'001, 0).add_edge(200'001, 199'999);
  for (block_id i = 0; i < deep.num_blocks(); ++i)
    for (const block_id s : deep.successors(i)) b.add_edge(i, s);
  const csr_graph tangled = b.build();
  forest.recompute(tangled);
  CHECK(forest.num_loops() == 0);
  CHECK_FALSE(forest.is_reducible());
  CHECK(loops(tangled).num_loops() == 100'000);
}
