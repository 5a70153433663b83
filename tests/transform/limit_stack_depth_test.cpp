// SPDX-License-Identifier: BSL-1.0
#include "linearized.hpp"
#include <simtflow/testing/shapes.hpp>
#include <simtflow/transform/limit_stack_depth.hpp>

using namespace simtflow;
using namespace linearized;

TEST_CASE("limit_stack_depth: the example of the paper") {
  // Figure 3: if (1) { if (2) { if (4) 6 else 7; 8 } else 5; 9 } else 3; 10
  const csr_graph g = testing::adjacency({{1}, {2, 3}, {4, 5}, {10}, {6, 7}, {9}, {8}, {8}, {9}, {10}, {11}, {}});
  const testing::random_walks walks(g, {.seed = 1});
  // Threads that part at every branch.
  const auto deepest = [&](const flow_plan& p) {
    const auto go = [](std::uint32_t t, block_id b) -> block_id {
      constexpr block_id first[] = {1, 2, 4, 10, 6, 9, 8, 8, 9, 10, 11, no_block};
      if (b == 1) return t == 3 ? 3U : 2U;
      if (b == 2) return t == 2 ? 5U : 4U;
      if (b == 4) return t == 1 ? 7U : 6U;
      return first[b];
    };
    struct watched : ipdom_stack {
      using ipdom_stack::ipdom_stack;
      std::size_t* most = nullptr;
      std::optional<fragment> next() {
        const auto f = ipdom_stack::next();
        if (depth() > *most) *most = depth();
        return f;
      }
    };
    std::size_t most = 0;
    const csr_graph shape = snapshot(p);
    const auto pdom = post_dominators(shape);
    planned_program program(p, g, callable_program(go));
    program.begin_block(4);
    watched policy{pdom.ids().ipdoms()};
    policy.most = &most;
    executor<watched> machine(policy);
    REQUIRE(machine.run({.threads = 4, .warp_width = 4, .entry = p.entry()}, program).finished());
    return most;
  };
  CHECK(deepest(flow_plan(g)) == 7);
  for (std::uint32_t limit = 2; limit <= 8; ++limit) {
    CAPTURE(limit);
    const linearization made = limit_stack_depth(g, limit);
    CHECK(wrong_way(g, made.plan) == "");
    CHECK(wrong_shape(made.plan) == "");
    CHECK(deepest(made.plan) <= limit);
    CHECK(made.regions.size() == (limit >= 7 ? 0U : 1U));
  }
  CHECK(deepest(limit_stack_depth(g, 6).plan) == 6);
  CHECK(deepest(limit_stack_depth(g, 4).plan) == 4);
  // Random structured programs: the limit holds but for loops.
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    testing::rng random(seed);
    const auto made = testing::random_structured_program(random, {.statements = 14, .max_depth = 5, .loops = false});
    for (const std::uint32_t limit : {2U, 3U, 4U, 5U, 6U}) {
      const linearization done = limit_stack_depth(made.graph, limit);
      REQUIRE_MESSAGE(wrong_way(made.graph, done.plan) == "", text(seed, made.graph, done.plan));
      REQUIRE_MESSAGE(wrong_shape(done.plan) == "", text(seed, made.graph, done.plan));
      const fetches f = count_fetches(done.plan, testing::random_walks(made.graph, {.seed = seed}), 32);
      CHECK_MESSAGE(f.deepest <= limit, "limit " << limit << "\n" << text(seed, made.graph, done.plan));
    }
  }
}
