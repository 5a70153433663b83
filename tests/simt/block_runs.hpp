// SPDX-License-Identifier: BSL-1.0
//
// Runs of policies that manage a whole thread block, with what every such run must keep: each thread's solo path, at
// most one thread for each home lane in an issue, and as few fetches as the warps of the machine allow.
#pragma once

#include <simtflow/io/describe.hpp>
#include <simtflow/io/dot.hpp>
#include <simtflow/simt/executor.hpp>
#include <simtflow/simt/home_lanes.hpp>
#include <simtflow/simt/observers/counts.hpp>
#include <simtflow/testing/generate.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace block_runs {

using namespace simtflow;

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

inline std::string text(const std::vector<block_id>& path) {
  std::string all;
  for (const block_id b : path) all += (all.empty() ? "" : " ") + std::to_string(b);
  return all;
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
  r.how = machine.run(block_launch(threads, width, entry), program, all, {.steps = steps});
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

inline csr_graph random_graph(testing::rng& random, std::size_t blocks = 12) {
  testing::cfg_options options;
  options.blocks = random.between(1, blocks);
  options.max_successors = random.between(1, 4);
  options.exits = random.between(1, 3);
  options.loops = random.chance(70);
  options.reducible = random.chance(50);
  options.terminating = true;
  options.exit_mark_percent = random.chance(30) ? 20 : 0;
  options.unreachable_percent = random.chance(20) ? 20 : 0;
  return testing::random_cfg(random, options);
}

inline home_lanes random_lanes(testing::rng& random, std::size_t widest = 12) {
  return {.width = static_cast<std::uint32_t>(random.between(1, widest)),
          .rule = static_cast<lane_rule>(random.below(3))};
}

inline std::string where(std::uint64_t seed, const csr_graph& g) {
  return "seed " + std::to_string(seed) + "\n" + to_dot(g);
}

}  // namespace block_runs
