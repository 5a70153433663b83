// SPDX-License-Identifier: BSL-1.0
//
// The sorted stack's bookkeeping: the paper's example step by step, and its counters against a stack kept in an ordered
// map. Paths, bounds, waiting sets and optimality are in policies_test.cpp.
#include "list_support.hpp"
#include <simtflow/analysis/priorities.hpp>
#include <simtflow/simt/policies/thread_frontier.hpp>
#include <simtflow/simt/policy_state.hpp>
#include <simtflow/testing/shapes.hpp>

#include <algorithm>
#include <array>
#include <map>

using namespace list_tests;

namespace {

constexpr std::uint32_t ranks[] = {0, 1, 2, 3, 4, 5};

// Figure 1 with its four threads: BB1 {0-3}; BB2 {1,2,3}; BB3 {0,2,3}; BB4 {0,3}; BB5 {0,2}; Exit {0-3}.
constexpr bool figure_1_step_by_step() {
  policies::thread_frontier stack{std::span<const std::uint32_t>(ranks)};
  stack.start({0, lane_mask(0b1111)});
  struct step {
    fragment runs;
    std::array<fragment, 2> out;
    std::size_t targets, waiting;
    std::uint64_t merges, walked;
  };
  const step steps[] = {
      // runs                        goes to                                           waiting, merges, walked so far
      {{0, lane_mask(0b1111)}, {{{1, lane_mask(0b1110)}, {2, lane_mask(0b0001)}}}, 2, 2, 0, 2},
      {{1, lane_mask(0b1110)}, {{{5, lane_mask(0b0010)}, {2, lane_mask(0b1100)}}}, 2, 2, 1, 4},
      {{2, lane_mask(0b1101)}, {{{3, lane_mask(0b1001)}, {4, lane_mask(0b0100)}}}, 2, 3, 1, 7},
      {{3, lane_mask(0b1001)}, {{{4, lane_mask(0b0001)}, {5, lane_mask(0b1000)}}}, 2, 2, 3, 10},
      {{4, lane_mask(0b0101)}, {{{5, lane_mask(0b0101)}, {}}}, 1, 1, 4, 11},
      {{5, lane_mask(0b1111)}, {}, 0, 0, 4, 11},
  };
  for (const step& s : steps) {
    const auto f = stack.next();
    if (!f || !(*f == s.runs)) return false;
    stack.advance(*f, std::span<const fragment>(s.out).first(s.targets));
    if (stack.waiting().size() != s.waiting || stack.merges() != s.merges || stack.entries_walked() != s.walked)
      return false;
  }
  return !stack.next() && stack.longest_walk() == 2 && stack.insertions() == 9;
}
static_assert(figure_1_step_by_step());

// Counts what an insertion costs from an ordered map of the waiting ranks.
class accounted : public policies::thread_frontier {
 public:
  explicit accounted(std::span<const std::uint32_t> rank) : policies::thread_frontier(rank), rank_(rank) {}
  void start(const fragment& f) {
    policies::thread_frontier::start(f);
    map_ = {{rank_[f.block], f.lanes}};
    merged = walked = longest = inserted = 0;
    by_cost.clear();
  }
  std::optional<fragment> next() {
    const auto f = policies::thread_frontier::next();
    if (f) {
      REQUIRE(map_.begin()->first == rank_[f->block]);
      REQUIRE(map_.begin()->second == f->lanes);
      map_.erase(map_.begin());
    }
    return f;
  }
  void advance(const fragment& f, std::span<const fragment> out) {
    policies::thread_frontier::advance(f, out);
    for (const fragment& o : out) insert(o);
  }
  void release(const fragment& f) {
    policies::thread_frontier::release(f);
    insert(f);
  }
  std::uint64_t merged = 0, walked = 0, longest = 0, inserted = 0;
  std::map<std::uint64_t, std::uint64_t> by_cost;

 private:
  void insert(const fragment& f) {
    // Every entry that runs before f or together with it is compared with, and the first one that runs after it.
    const std::uint32_t r = rank_[f.block];
    const auto stop = map_.lower_bound(r);
    auto cost = static_cast<std::uint64_t>(std::distance(map_.begin(), stop)) + (stop != map_.end() ? 1 : 0);
    cost = std::max<std::uint64_t>(cost, 1);
    ++inserted;
    walked += cost;
    longest = std::max(longest, cost);
    ++by_cost[cost];
    const bool there = map_.contains(r);
    merged += there ? 1 : 0;
    map_[r] |= f.lanes;
  }
  std::span<const std::uint32_t> rank_;
  std::map<std::uint32_t, lane_mask> map_;
};

}  // namespace

TEST_CASE("thread_frontier: merges and insertion costs are an ordered map's; a walk never exceeds the lanes") {
  std::uint64_t longest = 0;
  for_each_random_case(800, [&](std::uint64_t, const csr_graph& g, const testing::random_walks& walks, launch shape) {
    shape.threads = std::min(shape.threads, shape.warp_width);
    for (const auto& order : {reverse_post_order(g), loop_contiguous_order(g)}) {
      accounted stack(order.ranks());
      const record r = observe(referenced<accounted>(stack), walks, shape);
      check_run(r, walks, shape);
      CHECK(stack.merges() == stack.merged);
      CHECK(stack.merges() == r.count.merges);  // the executor counts them in another way: groups that run together
      CHECK(stack.insertions() == stack.inserted);
      CHECK(stack.entries_walked() == stack.walked);
      CHECK(stack.longest_walk() == stack.longest);
      const policy_work work = work_of(static_cast<const policies::thread_frontier&>(stack));
      std::array<std::uint64_t, policy_work::walk_classes> by_cost{};
      for (const auto& [cost, n] : stack.by_cost) by_cost[std::min<std::uint64_t>(cost, by_cost.size()) - 1] += n;
      CHECK(std::equal(by_cost.begin(), by_cost.end(), work.walks));
      CHECK(std::equal(by_cost.begin(), by_cost.end(), stack.walks().begin()));
      CHECK(stack.longest_walk() <= shape.threads);
      longest = std::max(longest, stack.longest);
    }
  });
  CHECK(longest >= 4);
}

TEST_CASE("thread_frontier: start() forgets what was counted") {
  policies::thread_frontier stack{std::span<const std::uint32_t>(ranks)};
  for (int i = 0; i < 2; ++i) {
    stack.start({0, lane_mask(0b11)});
    CHECK(stack.entries_walked() == 0);
    CHECK(stack.longest_walk() == 0);
    CHECK(std::count(stack.walks().begin(), stack.walks().end(), 0) == 8);
    const auto f = stack.next();
    const fragment out[] = {{2, lane_mask(1)}, {1, lane_mask(2)}};
    stack.advance(*f, out);
    CHECK(stack.insertions() == 2);
    CHECK(stack.merges() == 0);
    CHECK(stack.entries_walked() == 2);
  }
}

TEST_CASE("thread_frontier: whether a spin lock ends depends on the order") {
  const launch shape{.threads = 4, .warp_width = 4};
  for (const bool lock_first : {false, true}) {
    const std::uint32_t spin_above[] = {0, 1, 2, 3}, holder_above[] = {0, 2, 1, 3};
    spin_lock lock;
    const verdict v =
        run(policies::thread_frontier(std::span<const std::uint32_t>(lock_first ? holder_above : spin_above)), lock,
            shape, no_observer{}, {.steps = 10'000});
    CHECK(v.how == (lock_first ? outcome::finished : outcome::step_limit));
  }
}

TEST_CASE("thread_frontier: equal states compare equal") {
  check_comparable(policies::thread_frontier{std::span<const std::uint32_t>(ranks)});
}
