// SPDX-License-Identifier: BSL-1.0
#include "support/graphs.hpp"
#include <simtflow/io/dot.hpp>
#include <simtflow/testing/shapes.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

using namespace simtflow;
using namespace simtflow_tests;

TEST_CASE("names and graphs are distinct, and every graph but the empty one has an entry") {
  std::vector<csr_graph> graphs;
  std::vector<std::string> names;
  for (const testing::shape& s : testing::shapes) {
    const csr_graph g = s.make();
    CAPTURE(s.name);
    CHECK((g.entry() == no_block) == (g.num_blocks() == 0));
    CHECK((s.barrier == no_block || s.barrier < g.num_blocks()));
    for (std::size_t i = 0; i < graphs.size(); ++i) {
      CAPTURE(names[i]);
      CHECK(names[i] != s.name);
      CHECK(graphs[i] != g);
    }
    graphs.push_back(g);
    names.emplace_back(s.name);
  }
}

TEST_CASE("the threads of figure 1 follow its edges to the exit") {
  const csr_graph g = testing::figure_1();
  for (const auto& path : testing::figure_1_paths) {
    CHECK(path[0] == g.entry());
    std::size_t i = 0;
    for (; path[i + 1] != no_block; ++i) {
      const std::vector<block_id> next = list(g.successors(path[i]));
      CHECK(std::count(next.begin(), next.end(), path[i + 1]) == 1);
    }
    CHECK(g.is_exit(path[i]));
  }
}

TEST_CASE("adjacency") {
  CHECK(rows_of(testing::adjacency({{1, 1}, {0}})) == rows{{1, 1}, {0}});
  CHECK(testing::adjacency({{}, {0}}, 1).entry() == 1);
  CHECK(testing::adjacency({}) == csr_graph{});
}
