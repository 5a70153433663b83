// SPDX-License-Identifier: BSL-1.0
#include "analysis/oracles.hpp"
#include <simtflow/analysis/priorities.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace simtflow_tests;

namespace {

bool is_permutation_with_reachable_first(const small_graph& g, const priority_order<csr_graph>& order) {
  const std::uint32_t reached = static_cast<std::uint32_t>(std::popcount(g.reachable));
  if (order.blocks().size() != reached || order.ranks().size() != g.n) return false;
  for (std::uint32_t i = 0; i < reached; ++i)
    if (order.rank(order.blocks()[i]) != i || !has(g.reachable, order.blocks()[i])) return false;
  std::uint32_t next = reached;
  for (block_id b = 0; b < g.n; ++b)
    if (!has(g.reachable, b) && order.rank(b) != next++) return false;
  return true;
}

bool loops_are_contiguous(const std::vector<expected_loop>& loops, std::span<const std::uint32_t> ranks) {
  for (const expected_loop& l : loops) {
    std::uint32_t low = ranks[l.header], high = 0;
    for (block_set s = l.blocks; s != 0; s &= s - 1) {
      const std::uint32_t r = ranks[lowest(s)];
      if (r < low) return false;  // the header is first
      if (r > high) high = r;
    }
    if (high - low + 1 != static_cast<std::uint32_t>(std::popcount(l.blocks))) return false;
  }
  return true;
}

void check_orders(const subject& at) {
  const small_graph g(at.graph);
  const std::vector<block_id> rpo = recursive_search(g).rpo();
  const std::vector<expected_loop> nest = expected_loops(g, rpo);
  const auto plain = reverse_post_order(at.graph);
  const auto contiguous = loop_contiguous_order(at.graph);
  if (!is_permutation_with_reachable_first(g, plain) || !is_permutation_with_reachable_first(g, contiguous))
    return report(at, "no permutation with the reachable blocks first");
  if (std::vector<block_id>(plain.blocks().begin(), plain.blocks().end()) != rpo) return report(at, "plain RPO");
  const std::vector<block_id> order(contiguous.blocks().begin(), contiguous.blocks().end());
  if (!loops_are_contiguous(nest, contiguous.ranks())) return report(at, "loops are not contiguous in " + show(order));
  for (block_id b = 0; b < g.n; ++b) {
    if (!has(g.reachable, b)) continue;
    for (block_set s = g.out[b]; s != 0; s &= s - 1) {
      const block_id to = lowest(s);
      bool back = false;
      for (const expected_loop& l : nest) back = back || (l.header == to && has(l.blocks, b));
      if (back != (contiguous.rank(b) >= contiguous.rank(to)))
        return report(at, "edge " + std::to_string(b) + " -> " + std::to_string(to) + " in " + show(order));
    }
  }
  if (loops_are_contiguous(nest, plain.ranks()) && order != rpo)
    return report(at, "the RPO is loop-contiguous, and yet the order is " + show(order));
  // Blocks that lie in the same loops keep their RPO.
  for (std::size_t i = 0; i < rpo.size(); ++i)
    for (std::size_t k = i + 1; k < rpo.size(); ++k) {
      bool together = true;
      for (const expected_loop& l : nest) together = together && has(l.blocks, rpo[i]) == has(l.blocks, rpo[k]);
      if (together && contiguous.rank(rpo[i]) > contiguous.rank(rpo[k])) return report(at, "RPO within a loop");
    }
  const auto again = loop_contiguous_order(at.graph, loops(at.graph));
  if (std::vector<block_id>(again.blocks().begin(), again.blocks().end()) != order)
    return report(at, "from a loop forest");
}

constexpr bool constant_expression() {
  const csr_graph g = testing::while_loop();  // header 1, body 2, exit 3
  const auto plain = reverse_post_order(g);
  const auto contiguous = loop_contiguous_order(g);
  return plain.rank(3) == 2 && contiguous.rank(3) == 3 && contiguous.rank(2) == 2;
}
static_assert(constant_expression());

}  // namespace

TEST_CASE("priorities: all graphs of up to four blocks: topological, loop-contiguous, RPO within loops") {
  for_each_small(check_orders);
}

TEST_CASE("priorities: shapes and random graphs: topological, loop-contiguous, RPO within loops") {
  for_each_shape(check_orders);
  for_each_random(3000, 14, check_orders);
}

TEST_CASE("priorities: the exit of a loop follows its body") {
  const csr_graph g = testing::while_loop();  // 0 -> 1 -> {2, 3}, 2 -> 1
  const auto plain = reverse_post_order(g), contiguous = loop_contiguous_order(g);
  CHECK(show({plain.blocks().begin(), plain.blocks().end()}) == "(0 1 3 2)");
  CHECK(show({contiguous.blocks().begin(), contiguous.blocks().end()}) == "(0 1 2 3)");
}

TEST_CASE("priorities: unreachable blocks come last, by id") {
  const csr_graph g = testing::adjacency({{3}, {}, {3}, {1}, {}});
  const auto order = reverse_post_order(g);
  const std::vector<std::uint32_t> ranks(order.ranks().begin(), order.ranks().end());
  CHECK(ranks == std::vector<std::uint32_t>{0, 2, 3, 1, 4});
}

TEST_CASE("priorities: a caller's own order is checked") {
  const csr_graph g = testing::adjacency({{3}, {}, {3}, {1}, {}});
  const std::vector<block_id> good{3, 0, 1}, with_unreachable{4, 1, 3, 0}, missing{0, 1}, twice{0, 1, 3, 1},
      beyond{0, 1, 3, 5};
  const auto order = checked_order(g, std::span<const block_id>(good));
  REQUIRE(order.has_value());
  CHECK(order->rank(3) == 0);
  CHECK(order->rank(2) == 3);
  const auto longer = checked_order(g, std::span<const block_id>(with_unreachable));
  REQUIRE(longer.has_value());
  CHECK(longer->rank(4) == 0);
  CHECK(longer->rank(2) == 4);
  CHECK_FALSE(checked_order(g, std::span<const block_id>(missing)).has_value());
  CHECK_FALSE(checked_order(g, std::span<const block_id>(twice)).has_value());
  CHECK_FALSE(checked_order(g, std::span<const block_id>(beyond)).has_value());
  const csr_graph nothing;
  CHECK(checked_order(nothing, std::span<const block_id>()).has_value());
}

TEST_CASE("priorities: speak the vertices of any graph") {
  const std::vector<std::vector<int>> g{{1}, {2, 3}, {1}, {}};
  const auto order = loop_contiguous_order(g);
  CHECK(order.blocks()[2] == 2);
  CHECK(order.rank(3) == 3);
  CHECK(reverse_post_order(g).rank(3) == 2);
}

TEST_CASE("priorities: deep nests and long chains") {
  const csr_graph deep = nest(200'000);
  const auto order = loop_contiguous_order(deep);
  CHECK(order.rank(0) == 0);
  CHECK(order.rank(199'999) == 199'999);
  CHECK(order.rank(400'000) == 400'000);
  CHECK(loop_contiguous_order(chain(1'000'000)).rank(999'999) == 999'999);
}
