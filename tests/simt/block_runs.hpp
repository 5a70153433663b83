// SPDX-License-Identifier: BSL-1.0
//
// Runs of policies that manage a whole thread block, with what every such run must keep: each thread's solo path, at
// most one thread for each home lane in an issue, and as few fetches as the warps of the machine allow.
#pragma once

#include "simt/warp_runs.hpp"
#include <simtflow/simt/home_lanes.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace block_runs {

using namespace simtflow;
using warp_runs::random_graph;
using warp_runs::text;

template <class Mask>
struct block_record {
  basic_verdict<Mask> how;
  counts count;
  std::vector<std::vector<block_id>> paths;    // by thread
  std::vector<basic_fragment<Mask>> schedule;  // in order
  std::vector<Mask> live;                      // before each step
};

// A policy of block scope manages all threads; warps have the machine's width all the same.
constexpr launch block_launch(std::uint32_t threads, std::uint32_t width, block_id entry = 0) {
  return {.threads = threads, .warp_width = width, .entry = entry, .barriers = barrier_model::thread_arrival};
}

// Threads by number.
template <class Mask>
std::string text(const std::vector<basic_fragment<Mask>>& schedule) {
  std::string all;
  for (const auto& f : schedule) {
    all += "BB" + std::to_string(f.block) + " {";
    f.lanes.for_each([&](std::uint32_t t) { all += " " + std::to_string(t); });
    all += " }\n";
  }
  return all;
}

// The fetches of eight threads in two warps; also in constant expressions.
template <class Policy, class Step>
constexpr std::uint64_t fetches_of_two_warps(Policy policy, Step step) {
  counts count;
  callable_program program(step);
  executor<Policy> machine(policy);
  machine.run(program, block_launch(8, 4), count);
  return count.fetches;
}

// Blocks A B C D: A goes to B or C, both to D.
inline constexpr block_id hammock_ipdom[] = {3, 3, 3, no_block};

// Threads by the papers' numbers, from 1.
constexpr lane_mask threads(std::initializer_list<std::uint32_t> numbers) {
  lane_mask m;
  for (const std::uint32_t t : numbers) m.set(t - 1);
  return m;
}

// Runs a policy for all threads of a thread block.
template <class Policy, class Step>
auto run_block(const Policy& policy, Step step, std::uint32_t threads, std::uint32_t width, block_id entry,
               std::span<const unsigned char> barriers = {}, std::uint64_t steps = 200'000) {
  using mask = typename Policy::mask_type;
  block_record<mask> r;
  r.paths.resize(threads);
  overloaded paths{[&r](const event::issued<mask>& e) {
    r.schedule.push_back({e.block, e.lanes});
    r.live.push_back(e.live);
    e.lanes.for_each([&](std::uint32_t t) { r.paths[t].push_back(e.block); });
  }};
  both all(r.count, paths);
  callable_program program(step, {}, barriers);
  executor<Policy> machine(policy);
  r.how = machine.run(program, block_launch(threads, width, entry), all, {.steps = steps});
  return r;
}

template <class Policy>
auto run_block(const Policy& policy, const testing::random_walks& walks, std::uint32_t threads, std::uint32_t width,
               std::span<const unsigned char> barriers = {}) {
  return run_block(policy, testing::walking_threads(walks, threads), threads, width, walks.graph().entry(), barriers);
}

// Solo paths, home lanes, bounds.
template <class Record>
void check_block_run(const Record& r, const testing::random_walks& walks, std::uint32_t threads,
                     const home_lanes& lanes) {
  REQUIRE_MESSAGE(r.how.finished(), describe(r.how));
  std::uint64_t visits = 0;
  std::map<block_id, std::uint64_t> most;  // visits of one thread, and all visits over the width, by block
  std::map<block_id, std::uint64_t> sum;
  for (std::uint32_t t = 0; t < threads; ++t) {
    const std::vector<block_id> alone = walks.path(t);
    visits += alone.size();
    REQUIRE_MESSAGE(r.paths[t] == alone, "thread " << t << " went " << text(r.paths[t]) << ", alone " << text(alone));
    std::map<block_id, std::uint64_t> own;
    for (const block_id b : alone) ++own[b], ++sum[b];
    for (const auto& [b, n] : own)
      if (n > most[b]) most[b] = n;
  }
  std::uint64_t least = 0;
  for (const auto& [b, n] : sum) {
    const std::uint64_t full = (n + lanes.width - 1) / lanes.width;
    least += full > most[b] ? full : most[b];
  }
  REQUIRE(r.count.fetches >= least);
  REQUIRE(r.count.fetches <= visits);
  for (const auto& f : r.schedule) {
    REQUIRE(f.lanes.count() <= lanes.width);
    if (lanes.rule == lane_rule::free) continue;
    std::set<std::uint32_t> used;
    f.lanes.for_each([&](std::uint32_t t) {
      const std::uint32_t lane = lanes.lane(t);
      REQUIRE_MESSAGE((lane < lanes.width && used.insert(lane).second),
                      "two threads in one lane: " << text(r.schedule));
    });
  }
}

