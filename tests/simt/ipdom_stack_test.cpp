// SPDX-License-Identifier: BSL-1.0
#include "stacks_support.hpp"
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/simt/policies/ipdom_stack.hpp>

#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

using namespace simtflow;
using stacks::at;
using stacks::step;

namespace {

// 0 -> {1, 2}, 1 -> {3, 4}, 3 -> 5, 4 -> 5, 5 -> 6, 2 -> 6: an if inside an if.
constexpr block_id nested[] = {6, 5, 6, 5, 5, 6, no_block};

constexpr bool nested_ifs() {
  const auto holds = [](const policies::ipdom_stack& s, std::vector<policies::ipdom_stack::entry> wanted) {
    const auto all = s.entries();
    if (all.size() != wanted.size()) return false;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i].block != wanted[i].block || all[i].reconvergence != wanted[i].reconvergence ||
          !(all[i].lanes == wanted[i].lanes))
        return false;
    return true;
  };
  const auto m = [](std::uint64_t bits) { return lane_mask(bits); };
  policies::ipdom_stack s{std::span<const block_id>(nested)};
  s.start(at(0, 0b1111));
  bool good = step(s, at(0, 0b1111), {at(1, 0b0111), at(2, 0b1000)});
  good = good && holds(s, {{6, no_block, m(0b1111)}, {2, 6, m(0b1000)}, {1, 6, m(0b0111)}});
  good = good && step(s, at(1, 0b0111), {at(3, 0b0001), at(4, 0b0110)});
  good =
      good &&
      holds(s, {{6, no_block, m(0b1111)}, {2, 6, m(0b1000)}, {5, 6, m(0b0111)}, {4, 5, m(0b0110)}, {3, 5, m(0b0001)}});
  good = good && step(s, at(3, 0b0001), {});  // the lane ends here and must leave every entry
  good = good && holds(s, {{6, no_block, m(0b1110)}, {2, 6, m(0b1000)}, {5, 6, m(0b0110)}, {4, 5, m(0b0110)}});
  good = good && step(s, at(4, 0b0110), {at(5, 0b0110)}) && step(s, at(5, 0b0110), {at(6, 0b0110)});
  good = good && step(s, at(2, 0b1000), {at(6, 0b1000)}) && s.depth() == 1 && step(s, at(6, 0b1110), {});
  return good && !s.next();
}
static_assert(nested_ifs());

// Lanes leave a loop one after the other: 0 -> {0, 1}.
constexpr bool a_loop_does_not_grow_the_stack() {
  constexpr block_id ipdom[] = {1, no_block};
  policies::ipdom_stack s{std::span<const block_id>(ipdom)};
  s.start(at(0, 0xFF));
  std::uint64_t in = 0xFF;
  for (int i = 0; i < 7; ++i) {
    const std::uint64_t out = in & (~in + 1);
    if (!step(s, at(0, in), {at(1, out), at(0, in - out)}) || s.depth() != 2) return false;
    in -= out;
  }
  return step(s, at(0, in), {at(1, in)}) && step(s, at(1, 0xFF), {}) && !s.next();
}
static_assert(a_loop_does_not_grow_the_stack());

// Three ways with 2, 1 and 3 lanes: who runs when.
constexpr bool order_is(policies::path_order order, std::vector<block_id> wanted) {
  constexpr block_id ipdom[] = {4, 4, 4, 4, no_block};
  policies::ipdom_stack s(std::span<const block_id>(ipdom), order);
  s.start(at(0, 0b111111));
  if (!step(s, at(0, 0b111111), {at(1, 0b000011), at(2, 0b000100), at(3, 0b111000)})) return false;
  for (const block_id b : wanted) {
    const auto f = s.next();
    if (!f || f->block != b) return false;
    const std::vector<fragment> out{{4, f->lanes}};
    s.advance(*f, std::span<const fragment>(out));
  }
  return step(s, at(4, 0b111111), {});
}
static_assert(order_is(policies::path_order::first_target, {1, 2, 3}));
static_assert(order_is(policies::path_order::last_target, {3, 2, 1}));
static_assert(order_is(policies::path_order::smaller_first, {2, 1, 3}));
static_assert(order_is(policies::path_order::larger_first, {3, 1, 2}));
static_assert(progress_of<policies::ipdom_stack> == progress_class::none);

// Notes how many paths wait beside those that run or wait at a reconvergence point: an entry with lanes that are not in
// the entry above is such a path.
class watched : public policies::ipdom_stack {
 public:
  using policies::ipdom_stack::ipdom_stack;
  std::optional<fragment> next() {
    const auto f = policies::ipdom_stack::next();
    const auto all = entries();
    std::uint32_t waiting = 0;
    for (std::size_t i = 0; i + 1 < all.size(); ++i) {
      if (all[i + 1].lanes.is_subset_of(all[i].lanes)) continue;
      if ((all[i + 1].lanes & all[i].lanes).any()) overlaps = true;
      ++waiting;
    }
    most = std::max(most, waiting);
    return f;
  }
  inline static std::uint32_t most = 0;
  inline static bool overlaps = false;
};

}  // namespace

