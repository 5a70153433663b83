// SPDX-License-Identifier: BSL-1.0
//
// What the tests of the stack-like policies share: runs of random walks under a policy with what every run has to hold,
// random cases, and a reconvergence stack written as a recursion, which is the oracle of the schedules.
#pragma once

#include <simtflow/graph/csr.hpp>
#include <simtflow/io/describe.hpp>
#include <simtflow/io/dot.hpp>
#include <simtflow/simt/executor.hpp>
#include <simtflow/simt/lower_bound.hpp>
#include <simtflow/simt/observers/counts.hpp>
#include <simtflow/simt/policies/path_order.hpp>
#include <simtflow/testing/generate.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace stacks {

using namespace simtflow;

struct record {
  verdict how;
  counts count;
  std::vector<std::vector<block_id>> paths;  // by thread
  std::vector<fragment> schedule;            // of all warps, in order
  std::uint64_t least = 0, visits = 0;
};

template <class Policy>
record observe(const Policy& policy, const testing::random_walks& walks, const launch& shape,
               std::span<const unsigned char> barriers = {}, std::uint64_t steps = 1'000'000) {
  record r;
  r.paths.resize(shape.threads);
  lower_bound bound(walks.graph().num_blocks());
  overloaded paths{[&r](const event::issued<lane_mask>& e) {
    r.schedule.push_back({e.block, e.lanes});
    e.lanes.for_each([&](std::uint32_t lane) { r.paths[e.first_thread + lane].push_back(e.block); });
  }};
  both counters(r.count, bound);
  both all(paths, counters);
  callable_program program(testing::walking_threads(walks, shape.threads), {}, barriers);
  executor<Policy> machine(policy);
  r.how = machine.run(shape, program, all, {.steps = steps});
  r.least = bound.fetches();
  r.visits = bound.visits();
  return r;
}

inline std::string text(const std::vector<block_id>& path) {
  std::string all;
  for (const block_id b : path) all += (all.empty() ? "" : " ") + std::to_string(b);
  return all;
}
inline std::string text(const std::vector<fragment>& schedule) {
  std::string all;
  for (const fragment& f : schedule) all += "BB" + std::to_string(f.block) + " " + describe(f.lanes) + "\n";
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
  REQUIRE(r.least <= r.count.fetches);
  REQUIRE(r.count.fetches <= visits);
}

struct random_case {
  csr_graph graph;
  launch shape;
};
// Acyclic, reducible and irreducible graphs, switches, self loops, several exits, exits in the middle, unreachable
// blocks, partial warps, 1 .. 64 lanes.
inline random_case make_case(testing::rng& random) {
  testing::cfg_options options;
  options.blocks = random.between(1, 12);
  options.max_successors = random.between(1, 4);
  options.exits = random.between(1, 3);
  options.loops = random.chance(70);
  options.reducible = random.chance(50);
  options.terminating = true;
  options.exit_mark_percent = random.chance(30) ? 20 : 0;
  options.unreachable_percent = random.chance(20) ? 20 : 0;
  random_case c{testing::random_cfg(random, options), {}};
  const auto width = static_cast<std::uint32_t>(random.chance(10) ? random.between(13, 64) : random.between(1, 12));
  c.shape = {
      .threads = static_cast<std::uint32_t>(random.between(1, 24)), .warp_width = width, .entry = c.graph.entry()};
  return c;
}

// A post-dominator stack with likely-convergence points as a recursion over groups of lanes: no stack, no entries.
class recursion {
 public:
  recursion(const testing::random_walks& walks, std::uint32_t threads, std::span<const block_id> ipdom,
            std::span<const block_id> likely, path_order order)
      : ipdom_(ipdom), likely_(likely), order_(order), threads_(walks, threads) {}

