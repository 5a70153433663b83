// SPDX-License-Identifier: BSL-1.0
#include "stacks_support.hpp"
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/simt/policies/dual_path.hpp>
#include <simtflow/simt/policies/ipdom_stack.hpp>

#include <cstdint>
#include <vector>

using namespace simtflow;
using stacks::at;
using stacks::step;

namespace {

// An if inside an if: 0 -> {1, 2}, 1 -> {3, 4}, 3 -> 5, 4 -> 5, 5 -> 6, 2 -> 6, and 2 takes two steps: 2 -> 7 -> 6.
constexpr block_id nested[] = {6, 5, 7, 5, 5, 6, no_block, 6};

constexpr bool the_two_paths_take_turns() {
  policies::dual_path s{nested};
  s.start(at(0, 0b1111));
  bool good = step(s, at(0, 0b1111), {at(1, 0b0111), at(2, 0b1000)}) && s.depth() == 2 && s.num_ready() == 2;
  good = good && s.ready(0) == at(1, 0b0111) && s.ready(1) == at(2, 0b1000);
  good = good && step(s, at(1, 0b0111), {at(3, 0b0001), at(4, 0b0110)}) && s.depth() == 3;
  // The other path, at 2, is not in the top entry and has to wait.
  good = good && step(s, at(3, 0b0001), {at(5, 0b0001)}) && s.num_ready() == 1;
  good = good && step(s, at(4, 0b0110), {at(5, 0b0110)}) && s.num_ready() == 2 && s.depth() == 2;
  good = good && step(s, at(2, 0b1000), {at(7, 0b1000)}) && step(s, at(5, 0b0111), {at(6, 0b0111)});
  good = good && step(s, at(7, 0b1000), {at(6, 0b1000)}) && s.num_ready() == 1 && s.depth() == 1;
  return good && step(s, at(6, 0b1111), {}) && !s.next() && s.num_ready() == 0;
}
static_assert(the_two_paths_take_turns());

constexpr bool somebody_else_may_choose() {
  policies::dual_path s{nested};
  s.start(at(0, 0b11));
  bool good = step(s, at(0, 0b11), {at(1, 0b01), at(2, 0b10)}) && s.num_ready() == 2;
  s.select(1);
  good = good && step(s, at(2, 0b10), {at(7, 0b10)});
  s.select(1);
  return good && step(s, at(7, 0b10), {at(6, 0b10)}) && step(s, at(1, 0b01), {at(3, 0b01)});
}
static_assert(somebody_else_may_choose());

// Five ways: an entry for one path, and two with two.
constexpr bool five_ways() {
  constexpr block_id ipdom[] = {6, 6, 6, 6, 6, 6, no_block};
  policies::dual_path s{ipdom};
  s.start(at(0, 0b11111));
  bool good = step(s, at(0, 0b11111), {at(1, 1), at(2, 2), at(3, 4), at(4, 8), at(5, 16)}) && s.depth() == 4;
  for (const block_id b : {1U, 2U, 3U, 4U, 5U}) good = good && step(s, at(b, 1U << (b - 1)), {at(6, 1U << (b - 1))});
  return good && step(s, at(6, 0b11111), {}) && !s.next();
}
static_assert(five_ways());

// A path that diverges on its way to the point where its entry's paths meet: if the other is there, its room is reused.
constexpr bool an_entry_is_reused() {
  constexpr block_id ipdom[] = {5, 5, 5, 5, 5, no_block};
  policies::dual_path s{ipdom};
  s.start(at(0, 0b111));
  bool good = step(s, at(0, 0b111), {at(1, 0b011), at(2, 0b100)}) && s.depth() == 2;
  s.select(1);
  good = good && step(s, at(2, 0b100), {at(5, 0b100)});
  good = good && step(s, at(1, 0b011), {at(3, 0b001), at(4, 0b010)}) && s.depth() == 2 && s.num_ready() == 2;
  return good;
}
static_assert(an_entry_is_reused());
static_assert(progress_of<policies::dual_path> == progress_class::none);

// Lets chance choose among the paths that are ready.
class by_chance : public policies::dual_path {
 public:
  by_chance(std::span<const block_id> ipdom, std::uint64_t seed) : policies::dual_path(ipdom), random_(seed) {}
  std::optional<fragment> next() {
    const std::size_t n = num_ready();
    if (n > 0) {
      const std::size_t i = random_.below(n);
      const fragment wanted = ready(i);
      select(i);
      REQUIRE(policies::dual_path::next() == wanted);
    }
    return policies::dual_path::next();
  }

 private:
  testing::rng random_;
};

}  // namespace

TEST_CASE("dual_path: one path after the other is the post-dominator stack, in turns it fetches as much") {
  int differ = 0;
  for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
    testing::rng random(seed);
    const auto c = stacks::make_case(random);
    INFO(stacks::text(seed, c.graph));
    const testing::random_walks walks(c.graph, {.seed = seed});
    const auto pdom = post_dominators(c.graph);
    const policies::path_order order = stacks::all_orders[seed % 4];
    const auto stack = stacks::observe(policies::ipdom_stack(pdom.ipdoms(), order), walks, c.shape);
    const auto serial = stacks::observe(
        policies::dual_path(pdom.ipdoms(), policies::dual_path_turns::one_then_other, order), walks, c.shape);
    const auto turns = stacks::observe(
        policies::dual_path(pdom.ipdoms(), policies::dual_path_turns::alternating, order), walks, c.shape);
    const auto chance = stacks::observe(by_chance(pdom.ipdoms(), seed), walks, c.shape);
    CHECK(stacks::text(serial.schedule) == stacks::text(stack.schedule));
    for (const stacks::record* r : {&serial, &turns, &chance}) {
      stacks::check_run(*r, walks, c.shape);
      CHECK(r->count.fetches == stack.count.fetches);
      CHECK(r->count.max_depth <= std::max(1U, 2 * c.shape.warp_width - 1));
    }
    differ += turns.schedule != stack.schedule ? 1 : 0;
  }
  CHECK(differ > 300);
}

TEST_CASE("dual_path: every graph of up to four blocks in which threads can end") {
  stacks::for_each_small_case(1, [](std::uint64_t, const csr_graph&, const auto& pdom, const auto& walks) {
    const launch shape{.threads = 5, .warp_width = 5};
    const auto turns = stacks::observe(policies::dual_path(pdom.ipdoms()), walks, shape);
    stacks::check_run(turns, walks, shape);
    REQUIRE(turns.count.fetches == stacks::observe(policies::ipdom_stack(pdom.ipdoms()), walks, shape).count.fetches);
  });
}

TEST_CASE("dual_path: any table of reconvergence points lets threads go their ways") {
  stacks::for_each_random_table(1500, [](auto&, const auto& c, const auto& table, const auto& walks) {
    stacks::check_run(stacks::observe(policies::dual_path(table), walks, c.shape), walks, c.shape);
  });
}
