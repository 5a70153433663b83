// SPDX-License-Identifier: BSL-1.0
//
// The invisible half of the invariants of the stack and of thread frontiers, by policies that check their own state
// after every step: who waits where, for whom, in which order (invariants 3, 5 - 8); and two programs that show what
// neither can do. invariants_test has the properties that show from outside.
#include "stacks_support.hpp"
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/analysis/priorities.hpp>
#include <simtflow/analysis/thread_frontiers.hpp>
#include <simtflow/simt/policies/ipdom_stack.hpp>
#include <simtflow/simt/policies/lane_serial.hpp>
#include <simtflow/simt/policies/thread_frontier.hpp>
#include <simtflow/testing/shapes.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

using namespace simtflow;
using stacks::check_run;
using stacks::observe;
using stacks::record;

namespace {

// A policy that checks its own state after every step; the executor sees nothing of it.
class watched_frontier : public policies::thread_frontier {
 public:
  watched_frontier(const priority_order<csr_graph>& order, const frontier_sets<csr_graph>& sets)
      : policies::thread_frontier(order.ranks()), rank_(order.ranks()), sets_(&sets) {}

  std::optional<fragment> next() {
    const auto f = policies::thread_frontier::next();
    if (!f) return f;
    lane_mask seen = f->lanes;
    for (std::size_t i = 0; i < waiting().size(); ++i) {
      const fragment& w = waiting()[i];
      if (w.lanes.none() || (w.lanes & seen).any()) broken = "entries share lanes or are empty";
      seen |= w.lanes;
      if (rank_[w.block] <= rank_[f->block]) broken = "a waiting block does not rank below the running one";
      if (i > 0 && rank_[waiting()[i - 1].block] <= rank_[w.block]) broken = "entries are not sorted, or not unique";
      if (!sets_->contains(f->block, w.block)) broken = "a waiting block is not in the frontier of the running one";
    }
    return f;
  }
  inline static std::string broken;

 private:
  std::span<const std::uint32_t> rank_;
  const frontier_sets<csr_graph>* sets_;
};

class watched_stack : public policies::ipdom_stack {
 public:
  using policies::ipdom_stack::ipdom_stack;
  std::optional<fragment> next() {
    const auto f = policies::ipdom_stack::next();
    // A path's lanes are among those that wait for it below, and no two paths to one place share a lane.
    const auto all = entries();
    for (std::size_t i = 0; i < all.size(); ++i)
      for (std::size_t j = i + 1; j < all.size(); ++j) {
        const bool nested = all[j].lanes.is_subset_of(all[i].lanes) && all[j].reconvergence != no_block;
        if (!nested && (all[i].lanes & all[j].lanes).any()) broken = "entries overlap without being nested";
      }
    return f;
  }
  inline static std::string broken;
};

}  // namespace

TEST_CASE("random graphs: paths, bounds and waiting sets under every policy (1-8)") {
  for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
    testing::rng random(seed);
    const csr_graph g = stacks::random_graph(random);
    INFO(stacks::text(seed, g));
    const testing::random_walks walks(g, {.seed = seed});
    const auto width = static_cast<std::uint32_t>(random.between(1, 12));
    const launch shape{
        .threads = static_cast<std::uint32_t>(random.between(1, 24)), .warp_width = width, .entry = g.entry()};
    launch alone = shape;
    alone.barriers = barrier_model::thread_arrival;

    const auto pdom = post_dominators(g);
    watched_stack::broken.clear();
    const record stack = observe(watched_stack(pdom.ipdoms()), walks, shape);
    check_run(stack, walks, shape);
    CHECK(watched_stack::broken == "");
    CHECK(stack.count.max_depth <= std::max(1U, 2 * width - 1));

    for (const auto& order : {reverse_post_order(g), loop_contiguous_order(g)}) {
      const auto sets = thread_frontiers(g, order);
      watched_frontier::broken.clear();
      const record frontier = observe(watched_frontier(order, sets), walks, shape);
      check_run(frontier, walks, shape);
      CHECK(watched_frontier::broken == "");
      CHECK(frontier.count.max_depth <= width);
    }
    const record serial = observe(policies::lane_serial(), walks, alone);
    check_run(serial, walks, alone);
    CHECK(serial.count.fetches == serial.visits);
    CHECK(serial.least == stack.least);
  }
}

TEST_CASE("every graph of up to four blocks in which threads can end: paths, bounds and waiting sets (1-8)") {
  stacks::for_each_small_case(1, [](std::uint64_t, const csr_graph& g, const auto& pdom, const auto& walks) {
    const launch shape{.threads = 4, .warp_width = 4};
    const auto order = loop_contiguous_order(g);
    const auto sets = thread_frontiers(g, order);
    watched_stack::broken.clear();
    watched_frontier::broken.clear();
    check_run(observe(watched_stack(pdom.ipdoms()), walks, shape), walks, shape);
    check_run(observe(watched_frontier(order, sets), walks, shape), walks, shape);
    REQUIRE(watched_stack::broken == "");
    REQUIRE(watched_frontier::broken == "");
  });
}

TEST_CASE("thread frontiers may lose: three blocks where they fetch six and PDOM five") {
  const csr_graph g = testing::frontier_loses();
  const std::vector<std::vector<block_id>> paths{{0, 1, 1, 0, 2}, {0, 1, 0, 2}};
  const auto program = [&] {
    return [&, at = std::vector<std::size_t>(2, 0)](std::uint32_t t, block_id) mutable {
      ++at[t];
      return at[t] < paths[t].size() ? paths[t][at[t]] : no_block;
    };
  };
  counts stack, frontier;
  const auto pdom = post_dominators(g);
  const auto order = loop_contiguous_order(g);
  CHECK(run(policies::ipdom_stack(pdom.ipdoms()), program(), {.threads = 2}, stack).finished());
  CHECK(run(policies::thread_frontier(order.ranks()), program(), {.threads = 2}, frontier).finished());
  CHECK(stack.fetches == 5);
  CHECK(frontier.fetches == 6);
}

TEST_CASE("an infinite arm does not hold up the threads that end") {
  // The other arm must not wait at a post-dominator that the endless arm never reaches.
  const csr_graph g = testing::infinite_loop_arm();
  const auto pdom = post_dominators(g);
  std::uint32_t ended = 0;
  const verdict v = run(
      policies::ipdom_stack(pdom.ipdoms()),
      [&g](std::uint32_t t, block_id b) -> block_id {
        const auto out = g.successors(b);
        return out.empty() ? no_block : out[out.size() == 2 ? 1 - t % 2 : 0];
      },
      {.threads = 2, .entry = g.entry()}, [&](const event::exited<lane_mask>& e) { ended += e.lanes.count(); },
      {.steps = 1000});
  CHECK(v.how == outcome::step_limit);
  CHECK(ended == 1);
}