  // The lanes' way from a block to the point where they stop; gives those that come there. Lanes that come to the
  // likely point are added to at_likely.
  lane_mask go(block_id b, lane_mask lanes, block_id stop, block_id likely, lane_mask& at_likely) {
    while (lanes.any() && b != stop) {
      if (b == likely) {
        at_likely |= lanes;
        return {};
      }
      schedule.push_back({b, lanes});
      std::vector<fragment> out;
      lanes.for_each([&](std::uint32_t lane) {
        const block_id to = threads_(first_thread + lane, b);
        if (to == no_block) return;
        for (fragment& f : out)
          if (f.block == to) return f.lanes.set(lane);
        out.push_back({to, lane_mask::lane(lane)});
      });
      if (order_ == path_order::last_target) std::reverse(out.begin(), out.end());
      if (order_ == path_order::smaller_first)
        std::stable_sort(out.begin(), out.end(), [](auto& x, auto& y) { return x.lanes.count() < y.lanes.count(); });
      if (order_ == path_order::larger_first)
        std::stable_sort(out.begin(), out.end(), [](auto& x, auto& y) { return x.lanes.count() > y.lanes.count(); });
      if (out.empty()) return {};
      if (out.size() == 1) {
        b = out[0].block;
        lanes = out[0].lanes;
        continue;
      }
      const block_id meet = ipdom_[b];
      const block_id mine = likely_.empty() || likely_[b] == meet ? no_block : likely_[b];
      const bool same_stop = meet == stop;
      const bool inherit = same_stop && (mine == no_block || mine == likely);
      lane_mask here{}, come{};
      for (const fragment& f : out)
        come |= go(f.block, f.lanes, meet, inherit ? likely : mine, inherit ? at_likely : here);
      lane_mask unused{};
      if (here.any()) {
        schedule_likely = true;
        come |= go(mine, here, meet, same_stop ? likely : no_block, same_stop ? at_likely : unused);
      }
      b = meet;
      lanes = come;
    }
    return lanes;
  }

  std::vector<fragment> schedule;
  std::uint32_t first_thread = 0;
  bool schedule_likely = false;  // some lanes have met at a likely point

 private:
  std::span<const block_id> ipdom_, likely_;
  path_order order_;
  testing::walking_threads threads_;
};

// The same for all warps, one after the other.
inline std::vector<fragment> recursive_schedule(const testing::random_walks& walks, const launch& shape,
                                                std::span<const block_id> ipdom, path_order order,
                                                std::span<const block_id> likely = {}) {
  recursion r(walks, shape.threads, ipdom, likely, order);
  for (; r.first_thread < shape.threads; r.first_thread += shape.warp_width) {
    lane_mask nobody{};
    r.go(shape.entry, lane_mask::first_lanes(std::min(shape.warp_width, shape.threads - r.first_thread)), no_block,
         no_block, nobody);
  }
  return r.schedule;
}

// The executor lets warps take turns; this is its schedule warp by warp.
template <class Policy>
std::vector<fragment> schedule_by_warp(const Policy& policy, const testing::random_walks& walks, const launch& shape) {
  std::vector<std::vector<fragment>> by_warp(shape.threads / shape.warp_width + 1);
  callable_program program(testing::walking_threads(walks, shape.threads));
  executor<Policy> machine(policy);
  const verdict v = machine.run(shape, program,
                                [&](const event::issued<lane_mask>& e) {
                                  by_warp[e.warp].push_back({e.block, e.lanes});
                                },
                                {.steps = 1'000'000});
  CHECK(v.finished());
  std::vector<fragment> all;
  for (const auto& w : by_warp) all.insert(all.end(), w.begin(), w.end());
  return all;
}

inline constexpr path_order all_orders[] = {path_order::first_target, path_order::last_target,
                                            path_order::smaller_first, path_order::larger_first};

// A fragment by hand: block and lanes as bits.
constexpr fragment at(block_id b, std::uint64_t lanes) { return {b, lane_mask(lanes)}; }

// Lets what next() names run with these targets; false if it names something else.
template <class Policy>
constexpr bool step(Policy& p, const fragment& runs, std::vector<fragment> out) {
  const auto f = p.next();
  if (!f || !(*f == runs)) return false;
  p.advance(*f, std::span<const fragment>(out));
  return true;
}

// A lock that every lane takes once. Block 0 tries: who wins goes to 1 (the critical section, which ends with giving
// the lock back) and then to 2; who does not tries again. The post-dominator of 0 is 1, where winners wait for the
// others.
struct spin_lock {
  std::uint32_t holder = no_block;
  block_id operator()(std::uint32_t thread, block_id b) {
    if (b == 0) {
      if (holder == no_block) holder = thread;
      return holder == thread ? 1 : 0;
    }
    if (b == 1) {
      holder = no_block;
      return 2;
    }
    return no_block;
  }
  static csr_graph graph() { return csr_builder(3).add_edge(0, 1).add_edge(0, 0).add_edge(1, 2).build(); }
};

}  // namespace stacks
