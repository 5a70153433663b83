// SPDX-License-Identifier: BSL-1.0
//
// Oracle: breadth over all schedules, letting any non-empty subset of the lanes at a block run (the search itself takes
// it for granted that all of them should), memoised by exhaustive relaxation instead of a priority queue.
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/analysis/priorities.hpp>
#include <simtflow/io/dot.hpp>
#include <simtflow/simt/executor.hpp>
#include <simtflow/simt/lower_bound.hpp>
#include <simtflow/simt/observers/counts.hpp>
#include <simtflow/simt/observers/thread_paths.hpp>
#include <simtflow/simt/optimal_schedule.hpp>
#include <simtflow/simt/policies/ipdom_stack.hpp>
#include <simtflow/simt/policies/lane_serial.hpp>
#include <simtflow/simt/policies/thread_frontier.hpp>
#include <simtflow/testing/fixtures.hpp>
#include <simtflow/testing/generate.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

using namespace simtflow;

namespace {

using words = std::vector<std::vector<block_id>>;

block_paths to_paths(const words& w) {
  block_paths p;
  for (const auto& path : w) p.add(path);
  return p;
}

std::vector<std::uint32_t> everyone(std::size_t n) {
  std::vector<std::uint32_t> all;
  for (std::uint32_t i = 0; i < n; ++i) all.push_back(i);
  return all;
}

std::uint64_t weight_of(const std::vector<std::uint32_t>& weights, block_id b) {
  return b < weights.size() ? weights[b] : 1;
}

// Cheapest cost to the end from `at`, by brute force.
std::uint64_t brute(const words& w, const std::vector<std::uint32_t>& weights, std::vector<std::size_t> at,
                    std::map<std::vector<std::size_t>, std::uint64_t>& known) {
  if (const auto found = known.find(at); found != known.end()) return found->second;
  std::uint64_t best = ~std::uint64_t{0};
  for (unsigned subset = 1; subset < 1U << w.size(); ++subset) {
    block_id b = no_block;
    bool possible = true;
    auto next = at;
    for (std::size_t i = 0; i < w.size(); ++i) {
      if (!(subset >> i & 1U)) continue;
      if (at[i] == w[i].size() || (b != no_block && w[i][at[i]] != b)) possible = false;
      if (!possible) break;
      b = w[i][at[i]];
      ++next[i];
    }
    if (!possible) continue;
    best = std::min(best, weight_of(weights, b) + brute(w, weights, next, known));
  }
  if (best == ~std::uint64_t{0}) best = 0;  // everybody is at the end
  return known[at] = best;
}

// Whether a schedule brings every lane to its end, and its cost.
std::uint64_t replay(const words& w, const std::vector<std::uint32_t>& weights, std::span<const block_id> schedule) {
  std::vector<std::size_t> at(w.size(), 0);
  std::uint64_t cost = 0;
  for (const block_id b : schedule) {
    cost += weight_of(weights, b);
    for (std::size_t i = 0; i < w.size(); ++i)
      if (at[i] < w[i].size() && w[i][at[i]] == b) ++at[i];
  }
  for (std::size_t i = 0; i < w.size(); ++i) CHECK(at[i] == w[i].size());
  return cost;
}

std::string text(const words& w) {
  std::string all;
  for (const auto& path : w) {
    for (const block_id b : path) all += std::to_string(b) + " ";
    all += "\n";
  }
  return all;
}

}  // namespace

TEST_CASE("optimal_schedule: random words against brute force") {
  optimal_schedule search;  // one for all: it must forget
  for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
    testing::rng random(seed);
    words w(random.between(0, 4));
    const std::size_t alphabet = random.between(1, 5);
    for (auto& path : w)
      for (std::size_t n = random.below(w.size() >= 4 ? 6 : 9); n > 0; --n)
        path.push_back(static_cast<block_id>(random.below(alphabet)));
    std::vector<std::uint32_t> weights;
    if (random.chance(50))
      for (std::size_t b = 0; b < random.between(0, alphabet); ++b)
        weights.push_back(static_cast<std::uint32_t>(random.below(8)));
    INFO("seed " << seed << "\n" << text(w));
    const block_paths p = to_paths(w);
    REQUIRE(search.find(p, everyone(w.size()), weights) == schedule_status::optimal);
    std::map<std::vector<std::size_t>, std::uint64_t> known;
    REQUIRE(search.cost() == brute(w, weights, std::vector<std::size_t>(w.size(), 0), known));
    REQUIRE(replay(w, weights, search.schedule()) == search.cost());
    // A bound holds however early the search is given up.
    const std::uint64_t best = search.cost();
    for (const std::size_t states : {1U, 2U, 5U, 20U}) {
      const schedule_status s = search.find(p, everyone(w.size()), weights, {.states = states});
      CHECK(search.cost() <= best);
      if (s == schedule_status::optimal) CHECK(search.cost() == best);
      if (s != schedule_status::optimal) CHECK(search.schedule().empty());
    }
  }
}

