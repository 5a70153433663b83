// SPDX-License-Identifier: BSL-1.0
//
// Shared by the tests of single policies: a record of a run, the laws that hold for every policy of warp scope, random
// cases.
#pragma once

#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/io/describe.hpp>
#include <simtflow/io/dot.hpp>
#include <simtflow/simt/executor.hpp>
#include <simtflow/simt/lower_bound.hpp>
#include <simtflow/simt/observers/counts.hpp>
#include <simtflow/testing/generate.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace warp_runs {

using namespace simtflow;

// The record of one run.
struct record {
  verdict how;
  counts count;
  std::vector<std::vector<block_id>> paths;  // by thread
  std::vector<fragment> schedule;            // of all warps, in order
  std::uint64_t least = 0, visits = 0;
};

template <class Policy, class Program>
record observe_program(const Policy& policy, Program& program, std::size_t num_blocks, const launch& shape,
                       std::uint64_t steps = 1'000'000) {
  record r;
  r.paths.resize(shape.threads);
  lower_bound bound(num_blocks);
  overloaded paths{[&r](const event::issued<lane_mask>& e) {
    r.schedule.push_back({e.block, e.lanes});
    e.lanes.for_each([&](std::uint32_t lane) { r.paths[e.first_thread + lane].push_back(e.block); });
  }};
  both counters(r.count, bound);
  both all(paths, counters);
  executor<Policy> machine(policy);
  r.how = machine.run(program, shape, all, {.steps = steps});
  r.least = bound.fetches();
  r.visits = bound.visits();
  return r;
}

template <class Policy>
record observe(const Policy& policy, const testing::random_walks& walks, const launch& shape,
               std::span<const unsigned char> barriers = {}, std::uint64_t steps = 1'000'000) {
  callable_program program(testing::walking_threads(walks, shape.threads), {}, barriers);
  return observe_program(policy, program, walks.graph().num_blocks(), shape, steps);
}

inline std::string text(const std::vector<block_id>& path) {
  std::string all;
  for (const block_id b : path) all += (all.empty() ? "" : " ") + std::to_string(b);
  return all;
}
inline std::string text(const fragment& f) { return "BB" + std::to_string(f.block) + " " + describe(f.lanes) + "\n"; }
inline std::string text(const std::vector<fragment>& schedule) {
  std::string all;
  for (const fragment& f : schedule) all += text(f);
  return all;
}
inline std::string text(std::uint64_t seed, const csr_graph& g) {
  return "seed " + std::to_string(seed) + "\n" + to_dot(g);
}

// Every thread goes as it goes alone; no block runs more rarely than it must or more often than all threads together
// visit it.
inline void check_run(const record& r, const testing::random_walks& walks, const launch& shape) {
  REQUIRE_MESSAGE(r.how.finished(), describe(r.how));
  std::uint64_t visits = 0;
  for (std::uint32_t t = 0; t < shape.threads; ++t) {
    const std::vector<block_id> alone = walks.path(t);
    visits += alone.size();
    REQUIRE_MESSAGE(r.paths[t] == alone, "thread " << t << " went " << text(r.paths[t]) << ", alone " << text(alone));
  }
  REQUIRE(r.visits == visits);
  REQUIRE(r.count.thread_instructions == visits);
  REQUIRE(r.least <= r.count.fetches);
  REQUIRE(r.count.fetches <= visits);
}

// A random graph of any kind in which threads can end: acyclic, reducible, irreducible, switches, self loops, several
// exits, exits in the middle, unreachable blocks; with `endless`, one in five may have arms that never end.
inline csr_graph random_graph(testing::rng& random, std::size_t blocks = 12, bool endless = false) {
  testing::cfg_options options;
  options.blocks = random.between(1, blocks);
  options.max_successors = random.between(1, 4);
  options.exits = random.between(1, 3);
  options.loops = random.chance(70);
  options.reducible = random.chance(50);
  options.terminating = !endless || random.chance(80);
  options.exit_mark_percent = random.chance(30) ? 20 : 0;
  options.unreachable_percent = random.chance(20) ? 20 : 0;
  return testing::random_cfg(random, options);
}

// Calls f(number, graph, post-dominators, walks) for every graph of up to four blocks in which threads can end; with
// four blocks only for each `every`-th graph.
template <class F>
void for_each_small_case(std::uint64_t every, F f) {
  std::uint64_t ran = 0;
  for (std::size_t blocks = 1; blocks <= 4; ++blocks)
    testing::for_each_small_cfg(blocks, [&](const csr_graph& g) {
      const auto pdom = post_dominators(g);
      if (!pdom.reaches_exit(0) || (++ran % every != 0 && blocks == 4)) return;
      INFO(text(ran, g));
      f(ran, g, pdom, testing::random_walks(g, {.seed = ran, .patience = 3}));
    });
  CHECK(ran > 26'000);
}

// A structured program with barriers that all its threads reach together.
struct barrier_program {
  testing::structured_program program;
  std::vector<unsigned char> flags;  // by block: it ends in a barrier

  [[nodiscard]] const csr_graph& graph() const { return program.graph; }
  [[nodiscard]] testing::random_walks walks(std::uint64_t seed) const {
    return testing::random_walks(program.graph, {.seed = seed}, program.uniform);
  }
};
inline barrier_program random_barrier_program(testing::rng& random) {
  testing::program_options options;
  options.barriers = true;
  options.uniform_percent = 60;
  options.break_continue = random.chance(50);
  barrier_program p{testing::random_structured_program(random, options), {}};
  p.flags.assign(p.program.graph.num_blocks(), 0);
  for (const block_id b : p.program.barriers) p.flags[b] = 1;
  return p;
}

}  // namespace warp_runs
