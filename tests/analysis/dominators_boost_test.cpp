// SPDX-License-Identifier: BSL-1.0
//
// Dominators against another implementation of another algorithm: Boost.Graph's Lengauer-Tarjan, where it is installed.
#include "analysis/oracles.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#if __has_include(<boost/graph/dominator_tree.hpp>) && defined(__cpp_exceptions)
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/dominator_tree.hpp>

using namespace simtflow_tests;

namespace {

// The entry and blocks that it does not reach have the null vertex, all ones: no_block after the cast.
std::vector<block_id> boost_idoms(const csr_graph& g) {
  using graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS>;
  using vertex = boost::graph_traits<graph>::vertex_descriptor;
  const auto order = depth_first(g);
  graph b(g.num_blocks());
  for (const block_id u : order.preorder())  // edges of unreachable blocks would count
    for (const block_id v : g.successors(u)) boost::add_edge(u, v, b);
  std::vector<vertex> idom(g.num_blocks(), boost::graph_traits<graph>::null_vertex());
  boost::lengauer_tarjan_dominator_tree(
      b, vertex{g.entry()}, boost::make_iterator_property_map(idom.begin(), boost::get(boost::vertex_index, b)));
  std::vector<block_id> result;
  for (const vertex v : idom) result.push_back(static_cast<block_id>(v));
  return result;
}

void check(const subject& at) {
  const auto tree = dominators(at.graph);
  if (std::vector<block_id>(tree.idoms().begin(), tree.idoms().end()) != boost_idoms(at.graph))
    report(at, "immediate dominators");
}

}  // namespace

TEST_CASE("dominators: against Boost's Lengauer-Tarjan") {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    testing::rng random(seed);
    testing::cfg_options options;
    options.blocks = 30 + seed * 12;
    options.max_successors = random.between(2, 5);
    options.reducible = random.chance(20) && seed < 60;
    options.exits = random.between(1, 5);
    options.unreachable_percent = random.chance(30) ? 10 : 0;
    const csr_graph g = testing::random_cfg(random, options);
    check({"random_cfg", seed, g});
  }
  const csr_graph rungs = ladder(2'000), deep = nest(2'000);
  check({"ladder", 2'000, rungs});
  check({"nest", 2'000, deep});
}
#else
TEST_CASE("dominators: against Boost's Lengauer-Tarjan") { MESSAGE("skipped: no Boost.Graph, or no exceptions"); }
#endif