TEST_CASE("ipdom_stack: every path order fetches the same number of blocks, in the order of the recursion") {
  int orders_differ = 0;
  for (std::uint64_t seed = 1; seed <= 1200; ++seed) {
    testing::rng random(seed);
    const auto c = stacks::make_case(random);
    INFO(stacks::text(seed, c.graph));
    const testing::random_walks walks(c.graph, {.seed = seed});
    const auto pdom = post_dominators(c.graph);
    std::uint64_t fetches = 0;
    std::vector<fragment> first;
    for (const policies::path_order order : stacks::all_orders) {
      const policies::ipdom_stack policy(pdom.ipdoms(), order);
      const stacks::record r = stacks::observe(policy, walks, c.shape);
      stacks::check_run(r, walks, c.shape);
      CHECK(r.count.max_depth <= 2 * c.shape.warp_width - 1);
      CHECK(r.count.overhead_operations == 0);
      if (order == policies::path_order::first_target) {
        fetches = r.count.fetches;
        first = r.schedule;
      }
      CHECK(r.count.fetches == fetches);
      if (r.schedule != first) ++orders_differ;
      CHECK(stacks::text(stacks::schedule_by_warp(policy, walks, c.shape)) ==
            stacks::text(stacks::recursive_schedule(walks, c.shape, pdom.ipdoms(), order)));
    }
  }
  CHECK(orders_differ > 500);
}

TEST_CASE("ipdom_stack: every graph of up to four blocks in which threads can end") {
  stacks::for_each_small_case(1, [](std::uint64_t n, const csr_graph&, const auto& pdom, const auto& walks) {
    const launch shape{.threads = 4, .warp_width = 4};
    const policies::ipdom_stack policy(pdom.ipdoms(), stacks::all_orders[n % 4]);
    stacks::check_run(stacks::observe(policy, walks, shape), walks, shape);
    REQUIRE(stacks::schedule_by_warp(policy, walks, shape) ==
            stacks::recursive_schedule(walks, shape, pdom.ipdoms(), stacks::all_orders[n % 4]));
  });
}

TEST_CASE("ipdom_stack: with the smaller path first, at most log2 of the lanes' number of paths wait") {
  std::uint32_t most_by_order[4] = {};
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    testing::rng random(seed);
    const csr_graph g = testing::random_cfg(
        random, {.blocks = random.between(4, 30), .exits = 2, .terminating = true, .exit_mark_percent = 0});
    INFO(stacks::text(seed, g));
    const testing::random_walks walks(g, {.seed = seed});
    const auto pdom = post_dominators(g);
    const auto width = static_cast<std::uint32_t>(random.between(1, 64));
    const launch shape{.threads = width, .warp_width = width, .entry = g.entry()};
    for (const policies::path_order order : stacks::all_orders) {
      watched::most = 0;
      watched::overlaps = false;
      stacks::check_run(stacks::observe(watched(pdom.ipdoms(), order), walks, shape), walks, shape);
      CHECK(!watched::overlaps);
      if (order == policies::path_order::smaller_first) CHECK(watched::most <= std::bit_width(width) - 1U);
      std::uint32_t& most = most_by_order[static_cast<int>(order)];
      most = std::max(most, watched::most);
    }
  }
  CHECK(most_by_order[0] > most_by_order[2]);
  CHECK(most_by_order[3] > 6);  // the larger first: far beyond log2(64)
}

TEST_CASE("ipdom_stack: any table of reconvergence points lets threads go their ways") {
  stacks::for_each_random_table(1500, [](auto& random, const auto& c, const auto& table, const auto& walks) {
    const policies::ipdom_stack policy(table, stacks::all_orders[random.below(4)]);
    stacks::check_run(stacks::observe(policy, walks, c.shape), walks, c.shape);
  });
}

TEST_CASE("ipdom_stack: the winner of a lock waits for those who want it") {
  const auto pdom = post_dominators(stacks::spin_lock::graph());
  const verdict v = run(policies::ipdom_stack(pdom.ipdoms()), stacks::spin_lock{}, {.threads = 4, .warp_width = 4},
                        no_observer{}, {.steps = 10'000});
  CHECK(v.how == outcome::step_limit);
}

TEST_CASE("ipdom_stack: masks of several words") {
  using mask = basic_mask<4>;
  const csr_graph g = csr_builder(4).add_edge(0, 1).add_edge(0, 2).add_edge(1, 3).add_edge(2, 3).build();
  const auto pdom = post_dominators(g);
  for (const policies::path_order order : stacks::all_orders) {
    counts count;
    const auto v = run(
        policies::basic_ipdom_stack<mask>(pdom.ipdoms(), order),
        [&](std::uint32_t t, block_id b) { return b == 0   ? (t % 3 == 0 ? 1U : 2U)
                                                  : b == 3 ? no_block
                                                           : 3U; },
        {.threads = 250, .warp_width = 250}, count);
    CHECK(v.finished());
    CHECK(count.fetches == 4);
  }
}