TEST_CASE("optimal_schedule: lower bound <= optimum <= every policy, on random programs") {
  int better_than_all = 0, above_bound = 0;
  optimal_schedule search;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    testing::rng random(seed);
    const csr_graph g = testing::random_cfg(
        random,
        {.blocks = random.between(2, 8), .max_successors = 3, .reducible = random.chance(50), .terminating = true});
    INFO("seed " << seed << "\n" << to_dot(g));
    const testing::random_walks walks(g, {.seed = seed, .patience = 3});
    const launch shape{.threads = 4, .warp_width = 4, .entry = g.entry()};
    std::vector<std::uint32_t> weights;
    for (std::size_t b = 0; b < g.num_blocks(); ++b)
      weights.push_back(static_cast<std::uint32_t>(random.between(1, 9)));
    const auto cost = [&](const auto& policy, auto& observer) {
      counts count;
      both all(count, observer);
      callable_program p(testing::walking_threads(walks, 4), weights);
      executor machine(policy);
      launch l = shape;
      l.barriers =
          parking_policy<std::remove_cvref_t<decltype(policy)>> ? barrier_model::thread_arrival : shape.barriers;
      REQUIRE(machine.run(p, l, all).finished());
      return count.warp_instructions;
    };
    thread_paths paths;
    lower_bound least(g.num_blocks());
    const std::uint64_t serial = cost(policies::lane_serial(), paths);
    REQUIRE(paths.complete());
    for (std::uint32_t t = 0; t < 4; ++t) {
      const block_paths all = paths.paths();
      const auto alone = walks.path(t);
      REQUIRE(std::vector<block_id>(all[t].begin(), all[t].end()) == alone);
    }
    REQUIRE(search.find(paths.paths(), everyone(4), weights) == schedule_status::optimal);
    const auto pdom = post_dominators(g);
    const auto order = loop_contiguous_order(g);
    const std::uint64_t stack = cost(policies::ipdom_stack(pdom.ipdoms()), least);
    no_observer nothing;
    const std::uint64_t frontier = cost(policies::thread_frontier(order.ranks()), nothing);
    CHECK(least.warp_instructions() <= search.cost());
    CHECK(search.cost() <= stack);
    CHECK(search.cost() <= frontier);
    CHECK(search.cost() <= serial);
    better_than_all += search.cost() < stack && search.cost() < frontier ? 1 : 0;
    above_bound += least.warp_instructions() < search.cost() ? 1 : 0;
  }
  CHECK(better_than_all > 0);
  CHECK(above_bound > 0);
}

TEST_CASE("optimal_schedule: limits, equal paths, empty input") {
  optimal_schedule search;
  CHECK(search.find(block_paths{}, {}) == schedule_status::optimal);
  CHECK(search.cost() == 0);
  CHECK(search.schedule().empty());

  const block_paths p = to_paths({{0, 1, 2}, {}, {0, 2, 1}});
  CHECK(search.find(p, std::vector<std::uint32_t>(1000, 0)) == schedule_status::optimal);  // a thousand equal lanes
  CHECK(search.cost() == 3);
  CHECK(search.find(p, std::vector<std::uint32_t>{0, 1, 2}) == schedule_status::optimal);
  CHECK(search.cost() == 4);

  // 32 different paths of 200 blocks: 2^245 position vectors.
  words many;
  for (std::uint32_t i = 0; i < 32; ++i) {
    many.emplace_back(200, 0U);
    many.back()[i] = i + 1;
  }
  CHECK(search.find(to_paths(many), everyone(32)) == schedule_status::too_large);
  CHECK(search.cost() == 199 + 32);  // block 0 199 times, and 32 others once
  CHECK(search.schedule().empty());

  // Four random words of 2,000 blocks over a large alphabet: cut off, with a bound.
  words large(4);
  testing::rng random(5);
  for (auto& path : large)
    for (int i = 0; i < 2000; ++i) path.push_back(static_cast<block_id>(random.below(40)));
  CHECK(search.find(to_paths(large), everyone(4), {}, {.states = 3000}) == schedule_status::state_limit);
  CHECK(search.cost() >= 2000);
  CHECK(search.states() >= 3000);
  CHECK(search.states() < 3010);
}

TEST_CASE("optimal_schedule: long paths with few differences are cheap") {
  words w(4);
  for (std::uint32_t i = 0; i < 4; ++i)
    for (std::uint32_t k = 0; k < 20'000; ++k) {
      if (k % 37 == 5 * i) w[i].push_back(50 + i);
      w[i].push_back(k % 7);
    }
  optimal_schedule search;
  CHECK(search.find(to_paths(w), everyone(4), {}, {.states = 200'000}) == schedule_status::optimal);
  CHECK(search.cost() == 20'000 + 4 * 541);  // k = 37 m + 5 i < 20,000
  CHECK(search.states() < 60'000);
}

namespace {
constexpr std::uint64_t optimum_of(testing::fixture (*make)()) {
  const testing::fixture f = make();
  std::vector<std::uint32_t> lanes;
  for (std::uint32_t t = 0; t < f.paths.size(); ++t) lanes.push_back(t);
  optimal_schedule search;
  if (search.find(f.paths, lanes) != schedule_status::optimal) return 0;
  return search.cost();
}
static_assert(optimum_of(testing::fixture_figure_1) == 6);
static_assert(optimum_of(testing::fixture_likely_convergence) == 6);
}  // namespace