inline std::uint64_t all_visits(const testing::random_walks& walks, std::uint32_t threads) {
  std::uint64_t visits = 0;
  for (std::uint32_t t = 0; t < threads; ++t) visits += walks.path(t).size();
  return visits;
}

inline home_lanes random_lanes(testing::rng& random, std::size_t widest = 12) {
  return {.width = static_cast<std::uint32_t>(random.between(1, widest)),
          .rule = static_cast<lane_rule>(random.below(3))};
}

// Calls f(case, random) for `cases` random graphs and walks; up to `most` threads, warps of any width up to 12.
struct random_case {
  const csr_graph& graph;
  const post_dominator_tree<csr_graph>& pdom;
  const testing::random_walks& walks;
  std::uint32_t threads;
  home_lanes lanes;
};
template <class F>
void for_each_random_case(std::uint64_t cases, std::size_t most, F f) {
  for (std::uint64_t seed = 1; seed <= cases; ++seed) {
    testing::rng random(seed);
    const csr_graph g = random_graph(random);
    INFO(text(seed, g));
    const testing::random_walks walks(g, {.seed = seed});
    const auto n = static_cast<std::uint32_t>(random.between(1, most));
    const home_lanes lanes = random_lanes(random);
    const auto pdom = post_dominators(g);
    f(random_case{g, pdom, walks, n, lanes}, random);
  }
}

// Calls f.operator()<Mask>(threads, case) for thread blocks of 256 threads, of any number up to that and, for one case
// in `every`, of 1,024; warps of any width up to 64.
struct wide_case {
  const csr_graph& graph;
  const post_dominator_tree<csr_graph>& pdom;
  const testing::random_walks& walks;
  home_lanes lanes;
};
template <class F>
void for_each_wide_case(std::uint64_t cases, std::uint64_t every, F f) {
  for (std::uint64_t seed = 1; seed <= cases; ++seed) {
    testing::rng random(seed);
    const csr_graph g = random_graph(random, 16);
    INFO(text(seed, g));
    const testing::random_walks walks(g, {.seed = seed});
    const auto pdom = post_dominators(g);
    const wide_case c{g, pdom, walks, random_lanes(random, 64)};
    f.template operator()<basic_mask<4>>(256, c);
    f.template operator()<basic_mask<4>>(static_cast<std::uint32_t>(random.between(65, 256)), c);
    if (seed % every == 0) f.template operator()<basic_mask<16>>(1024, c);
  }
}

// Calls f(case, random) for `cases` programs with barriers; in a third of them all threads end at one.
struct barrier_case {
  const csr_graph& graph;
  const testing::structured_program& program;
  const testing::random_walks& walks;
  std::span<const unsigned char> barriers;
  const post_dominator_tree<csr_graph>& pdom;
  home_lanes lanes;
};
template <class F>
void for_each_barrier_case(std::uint64_t cases, F f) {
  for (std::uint64_t seed = 1; seed <= cases; ++seed) {
    testing::rng random(seed);
    warp_runs::barrier_program made = warp_runs::random_barrier_program(random);
    INFO(text(seed, made.graph()));
    if (random.chance(30)) made.flags.back() = 1;
    const testing::random_walks walks = made.walks(seed);
    const auto pdom = post_dominators(made.graph());
    const home_lanes lanes = random_lanes(random);
    f(barrier_case{made.graph(), made.program, walks, made.flags, pdom, lanes}, random);
  }
}

// The graph of check_reuse().
inline csr_graph reuse_graph() {
  testing::rng random(7);
  return testing::random_cfg(random, {.blocks = 9, .max_successors = 3, .terminating = true});
}

// One executor runs thread block after thread block alike, one that stops half way between them. \pre the policy is for
// reuse_graph() and warps of five.
template <class Policy>
void check_reuse(const Policy& policy) {
  const csr_graph g = reuse_graph();
  const testing::random_walks walks(g, {.seed = 3});
  executor<Policy> machine(policy);
  std::vector<std::string> runs;
  for (int i = 0; i < 3; ++i) {
    callable_program program(testing::walking_threads(walks, 33));
    std::vector<fragment> schedule;
    const auto v = machine.run(program, block_launch(33, 5, g.entry()),
                               [&](const event::issued<lane_mask>& e) {
                                 schedule.push_back({e.block, e.lanes});
                               },
                               {.steps = i == 1 ? 20 : ~std::uint64_t{0}});
    runs.push_back(v.finished() ? text(schedule) : "");
  }
  CHECK(runs[0] == runs[2]);
  CHECK(runs[1].empty());
}

}  // namespace block_runs
