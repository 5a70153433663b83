// SPDX-License-Identifier: BSL-1.0
//
// What the tests of single policies share: random graphs with threads that walk through them, a record of a run, and
// the laws that hold for every policy.
#pragma once

#include <simtflow/graph/csr.hpp>
#include <simtflow/io/describe.hpp>
#include <simtflow/io/dot.hpp>
#include <simtflow/simt/executor.hpp>
#include <simtflow/simt/lower_bound.hpp>
#include <simtflow/simt/observers/counts.hpp>
#include <simtflow/testing/generate.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace list_tests {

using namespace simtflow;

// What one run did.
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
  r.how = machine.run(shape, program, all, {.steps = steps});
  r.least = bound.fetches();
  r.visits = bound.visits();
  return r;
}

template <class Policy>
record observe(const Policy& policy, const testing::random_walks& walks, const launch& shape,
               std::span<const unsigned char> barriers = {}) {
  callable_program program(testing::walking_threads(walks, shape.threads), {}, barriers);
  return observe_program(policy, program, walks.graph().num_blocks(), shape);
}

// A policy whose state stays with the caller, to be looked at after the run. One warp only.
template <class Policy>
class referenced {
 public:
  using mask_type = typename Policy::mask_type;
  explicit referenced(Policy& policy) : policy_(&policy) {}
  void start(const fragment& f) { policy_->start(f); }
  std::optional<fragment> next() { return policy_->next(); }
  void advance(const fragment& f, std::span<const fragment> out) { policy_->advance(f, out); }
  void park(const fragment& f) requires parking_policy<Policy> { policy_->park(f); }
  void release(const fragment& f) requires parking_policy<Policy> { policy_->release(f); }

 private:
  Policy* policy_;
};

inline std::string text(const fragment& f) { return "BB" + std::to_string(f.block) + " " + describe(f.lanes) + "\n"; }
inline std::string text(const std::vector<block_id>& path) {
  std::string all;
  for (const block_id b : path) all += (all.empty() ? "" : " ") + std::to_string(b);
  return all;
}
inline std::string text(const std::vector<fragment>& schedule) {
  std::string all;
  for (const fragment& f : schedule) all += text(f);
  return all;
}

// Every thread went where it goes alone, and nothing ran more often than the threads' visits or less than needed.
inline void check_run(const record& r, const testing::random_walks& walks, const launch& shape) {
  REQUIRE_MESSAGE(r.how.finished(), describe(r.how));
  std::uint64_t visits = 0;
  for (std::uint32_t t = 0; t < shape.threads; ++t) {
    const std::vector<block_id> alone = walks.path(t);
    visits += alone.size();
    REQUIRE_MESSAGE(r.paths[t] == alone, "thread " << t << " went " << text(r.paths[t]) << ", alone " << text(alone));
  }
  REQUIRE(r.count.thread_instructions == visits);
  REQUIRE(r.least <= r.count.fetches);
  REQUIRE(r.count.fetches <= visits);
}

// Policies in equal states compare equal, others do not. The program is 0 -> 1, all that the policy looks up of it.
template <comparable_policy Policy>
void check_comparable(Policy a) {
  a.start({0, lane_mask(0b11)});
  Policy b = a;
  CHECK(a == b);
  const auto step = [](Policy& p) {
    const fragment f = *p.next();
    const fragment out[] = {{1, f.lanes}};
    p.advance(f, out);
  };
  step(a);
  CHECK_FALSE(a == b);
  step(b);
  CHECK(a == b);
}

