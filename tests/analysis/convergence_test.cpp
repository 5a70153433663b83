// SPDX-License-Identifier: BSL-1.0
#include "analysis/oracles.hpp"
#include <simtflow/analysis/convergence.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

using namespace simtflow_tests;

namespace {

// --- oracle: all simple paths --------------------------------------------------------------------------------------

struct walk {
  block_id arm, end;
  block_set inner;  // the blocks before the end
};

// Every simple path from an arm of b that passes neither b nor `join`; it may end there.
std::vector<walk> walks_of(const small_graph& g, block_id b, block_id join) {
  std::vector<walk> all;
  for (block_set arms = g.out[b]; arms != 0; arms &= arms - 1) all.push_back({lowest(arms), lowest(arms), 0});
  for (std::size_t i = 0; i < all.size(); ++i) {
    const walk w = all[i];
    if (w.end == b || w.end == join) continue;
    const block_set inner = w.inner | only(w.end);
    for (block_set next = g.out[w.end] & ~inner; next != 0; next &= next - 1)
      all.push_back({w.arm, lowest(next), inner});
  }
  return all;
}

std::pair<block_set, block_set> expected_meetings(const small_graph& g, block_id b, block_id join) {
  block_set meeting = 0, first = 0;
  if (!has(g.reachable, b) || std::popcount(g.out[b]) < 2) return {0, 0};
  const std::vector<walk> walks = walks_of(g, b, join);
  for (const walk& v : walks)
    for (const walk& w : walks) {
      if (v.arm >= w.arm || v.end != w.end) continue;
      meeting |= only(v.end);
      if ((v.inner & w.inner) == 0) first |= only(v.end);
    }
  return {meeting, first};
}

void check_meetings(const subject& at, branch_meetings<csr_graph>& reused, infinite_loops endless) {
  const small_graph g(at.graph);
  const auto tree = post_dominators(at.graph, {endless});
  for (block_id b = 0; b < g.n; ++b) {
    const auto [meeting, first] = expected_meetings(g, b, tree.ids().ipdom(b));
    reused.recompute(at.graph, tree, b);
    bool good = to_set(reused.meeting()) == meeting && to_set(reused.first()) == first;
    for (const auto& list : {reused.meeting(), reused.first()})
      for (std::size_t i = 1; i < list.size(); ++i) good = good && list[i - 1] < list[i];
    if (!good)
      return report(at, "arms of " + std::to_string(b) + ": expected " + show(meeting) + ", first " + show(first) +
                            ", got " + show(to_set(reused.meeting())) + ", first " + show(to_set(reused.first())));
  }
}

// --- oracle: likely-convergence points -------------------------------------------------------------------------------

std::vector<block_id> expected_by_loops(const small_graph& g, const std::vector<block_id>& rpo,
                                        std::span<const block_id> ipdoms) {
  std::vector<block_id> points(g.n, no_block);
  const std::vector<expected_loop> all = expected_loops(g, rpo);
  for (block_id b = 0; b < g.n; ++b) {
    if (!has(g.reachable, b) || std::popcount(g.out[b]) < 2) continue;
    std::uint32_t deepest = 0;  // of the loops that have been looked at, from the inside
    for (bool found = true; found && points[b] == no_block;) {
      const expected_loop* inner = nullptr;
      for (const expected_loop& l : all)
        if (has(l.blocks, b) && (deepest == 0 || l.depth < deepest) && (!inner || l.depth > inner->depth)) inner = &l;
      found = inner && (ipdoms[b] == no_block || !has(inner->blocks, ipdoms[b]));
      if (!found) break;
      deepest = inner->depth;
      const block_id point = std::popcount(inner->latches) == 1 ? lowest(inner->latches) : inner->header;
      if (point != b) points[b] = point;
    }
  }
  return points;
}

struct counts_of {
  std::vector<std::uint64_t> edges, exits;
  [[nodiscard]] edge_profile profile() const { return {edges, exits}; }
};

// The rule of the header, by searching: which edges are left, then what every path that is left contains.
std::vector<block_id> expected_by_profile(const csr_graph& graph, const small_graph& g,
                                          const std::vector<block_id>& rpo, const counts_of& counts, double threshold,
                                          std::span<const block_id> ipdoms) {
  std::vector<block_set> left(g.n, 0);
  block_set ends = 0;
  const auto weight = [&](block_id b, block_id s) {
    std::uint64_t sum = 0;
    for (std::uint32_t k = 0; k < g.slots[b].size(); ++k)
      if (g.slots[b][k] == s) sum += counts.edges[graph.first_edge(b) + k];
    return sum;
  };
  for (block_id b = 0; b < g.n; ++b) {
    if (!has(g.reachable, b)) continue;
    std::uint64_t total = has(g.exits, b) ? counts.exits[b] : 0, most = total;
    for (block_set s = g.out[b]; s != 0; s &= s - 1) {
      total += weight(b, lowest(s));
      most = std::max(most, weight(b, lowest(s)));
    }
    const auto keeps = [&](std::uint64_t w) {
      return w == most || static_cast<double>(w) >= threshold * static_cast<double>(total);
    };
    for (block_set s = g.out[b]; s != 0; s &= s - 1)
      if (keeps(weight(b, lowest(s)))) left[b] |= only(lowest(s));
    if (has(g.exits, b) && (g.out[b] == 0 || keeps(counts.exits[b]))) ends |= only(b);
  }
  for (bool changed = true; changed;) {
    changed = false;
    std::vector<block_set> now = left;
    block_set done = 0, more_ends = 0;
    for (block_id b = 0; b < g.n; ++b) {
      if (!has(g.reachable, b) || has(done, b)) continue;
      const block_set ahead = small_graph::reach(left, only(b), ~block_set{0});
      bool closed = (ahead & ends) == 0;
      for (block_set rest = ahead; rest != 0; rest &= rest - 1)
        closed = closed && has(small_graph::reach(left, only(lowest(rest)), ~block_set{0}), b);
      if (!closed) continue;
      done |= ahead;
      std::uint64_t most = 0;
      block_id from = no_block, to = no_block, end = no_block;
      for (block_id m = 0; m < g.n; ++m)
        for (std::uint32_t k = 0; has(ahead, m) && k < g.slots[m].size(); ++k) {
          const std::uint64_t w = counts.edges[graph.first_edge(m) + k];
          if (has(ahead, g.slots[m][k]) || (from != no_block && w <= most)) continue;
          most = w, from = m, to = g.slots[m][k];
        }
      // Among the ends the most counted; against an edge it must count more. Among ends, the choice does not matter for
      // ties but in the order of ids here the search order decides, so ties are avoided by the counts.
      for (block_id m = 0; m < g.n; ++m)
        if (has(ahead, m) && has(g.exits, m) && ((from == no_block && end == no_block) || counts.exits[m] > most))
          most = counts.exits[m], end = m;
      if (end != no_block)
        more_ends |= only(end);
      else if (from != no_block)
        now[from] |= only(to);
      changed = changed || end != no_block || from != no_block;
    }
    left = now;
    ends |= more_ends;
  }
  ends |= virtual_edges(g, rpo);
  std::vector<block_id> points(g.n, no_block);
  std::vector<block_set> dominated(g.n, 0);
  for (block_id a = 0; a < g.n; ++a)
    for (block_id b = 0; b < g.n; ++b)
      if (has(g.reachable, a) && has(g.reachable, b) &&
          (a == b || (small_graph::reach(left, only(b), ~only(a)) & ends) == 0))
        dominated[a] |= only(b);
  for (block_id b = 0; b < g.n; ++b) {
    if (!has(g.reachable, b) || std::popcount(g.out[b]) < 2) continue;
    const block_id up = immediate(dominated, b);
    if (up != ipdoms[b]) points[b] = up;
  }
  return points;
}

// Distinct counts, many of them small next to a few large ones.
counts_of random_counts(const csr_graph& g, std::uint64_t seed) {
  testing::rng random(seed);
  counts_of c;
  for (std::uint64_t e = 0; e < g.num_edges(); ++e)
    c.edges.push_back(random.chance(25) ? 0 : (random.chance(40) ? 3 : 3000) + 7 * e + random.below(7));
  for (block_id b = 0; b < g.num_blocks(); ++b)
    c.exits.push_back((random.chance(40) ? 1 : 2000) + 5000 * std::uint64_t{b} * (random.chance(20) ? 1U : 0U) + b);
  return c;
}

void check_likely(const subject& at) {
  const small_graph g(at.graph);
  const auto tree = post_dominators(at.graph);
  const std::vector<block_id> rpo = recursive_search(g).rpo();
  const auto loop_points = likely_convergence(at.graph, loops(at.graph), tree);
  const std::vector<block_id> by_loops(loop_points.points().begin(), loop_points.points().end());
  const std::vector<block_id> expected = expected_by_loops(g, rpo, tree.ipdoms());
  if (by_loops != expected) return report(at, "by loops: expected " + show(expected) + ", got " + show(by_loops));
  const counts_of counts = random_counts(at.graph, at.seed);
  for (const double threshold : {0.0, 0.05, 0.4, 1.0}) {
    const auto points = likely_convergence(at.graph, tree, counts.profile(), threshold);
    const std::vector<block_id> got(points.points().begin(), points.points().end());
    const std::vector<block_id> want = expected_by_profile(at.graph, g, rpo, counts, threshold, tree.ipdoms());
    if (got != want)
      return report(at,
                    "by profile at " + std::to_string(threshold) + ": expected " + show(want) + ", got " + show(got));
  }
}

// The example of the literature: A 0, B 1, C 2, D 3 (break), E 4 (latch), F 5.
csr_graph loop_with_break() { return testing::adjacency({{1, 2}, {4}, {3, 4}, {5}, {0, 5}, {}}); }

constexpr bool constant_expression() {
  const csr_graph g = testing::adjacency({{1, 2}, {4}, {3, 4}, {5}, {0, 5}, {}});
  const auto tree = post_dominators(g);
  const std::uint64_t edges[] = {50, 50, 50, 1, 49, 1, 97, 2};
  const auto by_profile = likely_convergence(g, tree, edge_profile{edges}, 0.05);
  const auto by_loops = likely_convergence(g, loops(g), tree);
  const branch_meetings<csr_graph> m(g, tree, 0);
  return by_profile.point(0) == 4 && by_loops.point(0) == 4 && m.first().size() == 2 && m.first()[0] == 4 &&
         pdom_join_blocks(g, tree).size() == 1;
}
static_assert(constant_expression());

}  // namespace

