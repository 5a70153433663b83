// SPDX-License-Identifier: BSL-1.0
#include "plan_runs.hpp"
#include "random_plans.hpp"
#include <simtflow/analysis/structure.hpp>
#include <simtflow/transform/guard_values.hpp>
#include <simtflow/transform/linearize.hpp>

using namespace simtflow;
using namespace plan_runs;

namespace {

// The same by walking: every pair of a block and a value that can be reached, each variable on its own.
std::vector<std::vector<std::uint32_t>> by_walking(const flow_plan& p, std::uint32_t variable) {
  std::vector<std::vector<std::uint32_t>> seen(p.num_blocks());
  std::vector<std::pair<block_id, std::uint32_t>> work;
  const auto visit = [&](block_id b, std::uint32_t value) {
    for (const std::uint32_t v : seen[b])
      if (v == value) return;
    seen[b].push_back(value);
    work.emplace_back(b, value);
  };
  visit(p.entry(), 0);
  while (!work.empty()) {
    const auto [b, value] = work.back();
    work.pop_back();
    for (std::size_t k = 0; k < p.successors(b).size(); ++k) {
      if (p[b].role == plan_role::guard && p[b].variable == variable &&
          (value >= p[b].low && value <= p[b].high) != (k == 0))
        continue;
      visit(p.successors(b)[k].to, p.value_on(p.successors(b)[k], variable, value));
    }
  }
  return seen;
}

void check(std::uint64_t seed, const csr_graph& g, const flow_plan& p) {
  for (std::uint32_t v = 0; v < p.num_variables(); ++v) {
    const guard_values found(p, v);
    const auto expected = by_walking(p, v);
    for (block_id b = 0; b < p.num_blocks(); ++b) {
      CHECK(found.is_reached(b) == !expected[b].empty());
      REQUIRE_MESSAGE(found.count(b) == expected[b].size(), "block " << b << "\n" << text(seed, g, p));
      for (const std::uint32_t value : expected[b])
        REQUIRE_MESSAGE(found.may_have(b, value), "block " << b << " value " << value << "\n" << text(seed, g, p));
    }
  }
}

}  // namespace

TEST_CASE("guard_values: what walking finds, in linearized graphs and in any plan") {  // P9
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    testing::rng random(seed);
    const csr_graph g = random_graph(random, 14);
    linearize_options o;
    o.optimize = seed % 2 == 0 ? guard_optimization::none : guard_optimization::o4;
    check(seed, g, linearize(g, o).plan);
    check(seed, g, plan_test::random_plan(g, seed));
  }
}

TEST_CASE("guard_values: no test of a fully optimized plan is decided, but tests of endless loops are") {
  std::size_t decided = 0, tests = 0;
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    testing::rng random(seed);
    const csr_graph g = testing::random_cfg(random, {.blocks = 4 + seed / 60, .exits = 1, .terminating = true});
    const flow_plan p = linearize(g).plan;
    for (std::uint32_t v = 0; v < p.num_variables(); ++v) {
      const guard_values found(p, v);
      for (block_id b = 0; b < p.num_blocks(); ++b) {
        if (p[b].role != plan_role::guard || p[b].variable != v || !found.is_reached(b)) continue;
        std::size_t in = 0;
        for (const std::uint32_t value : found.values())
          if (value >= p[b].low && value <= p[b].high && found.may_have(b, value)) ++in;
        ++tests;
        if (in == 0 || in == found.count(b)) ++decided;
      }
    }
  }
  CHECK(tests > 500);
  CHECK(decided * 100 <= tests);
  MESSAGE(decided << " of " << tests);
}

TEST_CASE("guard_values: the empty plan, a constant expression, many values") {
  flow_plan p(csr_graph{});
  const guard_values nothing(p, 0);
  CHECK(nothing.values().size() == 1);
  constexpr auto count = [] {
    csr_builder b(3);
    b.add_edge(0, 1).add_edge(0, 2);
    flow_plan q(b.build());
    const std::uint32_t v = q.add_variable();
    const block_id test = q.add_guard(v, 3, 5);
    q.assign(0, 0, {v, 4});
    q.assign(0, 1, {v, 7});
    q.set_edge(0, 0, test);
    q.set_edge(0, 1, test);
    q.set_edge(test, 0, 1);
    q.set_edge(test, 1, 2);
    const guard_values found(q, v);
    return found.count(test) * 100 + found.count(1) * 10 + (found.may_have(2, 7) ? 1U : 0U);
  };
  static_assert(count() == 211);
}
