// SPDX-License-Identifier: BSL-1.0
#include "analysis/oracles.hpp"
#include <simtflow/analysis/loops.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace simtflow_tests;

namespace {

block_id the_only(block_set s) { return std::popcount(s) == 1 ? lowest(s) : no_block; }

void check_loops(const subject& at, loop_forest<csr_graph>& forest) {
  const small_graph g(at.graph);
  const std::vector<block_id> rpo = recursive_search(g).rpo();
  const std::vector<expected_loop> expected = expected_loops(g, rpo);
  forest.recompute(at.graph);
  if (forest.num_loops() != expected.size())
    return report(at,
                  "expected " + std::to_string(expected.size()) + " loops, got " + std::to_string(forest.num_loops()));
  bool reducible = true;
  std::vector<loop_id> id_of(expected.size(), no_loop);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const expected_loop& e = expected[i];
    const std::string who = "loop " + show(e.blocks);
    for (const loop_id l : ids_below<loop_id>(forest.num_loops()))
      if (to_set(forest.blocks(l)) == e.blocks) id_of[i] = l;
    const loop_id l = id_of[i];
    if (l == no_loop) return report(at, who + " was not found");
    if (forest.blocks(l).size() != static_cast<std::size_t>(std::popcount(e.blocks)) ||
        forest.blocks(l)[0] != e.header || forest.header(l) != e.header)
      return report(at, who + ": expected header " + std::to_string(e.header));
    const bool irreducible = std::popcount(e.entries) > 1;
    reducible = reducible && !irreducible;
    const std::vector<block_id> in = forest.entries(l), out = forest.exiting_blocks(l);
    if (to_set(in) != e.entries || forest.is_irreducible(l) != irreducible)
      return report(at, who + ": expected entries " + show(e.entries) + ", got " + show(in));
    if (to_set(out) != e.exiting) return report(at, who + ": expected to be left from " + show(e.exiting));
    if (to_set(forest.latches(l)) != e.latches ||
        forest.latches(l).size() != static_cast<std::size_t>(std::popcount(e.latches)))
      return report(at, who + ": expected latches " + show(e.latches));
    std::vector<loop_exit<block_id>> leaving;
    block_set outside = 0, targets = 0;
    for (const block_id b : forest.blocks(l))
      for (std::uint32_t k = 0; k < g.slots[b].size(); ++k)
        if (!has(e.blocks, g.slots[b][k])) {
          leaving.push_back({b, k, g.slots[b][k]});
          targets |= only(g.slots[b][k]);
        }
    for (block_id p = 0; p < g.n; ++p)
      if (has(g.reachable & ~e.blocks, p) && has(g.out[p], e.header)) outside |= only(p);
    const block_id before = the_only(outside);
    if (forest.exit_edges(l) != leaving) return report(at, who + ": edges that leave it");
    if (forest.latch(l).value_or(no_block) != the_only(e.latches) ||
        forest.exiting_block(l).value_or(no_block) != the_only(e.exiting) ||
        forest.exit_block(l).value_or(no_block) != the_only(targets))
      return report(at, who + ": the only latch, exiting block or exit");
    if (forest.predecessor(l).value_or(no_block) != before ||
        forest.preheader(l).value_or(no_block) !=
            (before != no_block && g.slots[before].size() == 1 ? before : no_block))
      return report(at, who + ": predecessor or preheader");
    std::vector<block_id> own, own_by_rpo;
    for (const block_id b : forest.blocks(l))
      if (forest.innermost(b) == l) own.push_back(b);
    for (const block_id b : rpo)
      if (forest.innermost(b) == l) own_by_rpo.push_back(b);
    if (own != own_by_rpo || to_set(forest.blocks(l).first(own.size())) != to_set(own))
      return report(at, who + ": order of its blocks");
    if (forest.depth(l) != e.depth) return report(at, who + ": depth");
    if (forest.parent(l).value_or(no_loop) != (e.parent < 0 ? no_loop : id_of[static_cast<std::size_t>(e.parent)]))
      return report(at, who + ": parent");
    for (block_id b = 0; b < g.n; ++b)
      if (forest.contains(l, b) != has(e.blocks, b) || forest.is_entry(l, b) != has(e.entries, b) ||
          forest.is_exiting(l, b) != has(e.exiting, b))
        return report(at, who + ": contains, is_entry or is_exiting of block " + std::to_string(b));
  }
  for (std::size_t i = 0; i < expected.size(); ++i)
    for (std::size_t k = 0; k < expected.size(); ++k) {
      if (forest.is_nested(id_of[i], id_of[k]) != ((expected[k].blocks & ~expected[i].blocks) == 0))
        return report(at, "nesting");
      if (i != k && expected[i].parent == expected[k].parent && id_of[i] < id_of[k])
        for (const block_id b : rpo) {
          if (b == expected[i].header) break;
          if (b == expected[k].header) return report(at, "order of siblings");
        }
    }
  if (std::vector<block_id>(forest.rpo().begin(), forest.rpo().end()) != rpo) return report(at, "RPO");
  if (forest.is_reducible() != reducible) return report(at, "reducibility");
  for (block_id b = 0; b < g.n; ++b) {
    std::uint32_t depth = 0;
    loop_id innermost = no_loop;
    for (std::size_t i = 0; i < expected.size(); ++i)
      if (has(expected[i].blocks, b)) {
        ++depth;
        if (innermost == no_loop || forest.depth(innermost) < expected[i].depth) innermost = id_of[i];
      }
    if (forest.depth_of(b) != depth || forest.innermost(b).value_or(no_loop) != innermost)
      return report(at, "innermost loop of block " + std::to_string(b));
  }
}

