// SPDX-License-Identifier: BSL-1.0
#include "plan_runs.hpp"
#include <simtflow/graph/function_graph.hpp>
#include <simtflow/graph/snapshot.hpp>
#include <simtflow/testing/shapes.hpp>
#include <simtflow/transform/hub.hpp>

#include <set>

using namespace simtflow;
using namespace plan_runs;

namespace {

// Walks the guards from `at` with one value of one variable.
block_id follow(const flow_plan& p, block_id at, std::uint32_t variable, std::uint32_t value) {
  for (std::size_t steps = 0; steps <= p.num_blocks(); ++steps) {
    if (p[at].role != plan_role::guard || p[at].variable != variable) return at;
    at = p.successors(at)[value >= p[at].low && value <= p[at].high ? 0 : 1];
  }
  return no_block;
}

void check(std::uint64_t seed, const csr_graph& g, const std::vector<edge>& edges) {
  flow_plan plan(g);
  const plan_hub hub = add_hub(plan, std::span<const edge>(edges));
  std::set<block_id> targets;
  for (const edge& e : edges) targets.insert(g.successors(e.from)[e.slot]);
  REQUIRE(std::set<block_id>(hub.targets.begin(), hub.targets.end()) == targets);
  REQUIRE(hub.targets.size() == targets.size());
  REQUIRE(plan.num_blocks() == g.num_blocks() + (targets.empty() ? 0 : targets.size() - 1));
  std::set<edge> chosen(edges.begin(), edges.end());
  for (block_id b = 0; b < g.num_blocks(); ++b)
    for (std::uint32_t k = 0; k < g.successors(b).size(); ++k) {
      const flow_plan::edge e = plan.successors(b)[k];
      const block_id to = g.successors(b)[k];
      if (chosen.count({b, k}) == 0 || targets.size() < 2) {
        REQUIRE_MESSAGE(e == to, text(seed, g, plan));
        continue;
      }
      REQUIRE_MESSAGE(e == hub.first, text(seed, g, plan));
      const std::uint32_t value = plan.value_on(e, hub.variable, 0xFFFF);
      REQUIRE(value < hub.targets.size());
      REQUIRE(hub.targets[value] == to);
      REQUIRE_MESSAGE(follow(plan, e, hub.variable, value) == to, text(seed, g, plan));
    }
  if (g.num_blocks() != 0) check_same(seed, g, plan);
}

constexpr bool in_a_constant_expression() {
  flow_plan plan(testing::diamond());
  const edge edges[] = {{0, 0}, {0, 1}};
  const plan_hub hub = add_hub(plan, std::span<const edge>(edges));
  return hub.first == 4 && hub.targets.size() == 2 && plan.successors(0)[1] == 4 && plan.successors(4)[1] == 2;
}
static_assert(in_a_constant_expression());

}  // namespace

TEST_CASE("hub: any edges of random graphs, and of hubs that are there already") {
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    testing::rng random(seed);
    const csr_graph g = random_graph(random);
    const csr_graph reached = snapshot(g);
    std::vector<edge> edges;
    const unsigned share = static_cast<unsigned>(random.below(101));
    for (block_id b = 0; b < g.num_blocks(); ++b)
      for (std::uint32_t k = 0; k < reached.successors(b).size(); ++k)
        if (random.chance(share)) edges.push_back({b, k});
    if (!edges.empty() && random.chance(30)) edges.push_back(edges[random.below(edges.size())]);  // twice
    random.shuffle(edges);
    check(seed, g, edges);

    flow_plan plan = with_hub(g, std::span<const edge>(edges));
    std::vector<edge> more;
    const csr_graph shape = snapshot(plan);
    for (block_id b = 0; b < plan.num_blocks(); ++b)
      for (std::uint32_t k = 0; k < shape.successors(b).size(); ++k)
        if (random.chance(40)) more.push_back({b, k});
    (void)add_hub(plan, std::span<const edge>(more));
    check_same(seed, g, plan);
  }
}

TEST_CASE("hub: none, one target, an exit edge, any graph") {
  const csr_graph g = testing::diamond();
  check(1, g, {});
  check(1, g, {{1, 0}, {2, 0}});
  check(1, g, {{0, 0}});
  flow_plan plan(testing::predicated_exit());
  const block_id end = plan.add_empty(true);
  const std::uint32_t slot = static_cast<std::uint32_t>(plan.add_exit_edge(1, end));
  const edge edges[] = {{1, 0}, {1, slot}};
  const plan_hub hub = add_hub(plan, std::span<const edge>(edges));
  CHECK(hub.targets == std::vector<block_id>{2, end});
  check_same(1, testing::predicated_exit(), plan);
  const function_graph user{4, [](block_id b) {
                              static const std::vector<block_id> out[4] = {{1, 2}, {3}, {3}, {}};
                              return std::span<const block_id>(out[b]);
                            }};
  const edge branch[] = {{0, 0}, {0, 1}};
  CHECK(with_hub(user, std::span<const edge>(branch)).cost().guards == 1);
}

