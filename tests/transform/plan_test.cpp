// SPDX-License-Identifier: BSL-1.0
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/analysis/structure.hpp>
#include <simtflow/graph/check.hpp>
#include <simtflow/graph/snapshot.hpp>
#include <simtflow/simt/executor.hpp>
#include <simtflow/simt/observers/counts.hpp>
#include <simtflow/simt/policies/ipdom_stack.hpp>
#include <simtflow/testing/generate.hpp>
#include <simtflow/transform/plan.hpp>
#include <simtflow/transform/planned_program.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

using namespace simtflow;

namespace {

// Block 0 goes to 1 or to 2, 1 to 2.
constexpr csr_graph if_then() { return csr_builder(3).add_edge(0, 1).add_edge(0, 2).add_edge(1, 2).build(); }

// Both ways through one guard, which sends on to 1 the threads with that value of the variable.
constexpr flow_plan guarded() {
  flow_plan p(if_then());
  const std::uint32_t v = p.add_variable();
  const block_id guard = p.add_guard(v, 1, 1, 1);
  p.set_edge(0, 0, guard);
  p.assign(0, 0, {v, 1});
  p.set_edge(0, 1, guard);
  p.assign(0, 1, {v, 2});
  p.set_edge(guard, 0, 1);
  p.set_edge(guard, 1, 2);
  return p;
}

}  // namespace

static_assert(check_adapter<flow_plan>());
static_assert(guarded().num_blocks() == 4);
static_assert(guarded().cost().guards == 1);

TEST_CASE("plan: at first it is the graph") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    CAPTURE(seed);
    testing::rng random(seed);
    const csr_graph g =
        testing::random_cfg(random, {.blocks = 1 + seed % 12, .exit_mark_percent = 20, .unreachable_percent = 10});
    const flow_plan p(g);
    REQUIRE(p.num_blocks() == g.num_blocks());
    REQUIRE(p.entry() == g.entry());
    for (block_id b = 0; b < g.num_blocks(); ++b) {
      REQUIRE(p[b].executes == b);
      REQUIRE(p.num_outcomes(b) == g.successors(b).size());
      for (std::size_t k = 0; k < g.successors(b).size(); ++k) REQUIRE(p.successors(b)[k] == g.successors(b)[k]);
    }
    CHECK(snapshot(p) == snapshot(g));
    CHECK(p.cost().blocks() == p.cost().originals);
  }
  const flow_plan nothing{csr_graph{}};
  CHECK(nothing.num_blocks() == 0);
  CHECK(nothing.entry() == no_block);
  CHECK(nothing.cost().blocks() == 0);
  const auto pdom = post_dominators(nothing);
  CHECK(pdom.ipdoms().empty());
}

TEST_CASE("plan: the latest assignment of a variable counts, and copies share nothing") {
  flow_plan p(if_then());
  const std::uint32_t v = p.add_variable(), w = p.add_variable();
  p.assign(0, 0, {v, 1});
  p.assign(0, 0, {w, 5});
  p.assign(0, 0, {v, 2});
  const auto edge = [&](block_id b, std::size_t k) { return p.successors(b)[k]; };
  CHECK(p.value_on(edge(0, 0), v, 9) == 2);
  CHECK(p.value_on(edge(0, 0), w, 9) == 5);
  CHECK(p.value_on(edge(0, 1), v, 9) == 9);
  const block_id copy = p.add_copy(0);
  CHECK(p[copy].role == plan_role::copy);
  CHECK(p[copy].executes == 0);
  p.assign(0, 0, {v, 3});
  CHECK(p.value_on(edge(copy, 0), v, 9) == 2);
  CHECK(p.value_on(edge(0, 0), v, 9) == 3);
  // Each variable is there once, on both.
  for (const block_id b : {block_id{0}, copy}) {
    int of_v = 0, of_w = 0;
    p.for_each_assignment(edge(b, 0), [&](plan_assignment a) {
      ++(a.variable == v ? of_v : of_w);
      CHECK(a.value == (a.variable == w ? 5U : b == 0 ? 3U : 2U));
    });
    CHECK(of_v == 1);
    CHECK(of_w == 1);
  }
  CHECK(p.cost().assignments == 2);
}

