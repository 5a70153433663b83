// SPDX-License-Identifier: BSL-1.0
//
// min(SP, PC): without calls the same schedule as the sorted stack of thread frontiers; with calls the deepest path
// runs first, which is what brings callers together after a call.
#include "list_support.hpp"
#include <simtflow/analysis/priorities.hpp>
#include <simtflow/simt/policies/min_pc.hpp>
#include <simtflow/simt/policies/thread_frontier.hpp>

#include <algorithm>
#include <map>

using namespace list_tests;

namespace {

// Looks at the list after every step.
class watched : public policies::min_pc {
 public:
  watched(std::span<const std::uint32_t> rank, std::span<const std::uint32_t> depth)
      : policies::min_pc(rank, depth), rank_(rank), depth_(depth) {}
  std::optional<fragment> next() {
    const std::vector<path> before(waiting().begin(), waiting().end());
    const auto f = policies::min_pc::next();
    lane_mask seen;
    std::map<std::pair<std::uint32_t, block_id>, int> keys;
    for (const path& p : before) {
      REQUIRE(p.lanes.any());
      REQUIRE((p.lanes & seen).none());
      seen |= p.lanes;
      p.lanes.for_each([&](std::uint32_t lane) { REQUIRE(depth_[lane] == p.depth); });
      REQUIRE(++keys[{p.depth, p.block}] == 1);
      // Nothing runs before what was chosen.
      const std::uint32_t chosen_depth = depth_[f->lanes.first()];
      REQUIRE((p.depth < chosen_depth || (p.depth == chosen_depth && rank_[p.block] >= rank_[f->block])));
    }
    REQUIRE(before.size() <= 64);
    return f;
  }

 private:
  std::span<const std::uint32_t> rank_, depth_;
};

// One function in blocks 0-4 that calls another, 5-8, which calls itself:
//   0 -> 1 (call 5, back to 2) or 3;  2 -> 4;  3 -> 4;  4 end.    5 -> 6 or 7;  6 (call 5, back to 7);  7 return.
// Each thread calls to its own depth; 0: never.
class recursion {
 public:
  recursion(std::vector<std::uint32_t> wanted, std::vector<std::uint32_t>& depth)
      : wanted_(std::move(wanted)), depth_(depth), stack_(wanted_.size()) {}
  block_id operator()(std::uint32_t t, block_id b) {
    switch (b) {
      case 0:
        return wanted_[t] > 0 ? 1 : 3;
      case 1:
        return call(t, 2);
      case 2:
      case 3:
        return 4;
      case 5:
        return depth_[t] < wanted_[t] ? 6 : 7;
      case 6:
        return call(t, 7);
      case 7: {
        const block_id back = stack_[t].back();
        stack_[t].pop_back();
        --depth_[t];
        return back;
      }
      default:
        return no_block;
    }
  }

 private:
  block_id call(std::uint32_t t, block_id back) {
    stack_[t].push_back(back);
    ++depth_[t];
    return 5;
  }
  std::vector<std::uint32_t> wanted_;
  std::vector<std::uint32_t>& depth_;
  std::vector<std::vector<block_id>> stack_;
};

constexpr std::uint32_t by_id[] = {0, 1, 2, 3, 4, 5, 6, 7};

}  // namespace

TEST_CASE("min_pc: without calls it has the schedule of thread_frontier with the layout as order") {
  for_each_random_case(
      800, [](std::uint64_t seed, const csr_graph& g, const testing::random_walks& walks, const launch& shape) {
        const auto rpo = reverse_post_order(g);
        std::vector<block_id> layout(rpo.ids().order().begin(), rpo.ids().order().end());
        testing::rng random(seed);
        if (seed % 2 == 0) random.shuffle(layout);
        const priority_order<csr_graph> order(g, layout);
        const record stack = observe(policies::thread_frontier(order.ranks()), walks, shape);
        const record paths = observe(policies::min_pc(order.ranks()), walks, shape);
        check_run(paths, walks, shape);
        REQUIRE(text(paths.schedule) == text(stack.schedule));
        CHECK(paths.count.max_depth == stack.count.max_depth);
        const std::vector<std::uint32_t> no_calls(64, 0);
        const record watch = observe(watched(order.ranks(), no_calls), walks, shape);
        REQUIRE(text(watch.schedule) == text(stack.schedule));
      });
}

