// SPDX-License-Identifier: BSL-1.0
#include "linearized.hpp"
#include <simtflow/testing/transform_shapes.hpp>
#include <simtflow/transform/linearize_where_it_pays.hpp>

#include <string>
#include <vector>

using namespace linearized;

namespace {

// All blocks weigh the same, all branches diverge equally often.
struct even_code {
  std::uint32_t all = 100;
  double parted = 1;
  [[nodiscard]] constexpr bool is_divergent(block_id) const { return true; }
  [[nodiscard]] constexpr std::uint32_t weight(block_id) const { return all; }
  [[nodiscard]] constexpr branch_likelihood likelihood(block_id) const { return {parted, 0.5}; }
};

// Each block with a weight and a likelihood of its own.
struct random_code {
  std::uint64_t seed;
  [[nodiscard]] bool is_divergent(block_id b) const { return testing::mix_bits(seed + b) % 8 != 0; }
  [[nodiscard]] std::uint32_t weight(block_id b) const {
    return static_cast<std::uint32_t>(testing::mix_bits(seed + 3 * b + 1) % 200);
  }
  [[nodiscard]] branch_likelihood likelihood(block_id b) const {
    return {static_cast<double>(testing::mix_bits(seed + 5 * b + 2) % 101) / 100, 0.5};
  }
};

}  // namespace

TEST_CASE("linearize where it pays: warps that part much in heavy code pay for guards, others do not") {
  for (const testing::transform_shape& s : testing::transform_shapes) {
    CAPTURE(s.name);
    const csr_graph g = s.make();
    const linearization never = linearize_where_it_pays(g, even_code{100, 0});
    CHECK(never.regions.empty());
    CHECK(never.plan.cost().blocks() == flow_plan(g).cost().blocks());
    CHECK(never.kept.size() >= (is_structured(g) ? 0U : 1U));
    for (const kept_region& r : never.kept) CHECK(!r.cost.pays);
    const linearization free = linearize_where_it_pays(g, even_code{}, {}, detail::nothing_convergent{},
                                                       linearization_costs::of_instructions(0));
    for (const linearized_region& r : free.regions) CHECK((r.cost.pays && r.cost.after < r.cost.before));
  }
  const csr_graph tails = testing::transform::shared_tail();
  const linearization made = linearize_where_it_pays(tails, even_code{});
  CHECK(made.regions.size() == 1);
  CHECK(made.kept.empty());
  CHECK(text(made.plan) == text(linearize(tails).plan));
}

TEST_CASE("linearize where it pays: random graphs, every thread goes as it goes alone") {
  std::size_t done = 0, kept = 0, inner = 0;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    testing::rng random(seed + 77'000);
    const csr_graph g = seed % 2 == 0 ? random_graph(random, 24) : random_nest(random);
    const auto convergent = [&](block_id b) { return seed % 3 == 0 && testing::mix_bits(seed * 99 + b) % 12 == 0; };
    const linearization made = linearize_where_it_pays(g, random_code{seed}, {}, convergent);
    REQUIRE_MESSAGE(wrong_way(g, made.plan) == "", text(seed, g, made.plan));
    CHECK(made.structured == is_structured(made.plan));
    for (const linearized_region& r : made.regions) CHECK((r.cost.pays && r.cost.after < r.cost.before));
    for (const kept_region& r : made.kept) CHECK(!r.cost.pays);
    if (made.regions.empty()) CHECK(made.plan.cost().blocks() == flow_plan(g).cost().blocks());
    if (seed % 8 == 0 && g.num_blocks() != 0) check_same(seed, g, made.plan);
    done += made.regions.size();
    kept += made.kept.size();
    inner += !made.regions.empty() && !made.kept.empty() ? 1 : 0;
  }
  CHECK(done > 300);
  CHECK(kept > 300);
  CHECK(inner > 50);
}
