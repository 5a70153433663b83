// SPDX-License-Identifier: BSL-1.0
#include "support/graphs.hpp"
#include <simtflow/graph/check.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/snapshot.hpp>
#include <simtflow/interop/boost_graph.hpp>
#include <simtflow/io/dot.hpp>
#include <simtflow/testing/generate.hpp>
#include <simtflow/testing/shapes.hpp>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/adjacency_matrix.hpp>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/filtered_graph.hpp>
#include <boost/graph/reverse_graph.hpp>
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

using namespace simtflow;
using namespace simtflow_tests;

namespace {

using indexed = boost::property<boost::vertex_index_t, std::size_t>;
using vec_list = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS>;
using directed_list = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;
using list_list = boost::adjacency_list<boost::vecS, boost::listS, boost::bidirectionalS, indexed>;
using set_list = boost::adjacency_list<boost::setS, boost::setS, boost::directedS, indexed>;
using unnumbered = boost::adjacency_list<boost::vecS, boost::listS, boost::directedS>;
using sparse = boost::compressed_sparse_row_graph<boost::directedS>;
using matrix = boost::adjacency_matrix<boost::directedS>;

// Predicates are function objects: a filtered graph's iterators must be assignable, which a lambda is not.
struct not_to {
  const vec_list* graph = nullptr;
  std::size_t vertex = 0;
  template <class E>
  bool operator()(const E& e) const {
    return target(e, *graph) != vertex;
  }
};
struct not_vertex {
  std::size_t vertex = 0;
  bool operator()(std::size_t v) const { return v != vertex; }
};
using filtered_edges = boost::filtered_graph<vec_list, not_to>;
using filtered_both = boost::filtered_graph<vec_list, not_to, not_vertex>;

static_assert(check_adapter<vec_list>() && bidirectional_flow_graph<vec_list>);
static_assert(check_adapter<directed_list>() && !bidirectional_flow_graph<directed_list>);
static_assert(check_adapter<list_list>() && bidirectional_flow_graph<list_list>);
static_assert(check_adapter<set_list>());
static_assert(check_adapter<sparse>());
static_assert(check_adapter<matrix>());
static_assert(check_adapter<boost::reverse_graph<vec_list>>());
static_assert(check_adapter<filtered_edges>() && check_adapter<filtered_both>());
static_assert(!flow_graph<unnumbered>, "without vertex_index there are no dense numbers");
static_assert(flow_graph<std::vector<std::vector<int>>> && flow_graph<csr_graph> && !flow_graph<std::string>);

template <class G>
G numbered_by_position(const csr_graph& g) {
  G out(g.num_blocks());
  for (block_id b = 0; b < g.num_blocks(); ++b)
    for (const block_id s : g.successors(b)) add_edge(b, s, out);
  return out;
}

list_list numbered_by_property(const csr_graph& g, std::vector<list_list::vertex_descriptor>& vertices) {
  list_list out;
  for (block_id b = 0; b < g.num_blocks(); ++b) {
    vertices.push_back(add_vertex(out));
    put(boost::vertex_index, out, vertices.back(), b);
  }
  for (block_id b = 0; b < g.num_blocks(); ++b)
    for (const block_id s : g.successors(b)) add_edge(vertices[b], vertices[s], out);
  return out;
}

void check_all_kinds(const csr_graph& g) {
  const rows expected = reached_rows(g);
  const vec_list plain = numbered_by_position<vec_list>(g);
  CHECK(validate(plain).empty());
  const directed_list directed = numbered_by_position<directed_list>(g);
  std::vector<list_list::vertex_descriptor> vertices;
  const list_list linked = numbered_by_property(g, vertices);
  CHECK(validate(linked).empty());
  std::vector<std::pair<block_id, block_id>> edges;
  for (block_id b = 0; b < g.num_blocks(); ++b)
    for (const block_id s : g.successors(b)) edges.emplace_back(b, s);
  const sparse compressed(boost::edges_are_unsorted_multi_pass, edges.begin(), edges.end(), g.num_blocks());
  CHECK(validate(compressed).empty());
  if (g.num_blocks() == 0) {
    CHECK(snapshot(plain) == g);
    CHECK(snapshot(linked) == g);
    CHECK(snapshot(compressed) == g);
    return;
  }
  const block_id root = g.entry();
  CHECK(rows_of(snapshot(plain, root)) == expected);
  CHECK(rows_of(snapshot(directed, root)) == expected);
  CHECK(rows_of(snapshot(linked, vertices[root])) == expected);
  CHECK(rows_of(snapshot(compressed, root)) == expected);
  if (root == 0) {
    CHECK(snapshot(plain) == snapshot(plain, 0));
    CHECK(snapshot(linked) == snapshot(linked, vertices[0]));
  }

  // A matrix has no parallel edges, and its slots are in the order of the targets.
  matrix square(g.num_blocks());
  rows sorted = expected;
  for (block_id b = 0; b < g.num_blocks(); ++b) {
    std::sort(sorted[b].begin(), sorted[b].end());
    sorted[b].erase(std::unique(sorted[b].begin(), sorted[b].end()), sorted[b].end());
    for (const block_id s : g.successors(b)) {
      if (!boost::edge(b, s, square).second) add_edge(b, s, square);
    }
  }
  CHECK(rows_of(snapshot(square, root)) == sorted);

  // The reversed graph has the predecessors as successors.
  const auto back = boost::make_reverse_graph(plain);
  const csr_graph turned = snapshot(back, root);
  for (block_id b = 0; b < g.num_blocks(); ++b) {
    std::vector<block_id> in = list(g.predecessors(b)), out = list(turned.successors(b));
    std::sort(out.begin(), out.end());
    CHECK((out.empty() || out == in));
  }
}

}  // namespace

TEST_CASE("every named shape in every kind of Boost graph") {
  for (const testing::shape& s : testing::shapes) {
    CAPTURE(s.name);
    check_all_kinds(s.make());
  }
}

TEST_CASE("random graphs in every kind of Boost graph") {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    testing::rng random(seed);
    const csr_graph g = testing::random_cfg(
        random, {.blocks = random.between(1, 30), .max_successors = random.between(1, 4), .unreachable_percent = 10});
    CAPTURE(seed);
    CAPTURE(to_dot(g));
    check_all_kinds(g);
  }
}

TEST_CASE("what a filter hides is a hole") {
  const vec_list g = numbered_by_position<vec_list>(testing::two_diamonds());
  const filtered_edges fewer(g, not_to{&g, 1});
  CHECK(rows_of(snapshot(fewer)) == rows{{2}, {}, {3}, {4, 5}, {6}, {6}, {}});
  CHECK(validate(fewer).empty());
  const filtered_both hidden(g, not_to{&g, 5}, not_vertex{1});
  CHECK(num_vertices(hidden) >= 6);  // 6 or 7, depending on the version of Boost
  CHECK(snapshot(hidden).num_blocks() == 7);
  CHECK(rows_of(snapshot(hidden)) == rows{{2}, {}, {3}, {4}, {6}, {}, {}});
  CHECK(validate(hidden).empty());
  vec_list single(1);
  const filtered_both nothing(single, not_to{&single, 9}, not_vertex{0});
  CHECK(snapshot(nothing) == csr_graph{});
  CHECK(snapshot(boost::make_reverse_graph(nothing)) == csr_graph{});
  CHECK(snapshot(boost::make_reverse_graph(hidden)).num_blocks() == 7);
}
