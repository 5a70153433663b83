// SPDX-License-Identifier: BSL-1.0
//
// Conservative branches: the paper's Figure 3, the identity with the sorted stack for sound frontiers (invariant 13),
// and the threads that are lost with unsound ones. The oracle of no-ops is a machine that keeps one program counter a
// thread and steps through memory.
#include "list_support.hpp"
#include <simtflow/analysis/priorities.hpp>
#include <simtflow/analysis/thread_frontiers.hpp>
#include <simtflow/simt/policies/conservative_branch.hpp>
#include <simtflow/simt/policies/thread_frontier.hpp>
#include <simtflow/testing/shapes.hpp>

#include <algorithm>

using namespace list_tests;

namespace {

struct tables {
  priority_order<csr_graph> order;
  std::vector<block_id> target;

  tables(const csr_graph& g, priority_order<csr_graph> o, frontier_rule rule = frontier_rule::fixpoint)
      : order(std::move(o)) {
    const frontier_sets<csr_graph> sets(g, order, std::span<const unsigned char>{}, rule);
    target = policies::conservative_targets(sets.ids());
  }

  policies::conservative_branch policy(std::span<const std::uint32_t> weight = {}) const {
    return policies::conservative_branch(order.ids().order(), order.ranks(), target, weight);
  }
};

// An order that lists what the entry reaches at random.
priority_order<csr_graph> random_order(const csr_graph& g, std::uint64_t seed) {
  const auto rpo = reverse_post_order(g);
  std::vector<block_id> all(rpo.ids().order().begin(), rpo.ids().order().end());
  testing::rng random(seed);
  random.shuffle(all);
  return priority_order<csr_graph>(g, all);
}

// A warp counter and a counter for each thread, one block at a time. Returns the no-op fetches.
std::uint64_t no_ops_of_machine(const tables& t, const testing::random_walks& walks, std::uint32_t first,
                                std::uint32_t last) {
  const auto layout = t.order.ids().order();
  std::vector<std::vector<block_id>> paths;
  for (std::uint32_t i = first; i < last; ++i) paths.push_back(walks.path(i));
  std::vector<std::size_t> at(paths.size(), 0);
  std::uint64_t no_ops = 0, live = paths.size();
  block_id pc = paths[0][0];
  while (live > 0) {
    std::vector<std::size_t> enabled;
    for (std::size_t i = 0; i < paths.size(); ++i)
      if (at[i] < paths[i].size() && paths[i][at[i]] == pc) enabled.push_back(i);
    if (enabled.empty()) {
      ++no_ops;
      pc = layout[t.order.rank(pc) + 1];
      continue;
    }
    const bool all = enabled.size() == live;
    std::vector<block_id> next;
    for (const std::size_t i : enabled) {
      if (++at[i] == paths[i].size())
        --live;
      else
        next.push_back(paths[i][at[i]]);
    }
    const bool one = !next.empty() && std::all_of(next.begin(), next.end(), [&](block_id b) { return b == next[0]; });
    const block_id from = pc;
    pc = all && one ? next[0] : t.target[from];
    if (pc == no_block) break;
  }
  REQUIRE(live == 0);
  return no_ops;
}

}  // namespace

TEST_CASE("conservative_branch: figure 3 crosses blocks that nobody runs") {
  const csr_graph g = testing::figure_3();
  std::vector<block_id> by_id{0, 1, 2, 3, 4, 5, 6, 7};
  const tables t(g, priority_order<csr_graph>(g, by_id));
  CHECK(t.target[2] == 3);  // the conservative branch of the figure
  std::vector<std::vector<block_id>> paths{{0, 1, 2, 4, 7}, {0, 3, 5, 7}};
  const std::uint32_t weights[] = {1, 1, 1, 1, 1, 1, 10, 1};
  policies::conservative_branch policy = t.policy(weights);
  path_walker threads(paths);
  callable_program program(threads, weights);
  const record r =
      observe_program(referenced<policies::conservative_branch>(policy), program, 8, {.threads = 2, .warp_width = 2});
  CHECK(r.how.finished());
  CHECK(text(r.schedule) == text(std::vector<fragment>{{0, lane_mask(3)},
                                                       {1, lane_mask(1)},
                                                       {2, lane_mask(1)},
                                                       {3, lane_mask(2)},
                                                       {4, lane_mask(1)},
                                                       {5, lane_mask(2)},
                                                       {7, lane_mask(3)}}));
  CHECK(policy.no_op_fetches() == 1);  // block 6, from 5 to 7
  CHECK(policy.overhead() == 10);
}

TEST_CASE("conservative_branch: a whole warp goes straight to its one target") {
  // 0 -> {1, 2}, both to 3: all threads skip block 1.
  const csr_graph g = testing::diamond();
  std::vector<block_id> by_id{0, 1, 2, 3};
  const tables t(g, priority_order<csr_graph>(g, by_id));
  policies::conservative_branch policy = t.policy();
  const auto fetches = [&](std::vector<std::vector<block_id>> paths) {
    callable_program program{path_walker(paths)};
    const record r = observe_program(referenced<policies::conservative_branch>(policy), program, 4, {.threads = 2});
    CHECK(r.how.finished());
    return r.count.fetches;
  };
  CHECK(fetches({{0, 2, 3}, {0, 2, 3}}) == 3);
  CHECK(policy.no_op_fetches() == 0);
  CHECK(fetches({{0, 2, 3}, {0, 1, 3}}) == 4);
  CHECK(policy.no_op_fetches() == 0);
  // One thread ends at once; the other is a partial warp while the branch executes, and nobody is at block 1.
  CHECK(fetches({{0}, {0, 2, 3}}) == 3);
  CHECK(policy.no_op_fetches() == 0);  // all that live go to one place
}

