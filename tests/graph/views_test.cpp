// SPDX-License-Identifier: BSL-1.0
#include "support/graphs.hpp"
#include <simtflow/graph/views.hpp>
#include <simtflow/io/dot.hpp>
#include <simtflow/testing/generate.hpp>
#include <simtflow/testing/shapes.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

using namespace simtflow;
using namespace simtflow_tests;

namespace {

using reach_matrix = std::vector<std::vector<unsigned char>>;

// Transitive closure by repeated squaring of paths (Warshall): another idea than a depth-first search.
reach_matrix closure(const csr_graph& g) {
  const std::size_t n = g.num_blocks();
  reach_matrix reach(n, std::vector<unsigned char>(n, 0));
  for (block_id b = 0; b < n; ++b) {
    reach[b][b] = 1;
    for (const block_id s : g.successors(b)) reach[b][s] = 1;
  }
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        if (reach[i][k] && reach[k][j]) reach[i][j] = 1;
  return reach;
}

void post_order(const csr_graph& g, block_id b, std::vector<unsigned char>& seen, std::vector<block_id>& order) {
  seen[b] = 1;
  for (const block_id s : g.successors(b))
    if (!seen[s]) post_order(g, s, seen, order);
  order.push_back(b);
}

// By the definition: sets of mutually reachable blocks that reach neither an exit nor anything else; of each the block
// that comes first in reverse post-order.
std::vector<block_id> expected_loops(const csr_graph& g) {
  const std::size_t n = g.num_blocks();
  const reach_matrix reach = closure(g);
  std::vector<unsigned char> seen(n, 0);
  std::vector<block_id> order;
  for (std::size_t i = 0; i <= n; ++i) {
    const block_id root = i == 0 ? g.entry() : static_cast<block_id>(i - 1);
    std::vector<block_id> part;
    if (root != no_block && !seen[root]) post_order(g, root, seen, part);
    order.insert(order.end(), part.rbegin(), part.rend());
  }
  std::vector<block_id> found;
  std::vector<unsigned char> covered(n, 0);
  for (const block_id b : order) {
    if (covered[b]) continue;
    bool terminal = true;
    for (block_id to = 0; to < n; ++to) {
      if (!reach[b][to]) continue;
      terminal = terminal && reach[to][b] && !g.is_exit(to);
    }
    for (block_id to = 0; to < n; ++to)
      if (reach[b][to] && reach[to][b]) covered[to] = 1;
    if (terminal) found.push_back(b);
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<std::pair<block_id, block_id>> edges_of(const csr_graph& g) {
  std::vector<std::pair<block_id, block_id>> edges;
  for (block_id b = 0; b < g.num_blocks(); ++b)
    for (const block_id s : g.successors(b)) edges.emplace_back(b, s);
  return edges;
}

void check_views(const csr_graph& g) {
  const block_id n = static_cast<block_id>(g.num_blocks());
  const std::vector<block_id> loops = expected_loops(g);
  CHECK(detail::terminal_loops(g) == loops);
  for (const infinite_loops endless : {infinite_loops::virtual_edge, infinite_loops::ignore}) {
    auto expected = edges_of(g);
    for (block_id b = 0; b < n; ++b)
      if (g.is_exit(b)) expected.emplace_back(b, n);
    if (endless == infinite_loops::virtual_edge)
      for (const block_id b : loops) expected.emplace_back(b, n);
    std::sort(expected.begin(), expected.end());

    const csr_graph joined = with_virtual_exit(g, endless);
    auto edges = edges_of(joined);
    std::sort(edges.begin(), edges.end());
    CHECK(edges == expected);
    CHECK(joined.entry() == (n == 0 ? 0 : g.entry()));
    for (block_id b = 0; b < n; ++b) CHECK_FALSE(joined.is_exit(b));

    const csr_graph back = reversed(g, endless);
    CHECK(back.entry() == n);
    edges = edges_of(back);
    for (auto& [from, to] : edges) std::swap(from, to);
    std::sort(edges.begin(), edges.end());
    CHECK(edges == expected);
    if (n > 0) CHECK(back.is_exit(g.entry()));
    const reach_matrix forward = closure(g), backward = closure(back);
    for (block_id b = 0; b < n; ++b) {
      bool ends = false;
      for (block_id to = 0; to < n; ++to) ends = ends || (forward[b][to] && g.is_exit(to));
      CHECK((backward[n][b] != 0) == (ends || endless == infinite_loops::virtual_edge));
    }
  }
}

}  // namespace

TEST_CASE("views of every named shape") {
  for (const testing::shape& s : testing::shapes) {
    CAPTURE(s.name);
    check_views(s.make());
  }
}

TEST_CASE("views of all graphs of up to three blocks") {
  for (std::size_t n = 0; n <= 3; ++n)
    for (std::uint64_t code = 0; code < testing::num_small_cfgs(n); ++code) {
      CAPTURE(n);
      CAPTURE(code);
      check_views(testing::small_cfg(n, code));
    }
}

TEST_CASE("terminal loops of all graphs of four blocks") {
  std::uint64_t wrong = 0, code = 0;
  testing::for_each_small_cfg(4, [&](const csr_graph& g) {
    if (detail::terminal_loops(g) != expected_loops(g) && wrong++ == 0) {
      MESSAGE("first difference: small_cfg(4, ", code, ")\n", to_dot(g));
    }
    ++code;
  });
  CHECK(wrong == 0);
}

TEST_CASE("views of random graphs") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    testing::rng random(seed);
    const csr_graph g = testing::random_cfg(random, {.blocks = random.between(1, 20),
                                                     .max_successors = random.between(1, 3),
                                                     .exits = random.below(3),
                                                     .exit_mark_percent = random.chance(50) ? 10U : 0U,
                                                     .unreachable_percent = 10});
    CAPTURE(seed);
    CAPTURE(to_dot(g));
    check_views(g);
  }
}

TEST_CASE("the documented choice for an endless arm") {
  const csr_graph g = testing::infinite_loop_arm();
  CHECK(list(reversed(g).successors(4)) == std::vector<block_id>{3, 1});
  CHECK(list(reversed(g, infinite_loops::ignore).successors(4)) == std::vector<block_id>{3});
  CHECK(list(with_virtual_exit(g).successors(1)) == std::vector<block_id>{1, 4});
  CHECK(reversed(csr_graph{}).num_blocks() == 1);
  CHECK(with_virtual_exit(csr_graph{}).entry() == 0);
}

TEST_CASE("views take any graph") {
  const std::vector<std::vector<int>> g{{1, 2}, {3}, {3}, {}};
  CHECK(reversed(g) == reversed(testing::diamond()));
  CHECK(with_virtual_exit(g) == with_virtual_exit(testing::diamond()));
}

TEST_CASE("filtered keeps blocks, order and exits") {
  const csr_graph g = testing::switch_parallel();
  CHECK(filtered(g, [](edge_id) { return true; }) == g);
  const csr_graph some = filtered(g, [&](edge_id e) { return g.target(e) != 2; });
  CHECK(rows_of(some) == rows{{1, 3}, {4}, {3}, {4}, {}});
  const csr_graph none = filtered(testing::predicated_exit(), [](edge_id) { return false; });
  CHECK(none.num_edges() == 0);
  CHECK(none.num_blocks() == 3);
  CHECK(filtered(testing::predicated_exit(), [](edge_id e) { return e == 1; }).is_exit(1));
  CHECK(filtered(csr_graph{}, [](edge_id) { return true; }) == csr_graph{});
}

static_assert(reversed(testing::diamond()).num_edges() == 5);