TEST_CASE("convergence: a loop with a break joins at its latch, by loops and by profile") {
  const csr_graph g = loop_with_break();
  const auto tree = post_dominators(g);
  CHECK(tree.ipdom(0) == 5);
  const auto by_loops = likely_convergence(g, loops(g), tree);
  CHECK(by_loops.point(0) == 4);
  CHECK(by_loops.point(2) == 4);
  CHECK(!by_loops.point(4));  // the latch itself
  CHECK(!by_loops.point(1));  // no branch
  const std::vector<std::uint64_t> edges{50, 50, 50, 1, 49, 1, 97, 2};
  const auto likely = likely_convergence(g, tree, {edges}, 0.05);
  CHECK(likely.point(0) == 4);
  CHECK(likely.point(2) == 4);
  CHECK(!likely.point(4));  // its way out is rare, but there is no other
  const auto all = likely_convergence(g, tree, {edges}, 0);
  for (block_id b = 0; b < 6; ++b) CHECK(!all.point(b));
}

TEST_CASE("convergence: nested loops, several latches, branches that are latches") {
  // Outer loop 0..4, inner loop 1..3; 2 leaves both loops, 3 is the inner latch, 4 the outer one.
  const csr_graph g = testing::adjacency({{1}, {2, 3}, {3, 5}, {1, 4}, {0, 5}, {}});
  const auto points = likely_convergence(g, loops(g), post_dominators(g));
  CHECK(points.point(1) == 3);
  CHECK(points.point(2) == 3);
  CHECK(points.point(3) == 4);
  CHECK(!points.point(4));
  const csr_graph twice = testing::adjacency({{1, 4}, {2, 3}, {0, 4}, {0}, {}});  // latches 2 and 3
  const auto header = likely_convergence(twice, loops(twice), post_dominators(twice));
  CHECK(header.point(1) == 0);
  CHECK(header.point(2) == 0);
  CHECK(!header.point(0));
}

