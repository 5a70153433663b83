// SPDX-License-Identifier: BSL-1.0
//
// Shared by the tests of the stack-like policies: runs of random walks under a policy with what every run has to hold,
// random cases, and a reconvergence stack written as a recursion, which is the oracle of the schedules.
#pragma once

#include "simt/warp_runs.hpp"
#include <simtflow/simt/policies/path_order.hpp>

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace stacks {

using namespace simtflow;
using namespace warp_runs;

struct random_case {
  csr_graph graph;
  launch shape;
};
// Graphs of every kind, partial warps, 1 .. 64 lanes.
inline random_case make_case(testing::rng& random) {
  random_case c{random_graph(random), {}};
  const auto width = static_cast<std::uint32_t>(random.chance(10) ? random.between(13, 64) : random.between(1, 12));
  c.shape = {
      .threads = static_cast<std::uint32_t>(random.between(1, 24)), .warp_width = width, .entry = c.graph.entry()};
  return c;
}

// A post-dominator stack with likely-convergence points as a recursion over groups of lanes: no stack, no entries.
class recursion {
 public:
  recursion(const testing::random_walks& walks, std::uint32_t threads, std::span<const block_id> ipdom,
            std::span<const block_id> likely, policies::path_order order)
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
      if (order_ == policies::path_order::last_target) std::reverse(out.begin(), out.end());
      if (order_ == policies::path_order::smaller_first)
        std::stable_sort(out.begin(), out.end(), [](auto& x, auto& y) { return x.lanes.count() < y.lanes.count(); });
      if (order_ == policies::path_order::larger_first)
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
  policies::path_order order_;
  testing::walking_threads threads_;
};

// The same for all warps, one after the other.
inline std::vector<fragment> recursive_schedule(const testing::random_walks& walks, const launch& shape,
                                                std::span<const block_id> ipdom, policies::path_order order,
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
  const verdict v = machine.run(program, shape,
                                [&](const event::issued<lane_mask>& e) {
                                  by_warp[e.warp].push_back({e.block, e.lanes});
                                },
                                {.steps = 1'000'000});
  CHECK(v.finished());
  std::vector<fragment> all;
  for (const auto& w : by_warp) all.insert(all.end(), w.begin(), w.end());
  return all;
}

inline constexpr policies::path_order all_orders[] = {
    policies::path_order::first_target, policies::path_order::last_target, policies::path_order::smaller_first,
    policies::path_order::larger_first};

// Any table of reconvergence points, right or wrong.
inline std::vector<block_id> random_table(testing::rng& random, const csr_graph& g) {
  std::vector<block_id> anything;
  for (std::size_t b = 0; b < g.num_blocks(); ++b)
    anything.push_back(random.chance(20) ? no_block : static_cast<block_id>(random.below(g.num_blocks())));
  return anything;
}

// Calls f(random, case, table, walks) with such tables for random cases: threads must go their ways all the same.
template <class F>
void for_each_random_table(std::uint64_t cases, F f) {
  for (std::uint64_t seed = 1; seed <= cases; ++seed) {
    testing::rng random(seed);
    const random_case c = make_case(random);
    INFO(text(seed, c.graph));
    f(random, c, random_table(random, c.graph), testing::random_walks(c.graph, {.seed = seed}));
  }
}

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
