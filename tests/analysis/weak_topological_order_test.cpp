// SPDX-License-Identifier: BSL-1.0
#include "analysis/oracles.hpp"
#include <simtflow/analysis/natural_loops.hpp>
#include <simtflow/analysis/weak_topological_order.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace simtflow_tests;

namespace {

std::string show(const weak_topological_order<csr_graph>& wto) {
  std::string text;
  for (std::size_t i = 0; i < wto.num_steps(); ++i) {
    const auto s = wto.step(i);
    if (s.kind == wto_step_kind::end) {
      text += ") ";
    } else {
      text += (s.kind == wto_step_kind::head ? "(" : "") + std::to_string(s.block) + " ";
    }
  }
  return text;
}

// Reads the steps as a sequence with parentheses and checks the definition; uses no other question.
const char* broken_order(const small_graph& g, const weak_topological_order<csr_graph>& wto) {
  std::vector<block_id> open;                   // heads
  std::vector<std::size_t> begins;              // their steps
  std::vector<block_set> heads_around(g.n, 0);  // of each block: heads of the components that contain it
  std::vector<std::size_t> place(g.n, std::size_t{1} << 30);
  block_set seen = 0, around = 0;
  for (std::size_t i = 0; i < wto.num_steps(); ++i) {
    const auto s = wto.step(i);
    if (s.block >= g.n) return "a step names a block";
    if (s.kind == wto_step_kind::end) {
      if (open.empty() || open.back() != s.block || begins.back() != s.match) return "an end matches its head";
      if (wto.step(s.match).match != i) return "a head matches its end";
      around &= ~only(open.back());
      open.pop_back();
      begins.pop_back();
      continue;
    }
    if (has(seen, s.block)) return "each block once";
    seen |= only(s.block);
    if (s.kind == wto_step_kind::head) {
      open.push_back(s.block);
      begins.push_back(i);
      around |= only(s.block);
    } else if (s.match != i) {
      return "a block matches itself";
    }
    heads_around[s.block] = around;
    place[s.block] = i;
  }
  if (!open.empty()) return "every component ends";
  if (seen != g.reachable) return "every reachable block";
  for (block_id u = 0; u < g.n; ++u) {
    if (!has(g.reachable, u)) continue;
    for (block_set rest = g.out[u]; rest != 0; rest &= rest - 1) {
      const block_id v = lowest(rest);
      const bool forward = place[u] < place[v], to_head = has(heads_around[u], v);
      if (forward == to_head) return "an edge leads forward, or to the head of a component around its source";
    }
    if (wto.place(u) != place[u]) return "place";
    for (block_id h = 0; h < g.n; ++h)
      if (wto.contains(h, u) != has(heads_around[u], h)) return "contains";
  }
  for (block_id b = 0; b < g.n; ++b) {
    if (wto.is_head(b) != (has(g.reachable, b) && has(heads_around[b], b))) return "is_head";
    if (!has(g.reachable, b) && (wto.place(b).has_value() || wto.contains(b, b))) return "unreachable blocks";
  }
  return nullptr;
}

void check_order(const subject& at, weak_topological_order<csr_graph>& wto, loop_forest<csr_graph>& forest) {
  const small_graph g(at.graph);
  wto.recompute(at.graph);
  if (const char* broken = broken_order(g, wto)) return report(at, std::string(broken) + ": " + show(wto));
  forest.recompute(at.graph);
  if (wto.heads().size() != forest.num_loops()) return report(at, "a component for each loop: " + show(wto));
  for (const block_id h : wto.heads())
    for (block_id b = 0; b < g.n; ++b)
      if (wto.contains(h, b) != (forest.header(*forest.innermost(h)) == h && forest.contains(*forest.innermost(h), b)))
        return report(at, "components are loops: " + show(wto));
  const auto priorities = loop_contiguous_order(at.graph, forest);
  if (std::vector<block_id>(wto.blocks().begin(), wto.blocks().end()) !=
      std::vector<block_id>(priorities.blocks().begin(), priorities.blocks().end()))
    return report(at, "the loop-contiguous order: " + show(wto));
  const weak_topological_order same(at.graph, forest);
  if (std::vector(same.ids().steps().begin(), same.ids().steps().end()) !=
      std::vector(wto.ids().steps().begin(), wto.ids().steps().end()))
    return report(at, "from a forest: " + show(same));
}

// The use of the flat steps: how far each block can be from the entry, counted up to a limit.
std::vector<unsigned> fixpoint(const csr_graph& g, const weak_topological_order<csr_graph>& wto, unsigned limit,
                               std::size_t& visits) {
  std::vector<unsigned> value(g.num_blocks(), 0);
  std::vector<unsigned char> stable(g.num_blocks(), 1);
  for (std::size_t i = 0; i < wto.num_steps();) {
    const auto s = wto.step(i);
    if (s.kind == wto_step_kind::end) {
      unsigned most = value[s.block];
      for (const block_id p : g.predecessors(s.block))
        if (wto.place(p) && value[p] + 1 > most) most = value[p] + 1 < limit ? value[p] + 1 : limit;
      i = most == value[s.block] ? i + 1 : s.match;
      continue;
    }
    ++visits;
    for (const block_id p : g.predecessors(s.block))
      if (wto.place(p) && value[p] + 1 > value[s.block]) value[s.block] = value[p] + 1 < limit ? value[p] + 1 : limit;
    ++i;
  }
  return value;
}

constexpr bool constant_expression() {
  const csr_graph g = testing::nested_loops();  // 0 (1 (2 3) 4) 5
  const weak_topological_order wto(g);
  return wto.num_steps() == 8 && wto.step(1).kind == wto_step_kind::head && wto.step(1).match == 6 &&
         wto.step(6).match == 1 && wto.is_head(2) && wto.contains(1, 3) && wto.place(5) == 7U;
}
static_assert(constant_expression());

}  // namespace

