// SPDX-License-Identifier: BSL-1.0
//
// Warp splits. Two oracles come from other mechanisms: meeting at post-dominators fetches what the IPDOM stack fetches,
// in every order of selection; meeting wherever two splits stand at one block, the lowest PC first, is thread
// frontiers.
#include "list_support.hpp"
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/analysis/priorities.hpp>
#include <simtflow/simt/policies/ipdom_stack.hpp>
#include <simtflow/simt/policies/thread_frontier.hpp>
#include <simtflow/simt/policies/warp_subdivision.hpp>
#include <simtflow/testing/shapes.hpp>

using namespace list_tests;

namespace {
constexpr policies::selection_order orders[] = {
    policies::selection_order::oldest, policies::selection_order::round_robin, policies::selection_order::lowest_pc,
    policies::selection_order::highest_pc};
}  // namespace

TEST_CASE("warp_subdivision: meeting at post-dominators fetches what the IPDOM stack fetches, in every order") {
  for_each_random_case(
      600, [](std::uint64_t, const csr_graph& g, const testing::random_walks& walks, const launch& shape) {
        const auto pdom = post_dominators(g);
        const record stack = observe(policies::ipdom_stack(pdom.ipdoms()), walks, shape);
        check_run(stack, walks, shape);
        for (const policies::selection_order order : orders) {
          INFO("order " << static_cast<int>(order));
          const record splits = observe(
              policies::warp_subdivision(pdom.ipdoms(), policies::split_rule::post_dominator, order), walks, shape);
          check_run(splits, walks, shape);
          CHECK(splits.count.fetches == stack.count.fetches);
          CHECK(splits.count.max_depth <= 2 * shape.warp_width);
        }
      });
}

TEST_CASE("warp_subdivision: meeting at any block, the lowest PC first, is thread frontiers") {
  for_each_random_case(
      600, [](std::uint64_t, const csr_graph& g, const testing::random_walks& walks, const launch& shape) {
        const auto order = loop_contiguous_order(g);
        const record stack = observe(policies::thread_frontier(order.ranks()), walks, shape);
        const record splits = observe(policies::warp_subdivision({}, policies::split_rule::same_block,
                                                                 policies::selection_order::lowest_pc, order.ranks()),
                                      walks, shape);
        check_run(splits, walks, shape);
        REQUIRE(text(splits.schedule) == text(stack.schedule));
      });
}

TEST_CASE(
    "warp_subdivision: the rules between, in every order: paths and bounds; structured programs cost what PDOM does") {
  for_each_random_case(
      600, [](std::uint64_t, const csr_graph& g, const testing::random_walks& walks, const launch& shape) {
        const auto pdom = post_dominators(g);
        for (const policies::selection_order order : orders)
          for (const policies::split_rule rule : {policies::split_rule::same_block, policies::split_rule::both})
            check_run(observe(policies::warp_subdivision(pdom.ipdoms(), rule, order), walks, shape), walks, shape);
      });
  int earlier = 0;
  for (const bool break_continue : {false, true})
    for_each_random_program(
        300, break_continue,
        [&](std::uint64_t, const testing::structured_program& p, const testing::random_walks& walks,
            const launch& shape) {
          const auto pdom = post_dominators(p.graph);
          const record stack = observe(policies::ipdom_stack(pdom.ipdoms()), walks, shape);
          for (const policies::selection_order order : orders) {
            const record splits =
                observe(policies::warp_subdivision(pdom.ipdoms(), policies::split_rule::both, order), walks, shape);
            check_run(splits, walks, shape);
            if (!break_continue) CHECK(splits.count.fetches == stack.count.fetches);
            if (splits.count.fetches < stack.count.fetches) ++earlier;
          }
        });
  CHECK(earlier > 10);
}

TEST_CASE("warp_subdivision: figure 1 meets before the post-dominator") {
  const csr_graph g = testing::figure_1();
  const auto pdom = post_dominators(g);
  const std::vector<std::vector<block_id>> paths{{0, 2, 3, 4, 5}, {0, 1, 5}, {0, 1, 2, 4, 5}, {0, 1, 2, 3, 5}};
  const auto fetches = [&](policies::split_rule rule, policies::selection_order order) {
    callable_program program{path_walker(paths)};
    const record r =
        observe_program(policies::warp_subdivision(pdom.ipdoms(), rule, order), program, 6, {.threads = 4});
    CHECK(r.how.finished());
    return r.count.fetches;
  };
  CHECK(fetches(policies::split_rule::post_dominator, policies::selection_order::lowest_pc) == 9);
  CHECK(fetches(policies::split_rule::both, policies::selection_order::lowest_pc) == 6);
  CHECK(fetches(policies::split_rule::both, policies::selection_order::highest_pc) == 9);
}

TEST_CASE("warp_subdivision: barriers with thread arrival") {
  for_each_barrier_program(150, [](const testing::structured_program& p, const testing::random_walks& walks,
                                   launch shape, std::span<const unsigned char> barriers) {
    const auto pdom = post_dominators(p.graph);
    for (const policies::selection_order order : orders)
      for (const policies::split_rule rule :
           {policies::split_rule::post_dominator, policies::split_rule::same_block, policies::split_rule::both}) {
        shape.barriers = barrier_model::whole_warp;
        if (rule != policies::split_rule::same_block)
          check_run(observe(policies::warp_subdivision(pdom.ipdoms(), rule, order), walks, shape, barriers), walks,
                    shape);
        shape.barriers = barrier_model::thread_arrival;
        check_run(observe(policies::warp_subdivision(pdom.ipdoms(), rule, order), walks, shape, barriers), walks,
                  shape);
      }
  });
}