// Calls f(seed, graph, walks, shape) for random graphs of every kind that can end: acyclic, reducible, irreducible,
// switches, self loops, parallel edges, exits in the middle, unreachable blocks, endless arms; warps of 1 to 64 lanes.
template <class F>
void for_each_random_case(std::uint64_t cases, F&& f) {
  for (std::uint64_t seed = 1; seed <= cases; ++seed) {
    testing::rng random(seed);
    testing::cfg_options options;
    options.blocks = random.between(1, 12);
    options.max_successors = random.between(1, 4);
    options.exits = random.between(1, 3);
    options.loops = random.chance(70);
    options.reducible = random.chance(50);
    options.terminating = random.chance(80);
    options.exit_mark_percent = random.chance(30) ? 20 : 0;
    options.unreachable_percent = random.chance(20) ? 20 : 0;
    const csr_graph g = testing::random_cfg(random, options);
    const testing::random_walks walks(g, {.seed = seed, .patience = static_cast<unsigned>(random.between(2, 6))});
    launch shape{.entry = g.entry()};
    shape.warp_width = static_cast<std::uint32_t>(random.chance(10) ? random.between(13, 64) : random.between(1, 12));
    shape.threads = static_cast<std::uint32_t>(random.between(1, 2 * shape.warp_width));
    if (walks.path(0, 5000).size() == 5000) continue;  // a graph that is all endless
    INFO("seed " << seed << "\n" << to_dot(g));
    f(seed, g, walks, shape);
  }
}

// The same with random structured programs, with and without break and continue; f also gets the program.
template <class F>
void for_each_random_program(std::uint64_t cases, bool break_continue, F&& f) {
  for (std::uint64_t seed = 1; seed <= cases; ++seed) {
    testing::rng random(seed);
    testing::program_options options;
    options.statements = random.between(1, 10);
    options.break_continue = break_continue;
    const auto program = testing::random_structured_program(random, options);
    const testing::random_walks walks(program.graph, {.seed = seed}, program.uniform);
    const launch shape{.threads = 12, .warp_width = 8};
    INFO("seed " << seed << "\n" << to_dot(program.graph));
    f(seed, program, walks, shape);
  }
}

// The same with barriers that all threads reach together; f also gets flags of the blocks that end in one.
template <class F>
void for_each_barrier_program(std::uint64_t cases, F&& f) {
  for (std::uint64_t seed = 1; seed <= cases; ++seed) {
    testing::rng random(seed);
    testing::program_options options;
    options.barriers = true;
    options.uniform_percent = 60;
    options.break_continue = random.chance(50);
    const auto program = testing::random_structured_program(random, options);
    std::vector<unsigned char> barriers(program.graph.num_blocks(), 0);
    for (const block_id b : program.barriers) barriers[b] = 1;
    const testing::random_walks walks(program.graph, {.seed = seed}, program.uniform);
    const launch shape{.threads = 12, .warp_width = 5};
    INFO("seed " << seed << "\n" << to_dot(program.graph));
    f(program, walks, shape, std::span<const unsigned char>(barriers));
  }
}

// Threads that follow given paths. Make a new one for every run.
class path_walker {
 public:
  explicit path_walker(std::vector<std::vector<block_id>> paths) : paths_(std::move(paths)), at_(paths_.size(), 0) {}
  block_id operator()(std::uint32_t thread, block_id) {
    const std::size_t i = ++at_[thread];
    return i < paths_[thread].size() ? paths_[thread][i] : no_block;
  }

 private:
  std::vector<std::vector<block_id>> paths_;
  std::vector<std::size_t> at_;
};

// A lock in shared memory. 0 -> 1; 1: take the lock and go to 2, or try again; 2: give it back; 3: end.
class spin_lock {
 public:
  block_id operator()(std::uint32_t thread, block_id b) {
    switch (b) {
      case 0:
        return 1;
      case 1:
        if (holder_ != nobody) return 1;
        holder_ = thread;
        return 2;
      case 2:
        holder_ = nobody;
        return 3;
      default:
        return no_block;
    }
  }

 private:
  static constexpr std::uint32_t nobody = 0xFFFF'FFFF;
  std::uint32_t holder_ = nobody;
};
inline csr_graph spin_lock_graph() {
  return csr_builder(4).add_edge(0, 1).add_edge(1, 1).add_edge(1, 2).add_edge(2, 3).build();
}

}  // namespace list_tests