TEST_CASE("convergence: a rare exit in the middle of a block is ignored if its count is known") {
  const csr_graph g = csr_builder(4).add_edge(0, 1).add_edge(0, 2).add_edge(1, 3).add_edge(2, 3).mark_exit(1).build();
  const auto tree = post_dominators(g);
  CHECK(!tree.ipdom(0));
  const std::vector<std::uint64_t> edges{500, 500, 499, 500}, exits{0, 1, 0, 999};
  CHECK(!likely_convergence(g, tree, {edges}, 0.1).point(0));
  CHECK(likely_convergence(g, tree, {edges, exits}, 0.1).point(0) == 3);
}

TEST_CASE("convergence: where the arms of a branch meet") {
  const auto sets = [](const csr_graph& g, block_id b) {
    const auto tree = post_dominators(g);
    const branch_meetings<csr_graph> m(g, tree, b);
    return show(to_set(m.meeting())) + " " + show(to_set(m.first()));
  };
  CHECK(sets(testing::diamond(), 0) == "{3} {3}");
  CHECK(sets(testing::triangle(), 0) == "{2} {2}");
  CHECK(sets(testing::figure_1(), 0) == "{2,3,4,5} {2,5}");     // BB3, and Exit past BB2
  CHECK(sets(testing::switch_parallel(), 0) == "{3,4} {3,4}");  // three arms, one fallen into
  CHECK(sets(testing::parallel_edges(), 0) == "{} {}");         // one arm
  CHECK(sets(testing::infinite_loop_arm(), 0) == "{} {}");      // the endless arm meets nobody
  CHECK(sets(testing::unreachable_island(), 3) == "{} {}");
  CHECK(sets(testing::self_loop(), 1) == "{} {}");  // one arm comes back, the other does not
  CHECK(sets(testing::while_loop(), 1) == "{} {}");
  CHECK(sets(testing::adjacency({{1}, {2, 3}, {1, 4}, {1, 4}, {}}), 1) == "{1,4} {1,4}");  // both come back
  CHECK(sets(testing::adjacency({{1}, {2, 3}, {1, 4}, {1}, {}}), 1) == "{} {}");  // 2 is the post-dominator and an arm
  CHECK(sets(testing::adjacency({{1, 2}, {3}, {3}, {4}, {}}), 0) == "{3} {3}");   // nothing after the join
  CHECK(sets(testing::two_entry_loop(), 0) == "{2} {2}");
}

