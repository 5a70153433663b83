// SPDX-License-Identifier: BSL-1.0
#include "linearized.hpp"
#include <simtflow/graph/snapshot.hpp>
#include <simtflow/testing/shapes.hpp>
#include <simtflow/transform/check_plan.hpp>
#include <simtflow/transform/merge_iterations.hpp>
#include <simtflow/transform/merge_loops.hpp>

using namespace simtflow;
using namespace linearized;

TEST_CASE("merge_loops: the example of the paper") {
  // for (i < 2) { S1; for (j < cond) S2; S3; }: 0 entry, 1 S1, 2 inner test, 3 S2, 4 S3 and outer test, 5 end. Trip
  // counts of two threads: 10 and 15, 15 and 10.
  const csr_graph g = testing::adjacency({{1}, {2}, {3, 4}, {2}, {1, 5}, {}});
  const auto run = [&](const flow_plan& p) {
    std::uint32_t i[2] = {}, j[2] = {};
    const std::uint32_t trips[2][2] = {{10, 15}, {15, 10}};
    const auto go = [&](std::uint32_t t, block_id b) -> block_id {
      switch (b) {
        case 0:
          return 1;
        case 1:
          j[t] = 0;
          return 2;
        case 2:
          return j[t] < trips[t][i[t]] ? 3 : 4;
        case 3:
          ++j[t];
          return 2;
        case 4:
          return ++i[t] < 2 ? 1 : 5;
        default:
          return no_block;
      }
    };
    std::vector<std::size_t> of(p.num_blocks(), 0);
    const csr_graph shape = snapshot(p);
    const auto pdom = post_dominators(shape);
    planned_program program(p, g, callable_program(go));
    overloaded watch{[&](const event::issued<lane_mask>& e) { ++of[e.block]; }};
    executor<policies::ipdom_stack> machine(policies::ipdom_stack(pdom.ids().ipdoms()));
    REQUIRE(machine.run(program, {.threads = 2, .warp_width = 2, .entry = p.entry()}, watch).finished());
    return of;
  };
  const std::vector<std::size_t> before = run(flow_plan(g));
  CHECK(before[3] == 30);
  CHECK(before[1] == 2);
  CHECK(before[4] == 2);
  for (const guard_optimization level : levels) {
    const linearization made = merge_loops(g, block_id{1}, level);
    CHECK(made.structured);
    CHECK(made.regions.size() == 1);
    CHECK(made.regions[0].loops == 1);
    CHECK(wrong_way(g, made.plan) == "");
    const std::vector<std::size_t> after = run(made.plan);
    CHECK(after[3] == 26);
    CHECK(after[1] == 3);
    CHECK(after[4] == 3);
  }
  CHECK(merge_loops(g, block_id{0}).regions.empty());
  // One meeting guard does the same.
  cfg_facts facts(g);
  block_id at = 0;
  const auto never = [](block_id) { return false; };
  const loop_id inner = facts.loops().innermost(2);
  REQUIRE(refusal_to_merge(facts, inner, never, never, at) == merge_refusal::none);
  CHECK(at == no_block);
  flow_plan plan(g);
  merge_iterations(plan, facts, inner);
  CHECK(plan.cost().guards == 1);
  CHECK(plan.cost().assignments == 2);  // where the nest is entered and where it is left
  const std::vector<std::size_t> after = run(plan);
  CHECK(after[3] == 26);
  CHECK(after[1] == 3);
  CHECK(after[4] == 3);
}

TEST_CASE("merge_iterations: every inner loop of random graphs, alone and together") {
  std::size_t merged = 0, together = 0;
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    testing::rng random(seed);
    const csr_graph g = random_nest(random);
    if (g.num_blocks() == 0) continue;
    cfg_facts facts(g);
    const auto never = [](block_id) { return false; };
    flow_plan all(g);
    std::vector<unsigned char> taken(g.num_blocks(), 0);
    std::size_t here = 0;
    for (const loop_id l : facts.loops().all()) {
      block_id at = no_block;
      if (refusal_to_merge(facts, l, never, never, at) != merge_refusal::none) continue;
      flow_plan plan(g);
      merge_iterations(plan, facts, l);
      REQUIRE_MESSAGE(!check_plan(g, plan), text(seed, g, plan));
      check_same(seed, g, plan);
      ++merged;
      bool free = true;
      for (const block_id b : facts.loops().blocks(facts.loops().parent(l))) free = free && taken[b] == 0;
      if (!free) continue;
      for (const block_id b : facts.loops().blocks(facts.loops().parent(l))) taken[b] = 1;
      merge_iterations(all, facts, l);
      ++here;
    }
    if (here < 2) continue;
    ++together;
    REQUIRE_MESSAGE(!check_plan(g, all), text(seed, g, all));
    check_same(seed, g, all);
  }
  MESSAGE(merged << " loops merged; " << together << " graphs with several of them");
  CHECK(merged > 300);
  CHECK(together > 10);
}

TEST_CASE("merge_iterations: what is refused, and where") {
  // 0 -> 1 { 2 { 3 } 4 { 5 } 6 } 7: two loops in one.
  const csr_graph g = testing::adjacency({{1}, {2}, {3, 4}, {2}, {5, 6}, {4}, {1, 7}, {}});
  cfg_facts facts(g);
  const auto never = [](block_id) { return false; };
  const loop_id first = facts.loops().innermost(2), second = facts.loops().innermost(4);
  block_id at = no_block;
  const auto is = [](block_id b) { return [b](block_id x) { return x == b; }; };
  CHECK(refusal_to_merge(facts, first, never, never, at) == merge_refusal::none);
  CHECK(refusal_to_merge(facts, facts.loops().parent(first), never, never, at) == merge_refusal::no_outer_loop);
  CHECK(refusal_to_merge(facts, first, is(6), never, at) == merge_refusal::convergent);
  CHECK(at == 6);
  CHECK(refusal_to_merge(facts, first, is(7), never, at) == merge_refusal::none);
  CHECK(refusal_to_merge(facts, first, never, is(5), at) == merge_refusal::waits);
  CHECK(at == 5);
  CHECK(refusal_to_merge(facts, second, never, is(5), at) == merge_refusal::none);
  const csr_graph endless = testing::adjacency({{1}, {2}, {3, 1}, {2}});
  cfg_facts of_endless(endless);
  CHECK(refusal_to_merge(of_endless, of_endless.loops().innermost(3), never, never, at) == merge_refusal::endless);
}

TEST_CASE("merge_iterations: trips beyond every integer are estimated") {
  merged_nest_trips trips;
  trips.outer = 2;
  trips.mean = 1000;
  trips.most = 3000;
  trips.lane_fetches = 1024 * trips.inner_merged();
  const double most = trips.outer_merged();
  CHECK(most > 3000);
  for (const double fetches : {1e12, 1e20, 1e300}) {
    trips.lane_fetches = fetches;
    CHECK(trips.outer_merged() == most);
  }
}