TEST_CASE("min_pc: barriers with thread arrival") {
  for_each_barrier_program(150, [](const testing::structured_program& p, const testing::random_walks& walks,
                                   launch shape, std::span<const unsigned char> barriers) {
    const auto order = loop_contiguous_order(p.graph);
    check_run(observe(policies::min_pc(order.ranks()), walks, shape, barriers), walks, shape);
    shape.barriers = barrier_model::thread_arrival;
    check_run(observe(policies::min_pc(order.ranks()), walks, shape, barriers), walks, shape);
  });
}

TEST_CASE("min_pc: a callee that lies after its caller runs before lanes that have not called") {
  const std::vector<std::uint32_t> wanted{1, 0, 1, 0};
  const launch shape{.threads = 4, .warp_width = 4};
  const auto schedule = [&](bool with_depths) {
    std::vector<std::uint32_t> depth(4, 0);
    callable_program program{recursion(wanted, depth)};
    const record r = with_depths ? observe_program(watched(by_id, depth), program, 8, shape)
                                 : observe_program(policies::min_pc(by_id), program, 8, shape);
    REQUIRE(r.how.finished());
    return text(r.schedule);
  };
  CHECK(schedule(true) == text(std::vector<fragment>{{0, lane_mask(0b1111)},
                                                     {1, lane_mask(0b0101)},
                                                     {5, lane_mask(0b0101)},
                                                     {7, lane_mask(0b0101)},
                                                     {2, lane_mask(0b0101)},
                                                     {3, lane_mask(0b1010)},
                                                     {4, lane_mask(0b1111)}}));
  // The PC alone lets the others run ahead to the end of the caller.
  CHECK(schedule(false) == text(std::vector<fragment>{{0, lane_mask(0b1111)},
                                                      {1, lane_mask(0b0101)},
                                                      {3, lane_mask(0b1010)},
                                                      {4, lane_mask(0b1010)},
                                                      {5, lane_mask(0b0101)},
                                                      {7, lane_mask(0b0101)},
                                                      {2, lane_mask(0b0101)},
                                                      {4, lane_mask(0b0101)}}));
}

TEST_CASE("min_pc: recursion keeps calls of different depth apart and joins lanes on their way back") {
  testing::rng random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::uint32_t> wanted;
    std::uint32_t deepest = 0;
    for (int t = 0; t < 8; ++t) {
      wanted.push_back(static_cast<std::uint32_t>(random.below(6)));
      deepest = std::max(deepest, wanted.back());
    }
    std::vector<std::uint32_t> depth(8, 0);
    callable_program program{recursion(wanted, depth)};
    const record r = observe_program(watched(by_id, depth), program, 8, {.threads = 8, .warp_width = 8});
    REQUIRE(r.how.finished());
    for (const std::uint32_t d : depth) CHECK(d == 0);
    // Each depth of the callee runs its blocks once: 5 and 7 at every depth, 6 at every one but the deepest.
    const bool some_stay = *std::min_element(wanted.begin(), wanted.end()) == 0;
    const std::uint64_t once = 2 + (some_stay ? 1 : 0) + (deepest > 0 ? 2 + 2 * deepest + (deepest - 1) : 0);
    CHECK(r.count.fetches == once);
  }
}

TEST_CASE("min_pc: lanes of one target that are in calls of different depth are different paths") {
  std::vector<std::uint32_t> depth{0, 2, 1, 2};
  policies::min_pc list(by_id, depth);
  list.start({0, lane_mask(0b1111)});
  CHECK(list.waiting().size() == 3);
  CHECK(list.next()->lanes == lane_mask(0b1010));
  CHECK(list.next()->lanes == lane_mask(0b0100));
  CHECK(list.next()->lanes == lane_mask(0b0001));
  CHECK(!list.next());
}

TEST_CASE("min_pc: depths are by thread") {
  const std::vector<std::uint32_t> depth{9, 9, 1, 0, 1};
  policies::min_pc list(by_id, depth);
  list.first_thread(2);
  list.start({0, lane_mask(0b1111)});  // threads 2 to 5
  CHECK(list.next()->lanes == lane_mask(0b0101));
  CHECK(list.next()->lanes == lane_mask(0b1010));
  CHECK(!list.next());
}

TEST_CASE("min_pc: equal states compare equal") {
  const std::uint32_t rank[] = {0, 1};
  check_comparable(policies::min_pc(rank));
}

namespace {
constexpr bool in_a_constant() {
  const std::uint32_t depth[] = {0, 1};
  policies::min_pc list(by_id, depth);
  list.start({3, lane_mask(0b11)});
  list.release({1, lane_mask(0b100)});  // beyond the table: in no call
  return list.next()->lanes == lane_mask(0b10) && list.next()->block == 1 && list.next()->lanes == lane_mask(0b01);
}
static_assert(in_a_constant());
}  // namespace
