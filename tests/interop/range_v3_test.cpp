// SPDX-License-Identifier: BSL-1.0
#include <doctest/doctest.h>

#if __has_include(<range/v3/range/concepts.hpp>)
#include "support/graphs.hpp"
#include <simtflow/analysis/dominators.hpp>
#include <simtflow/analysis/loops.hpp>
#include <simtflow/analysis/order.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/discovered_graph.hpp>
#include <simtflow/graph/snapshot.hpp>
#include <simtflow/interop/range_v3.hpp>
#include <simtflow/testing/generate.hpp>
#include <simtflow/testing/shapes.hpp>

#include <range/v3/algorithm/equal.hpp>
#include <range/v3/range/conversion.hpp>
#include <range/v3/view/filter.hpp>
#include <range/v3/view/reverse.hpp>
#include <range/v3/view/transform.hpp>

#include <string>
#include <utility>
#include <vector>

using namespace simtflow;

namespace {

using plain = std::vector<std::vector<int>>;
using list_of_blocks = decltype(blocks(std::declval<const plain&>()));
using list_of_edges = decltype(edges(std::declval<const plain&>()));
static_assert(ranges::view_<list_of_blocks> && ranges::random_access_range<list_of_blocks> &&
              ranges::sized_range<list_of_blocks>);
static_assert(ranges::view_<list_of_edges> && ranges::random_access_range<list_of_edges>);
static_assert(ranges::view_<vertex_range<plain>> && ranges::input_range<vertex_range<plain>>);
static_assert(ranges::view_<loop_forest<csr_graph>::range>);

std::vector<std::pair<int, int>> pairs(const list_of_edges& all) {
  return all | ranges::views::transform([](const auto& e) { return std::pair(e.from, e.to); }) |
         ranges::to<std::vector>();
}

}  // namespace

TEST_CASE("range_v3: blocks, edges and back edges of a small graph") {
  const plain g{{1}, {2, 3}, {1, 2}, {}, {3}};
  CHECK((blocks(g) | ranges::to<std::vector>()) == std::vector<int>{0, 1, 3, 2});
  CHECK(pairs(edges(g)) == std::vector<std::pair<int, int>>{{0, 1}, {1, 2}, {1, 3}, {2, 1}, {2, 2}});
  CHECK(pairs(back_edges(g)) == std::vector<std::pair<int, int>>{{2, 1}, {2, 2}});
  CHECK(back_edges(g)[1].slot == 1);
  CHECK(blocks(plain{}).empty());
  CHECK(edges(plain{}).empty());
  CHECK(back_edges(plain{}).empty());
  CHECK(list_of_blocks().empty());
  CHECK(back_edges(plain{{1, 1}, {}}).empty());
  CHECK(pairs(edges(plain{{1, 1}, {}})) == std::vector<std::pair<int, int>>{{0, 1}, {0, 1}});
}

TEST_CASE("range_v3: pipes") {
  const plain g{{1}, {2, 3}, {1, 2}, {}};
  auto odd = blocks(g) | ranges::views::filter([](int b) { return b % 2 == 1; }) | ranges::views::reverse;
  CHECK((odd | ranges::to<std::vector>()) == std::vector<int>{3, 1});
  auto list = blocks(g);
  const auto copy = list;
  list = {};
  CHECK(copy.size() == 4);
  CHECK(copy.begin() == list_of_blocks(copy).begin());  // shared
  const auto heads = back_edges(g) | ranges::views::transform(&graph_edge<int>::to) | ranges::to<std::vector>();
  CHECK(heads == std::vector<int>{1, 2});
}

TEST_CASE("range_v3: results pipe too") {
  const plain g{{1}, {2, 3}, {1, 2}, {}};
  const auto name = [](auto b) { return "BB" + std::to_string(b); };
  const auto nest = loops(g);
  CHECK((nest.blocks(loop_id{0}) | ranges::views::transform(name) | ranges::to<std::vector>()) ==
        std::vector<std::string>{"BB1", "BB2"});
  const auto search = depth_first(g);
  CHECK(ranges::equal(search.rpo() | ranges::views::filter([](int b) { return b > 1; }), std::vector<int>{3, 2}));
  const csr_graph shape = snapshot(g);
  const auto ids = loops(shape);
  CHECK((ids.latches(loop_id{0}) | ranges::views::transform(name) | ranges::to<std::vector>()) ==
        std::vector<std::string>{"BB2"});
  const auto tree = dominators(g);
  CHECK((tree.children(1) | ranges::views::transform(name) | ranges::to<std::vector>()).size() == 2);
  CHECK((tree.dominators_of(3) | ranges::views::transform(name) | ranges::to<std::vector>()) ==
        std::vector<std::string>{"BB3", "BB1", "BB0"});
}

TEST_CASE("range_v3: back edges are those into dominators, and few enough to cut every cycle") {
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    testing::rng random(seed);
    testing::cfg_options o;
    o.blocks = random.between(1, 16);
    o.max_successors = random.between(1, 3);
    o.exits = random.below(3);
    o.loops = o.exits == 0 || random.chance(80);
    o.reducible = random.chance(50);
    o.unreachable_percent = random.chance(30) ? 20 : 0;
    const csr_graph g = testing::random_cfg(random, o);
    CAPTURE(seed);
    const auto tree = dominators(g);
    const auto back = back_edges(g);
    std::size_t all = 0;
    for (block_id b = 0; b < g.num_blocks(); ++b) all += tree.is_reachable(b) ? g.successors(b).size() : 0;
    CHECK(edges(g).size() == all);
    const auto search = depth_first(g);
    CHECK(ranges::equal(blocks(g), search.rpo()));
    std::vector<std::vector<unsigned char>> is_back(g.num_blocks());
    for (block_id b = 0; b < g.num_blocks(); ++b) is_back[b].assign(g.successors(b).size(), 0);
    for (const auto& e : back) {
      CHECK(g.successors(e.from)[e.slot] == e.to);
      is_back[e.from][e.slot] = 1;
    }
    for (const auto& e : edges(g))
      if (tree.dominates(e.to, e.from)) CHECK(is_back[e.from][e.slot] == 1);
    if (!loops(g).is_reducible()) continue;
    for (const auto& e : back) CHECK(tree.dominates(e.to, e.from));
    csr_builder rest(g.num_blocks(), g.entry());
    for (const auto& e : edges(g))
      if (is_back[e.from][e.slot] == 0) rest.add_edge(e.from, e.to);
    const csr_graph acyclic = rest.build();
    CHECK(back_edges(acyclic).empty());
    const auto order = depth_first(acyclic);
    for (const auto& e : edges(acyclic)) CHECK(order.rpo_number(e.from) < order.rpo_number(e.to));
  }
}

TEST_CASE("range_v3: vertices that are pointers") {
  struct node {
    std::vector<node*> next;
  };
  node a, b;
  a.next = {&b};
  b.next = {&a, &b};
  const discovered_graph g(
      &a, [](const node* n) -> const auto& { return n->next; });
  CHECK((blocks(g) | ranges::to<std::vector>()) == std::vector<node*>{&a, &b});
  CHECK(back_edges(g).size() == 2);
  CHECK(back_edges(g)[0] == graph_edge<node*>{&b, 0, &a});
}

#else
TEST_CASE("range_v3: skipped") { MESSAGE("skipped: no range-v3"); }
#endif