TEST_CASE("convergence: meetings of every branch of every small graph against all paths") {
  branch_meetings<csr_graph> reused(testing::one_block(), post_dominators(testing::one_block()), 0);
  for_each_small([&](const subject& at) {
    check_meetings(at, reused, at.seed % 2 ? infinite_loops::virtual_edge : infinite_loops::ignore);
  });
}

TEST_CASE("convergence: meetings in shapes and random graphs against all paths") {
  branch_meetings<csr_graph> reused(testing::one_block(), post_dominators(testing::one_block()), 0);
  const auto check = [&](const subject& at) { check_meetings(at, reused, infinite_loops::virtual_edge); };
  for_each_shape(check);
  for_each_small_with_exits(check);
  for_each_random(2000, 9, check);
}

TEST_CASE("convergence: likely points of small graphs against the rules") {
  for_each_small([](const subject& at) {
    if (at.graph.num_blocks() < 4 || at.seed % 11 == 0) check_likely(at);  // all of four blocks would take 10 s
  });
}

TEST_CASE("convergence: likely points of shapes and random graphs against the rules") {
  for_each_shape(check_likely);
  for_each_small_with_exits(check_likely);
  for_each_random(3000, 12, check_likely);
}

TEST_CASE("convergence: PDOM join blocks are the distinct immediate post-dominators of branches") {
  const auto check = [](const subject& at) {
    const small_graph g(at.graph);
    const auto tree = post_dominators(at.graph);
    const std::vector<block_set> sets = post_dominated_sets(g, g.exits | virtual_edges(g, recursive_search(g).rpo()));
    block_set expected = 0;
    for (block_id b = 0; b < g.n; ++b)
      if (has(g.reachable, b) && std::popcount(g.out[b]) > 1 && immediate(sets, b) != no_block)
        expected |= only(immediate(sets, b));
    const std::vector<block_id> got = pdom_join_blocks(at.graph, tree);
    if (to_set(std::span<const block_id>(got)) != expected || got.size() != std::size_t(std::popcount(expected)))
      report(at, "joins: expected " + show(expected) + ", got " + show(got));
  };
  for_each_shape(check);
  for_each_random(1000, 10, check);
}

TEST_CASE("convergence: speaks the vertices of any graph") {
  const std::vector<std::vector<int>> g{{1, 2}, {4}, {3, 4}, {5}, {0, 5}, {}};
  const auto tree = post_dominators(g);
  CHECK(likely_convergence(g, loops(g), tree).point(2) == 4);
  CHECK(pdom_join_blocks(g, tree) == std::vector<int>{5});
  const branch_meetings<std::vector<std::vector<int>>> m(g, tree, 0);
  std::vector<int> first;
  for (const int v : m.first()) first.push_back(v);
  CHECK(first == std::vector<int>{4, 5});
}

TEST_CASE("convergence: large graphs") {
  const csr_graph rungs = ladder(100'000);
  const auto tree = post_dominators(rungs);
  branch_meetings<csr_graph> m(rungs, tree, 0);
  CHECK(m.meeting().size() == 200'001 - 2);
  CHECK(m.first().size() == m.meeting().size());
  const csr_graph deep = nest(100'000);
  const auto deep_tree = post_dominators(deep);
  m.recompute(deep, deep_tree, 199'999);
  CHECK(m.meeting().empty());  // the innermost latch: one arm comes back to it, the other leaves
  const auto likely = likely_convergence(deep, loops(deep), deep_tree);
  CHECK(likely.points().size() == 200'001);
}