TEST_CASE("conservative_branch: with a sound frontier the schedule is the sorted stack's, in every order (13)") {
  std::uint64_t fetches = 0, no_ops = 0, loop_order_no_ops = 0, loop_order_fetches = 0;
  for_each_random_case(
      800, [&](std::uint64_t seed, const csr_graph& g, const testing::random_walks& walks, const launch& shape) {
        int which = 0;
        for (auto& order : {loop_contiguous_order(g), reverse_post_order(g), random_order(g, seed)}) {
          const tables t(g, order);
          const record stack = observe(policies::thread_frontier(t.order.ranks()), walks, shape);
          const record sandy = observe(t.policy(), walks, shape);
          check_run(sandy, walks, shape);
          // The warps take turns by steps in both, so the schedules of several warps interleave alike.
          REQUIRE(text(sandy.schedule) == text(stack.schedule));
          std::uint64_t machine = 0;
          for (std::uint32_t first = 0; first < shape.threads; first += shape.warp_width)
            machine += no_ops_of_machine(t, walks, first, std::min(shape.threads, first + shape.warp_width));
          CHECK(sandy.count.overhead_operations == machine);
          fetches += sandy.count.fetches;
          no_ops += machine;
          if (which == 0) loop_order_no_ops += machine;
          if (which++ == 0) loop_order_fetches += sandy.count.fetches;
        }
      });
  CHECK(no_ops > fetches / 10);
  MESSAGE("no-ops " << no_ops << " on " << fetches << " fetches; in loop order " << loop_order_no_ops << " on "
                    << loop_order_fetches);
}

TEST_CASE("conservative_branch: every graph of up to three blocks in every order") {
  std::uint64_t ran = 0;
  for (std::size_t n = 1; n <= 3; ++n)
    testing::for_each_small_cfg(n, [&](const csr_graph& g) {
      const testing::random_walks walks(g, {.seed = ++ran, .patience = 3});
      if (walks.path(0, 1000).size() == 1000) return;
      const launch shape{.threads = 4, .warp_width = 4};
      std::vector<block_id> all;
      for (block_id b = 0; b < n; ++b) all.push_back(b);
      do {
        INFO(to_dot(g) << text(all));
        const tables t(g, priority_order<csr_graph>(g, all));
        const record sandy = observe(t.policy(), walks, shape);
        check_run(sandy, walks, shape);
        REQUIRE(text(sandy.schedule) ==
                text(observe(policies::thread_frontier(t.order.ranks()), walks, shape).schedule));
      } while (std::next_permutation(all.begin(), all.end()));
    });
  CHECK(ran > 2000);
}

TEST_CASE("conservative_branch: Algorithm 1's frontiers lose threads in random orders, and the verdict says so") {
  std::uint64_t runs = 0, lost = 0, lost_in_rpo = 0;
  for_each_random_case(
      2500, [&](std::uint64_t seed, const csr_graph& g, const testing::random_walks& walks, const launch& shape) {
        ++runs;
        const auto attempt = [&](const priority_order<csr_graph>& order) {
          const tables t(g, order, frontier_rule::algorithm_1);
          const record r = observe(t.policy(), walks, shape);
          if (r.how.finished()) {
            check_run(r, walks, shape);
            return false;
          }
          REQUIRE(r.how.how == outcome::lost_threads);
          REQUIRE(!r.how.standing.empty());
          for (const auto& s : r.how.standing) REQUIRE(s.lanes.any());
          for (std::uint32_t thread = 0; thread < shape.threads; ++thread) {  // what did run was right
            const auto alone = walks.path(thread);
            REQUIRE(r.paths[thread].size() <= alone.size());
            REQUIRE(std::equal(r.paths[thread].begin(), r.paths[thread].end(), alone.begin()));
          }
          return true;
        };
        lost += attempt(random_order(g, seed)) ? 1 : 0;
        lost_in_rpo += attempt(reverse_post_order(g)) ? 1 : 0;
      });
  MESSAGE("lost threads in " << lost << " of " << runs << " runs in random orders, in RPO " << lost_in_rpo);
  CHECK(lost > runs / 50);
  CHECK(lost_in_rpo == 0);
}

TEST_CASE("conservative_branch: a barrier that the whole warp reaches is no obstacle") {
  for_each_barrier_program(150, [](const testing::structured_program& p, const testing::random_walks& walks,
                                   const launch& shape, std::span<const unsigned char> barriers) {
    const tables t(p.graph, loop_contiguous_order(p.graph));
    check_run(observe(t.policy(), walks, shape, barriers), walks, shape);
  });
}

TEST_CASE("conservative_branch: equal states compare equal") {
  const std::uint32_t rank[] = {0, 1};
  const block_id layout[] = {0, 1}, target[] = {1, no_block};
  check_comparable(policies::conservative_branch(layout, rank, target));
}

namespace {
constexpr bool in_a_constant() {
  const block_id layout[] = {0, 1, 2, 3}, target[] = {1, 2, 3, no_block};  // a diamond
  const std::uint32_t rank[] = {0, 1, 2, 3};
  policies::conservative_branch warp(layout, rank, target);
  warp.start({0, lane_mask(0b11)});
  const fragment out[] = {{2, lane_mask(0b10)}, {3, lane_mask(0b01)}};
  warp.advance(*warp.next(), out);
  const auto f = warp.next();  // past block 1
  return f && *f == out[0] && warp.no_op_fetches() == 1;
}
static_assert(in_a_constant());
}  // namespace
