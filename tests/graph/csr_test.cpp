// SPDX-License-Identifier: BSL-1.0
#include "support/graphs.hpp"
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/snapshot.hpp>
#include <simtflow/io/dot.hpp>
#include <simtflow/testing/generate.hpp>
#include <simtflow/testing/shapes.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

using namespace simtflow;
using namespace simtflow_tests;

// Everything a csr_graph says, against its successor lists alone.
static void check_consistent(const csr_graph& g) {
  const rows out = rows_of(g);
  std::vector<edge> edges;
  std::vector<std::vector<block_id>> in(g.num_blocks());
  for (block_id b = 0; b < g.num_blocks(); ++b) {
    CHECK(g.first_edge(b) == edges.size());
    for (std::uint32_t slot = 0; slot < out[b].size(); ++slot) {
      const edge_id e = g.first_edge(b) + slot;
      CHECK(g.target(e) == out[b][slot]);
      CHECK(g.source(e) == b);
      CHECK(g.edge_at(e) == edge{b, slot});
      edges.push_back({b, slot});
      in[out[b][slot]].push_back(b);
    }
    if (out[b].empty()) CHECK(g.is_exit(b));
  }
  CHECK(g.num_edges() == edges.size());
  CHECK(std::is_sorted(edges.begin(), edges.end()));
  for (block_id b = 0; b < g.num_blocks(); ++b) CHECK(list(g.predecessors(b)) == in[b]);
}

TEST_CASE("csr_graph on every named shape") {
  for (const testing::shape& s : testing::shapes) {
    CAPTURE(s.name);
    check_consistent(s.make());
  }
}

TEST_CASE("csr_graph on random graphs") {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    testing::rng random(seed);
    const csr_graph g = testing::random_cfg(
        random, {.blocks = random.between(1, 80), .max_successors = random.between(1, 5), .exit_mark_percent = 20});
    CAPTURE(seed);
    CAPTURE(to_dot(g));
    check_consistent(g);
    CHECK(rows_of(snapshot(g)) == rows_of(g));
    CHECK(snapshot(g) == g);
  }
}

TEST_CASE("there is one empty graph") {
  const csr_graph none;
  CHECK(none.num_blocks() == 0);
  CHECK(none.num_edges() == 0);
  CHECK(none.entry() == no_block);
  CHECK(csr_builder(0).build() == none);
  CHECK(csr_builder(0, 7).build() == none);
  CHECK(snapshot(none) == none);
}

TEST_CASE("slots are in the order of add_edge, whatever comes between") {
  csr_builder builder(3, 2);
  builder.add_edge(2, 0).add_edge(1, 1).add_edge(2, 1).add_edge(0, 0).add_edge(2, 0).mark_exit(0).mark_exit(0);
  const csr_graph g = builder.build();
  CHECK(rows_of(g) == rows{{0}, {1}, {0, 1, 0}});
  CHECK(g.entry() == 2);
  CHECK(g.is_exit(0));
  CHECK_FALSE(g.is_exit(1));
  CHECK_FALSE(g.is_exit(2));
  CHECK(list(g.predecessors(0)) == std::vector<block_id>{0, 2, 2});
  CHECK(builder.build() == g);  // building takes nothing away
}

TEST_CASE("exits are kept apart in any block, word boundaries included") {
  for (block_id marked : {0U, 31U, 32U, 63U, 64U, 69U}) {
    csr_builder builder(70);
    for (block_id b = 0; b < 70; ++b) builder.add_edge(b, (b + 1) % 70);
    const csr_graph g = builder.mark_exit(marked).build();
    for (block_id b = 0; b < 70; ++b) CHECK(g.is_exit(b) == (b == marked));
  }
}

TEST_CASE("a snapshot sees what its root reaches") {
  const csr_graph island = testing::unreachable_island();
  const csr_graph seen = snapshot(island);
  CHECK(seen.num_blocks() == 4);
  CHECK(rows_of(seen) == rows{{1}, {}, {}, {}});
  const csr_graph other = snapshot(island, 2);
  CHECK(other.entry() == 2);
  CHECK(rows_of(other) == rows{{}, {}, {3}, {2, 1}});
  CHECK(snapshot(testing::predicated_exit()).is_exit(1));
}

constexpr csr_graph compile_time_snapshot() {
  const std::vector<std::vector<int>> g{{1, 2}, {3}, {3}, {}};
  return snapshot(g);
}
static_assert(compile_time_snapshot() == testing::diamond());
static_assert(compile_time_snapshot().edge_at(3) == edge{2, 0});
static_assert(edge{1, 0} < edge{1, 1} && edge{1, 9} < edge{2, 0});
