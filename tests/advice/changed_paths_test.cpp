// SPDX-License-Identifier: BSL-1.0
//
// Paths are followed through changed code: the cases that the header names, and random linearized and copied graphs,
// where the plan itself tells which way a thread goes.
#include <simtflow/advice/changed_paths.hpp>
#include <simtflow/graph/snapshot.hpp>
#include <simtflow/testing/random.hpp>
#include <simtflow/testing/random_graphs.hpp>
#include <simtflow/transform/linearize.hpp>
#include <simtflow/transform/plan.hpp>
#include <simtflow/transform/structure_by_copies.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

using namespace simtflow;
using advice::code_piece;
using advice::path_follower;
using path = std::vector<block_id>;

namespace {

path followed(path_follower& f, const path& old) {
  path out;
  REQUIRE(f.follow(old, out));
  return out;
}

std::string text_of(const path& p) {
  std::string out;
  for (const block_id b : p) out += " " + std::to_string(b);
  return out;
}

// The way of one thread through a plan, by the plan's own variables: the oracle. `went` is a path of g.
path way_through(const flow_plan& plan, const csr_graph& g, const path& went) {
  path out;
  std::vector<std::uint32_t> value(plan.num_variables(), 0);
  block_id at = plan.entry();
  const auto go = [&](std::size_t slot) {
    const flow_plan::edge e = plan.successors(at)[slot];
    plan.for_each_assignment(e, [&](plan_assignment a) { value[a.variable] = a.value; });
    at = e.to;
  };
  for (std::size_t i = 0; i < went.size(); ++i) {
    for (;;) {
      out.push_back(at);
      if (plan[at].role == plan_role::guard) {
        const std::uint32_t v = value[plan[at].variable];
        go(v >= plan[at].low && v <= plan[at].high ? 0 : 1);
      } else if (plan[at].role == plan_role::empty) {
        go(0);
      } else {
        break;
      }
    }
    REQUIRE(plan[at].executes == went[i]);
    if (i + 1 == went.size()) break;
    const auto next = g.successors(went[i]);
    go(static_cast<std::size_t>(std::find(next.begin(), next.end(), went[i + 1]) - next.begin()));
  }
  return out;
}

// Blocks of the path that execute one of the graph.
path executing(const flow_plan& plan, const path& p) {
  path out;
  for (const block_id b : p)
    if (plan[b].role == plan_role::original || plan[b].role == plan_role::copy) out.push_back(b);
  return out;
}

}  // namespace

TEST_CASE("changed_paths: guards cost nothing, and only one copy lies on the way") {
  //! [follow]
  // Old code: 0 -> 1 or 2 -> 3. New code: 0, a guard 1, the old 1 as 2, a guard 3, the old 2 as 4, then 5.
  const csr_graph now = snapshot(std::vector<std::vector<int>>{{1}, {2, 3}, {3}, {4, 5}, {5}, {}});
  path_follower follower(now, {{0, 0, 0, 4, 0, 5}, {2, 1, 0, 1, 0, 2}, {4, 2, 0, 2, 0, 3}, {5, 3, 0, 0, 0, 1}}, 4);
  std::vector<block_id> way;
  CHECK(follower.follow(std::vector<block_id>{0, 2, 3}, way));
  CHECK(way == std::vector<block_id>{0, 1, 3, 4, 5});
  //! [follow]
  CHECK(followed(follower, {0, 1, 3}) == path{0, 1, 2, 3, 5});
}

TEST_CASE("changed_paths: cut blocks come in order, and a loop comes round") {
  // Old: 0 -> 1 -> {1, 2}; new: block 1 is cut into 1 and 2, with code of nobody between.
  const csr_graph now = snapshot(std::vector<std::vector<int>>{{1}, {2}, {3}, {1, 4}, {}});
  path_follower follower(now, {{0, 0, 0, 0, 0, 1}, {1, 1, 0, 2, 0, 3}, {3, 1, 3, 5, 0, 3}, {4, 2, 0, 0, 0, 1}}, 3);
  CHECK(followed(follower, {0, 1, 1, 2}) == path{0, 1, 2, 3, 1, 2, 3, 4});
}

TEST_CASE("changed_paths: both arms under a mask are one way, and melded instructions belong to both") {
  const csr_graph one = snapshot(std::vector<std::vector<int>>{{}});
  path_follower masked(one, {{0, 0, 0, 1, 0, 2}, {0, 1, 0, 1, 2, 2}, {0, 2, 0, 1, 4, 2}, {0, 3, 0, 0, 6, 1}}, 4);
  CHECK(followed(masked, {0, 2, 3}) == path{0});
  CHECK(followed(masked, {0, 1, 3}) == path{0});
  // 0 -> melded 1 (of 1 and 2) with a loop -> 2 (of 3).
  const csr_graph loop = snapshot(std::vector<std::vector<int>>{{1}, {1, 2}, {}});
  path_follower melded(loop, {{0, 0, 0, 0, 0, 1}, {1, 1, 0, 3, 0, 4}, {1, 2, 0, 3, 0, 4}, {2, 3, 0, 0, 0, 1}}, 4);
  CHECK(followed(melded, {0, 2, 2, 2, 3}) == path{0, 1, 1, 1, 2});
  CHECK(followed(melded, {0, 1, 3}) == path{0, 1, 2});
}

TEST_CASE("changed_paths: a block that is gone is left out, a way that is missing is told") {
  const csr_graph now = snapshot(std::vector<std::vector<int>>{{1}, {}, {}});
  path_follower follower(now, {{0, 0, 0, 0, 0, 1}, {1, 2, 0, 0, 0, 1}, {2, 3, 0, 0, 0, 1}}, 4);
  CHECK(followed(follower, {0, 1, 2}) == path{0, 1});
  path out;
  CHECK_FALSE(follower.follow(path{0, 3}, out));
  const csr_graph nothing;
  path_follower empty(nothing, {}, 1);
  CHECK(empty.follow(path{}, out));
}

TEST_CASE("changed_paths: random graphs, linearized or copied: the blocks that execute are the plan's") {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    testing::rng random(seed);
    const csr_graph g = snapshot(
        testing::random_cfg(random, {.blocks = 3 + random.below(8), .terminating = true, .shuffled = seed % 2 == 0}));
    linearize_options options;
    flow_plan plan = linearize(g, options).plan;
    if (seed % 3 == 0) {
      flow_plan copied(g);
      if (structure_by_copies(copied, {.max_blocks = 400}).fits) plan = copied;
    }
    std::vector<code_piece> pieces;
    for (block_id b = 0; b < plan.num_blocks(); ++b)
      if (plan[b].role == plan_role::original || plan[b].role == plan_role::copy)
        pieces.push_back({b, plan[b].executes, 0, 3, 0, 4});
    const csr_graph now = snapshot(plan);
    path_follower follower(now, pieces, g.num_blocks());
    for (int walk = 0; walk < 8; ++walk) {
      path went{g.entry()};
      while (went.size() < 30 && !g.successors(went.back()).empty()) {
        const auto next = g.successors(went.back());
        went.push_back(next[random.below(next.size())]);
      }
      if (!g.successors(went.back()).empty()) continue;  // it does not end
      path out;
      const bool found = follower.follow(went, out);
      CAPTURE(seed);
      CAPTURE(text_of(went));
      CAPTURE(text_of(out));
      const path way = way_through(plan, g, went);
      CAPTURE(text_of(way));
      REQUIRE(found);
      REQUIRE(executing(plan, out) == executing(plan, way));
    }
  }
}