constexpr bool constant_expression() {
  const csr_graph g = testing::nested_loops();
  const auto forest = loops(g);
  return forest.num_loops() == 2 && forest.header(loop_id{0}) == 1 && forest.header(loop_id{1}) == 2 &&
         forest.depth_of(3) == 2 && forest.is_reducible();
}
static_assert(constant_expression());

// A nest with loops that are all entered twice: the chain 0 .. n - 1, a way back from every block of its second half to
// the mirrored block of the first half, and edges from the entry to the middle.
csr_graph irreducible_nest(std::uint32_t depth) {
  csr_builder b(2 * depth + 2);
  b.add_edge(0, 1);
  for (block_id i = 1; i <= 2 * depth; ++i) b.add_edge(i, i + 1);
  for (block_id i = 1; i <= depth; ++i) b.add_edge(2 * depth + 1 - i, i);
  b.add_edge(0, depth + 1);
  return b.build();
}

// depth loops in one another; in the innermost one a row of blocks that may each go on with the outermost.
csr_graph continue_outermost(std::uint32_t depth, std::uint32_t row) {
  csr_builder b(2 * depth + row + 1);
  const block_id first = depth, latch = depth + row;  // latches from the innermost to the outermost
  for (block_id i = 0; i < depth; ++i) b.add_edge(i, i + 1);
  for (block_id i = first; i < latch; ++i) b.add_edge(i, i + 1).add_edge(i, 0);
  for (block_id i = 0; i < depth; ++i) b.add_edge(latch + i, latch + i + 1).add_edge(latch + i, depth - 1 - i);
  return b.build();
}

// The same graph with an edge from every block of the row to a block after all loops.
csr_graph leave_all(std::uint32_t depth, std::uint32_t row) {
  csr_builder b(2 * depth + row + 2);
  const block_id first = depth, latch = depth + row, end = latch + depth;
  for (block_id i = 0; i < depth; ++i) b.add_edge(i, i + 1);
  for (block_id i = first; i < latch; ++i) b.add_edge(i, i + 1).add_edge(i, end + 1);
  for (block_id i = 0; i < depth; ++i) b.add_edge(latch + i, latch + i + 1).add_edge(latch + i, depth - 1 - i);
  return b.build();
}

// A chain in steps of one and two with ways back to the half and to the block before: entries everywhere.
csr_graph tangled_chain(std::uint32_t n) {
  csr_builder b(n);
  for (block_id i = 0; i + 1 < n; ++i) {
    b.add_edge(i, i + 1);
    if (i + 2 < n) b.add_edge(i, i + 2);
    if (i % 3 == 2) b.add_edge(i, i / 2).add_edge(i, i - 1);
  }
  return b.build();
}

}  // namespace

TEST_CASE("loops: all graphs of up to four blocks against the definition") {
  loop_forest<csr_graph> forest{csr_graph{}};
  for_each_small([&](const subject& at) { check_loops(at, forest); });
}

TEST_CASE("loops: shapes and random graphs against the definition") {
  loop_forest<csr_graph> forest{csr_graph{}};
  for_each_shape([&](const subject& at) { check_loops(at, forest); });
  for_each_random(5000, 16, [&](const subject& at) { check_loops(at, forest); });
}