TEST_CASE("warp_subdivision: lanes that wait or have ended after a barrier in a branch") {
  // 0 -> {1, 2} -> 3 -> end; block 1 ends in a barrier that all four lanes pass, half of them in block 2.
  const csr_graph g = testing::diamond();
  const auto pdom = post_dominators(g);
  const unsigned char barriers[] = {0, 1, 1, 0};
  for (const policies::split_rule rule :
       {policies::split_rule::post_dominator, policies::split_rule::same_block, policies::split_rule::both}) {
    callable_program program{path_walker({{0, 1, 3}, {0, 2, 3}, {0, 1, 3}, {0, 2, 3}}), {}, barriers};
    const record r = observe_program(policies::warp_subdivision(pdom.ipdoms(), rule), program, 4,
                                     {.threads = 4, .barriers = barrier_model::thread_arrival});
    CHECK(r.how.finished());
    CHECK(r.count.fetches == 4);
  }
}

TEST_CASE("warp_subdivision: lanes that end after a barrier are not waited for") {
  const block_id ipdom[] = {3, 3, 3, no_block};
  policies::warp_subdivision splits(ipdom);
  splits.start({0, lane_mask(0b11)});
  const fragment out[] = {{1, lane_mask(0b01)}, {2, lane_mask(0b10)}};
  splits.advance(*splits.next(), out);
  splits.park(*splits.next());
  splits.park(*splits.next());
  CHECK(!splits.next());
  splits.release({3, lane_mask(0b10)});
  CHECK(splits.blocked() == lane_mask(0b10));
  CHECK(!splits.next());
  splits.ended(lane_mask(0b01));
  CHECK(splits.blocked().none());
  CHECK(*splits.next() == fragment{3, lane_mask(0b10)});
}

TEST_CASE("warp_subdivision: nobody waits for lanes that end before they meet, however deep in branches") {
  // Not post-dominators: lanes 0 and 1 end in blocks 2 and 3, inside the branch that meets at 4 and the one around it.
  const block_id meets[] = {5, 4, no_block, no_block, no_block, no_block};
  policies::warp_subdivision splits(meets);
  splits.start({0, lane_mask(0b111)});
  const fragment first[] = {{1, lane_mask(0b011)}, {5, lane_mask(0b100)}};
  splits.advance(*splits.next(), first);
  const fragment second[] = {{2, lane_mask(0b001)}, {3, lane_mask(0b010)}};
  splits.advance(*splits.next(), second);
  splits.advance(*splits.next(), {});
  CHECK(splits.blocked() == lane_mask(0b100));
  splits.advance(*splits.next(), {});
  CHECK(splits.blocked().none());
  CHECK(splits.next() == fragment{5, lane_mask(0b100)});
}

TEST_CASE("warp_subdivision: a spin lock ends if nobody waits at a post-dominator, and the order is fair") {
  const csr_graph g = spin_lock_graph();
  const auto pdom = post_dominators(g);
  const launch shape{.threads = 4, .warp_width = 4};
  for (const policies::selection_order order : orders)
    for (const policies::split_rule rule :
         {policies::split_rule::post_dominator, policies::split_rule::same_block, policies::split_rule::both}) {
      spin_lock lock;
      const bool fair = order == policies::selection_order::oldest || order == policies::selection_order::round_robin;
      const bool ends =
          rule == policies::split_rule::same_block && (fair || order == policies::selection_order::highest_pc);
      const verdict v =
          run(policies::warp_subdivision(pdom.ipdoms(), rule, order), lock, shape, no_observer{}, {.steps = 10'000});
      CHECK(v.how == (ends ? outcome::finished : outcome::step_limit));
    }
}

TEST_CASE("warp_subdivision: equal states compare equal") {
  const block_id ipdom[] = {1, no_block};
  for (const policies::split_rule rule : {policies::split_rule::post_dominator, policies::split_rule::same_block})
    check_comparable(policies::warp_subdivision(ipdom, rule));
}

namespace {
constexpr bool in_a_constant() {
  const block_id ipdom[] = {3, 3, 3, no_block};
  policies::warp_subdivision splits(ipdom);
  splits.start({0, lane_mask(0b111)});
  const fragment out[] = {{1, lane_mask(0b001)}, {2, lane_mask(0b010)}};  // lane 2 ends
  const fragment meet[] = {{3, lane_mask(0b001)}, {3, lane_mask(0b010)}};
  splits.advance(*splits.next(), out);
  bool right = splits.depth() == 4;  // two splits, their meeting, the one that runs
  splits.advance(*splits.next(), std::span<const fragment>(meet).first(1));
  const auto second = splits.next();
  right = right && *second == out[1];
  splits.advance(*second, std::span<const fragment>(meet).last(1));
  return right && *splits.next() == fragment{3, lane_mask(0b011)} && !splits.next();
}
static_assert(in_a_constant());
}  // namespace
