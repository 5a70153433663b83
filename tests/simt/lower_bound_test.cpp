// SPDX-License-Identifier: BSL-1.0
//
// The lower bound for warps that stay as they are, for those formed anew out of a thread block or a core, and for the
// ideal without home lanes. Oracles: the definition, added up from solo paths with maps; every policy of the table.
#include "simt/policy_table.hpp"
#include <simtflow/io/describe.hpp>
#include <simtflow/io/dot.hpp>
#include <simtflow/simt/lower_bound.hpp>
#include <simtflow/simt/observers/counts.hpp>
#include <simtflow/testing/generate.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

using namespace simtflow;

namespace {

// The definition: threads that may share warps are one scope, threads of it that may not are one home lane.
std::uint64_t bound_of_paths(const std::vector<std::vector<block_id>>& paths, const launch& shape, policy_scope scope,
                             lane_rule rule, const std::vector<std::uint32_t>& weights) {
  using key = std::pair<std::uint32_t, block_id>;
  std::map<key, std::map<std::uint32_t, std::uint64_t>> by_lane, by_thread;  // by scope and block
  for (std::uint32_t t = 0; t < paths.size(); ++t) {
    const std::uint32_t block = t / shape.threads, own = t % shape.threads;
    std::uint32_t unit = 0;
    if (scope == policy_scope::block) unit = block;
    if (scope == policy_scope::warp) unit = block * shape.threads + own / shape.warp_width;
    const std::uint32_t lane = home_lanes{shape.warp_width, rule}.lane(own);
    for (const block_id b : paths[t]) {
      ++by_lane[{unit, b}][lane];
      ++by_thread[{unit, b}][t];
    }
  }
  std::uint64_t sum = 0;
  for (const auto& [where, lanes] : rule == lane_rule::free ? by_thread : by_lane) {
    std::uint64_t most = 0, all = 0;
    for (const auto& [lane, n] : lanes) {
      most = std::max(most, n);
      all += n;
    }
    if (rule == lane_rule::free) most = std::max(most, (all + shape.warp_width - 1) / shape.warp_width);
    sum += most * weights[where.second];
  }
  return sum;
}

constexpr lane_rule rules[] = {lane_rule::identity, lane_rule::permuted, lane_rule::free};
constexpr policy_scope scopes[] = {policy_scope::warp, policy_scope::block, policy_scope::core};

csr_graph random_graph(testing::rng& random) {
  testing::cfg_options options;
  options.blocks = random.between(1, 10);
  options.max_successors = random.between(1, 4);
  options.exits = random.between(1, 3);
  options.reducible = random.chance(50);
  options.terminating = true;
  return testing::random_cfg(random, options);
}

}  // namespace

TEST_CASE("lower_bound: the definition from solo paths, several thread blocks, every scope and lane rule") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    testing::rng random(seed);
    const csr_graph g = random_graph(random);
    const testing::random_walks walks(g, {.seed = seed});
    const launch shape{.threads = static_cast<std::uint32_t>(random.between(1, 20)),
                       .warp_width = static_cast<std::uint32_t>(random.between(1, 9)),
                       .entry = g.entry(),
                       .resident_blocks = static_cast<std::uint32_t>(random.between(1, 3))};
    std::vector<std::uint32_t> weights;
    for (block_id b = 0; b < g.num_blocks(); ++b) weights.push_back(static_cast<std::uint32_t>(random.between(1, 5)));
    const std::vector<std::uint32_t> ones(g.num_blocks(), 1);
    const std::uint32_t threads = shape.threads * shape.resident_blocks;
    std::vector<std::vector<block_id>> paths;
    std::uint64_t visits = 0;
    for (std::uint32_t t = 0; t < threads; ++t) {
      paths.push_back(walks.path(t));
      visits += paths.back().size();
    }
    INFO("seed " << seed << "\n" << to_dot(g));
    for (const policy_scope scope : scopes)
      for (const lane_rule rule : rules) {
        lower_bound bound(g.num_blocks(), scope, rule);
        callable_program program(testing::walking_threads(walks, threads), weights);
        executor machine{policies::lane_serial()};
        for (int blocks = 1; blocks <= 2; ++blocks) {  // added up
          callable_program copy = program;
          REQUIRE(machine.run(copy, shape, bound).finished());
          const auto times = static_cast<std::uint64_t>(blocks);
          REQUIRE(bound.fetches() == times * bound_of_paths(paths, shape, scope, rule, ones));
          REQUIRE(bound.warp_instructions() == times * bound_of_paths(paths, shape, scope, rule, weights));
          REQUIRE(bound.visits() == times * visits);
        }
      }
  }
}

