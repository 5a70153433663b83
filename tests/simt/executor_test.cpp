// SPDX-License-Identifier: BSL-1.0
#include <simtflow/io/describe.hpp>
#include <simtflow/simt/executor.hpp>
#include <simtflow/simt/lower_bound.hpp>
#include <simtflow/simt/observers/counts.hpp>
#include <simtflow/simt/policies/ipdom_stack.hpp>
#include <simtflow/simt/policies/lane_serial.hpp>
#include <simtflow/simt/policies/thread_frontier.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

using namespace simtflow;

namespace {

// The thread frontiers paper's Figure 1 with the paths of its four threads. Block k is BB(k+1), block 5 the exit.
constexpr std::array<std::array<block_id, 6>, 4> figure_1_paths{{{0, 2, 3, 4, 5, no_block},
                                                                 {0, 1, 5, no_block, no_block, no_block},
                                                                 {0, 1, 2, 4, 5, no_block},
                                                                 {0, 1, 2, 3, 5, no_block}}};
constexpr std::array<block_id, 6> figure_1_ipdoms{5, 5, 5, 5, 5, no_block};
constexpr std::array<std::uint32_t, 6> in_order{0, 1, 2, 3, 4, 5};

constexpr block_id figure_1(std::uint32_t thread, block_id b) {
  for (std::size_t i = 0; i + 1 < 6; ++i)
    if (figure_1_paths[thread][i] == b) return figure_1_paths[thread][i + 1];
  return no_block;
}

template <class Policy>
constexpr std::array<int, 6> fetches_in_figure_1(Policy policy) {
  std::array<int, 6> fetched{};
  run(policy, figure_1, {.threads = 4, .warp_width = 4},
      [&fetched](const event::issued<lane_mask>& e) { ++fetched[e.block]; });
  return fetched;
}

// Figure 2(a): the two arms of an exception test cross over before the barrier in BB3.
constexpr std::array<block_id, 5> figure_2a_ipdoms{4, 4, 4, 4, no_block};
constexpr std::array<unsigned char, 5> figure_2a_barriers{0, 0, 0, 1, 0};
constexpr block_id figure_2a(std::uint32_t thread, block_id b) {
  if (b == 0) return 1 + thread % 2;
  return b <= 2 ? 3 : b == 3 ? 4 : no_block;
}

// Threads walk a line of blocks 0, 1, 2, ... and leave after block `length(thread)`.
auto walk(std::uint32_t (*length)(std::uint32_t)) {
  return [length](std::uint32_t thread, block_id b) -> block_id { return b + 1 < length(thread) ? b + 1 : no_block; };
}

}  // namespace

TEST_CASE("Figure 1: PDOM fetches BB3, BB4 and BB5 twice, thread frontiers once") {
  static_assert(fetches_in_figure_1(policies::ipdom_stack(figure_1_ipdoms)) == std::array<int, 6>{1, 1, 2, 2, 2, 1});
  static_assert(fetches_in_figure_1(policies::thread_frontier(in_order)) == std::array<int, 6>{1, 1, 1, 1, 1, 1});
  static_assert(fetches_in_figure_1(policies::lane_serial()) == std::array<int, 6>{4, 3, 3, 2, 2, 4});
  CHECK(fetches_in_figure_1(policies::ipdom_stack(figure_1_ipdoms)) == std::array<int, 6>{1, 1, 2, 2, 2, 1});
  CHECK(fetches_in_figure_1(policies::thread_frontier(in_order)) == std::array<int, 6>{1, 1, 1, 1, 1, 1});
}

TEST_CASE("Figure 2(a): PDOM deadlocks at the barrier and says who waits where, thread frontiers finish") {
  callable_program program([](std::uint32_t t, block_id b) { return figure_2a(t, b); }, {}, figure_2a_barriers);
  const launch shape{.threads = 2};
  const verdict pdom = run(policies::ipdom_stack(figure_2a_ipdoms), program, shape);
  CHECK(pdom.how == outcome::barrier_deadlock);
  CHECK(describe(pdom) == "barrier deadlock: warp 0: lane 0 waits at the barrier that ends BB3; lane 1 stands at BB2");
  CHECK(run(policies::thread_frontier(in_order), program, shape).finished());
  CHECK(run(policies::thread_frontier(in_order), program, {.threads = 2, .barriers = barrier_model::thread_arrival})
            .finished());
  CHECK(run(policies::lane_serial(), program, {.threads = 2, .barriers = barrier_model::thread_arrival}).finished());
  CHECK(run(policies::lane_serial(), program, shape).how ==
        outcome::barrier_deadlock);  // a lane alone is not the whole warp
}