TEST_CASE("plan: what edges set, against a table") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    testing::rng random(seed);
    flow_plan p(if_then());
    const std::uint32_t variables = 1 + static_cast<std::uint32_t>(seed % 5);
    for (std::uint32_t v = 0; v < variables; ++v) (void)p.add_variable();
    std::vector<std::vector<std::uint32_t>> table(1, std::vector<std::uint32_t>(variables, 99));  // of edge 0 of each
    std::vector<block_id> block = {0};
    for (int i = 0; i < 30; ++i) {
      const std::size_t at = random.below(block.size());
      if (random.chance(15)) {
        block.push_back(p.add_copy(block[at]));
        table.push_back(table[at]);
        continue;
      }
      const auto v = static_cast<std::uint32_t>(random.below(variables)), n = static_cast<std::uint32_t>(i);
      p.assign(block[at], 0, {v, n});
      table[at][v] = n;
    }
    for (std::size_t i = 0; i < block.size(); ++i) {
      std::vector<std::uint32_t> found(variables, 99), times(variables, 0);
      p.for_each_assignment(p.successors(block[i])[0], [&](plan_assignment a) {
        found[a.variable] = a.value;
        ++times[a.variable];
      });
      CHECK_MESSAGE(found == table[i], "seed " << seed << ", block " << block[i]);
      for (std::uint32_t v = 0; v < variables; ++v) {
        CHECK(times[v] == (table[i][v] == 99 ? 0U : 1U));
        CHECK(p.value_on(p.successors(block[i])[0], v, 99) == table[i][v]);
      }
    }
  }
}

TEST_CASE("plan: exit edges, ends, and what it all costs") {
  flow_plan p(if_then());
  const block_id end = p.add_empty(true);
  CHECK(p.add_exit_edge(2, end) == 0);
  CHECK(p[2].exit_edge);
  CHECK(!p[2].leaves);
  CHECK(p.num_outcomes(2) == 0);
  CHECK(p.successors(2)[0] == end);
  CHECK(p[end].leaves);
  CHECK(p.cost().empties == 1);

  flow_plan q = guarded();
  CHECK(q.cost().guards == 1);
  CHECK(q.cost().variables == 1);
  CHECK(q.cost().assignments == 2);
}

TEST_CASE("plan: a program runs on it as on its graph, and what was added is counted apart") {
  const csr_graph g = if_then();
  const flow_plan p = guarded();
  REQUIRE(is_structured(p));
  const auto step = [](std::uint32_t t, block_id b) -> block_id { return b == 0 ? 1 + t % 2 : b == 1 ? 2 : no_block; };
  planned_program program(p, g, callable_program(step));
  const auto pdom = post_dominators(p);
  counts c;
  REQUIRE(run(policies::ipdom_stack(pdom.ipdoms()), program, {.threads = 32}, c).finished());
  CHECK(c.fetches == 4);
  CHECK(c.warp_instructions == 3);
  CHECK(c.thread_instructions == 32 + 16 + 32);
  CHECK(program.overhead().guard_tests == 1);
  CHECK(program.overhead().assignments == 1);
  CHECK(program.overhead().empties == 0);
  for (std::uint32_t t = 0; t < 32; ++t) CHECK(program.value(t, 0) == 1 + t % 2);
}

TEST_CASE("plan: threads that end in a block with an exit edge go on") {
  // Threads may end in block 0 or go on to 1, where all end; in the plan all meet in an empty block after.
  const csr_graph g = csr_builder(2).add_edge(0, 1).mark_exit(0).build();
  flow_plan p(g);
  const block_id end = p.add_empty(true);
  p.add_exit_edge(0, end);
  p.add_exit_edge(1, end);
  const auto step = [](std::uint32_t t, block_id b) -> block_id { return b == 0 && t % 4 != 0 ? 1 : no_block; };
  planned_program program(p, g, callable_program(step));
  counts c;
  const auto pdom = post_dominators(p);
  REQUIRE(run(policies::ipdom_stack(pdom.ipdoms()), program, {.threads = 8}, c).finished());
  CHECK(c.thread_instructions == 8 + 6);
  CHECK(program.overhead().empties == 1);
}