TEST_CASE("loops: two entries") {
  const csr_graph g = testing::two_entry_loop();  // 0 -> {1, 2}, 1 -> 2, 2 -> {1, 3}
  const auto forest = loops(g);
  REQUIRE(forest.num_loops() == 1);
  CHECK(forest.is_irreducible(loop_id{0}));
  CHECK(forest.header(loop_id{0}) == 1);
  CHECK(forest.entries(loop_id{0}) == std::vector<block_id>{1, 2});
  CHECK(forest.exiting_blocks(loop_id{0}) == std::vector<block_id>{2});
}

TEST_CASE("loops: two back edges to one header are one loop") {
  const csr_graph g = testing::shared_header();
  const auto forest = loops(g);
  REQUIRE(forest.num_loops() == 1);
  CHECK(forest.header(loop_id{0}) == 1);
  CHECK(forest.latches(loop_id{0}).size() == 2);
}

TEST_CASE("loops: deep nests, reducible and not, and long chains") {
  const csr_graph deep = nest(200'000);
  const auto forest = loops(deep);
  REQUIRE(forest.num_loops() == 200'000);
  CHECK(forest.depth_of(399'999) == 200'000);
  CHECK(forest.is_reducible());
  CHECK(forest.exiting_blocks(loop_id{1'000}).size() == 1);

  const csr_graph small = irreducible_nest(6);
  loop_forest<csr_graph> again(small);
  check_loops({"irreducible_nest", 6, small}, again);
  const csr_graph tangled = irreducible_nest(100'000);
  const auto twice = loops(tangled);
  REQUIRE(twice.num_loops() == 100'000);
  CHECK(twice.is_irreducible(loop_id{99'999}));
  CHECK(twice.is_entry(loop_id{50'000}, 100'001));
  const csr_graph row = chain(1'000'000);
  CHECK(loops(row).num_loops() == 0);
}

TEST_CASE("loops: many edges that cross many loops") {
  loop_forest<csr_graph> forest{csr_graph{}};
  for (const std::uint32_t size : {1U, 2U, 4U}) {
    check_loops({"continue_outermost", size, continue_outermost(size, 4)}, forest);
    check_loops({"leave_all", size, leave_all(size, 4)}, forest);
    check_loops({"tangled_chain", size, tangled_chain(4 * size)}, forest);
  }
  const csr_graph back = continue_outermost(60'000, 60'000);
  forest.recompute(back);
  REQUIRE(forest.num_loops() == 60'000);
  CHECK(forest.latches(loop_id{0}).size() == 60'001);
  CHECK(forest.depth_of(90'000) == 60'000);
  CHECK(forest.is_reducible());
  CHECK(forest.exit_edges(loop_id{59'999}).size() == 60'001);
  const csr_graph out = leave_all(60'000, 60'000);
  forest.recompute(out);
  REQUIRE(forest.num_loops() == 60'000);
  CHECK(forest.is_exiting(loop_id{0}, 100'000));
  CHECK(forest.exit_edges(loop_id{0}).size() == 60'001);
  CHECK_FALSE(forest.exit_block(loop_id{0}).has_value());
  CHECK(forest.exit_block(loop_id{1}).has_value() == false);
  const csr_graph tangle = tangled_chain(300'000);
  forest.recompute(tangle);
  CHECK_FALSE(forest.is_reducible());
}

TEST_CASE("loops: what passes want to know of a loop") {
  // 0 -> 1; 1 -> {2, 5}; 2 -> {3, 4}; 3 -> 2; 4 -> 1
  const auto forest = loops(testing::nested_loops());
  REQUIRE(forest.num_loops() == 2);
  CHECK(forest.preheader(loop_id{0}) == 0U);
  CHECK(forest.predecessor(loop_id{1}) == 1U);
  CHECK_FALSE(forest.preheader(loop_id{1}).has_value());
  CHECK(forest.latch(loop_id{1}) == 3U);
  CHECK(forest.exiting_block(loop_id{0}) == 1U);
  CHECK(forest.exit_block(loop_id{1}) == 4U);
  CHECK(forest.exit_edges(loop_id{0}) == std::vector<loop_exit<block_id>>{{1, 1, 5}});
}

TEST_CASE("loops: speak the vertices of any graph") {
  const std::vector<std::vector<int>> g{{1}, {2, 3}, {1}, {}, {1}};
  const auto forest = loops(g);
  REQUIRE(forest.num_loops() == 1);
  CHECK(forest.header(loop_id{0}) == 1);
  CHECK(forest.innermost(2) == loop_id{0});
  CHECK_FALSE(forest.innermost(4).has_value());
  CHECK(forest.entries(loop_id{0}) == std::vector<int>{1});
  CHECK(forest.latches(loop_id{0})[0] == 2);
}