TEST_CASE("no thread, one thread, a partial last warp, any width") {
  const auto program = walk([](std::uint32_t thread) { return thread % 3 + 1; });
  for (const std::uint32_t threads : {0U, 1U, 31U, 32U, 33U, 70U})
    for (const std::uint32_t width : {1U, 3U, 32U, 64U}) {
      CAPTURE(threads);
      CAPTURE(width);
      counts c;
      lower_bound bound(3);
      both observer(c, bound);
      const verdict v =
          run(policies::thread_frontier(in_order), program, {.threads = threads, .warp_width = width}, observer);
      CHECK(v.finished());
      std::uint64_t visits = 0, least = 0;
      for (std::uint32_t t = 0; t < threads; ++t) visits += t % 3 + 1;
      for (std::uint32_t first = 0; first < threads; first += width) {
        std::uint32_t longest = 0;
        for (std::uint32_t t = first; t < threads && t < first + width; ++t) longest = std::max(longest, t % 3 + 1);
        least += longest;
      }
      CHECK(c.thread_instructions == visits);
      CHECK(c.fetches == least);
      CHECK(v.steps == least);
      CHECK(bound.fetches() == least);
      CHECK(bound.visits() == visits);
      CHECK(c.thread_blocks == 1);
    }
}

TEST_CASE("warps wider than a machine word run alike") {
  // 100 lanes as one warp: threads as in a run with narrow warps, fetches as of one wide warp.
  const auto program = walk([](std::uint32_t thread) { return thread % 5 + 1; });
  counts c;
  const auto v =
      run(policies::basic_thread_frontier<basic_mask<2>>(in_order), program, {.threads = 100, .warp_width = 100}, c);
  CHECK(v.finished());
  CHECK(c.fetches == 5);
  CHECK(c.thread_instructions == 300);
}

TEST_CASE("weights count instructions") {
  const std::array<std::uint32_t, 3> weights{5, 0, 7};
  callable_program program(
      [](std::uint32_t thread, block_id b) -> block_id { return b < 2 && thread < 2 ? b + 1 : no_block; }, weights);
  counts c;
  lower_bound bound(3);
  both observer(c, bound);
  CHECK(run(policies::thread_frontier(in_order), program, {.threads = 3, .warp_width = 4}, observer).finished());
  CHECK(c.fetches == 3);
  CHECK(c.warp_instructions == 12);
  CHECK(c.thread_instructions == 3 * 5 + 2 * 7);
  CHECK(c.lane_slots == 48);
  CHECK(c.thread_slots == 36);
  CHECK(c.simd_efficiency() == doctest::Approx(29.0 / 48));
  CHECK(c.activity_factor() == doctest::Approx(29.0 / 36));
  CHECK(bound.warp_instructions() == 12);
}

TEST_CASE("barriers join all warps; threads that have ended do not count") {
  // Block 0, barrier, block 1. Warp 1 runs a long loop in block 2 first; thread 0 leaves at once.
  const std::array<unsigned char, 4> barriers{0, 1, 0, 0};
  std::vector<int> laps(64, 0);
  const auto step = [&laps](std::uint32_t thread, block_id b) -> block_id {
    if (thread == 0 && b == 0) return no_block;
    if (b == 0) return thread < 32 ? 1 : 2;
    if (b == 2) return ++laps[thread] < 1000 ? 2 : 1;
    return b == 1 ? 3 : no_block;
  };
  for (const barrier_model model : {barrier_model::whole_warp, barrier_model::thread_arrival}) {
    laps.assign(64, 0);
    bool open = false;
    int early = 0, released = 0;
    callable_program program(step, {}, barriers);
    const std::array<std::uint32_t, 4> rank{0, 2, 1, 3};
    const verdict v = run(policies::thread_frontier(rank), program, {.threads = 64, .barriers = model},
                          overloaded{[&](const event::issued<lane_mask>& e) { early += e.block == 3 && !open ? 1 : 0; },
                                     [&](const event::released&) {
                                       open = true;
                                       ++released;
                                     }});
    CHECK(v.finished());
    CHECK(early == 0);
    CHECK(released == 1);
  }
}