TEST_CASE("hub: edges share a hub only where no convergent block is between them") {
  // A shared tail twice, one after the other: 0 to 5 and 5 to 10.
  const csr_graph g = testing::adjacency({{1, 2}, {3, 4}, {3}, {5}, {5}, {6, 7}, {8, 9}, {8}, {10}, {10}, {}});
  const std::vector<edge> edges{{1, 0}, {1, 1}, {2, 0}, {6, 0}, {6, 1}, {7, 0}};
  const auto made = [&](auto convergent) { return with_hub(g, std::span<const edge>(edges), convergent); };
  const hubs_made all = made([](block_id) { return false; });
  CHECK(all.hubs == 1);
  CHECK(all.plan.cost().guards == 3);
  CHECK(all.refused.empty());
  const hubs_made between = made([](block_id b) { return b == 5; });
  CHECK(between.hubs == 2);
  CHECK(between.plan.cost().guards == 2);
  CHECK(between.refused.empty());
  const hubs_made first = made([](block_id b) { return b == 8; });
  CHECK(first.hubs == 1);
  CHECK(first.refused == std::vector<block_id>{8});
  for (const block_id b : {6U, 7U})
    for (std::size_t k = 0; k < g.successors(b).size(); ++k)
      CHECK(first.plan.successors(b)[k].to == g.successors(b)[k]);
  CHECK(made([](block_id) { return true; }).hubs == 0);

  std::size_t hubs = 0, refused = 0, more = 0;
  for (std::uint64_t seed = 1; seed <= 4000; ++seed) {
    testing::rng random(seed);
    const csr_graph h = random_nest(random);
    if (h.num_blocks() == 0 || !always_ends(h)) continue;
    const auto depth_first = dominators(h);
    std::vector<edge> list;
    const unsigned share = static_cast<unsigned>(random.below(60));
    for (block_id b = 0; b < h.num_blocks(); ++b)
      for (std::uint32_t k = 0; k < h.successors(b).size(); ++k)
        if (depth_first.is_reachable(b) && random.chance(share)) list.push_back({b, k});
    random.shuffle(list);
    const auto convergent = [&](block_id b) { return testing::mix_bits(seed * 1000 + b) % 16 == 0; };
    const hubs_made done = with_hub(h, std::span<const edge>(list), convergent);
    REQUIRE_MESSAGE(wrong_meeting(h, done.plan, convergent) == "", text(seed, h, done.plan));
    for (const block_id b : done.refused) CHECK(convergent(b));
    hubs += done.hubs;
    more += done.hubs > 1 ? 1 : 0;
    refused += done.refused.empty() ? 0 : 1;
    if (seed % 4 == 0) check_same(seed, h, done.plan);
  }
  CHECK(hubs > 300);
  CHECK(more > 20);
  CHECK(refused > 300);
}

TEST_CASE("hub: the most frequent target is tested first") {
  // 0 -> 1, 2, 3; each goes to 4, 5 or 6.
  const csr_graph g = testing::adjacency({{1, 2, 3}, {4, 5, 6}, {4, 5, 6}, {4, 5, 6}, {7}, {7}, {7}, {}});
  std::vector<edge> edges;
  for (block_id b = 1; b <= 3; ++b)
    for (std::uint32_t k = 0; k < 3; ++k) edges.push_back({b, k});
  const auto nothing = [](block_id) { return false; };
  const auto order = [&](const flow_plan& p) {
    std::vector<block_id> targets;
    block_id at = p.successors(1)[0];
    for (; p[at].role == plan_role::guard; at = p.successors(at)[1]) targets.push_back(p.successors(at)[0]);
    targets.push_back(at);
    return targets;
  };
  CHECK(order(with_hub(g, std::span<const edge>(edges), nothing).plan) == std::vector<block_id>{4, 5, 6});
  const auto rising = [](const edge& e) { return std::uint64_t{e.slot} * 10 + e.from; };
  const hubs_made made = with_hub(g, std::span<const edge>(edges), nothing, rising);
  CHECK(made.hubs == 1);
  CHECK(order(made.plan) == std::vector<block_id>{6, 5, 4});
  check_same(1, g, made.plan);
  const auto even = [](const edge&) { return std::uint64_t{1}; };
  CHECK(order(with_hub(g, std::span<const edge>(edges), nothing, even).plan) == std::vector<block_id>{4, 5, 6});
}

TEST_CASE("hub: 100,000 edges") {
  const block_id n = 100'000;
  csr_builder builder(n + std::size_t{1});
  std::vector<edge> edges;
  for (block_id i = 1; i <= n; ++i) {
    builder.add_edge(0, i);
    edges.push_back({0, i - 1});
  }
  flow_plan plan(builder.build());
  const plan_hub hub = add_hub(plan, std::span<const edge>(edges));
  CHECK(hub.targets.size() == n);
  CHECK(plan.cost().guards == n - 1);
  CHECK(follow(plan, hub.first, hub.variable, 77'777) == 77'778);
}