TEST_CASE("lower_bound: no policy beats the bound of its scope; wider scopes and fewer constraints need less") {
  std::uint64_t reached = 0, runs = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    testing::rng random(seed);
    const csr_graph g = random_graph(random);
    const testing::random_walks walks(g, {.seed = seed});
    launch shape{.threads = static_cast<std::uint32_t>(random.between(1, 24)),
                 .warp_width = static_cast<std::uint32_t>(random.between(1, 8)),
                 .entry = g.entry(),
                 .barriers = barrier_model::thread_arrival};
    INFO("seed " << seed << "\n" << to_dot(g));
    const auto bound = [&](policy_scope scope, lane_rule rule) {
      lower_bound b(g.num_blocks(), scope, rule);
      CHECK(run(policies::lane_serial(), testing::walking_threads(walks, shape.threads), shape, b).finished());
      return b.fetches();
    };
    const std::uint64_t warp = bound(policy_scope::warp, lane_rule::identity),
                        block = bound(policy_scope::block, lane_rule::identity),
                        permuted = bound(policy_scope::block, lane_rule::permuted),
                        ideal = bound(policy_scope::block, lane_rule::free);
    CHECK(ideal <= block);
    CHECK(ideal <= permuted);
    CHECK(block <= warp);
    CHECK(permuted <= warp);
    const policy_table::material m(g, shape.warp_width);
    for (const policy_table::entry& e : policy_table::all_policies()) {
      if (m.code.empty() && e.what.is(policy_table::structured_only)) continue;
      shape.barriers = e.barriers();
      testing::walking_threads walk(walks, shape.threads);
      const auto r = e.run(
          m, shape,
          [&](block_id b, const group& at, partition& out) {
            at.lanes.for_each([&](std::uint32_t l) { out.go(walk(at.first_thread + l, b), lane_mask::lane(l)); });
            return block_end::next;
          },
          1'000'000);
      CAPTURE(std::string(e.what.name));
      REQUIRE_MESSAGE(r.how.finished(), describe(r.how));
      const bool moved = e.what.name.find("permuted") != std::string_view::npos;
      const std::uint64_t least = e.can.scope == policy_scope::warp ? warp : moved ? permuted : block;
      CHECK(r.steps.size() >= least);
      if (e.can.scope == policy_scope::block) {
        ++runs;
        reached += r.steps.size() == least ? 1U : 0U;
      }
    }
  }
  CHECK(reached > runs / 10);  // it is not idle
}

TEST_CASE("lower_bound: by hand, a warp without bound and thread blocks that end in part of a warp") {
  // Even threads visit block 1 twice, odd ones once; two thread blocks of three threads in warps of two.
  const auto step = [](std::uint32_t t, block_id b) -> block_id {
    return b == 0 ? 1 : b == 1 && t % 2 == 0 ? 2 : no_block;
  };
  launch shape{.threads = 3, .warp_width = 2, .resident_blocks = 2};
  const auto fetches = [&](policy_scope scope, lane_rule rule) {
    lower_bound bound(3, scope, rule);
    CHECK(run(policies::lane_serial(), step, shape, bound).finished());
    return bound.fetches();
  };
  // Warps {0,1} {2} {3,4} {5}: block 2 is visited by threads 0, 2, 4.
  CHECK(fetches(policy_scope::warp, lane_rule::identity) == 3 + 3 + 3 + 2);
  // Home lanes 0 1 0 each: threads 0 and 2 share one, 3 and 5 too; block 2: two in the first, 4 alone in lane 1.
  CHECK(fetches(policy_scope::block, lane_rule::identity) == (2 + 2 + 2) + (2 + 2 + 1));
  CHECK(fetches(policy_scope::block, lane_rule::free) == (2 + 2 + 1) + (2 + 2 + 1));
  CHECK(fetches(policy_scope::core, lane_rule::identity) == 4 + 4 + 2);
  CHECK(fetches(policy_scope::core, lane_rule::free) == 3 + 3 + 2);
  shape.warp_width = 0xFFFF'FFFF;  // takes no memory for lanes that are not there
  CHECK(fetches(policy_scope::block, lane_rule::identity) == 3 + 3);
  CHECK(fetches(policy_scope::warp, lane_rule::free) == 3 + 3);
}