TEST_CASE("a warp that spins on another warp's store does not hang") {
  bool flag = false;
  const auto step = [&flag](std::uint32_t thread, block_id b) -> block_id {
    if (thread >= 32) {
      flag = flag || b == 1;
      return b == 0 ? 1 : no_block;
    }
    return flag ? no_block : b;
  };
  CHECK(run(policies::thread_frontier(in_order), step, {.threads = 64}, no_observer{}, {.steps = 10'000}).finished());
}

TEST_CASE("the step limit is exact and the verdict shows where everybody stood") {
  const auto step = [](std::uint32_t thread, block_id b) -> block_id { return b == 0 ? 1 + thread % 2 : b; };
  const verdict v = run(policies::thread_frontier(in_order), step, {.threads = 4}, no_observer{}, {.steps = 100});
  CHECK(v.how == outcome::step_limit);
  CHECK(v.steps == 100);
  CHECK(describe(v) == "step limit reached after 100 blocks: warp 0: lanes 1, 3 stand at BB2; lanes 0, 2 stand at BB1");
  CHECK(run(policies::thread_frontier(in_order), step, {.threads = 4}, no_observer{}, {.steps = 0}).steps == 0);
}

namespace {

struct forgets_everybody {
  using mask_type = lane_mask;
  int left = 2;
  void start(const fragment& f) { at = f; }
  std::optional<fragment> next() { return left-- > 0 ? std::optional<fragment>(at) : std::nullopt; }
  void advance(const fragment&, std::span<const fragment> out) { at = out[0]; }
  fragment at{};
};

struct makes_lanes_up {
  using mask_type = lane_mask;
  fragment wrong{};
  void start(const fragment&) {}
  std::optional<fragment> next() { return wrong; }
  void advance(const fragment&, std::span<const fragment>) {}
};

struct adds_overhead : policies::thread_frontier {
  using policies::thread_frontier::thread_frontier;
  std::size_t spent = 0;
  void advance(const fragment& f, std::span<const fragment> out) {
    spent += 2;
    policies::thread_frontier::advance(f, out);
  }
  [[nodiscard]] std::size_t overhead() const { return spent; }
};

}  // namespace

TEST_CASE("a policy that breaks its laws gets a verdict, not a wrong result") {
  const auto forever = [](std::uint32_t, block_id b) -> block_id { return b; };
  const verdict lost = run(forgets_everybody{}, forever, {.threads = 8});
  CHECK(lost.how == outcome::lost_threads);
  CHECK(describe(lost) == "lost threads: warp 0: lanes 0-7 stand at BB0");
  for (const fragment wrong : {fragment{1, lane_mask(1)}, fragment{0, lane_mask(0)}, fragment{0, lane_mask(0x100)},
                               fragment{0, lane_mask(0x101)}}) {
    const verdict v = run(makes_lanes_up{wrong}, forever, {.threads = 8});
    CHECK(v.how == outcome::policy_error);
    lane_mask all;
    for (const auto& s : v.standing) all |= s.lanes;
    CHECK(all == lane_mask(0xFF));
  }
}

TEST_CASE("operations of the mechanism itself are counted apart") {
  counts c;
  CHECK(run(adds_overhead(in_order), walk([](std::uint32_t) { return 3U; }), {.threads = 4}, c).finished());
  CHECK(c.overhead_operations == 6);
  CHECK(c.warp_instructions == 3);
}

TEST_CASE("a fault stops the run and names the lanes that executed the block") {
  struct faults_in_2 {
    block_end run(block_id b, const group& g, partition& out) {
      if (b == 2) return block_end::fault;
      g.lanes.for_each([&](std::uint32_t lane) { out.go(lane < 2 ? 2 : 1, lane_mask::lane(lane)); });
      return block_end::next;
    }
  } program;
  const std::array<std::uint32_t, 3> rank{0, 2, 1};
  const verdict v = run(policies::thread_frontier(rank), program, {.threads = 4});
  CHECK(v.how == outcome::fault);
  CHECK(describe(v) == "fault: warp 0: lanes 0-1 faulted in BB2; lanes 2-3 stand at BB1");
}

TEST_CASE("events tell the whole story in order") {
  std::string story;
  const auto mask = [](lane_mask m) { return describe(m); };
  run(policies::ipdom_stack(figure_1_ipdoms), figure_1, {.threads = 4, .warp_width = 4},
      overloaded{[&](const event::started& e) { story += "start " + std::to_string(e.threads) + "\n"; },
                 [&](const event::issued<lane_mask>& e) {
                   story += "BB" + std::to_string(e.block) + " " + mask(e.lanes) + " depth " + std::to_string(e.depth) +
                            " groups " + std::to_string(e.groups) + "\n";
                 },
                 [&](const event::diverged<lane_mask>& e) { story += "  diverge " + std::to_string(e.ways) + "\n"; },
                 [&](const event::exited<lane_mask>& e) { story += "  exit " + mask(e.lanes) + "\n"; },
                 [&](const event::ended& e) { story += "end " + std::to_string(e.steps) + "\n"; }});
  CHECK(story ==
        "start 4\n"
        "BB0 lanes 0-3 depth 1 groups 1\n"
        "  diverge 2\n"
        "BB2 lane 0 depth 3 groups 1\n"
        "BB3 lane 0 depth 3 groups 1\n"
        "BB4 lane 0 depth 3 groups 1\n"
        "BB1 lanes 1-3 depth 2 groups 1\n"
        "  diverge 2\n"
        "BB2 lanes 2-3 depth 2 groups 1\n"
        "  diverge 2\n"
        "BB4 lane 2 depth 3 groups 1\n"
        "BB3 lane 3 depth 2 groups 1\n"
        "BB5 lanes 0-3 depth 1 groups 4\n"
        "  exit lanes 0-3\n"
        "end 9\n");
}

TEST_CASE("merges count the groups that joined another") {
  counts stack, frontier;
  run(policies::ipdom_stack(figure_1_ipdoms), figure_1, {.threads = 4, .warp_width = 4}, stack);
  run(policies::thread_frontier(in_order), figure_1, {.threads = 4, .warp_width = 4}, frontier);
  CHECK(stack.merges == 3);     // all four meet in the exit only
  CHECK(frontier.merges == 4);  // T0 joins in BB3, T0 and T2 in BB5, T1 and T3 at the exit
  CHECK(stack.divergent_branches == 3);
}

TEST_CASE("lanes alone run in the order of their numbers, after a barrier too") {
  const std::array<unsigned char, 2> barriers{1, 0};
  callable_program program([](std::uint32_t, block_id b) -> block_id { return b == 0 ? 1 : no_block; }, {}, barriers);
  std::vector<std::uint32_t> order;
  CHECK(run(policies::lane_serial(), program, {.threads = 3, .barriers = barrier_model::thread_arrival},
            [&order](const event::issued<lane_mask>& e) { order.push_back(e.lanes.first()); })
            .finished());
  CHECK(order == std::vector<std::uint32_t>{0, 1, 2, 0, 1, 2});
}

TEST_CASE("reconvergence points that are no post-dominators cost fetches, not results") {
  // Block 1 may leave for 4 past its stated meeting point 3; those lanes go to the entry that waits in 4 already.
  const std::array<block_id, 5> meets{4, 3, 3, 4, no_block};
  const auto step = [](std::uint32_t thread, block_id b) -> block_id {
    if (b == 0) return thread == 0 ? 4 : 1;
    if (b == 1) return thread == 1 ? 4 : 2;
    return b < 4 ? b + 1 : no_block;
  };
  std::array<int, 5> fetched{};
  CHECK(run(policies::ipdom_stack(meets), step, {.threads = 4}, [&fetched](const event::issued<lane_mask>& e) {
          ++fetched[e.block];
        }).finished());
  CHECK(fetched == std::array<int, 5>{1, 1, 1, 1, 1});
}

TEST_CASE("an executor is reused over thread blocks") {
  executor<policies::thread_frontier> machine{policies::thread_frontier(in_order)};
  callable_program program([](std::uint32_t t, block_id b) { return figure_1(t, b); });
  counts c;
  for (int block = 0; block < 3; ++block) CHECK(machine.run(program, {.threads = 4, .warp_width = 4}, c).finished());
  CHECK(machine.run(program, {.threads = 1, .warp_width = 1}, c).steps == 5);
  CHECK(c.fetches == 3 * 6 + 5);
  CHECK(c.thread_blocks == 4);
}

TEST_CASE("lanes in words") {
  CHECK(describe(lane_mask(0)) == "no lane");
  CHECK(describe(lane_mask(0b100)) == "lane 2");
  CHECK(describe(lane_mask(0b1101111)) == "lanes 0-3, 5-6");
  CHECK(describe(lane_mask(~std::uint64_t{0})) == "lanes 0-63");
}
