// SPDX-License-Identifier: BSL-1.0
#include "support/graphs.hpp"
#include <simtflow/graph/check.hpp>
#include <simtflow/graph/discovered_graph.hpp>
#include <simtflow/graph/snapshot.hpp>
#include <simtflow/io/dot.hpp>
#include <simtflow/testing/generate.hpp>
#include <simtflow/testing/shapes.hpp>

#include <doctest/doctest.h>

#include <list>
#include <string>
#include <type_traits>
#include <vector>

using namespace simtflow;
using namespace simtflow_tests;

namespace {

struct node {
  std::vector<node*> next;
};

// The nodes of a graph in a random order in memory.
struct heap {
  std::vector<node> nodes;
  std::vector<node*> of;  // by block
  heap(const csr_graph& g, std::uint64_t seed) : nodes(g.num_blocks()) {
    testing::rng random(seed);
    std::vector<block_id> place;
    for (block_id b = 0; b < g.num_blocks(); ++b) place.push_back(b);
    random.shuffle(place);
    for (const block_id p : place) of.push_back(&nodes[p]);
    for (block_id b = 0; b < g.num_blocks(); ++b)
      for (const block_id s : g.successors(b)) of[b]->next.push_back(of[s]);
  }
};

// Reverse post-order by a recursive search: another idea than the code's.
void finish(const csr_graph& g, block_id b, std::vector<unsigned char>& seen, std::vector<block_id>& order) {
  seen[b] = 1;
  for (const block_id s : g.successors(b))
    if (!seen[s]) finish(g, s, seen, order);
  order.insert(order.begin(), b);
}

void compare(const csr_graph& g, std::uint64_t seed) {
  if (g.num_blocks() == 0) return;
  const heap memory(g, seed);
  const discovered_graph d(
      memory.of[g.entry()], [](const node* n) -> auto& { return n->next; });
  static_assert(std::is_same_v<decltype(d), const discovered_graph<node*>>);
  std::vector<unsigned char> seen(g.num_blocks(), 0);
  std::vector<block_id> order;
  finish(g, g.entry(), seen, order);
  REQUIRE(d.num_blocks() == order.size());
  CHECK(validate(d).empty());
  CHECK(snapshot(d) == d.shape());
  CHECK(d.shape().entry() == 0);
  for (block_id b = 0; b < order.size(); ++b) {
    CHECK(d.vertex(b) == memory.of[order[b]]);
    CHECK(d.find(memory.of[order[b]]) == b);
    CHECK(std::vector<node*>(d.successors(d.vertex(b)).begin(), d.successors(d.vertex(b)).end()) == d.vertex(b)->next);
  }
  for (block_id b = 0; b < g.num_blocks(); ++b)
    if (!seen[b]) CHECK(d.find(memory.of[b]) == no_block);
}

}  // namespace

TEST_CASE("numbers are reverse post-order, wherever the nodes lie") {
  for (const testing::shape& s : testing::shapes) {
    CAPTURE(s.name);
    for (std::uint64_t seed = 0; seed < 4; ++seed) compare(s.make(), seed);
  }
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    testing::rng random(seed);
    const csr_graph g = testing::random_cfg(
        random, {.blocks = random.between(1, 60), .max_successors = random.between(1, 4), .unreachable_percent = 10});
    CAPTURE(seed);
    CAPTURE(to_dot(g));
    compare(g, seed);
  }
}

TEST_CASE("the vertex type is what the callable yields") {
  node end;
  node start{{&end, &start}};
  const discovered_graph g(&start,
                           [](const node* n) { return std::vector<const node*>(n->next.begin(), n->next.end()); });
  static_assert(std::is_same_v<decltype(g), const discovered_graph<const node*>>);
  CHECK(rows_of(g.shape()) == rows{{1, 0}, {}});
  CHECK(g.index(&end) == 1);
}

TEST_CASE("handles need no hash and no three-way comparison") {
  struct name {
    std::string text;
    bool operator==(const name& other) const { return text == other.text; }
    bool operator<(const name& other) const { return text < other.text; }
  };
  const discovered_graph g(name{"a"}, [](const name& n) {
    if (n.text == "a") return std::vector<name>{{"z"}, {"b"}, {"z"}};
    if (n.text == "b") return std::vector<name>{{"a"}, {"z"}};
    return std::vector<name>{};
  });
  CHECK(g.num_blocks() == 3);
  CHECK(g.vertex(0).text == "a");
  CHECK(g.vertex(1).text == "b");
  CHECK(rows_of(g.shape()) == rows{{2, 1, 2}, {0, 2}, {}});
  CHECK(g.find({"q"}) == no_block);
}

TEST_CASE("an exit predicate") {
  const discovered_graph g(
      0, [](int v) { return v < 3 ? std::vector<int>{v + 1} : std::vector<int>{}; }, [](int v) { return v == 1; });
  CHECK_FALSE(g.shape().is_exit(0));
  CHECK(g.shape().is_exit(1));
  CHECK_FALSE(g.shape().is_exit(2));
  CHECK(g.shape().is_exit(3));
  CHECK(has_exit_predicate<discovered_graph<int>>);
}

TEST_CASE("long chains need no deep stack and little time") {
  const int length = 200'000;
  const discovered_graph g(0, [&](int v) {
    return v + 1 < length ? std::vector<int>{v + 1, v / 2} : std::vector<int>{};
  });
  CHECK(g.num_blocks() == static_cast<std::size_t>(length));
  CHECK(g.index(length - 1) == static_cast<block_id>(length - 1));
}
