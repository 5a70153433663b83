// SPDX-License-Identifier: BSL-1.0
#include "linearized.hpp"
#include <simtflow/graph/snapshot.hpp>
#include <simtflow/testing/shapes.hpp>
#include <simtflow/transform/hub.hpp>
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
    struct watched : policies::ipdom_stack {
      using policies::ipdom_stack::ipdom_stack;
      std::size_t* most = nullptr;
      std::optional<fragment> next() {
        const auto f = policies::ipdom_stack::next();
        if (depth() > *most) *most = depth();
        return f;
      }
    };
    std::size_t most = 0;
    const csr_graph shape = snapshot(p);
    const auto pdom = post_dominators(shape);
    planned_program program(p, g, callable_program(go));
    watched policy{pdom.ids().ipdoms()};
    policy.most = &most;
    executor<watched> machine(policy);
    REQUIRE(machine.run(program, {.threads = 4, .warp_width = 4, .entry = p.entry()}).finished());
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

namespace {

// The limit need not hold, but every path leads where it led, and nothing is refused.
void check_any(std::uint64_t seed, const csr_graph& g, std::uint32_t limit, const linearize_options& o = {}) {
  CAPTURE(limit);
  const linearization made = limit_stack_depth(g, limit, o);
  REQUIRE(made.structured);
  if (g.num_blocks() == 0) return;
  REQUIRE_MESSAGE(wrong_way(g, made.plan) == "", text(seed, g, made.plan));
}

}  // namespace

TEST_CASE("limit_stack_depth: every graph of up to four blocks, unstructured ones too") {
  // A spin loop with two ways out.
  const csr_graph spin = testing::adjacency({{1}, {3, 2}, {1, 3}, {}});
  CHECK(limit_stack_depth(spin, 3).regions.size() == 1);
  for (const std::uint32_t limit : {2U, 3U, 4U, 5U}) check_any(0, spin, limit);
  std::uint64_t count = 0;
  for (std::size_t n = 0; n <= 4; ++n)
    for (std::uint64_t code = 0; code < testing::num_small_cfgs(n); ++code, ++count)
      check_any(code, testing::small_cfg(n, code), 2 + static_cast<std::uint32_t>(count % 4),
                {loop_policies[count / 4 % 3], levels[count / 12 % std::size(levels)], {}});
}

TEST_CASE("limit_stack_depth: random graphs, unstructured ones too, and every thread goes as it goes alone") {
  std::size_t changed = 0, several = 0, unstructured = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    testing::rng random(seed + 31'000);
    const csr_graph g = random_graph(random, 20);
    const std::uint32_t limit = 2 + static_cast<std::uint32_t>(seed % 5);
    std::vector<block_id> order;
    for (block_id b = 0; b < g.num_blocks(); ++b) order.push_back(b);
    random.shuffle(order);
    linearize_options o{loop_policies[seed / 5 % 3], levels[seed / 15 % std::size(levels)], {}};
    check_any(seed, g, limit, o);
    o.order = order;
    check_any(seed, g, limit, o);
    const linearization made = limit_stack_depth(g, limit, o);
    if (made.regions.empty()) continue;
    ++changed;
    several += made.regions.size() > 1 ? 1 : 0;
    unstructured += is_structured(g) ? 0 : 1;
    if (seed % 4 == 0) check_same(seed, g, made.plan);
  }
  CHECK(changed > 800);
  CHECK(several > 5);
  CHECK(unstructured > 500);
}

TEST_CASE("limit_stack_depth, hub: threads that leave early do not wait for threads at a barrier") {
  // 4, 11 leave to the end, 9, where threads of 8 come together again after the barrier in 10. The ways from 2 do not
  // meet there, because threads end in 5. A guard before 9 would let threads of 4, 11 wait there for threads of 8.
  const csr_graph g = testing::adjacency({{1, 6}, {2, 3}, {3, 4}, {5, 7}, {11}, {}, {8}, {8}, {10, 9}, {}, {9}, {9}});
  const std::vector<edge> edges = {{4, 0}, {11, 0}};
  const linearize_options options{loop_guards::merge, guard_optimization::none, {}};
  for (const block_id barrier : {block_id{10}, block_id{7}}) {
    CAPTURE(barrier);
    const auto convergent = [&](block_id b) { return b == barrier; };
    const linearization made = limit_stack_depth(g, 2, options, convergent);
    const bool guarded = made.plan.successors(2)[1] != 4;
    const hubs_made hubs = with_hub(g, std::span<const edge>(edges), convergent);
    // Between 8 and 9 there is no 7.
    CHECK(guarded == (barrier == 7));
    CHECK(hubs.hubs == (barrier == 7 ? 1 : 0));
    if (barrier == 10) {
      CHECK(made.refused == std::vector<block_id>{10});
      CHECK(hubs.refused == std::vector<block_id>{10});
    }
  }
}