TEST_CASE("weak_topological_order: all graphs of up to four blocks against the definition") {
  weak_topological_order<csr_graph> wto{csr_graph{}};
  loop_forest<csr_graph> forest{csr_graph{}};
  for_each_small([&](const subject& at) { check_order(at, wto, forest); });
}

TEST_CASE("weak_topological_order: shapes and random graphs against the definition") {
  weak_topological_order<csr_graph> wto{csr_graph{}};
  loop_forest<csr_graph> forest{csr_graph{}};
  for_each_shape([&](const subject& at) { check_order(at, wto, forest); });
  for_each_random(5000, 16, [&](const subject& at) { check_order(at, wto, forest); });
}

TEST_CASE("weak_topological_order: the example of Bourdoncle's paper") {
  // Blocks 1 .. 8 there are 0 .. 7 here: 1 2 (3 4 (5 6) 7) 8.
  const csr_graph g = csr_builder(8)
                          .add_edge(0, 1)
                          .add_edge(1, 2)
                          .add_edge(1, 7)
                          .add_edge(2, 3)
                          .add_edge(3, 4)
                          .add_edge(3, 6)
                          .add_edge(4, 5)
                          .add_edge(5, 6)
                          .add_edge(5, 4)
                          .add_edge(6, 2)
                          .add_edge(6, 7)
                          .build();
  CHECK(show(weak_topological_order(g)) == "0 1 (2 3 (4 5 ) 6 ) 7 ");
}

TEST_CASE("weak_topological_order: an engine over the steps finds the fixpoint") {
  for_each_random(500, 16, [&](const subject& at) {
    const weak_topological_order wto(at.graph);
    std::size_t visits = 0;
    const std::vector<unsigned> value = fixpoint(at.graph, wto, 40, visits);
    for (block_id b = 0; b < at.graph.num_blocks(); ++b)
      for (const block_id s : at.graph.successors(b))
        if (wto.place(b) && value[s] < (value[b] + 1 < 40 ? value[b] + 1 : 40)) return report(at, "no fixpoint");
  });
}

TEST_CASE("weak_topological_order: deep nests, ladders, long chains") {
  weak_topological_order<csr_graph> wto(nest(200'000));
  CHECK(wto.num_steps() == 600'001);
  CHECK(wto.contains(0, 399'999));
  CHECK(wto.heads().size() == 200'000);
  wto.recompute(chain(1'000'000));
  CHECK(wto.num_steps() == 1'000'000);
  wto.recompute(ladder(200'000));
  CHECK(wto.heads().empty());
}

TEST_CASE("weak_topological_order: speaks the vertices of any graph, takes a natural forest of a reducible graph") {
  const std::vector<std::vector<int>> g{{1}, {2, 3}, {1}, {}, {1}};
  const weak_topological_order wto(g);
  CHECK(wto.blocks()[0] == 0);
  CHECK(wto.step(1).kind == wto_step_kind::head);
  CHECK(wto.step(1).block == 1);
  CHECK(wto.heads()[0] == 1);
  CHECK_FALSE(wto.place(4).has_value());
  const auto natural = natural_loops(g);
  CHECK(weak_topological_order(g, natural).num_steps() == wto.num_steps());
  CHECK(weak_topological_order(csr_graph{}).num_steps() == 0);
}
