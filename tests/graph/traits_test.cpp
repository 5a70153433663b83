// SPDX-License-Identifier: BSL-1.0
#include "support/archetypes.hpp"
#include "support/graphs.hpp"
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/snapshot.hpp>
#include <simtflow/graph/traits.hpp>
#include <simtflow/testing/shapes.hpp>

#include <doctest/doctest.h>

#include <array>
#include <deque>
#include <list>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

using namespace simtflow;
using namespace simtflow_tests;

// --- what is a graph and what is none --------------------------------------------------------------------------------

static_assert(flow_graph<std::vector<std::vector<int>>>);
static_assert(flow_graph<std::vector<std::vector<unsigned>>>);
static_assert(flow_graph<std::vector<std::vector<long long>>>);
static_assert(flow_graph<std::vector<std::vector<short>>>);
static_assert(flow_graph<std::deque<std::set<std::size_t>>>);
static_assert(flow_graph<std::array<std::list<int>, 3>>);
static_assert(flow_graph<std::span<const std::vector<int>>>);
static_assert(flow_graph<std::vector<std::span<const int>>>);
static_assert(flow_graph<csr_graph>);
static_assert(flow_graph<bare_graph>);
static_assert(bidirectional_flow_graph<csr_graph> && has_exit_predicate<csr_graph>);
static_assert(!bidirectional_flow_graph<bare_graph> && !has_exit_predicate<bare_graph>);

static_assert(!flow_graph<int>);
static_assert(!flow_graph<std::vector<int>>);
static_assert(!flow_graph<std::string>);
static_assert(!flow_graph<std::vector<std::string>>);
static_assert(!flow_graph<std::vector<std::vector<char>>>);
static_assert(!flow_graph<std::vector<std::vector<bool>>>);
static_assert(!flow_graph<std::vector<std::vector<double>>>);
static_assert(!flow_graph<std::vector<std::vector<std::vector<int>>>>);
static_assert(!flow_graph<std::list<std::vector<int>>>, "a list has no operator[]");

// --- the traits specialisation of the documentation ------------------------------------------------------------------

namespace ir {
struct block {
  std::size_t id;
  std::vector<block*> succ;
};
struct function {
  std::vector<std::unique_ptr<block>> blocks;  // a null pointer is a hole in the numbering
};
}  // namespace ir

template <>
struct simtflow::graph_traits<ir::function> {
  using vertex = ir::block*;
  static std::size_t num_vertices(const ir::function& f) { return f.blocks.size(); }
  static std::size_t index(const ir::function&, vertex b) { return b->id; }
  static vertex vertex_at(const ir::function& f, std::size_t i) { return f.blocks[i].get(); }
  static vertex entry(const ir::function& f) { return f.blocks.front().get(); }
  static const auto& successors(const ir::function&, vertex b) { return b->succ; }
};
static_assert(flow_graph<ir::function>);

// A family of classes adapted at once, by way of integer_vertices.
struct family_base {
  std::vector<std::vector<block_id>> rows;
};
struct family_member : family_base {};
template <std::derived_from<family_base> G>
struct simtflow::graph_traits<G> : simtflow::integer_vertices<G> {
  static std::size_t num_vertices(const G& g) { return g.rows.size(); }
  static const std::vector<block_id>& successors(const G& g, block_id b) { return g.rows[b]; }
};
static_assert(flow_graph<family_member>);

TEST_CASE("ranges of ranges of integers adapt themselves") {
  const std::vector<std::vector<int>> g{{1, 2}, {3}, {3}, {}};
  CHECK(snapshot(g) == testing::diamond());
  const std::array<std::vector<short>, 2> fixed{{{1, 1}, {}}};
  CHECK(snapshot(fixed) == testing::parallel_edges());
  const int cells[2][2] = {{1, 1}, {0, 1}};
  const std::vector<std::span<const int>> views{cells[0], cells[1]};
  CHECK(rows_of(snapshot(views)) == rows{{1, 1}, {0, 1}});
  CHECK(snapshot(std::vector<std::vector<int>>{}) == csr_graph{});
}

TEST_CASE("pointers with holes in the numbering") {
  ir::function f;
  f.blocks.resize(5);
  for (const std::size_t id : {0U, 2U, 4U}) f.blocks[id].reset(new ir::block{id, {}});
  f.blocks[0]->succ = {f.blocks[4].get(), f.blocks[2].get(), f.blocks[4].get()};
  f.blocks[2]->succ = {f.blocks[2].get()};
  const csr_graph g = snapshot(f);
  CHECK(g.num_blocks() == 5);
  CHECK(rows_of(g) == rows{{4, 2, 4}, {}, {2}, {}, {}});
  CHECK(g.is_exit(1));  // a hole has no successors, and nothing ever runs there
}

TEST_CASE("a class family derives its traits from integer_vertices") {
  family_member m;
  m.rows = {{1}, {0, 1}};
  CHECK(rows_of(snapshot(m)) == rows{{1}, {0, 1}});
}

TEST_CASE("the concept is enough: every shape comes through the archetype unchanged") {
  for (const testing::shape& s : testing::shapes) {
    CAPTURE(s.name);
    const csr_graph g = s.make();
    std::vector<std::vector<std::size_t>> plain(g.num_blocks());
    for (block_id b = 0; b < g.num_blocks(); ++b) plain[b].assign(g.successors(b).begin(), g.successors(b).end());
    const bare_graph bare(plain, g.num_blocks() == 0 ? 0 : g.entry());
    const csr_graph seen = snapshot(bare);
    CHECK(seen.num_blocks() == g.num_blocks());
    CHECK(seen.entry() == g.entry());
    CHECK(rows_of(seen) == reached_rows(g));
  }
}
