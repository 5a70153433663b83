// SPDX-License-Identifier: BSL-1.0
#include "analysis/oracles.hpp"
#include <simtflow/analysis/order.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace simtflow_tests;

namespace {

void check_order(const subject& at, depth_first_order<csr_graph>& order) {
  const small_graph g(at.graph);
  const recursive_search expected(g);
  order.recompute(at.graph);
  const auto same = [](std::span<const block_id> a, const std::vector<block_id>& b) {
    return std::vector<block_id>(a.begin(), a.end()) == b;
  };
  if (!same(order.preorder(), expected.pre) || !same(order.postorder(), expected.post) ||
      !same(order.rpo(), expected.rpo()))
    return report(at, "orders differ, expected pre " + show(expected.pre) + " post " + show(expected.post));
  for (block_id b = 0; b < g.n; ++b) {
    const bool reached = has(g.reachable, b);
    bool good = order.is_reachable(b) == reached && order.parent(b).value_or(no_block) == expected.parent[b];
    if (reached)
      good = good && order.preorder()[order.pre(b)] == b && order.postorder()[order.post(b)] == b &&
             order.rpo()[order.rpo_number(b)] == b;
    else
      good = good && order.pre(b) == no_number && order.post(b) == no_number && order.rpo_number(b) == no_number;
    for (block_id a = 0; a < g.n; ++a)
      good = good && order.is_ancestor(a, b) == (reached && has(expected.open_when_entered[b], a));
    for (std::uint32_t k = 0; k < g.slots[b].size(); ++k)
      good = good && order.kind(b, k) == expected.kinds[b][k] &&
             order.ids().kind(at.graph.first_edge(b) + k) == expected.kinds[b][k];
    if (!good) return report(at, "numbers, parent or edge kinds of block " + std::to_string(b) + " differ");
  }
}

constexpr bool constant_expression() {
  const csr_graph g = testing::while_loop();
  const auto order = depth_first(g);
  return order.rpo().size() == 4 && order.kind(2, 0) == edge_kind::back && order.rpo_number(3) == 2;
}
static_assert(constant_expression());

}  // namespace

TEST_CASE("orders: all graphs of up to four blocks against a recursive search") {
  depth_first_order<csr_graph> order{csr_graph{}};
  for_each_small([&](const subject& at) { check_order(at, order); });
}

TEST_CASE("orders: shapes and random graphs against a recursive search") {
  depth_first_order<csr_graph> order{csr_graph{}};
  for_each_shape([&](const subject& at) { check_order(at, order); });
  for_each_random(2000, 16, [&](const subject& at) { check_order(at, order); });
}

TEST_CASE("orders: successors are taken in slot order") {
  const csr_graph g = testing::adjacency({{1, 2}, {3}, {3}, {}});
  const csr_graph swapped = testing::adjacency({{2, 1}, {3}, {3}, {}});
  const auto order = depth_first(g), other = depth_first(swapped);
  CHECK(show({order.rpo().begin(), order.rpo().end()}) == "(0 2 1 3)");
  CHECK(show({other.rpo().begin(), other.rpo().end()}) == "(0 1 2 3)");
  CHECK(other.kind(0, 0) == edge_kind::tree);
  CHECK(other.kind(1, 0) == edge_kind::cross);
}

TEST_CASE("orders: parallel edges and self loops") {
  const csr_graph g = testing::adjacency({{1, 1, 0}, {}});
  const auto order = depth_first(g);
  CHECK(order.kind(0, 0) == edge_kind::tree);
  CHECK(order.kind(0, 1) == edge_kind::forward);
  CHECK(order.kind(0, 2) == edge_kind::back);
}

TEST_CASE("orders: speak the vertices of any graph") {
  const std::vector<std::vector<int>> g{{2, 1}, {2}, {0}};
  const auto order = depth_first(g);
  std::vector<int> rpo;
  for (const int v : order.rpo()) rpo.push_back(v);
  CHECK(rpo == std::vector<int>{0, 1, 2});
  CHECK(order.parent(2) == 0);
  CHECK_FALSE(order.parent(0).has_value());
  CHECK(order.preorder()[1] == 2);
}

TEST_CASE("orders: a million blocks in a row") {
  const csr_graph g = chain(1'000'000);
  const auto order = depth_first(g);
  CHECK(order.rpo().size() == 1'000'000);
  CHECK(order.post(0) == 999'999);
  CHECK(order.is_ancestor(0, 999'999));
}
