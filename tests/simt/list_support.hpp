// SPDX-License-Identifier: BSL-1.0
//
// Shared by the tests of single policies: random graphs with threads that walk through them, a record of a run, and the
// laws that hold for every policy.
#pragma once

#include "simt/warp_runs.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace list_tests {

using namespace simtflow;
using namespace warp_runs;

// A policy that leaves its state with the caller, to be looked at after the run. One warp only.
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
    const csr_graph g = random_graph(random, 12, true);
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
    const barrier_program program = random_barrier_program(random);
    const testing::random_walks walks = program.walks(seed);
    const launch shape{.threads = 12, .warp_width = 5};
    INFO(text(seed, program.graph()));
    f(program.program, walks, shape, std::span<const unsigned char>(program.flags));
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
