// SPDX-License-Identifier: BSL-1.0
//
// A livelock verdict is a proof: the state of the run has come back. Found where it must be, never where the run would
// end.
#include <simtflow/io/describe.hpp>
#include <simtflow/simt/executor.hpp>
#include <simtflow/simt/policies/ipdom_stack.hpp>
#include <simtflow/simt/policies/lane_serial.hpp>
#include <simtflow/simt/policies/thread_frontier.hpp>
#include <simtflow/simt/trace.hpp>
#include <simtflow/testing/generate.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

using namespace simtflow;

namespace {

using stack = policies::ipdom_stack;
using frontier = policies::thread_frontier;

// The first of two targets alternates: a policy with a state that comes back every second divergence.
struct alternating {
  using mask_type = lane_mask;
  std::vector<fragment> waiting;
  void start(const fragment& f) { waiting.assign(1, f); }
  std::optional<fragment> next() {
    if (waiting.empty()) return std::nullopt;
    const fragment f = waiting.front();
    waiting.erase(waiting.begin());
    return f;
  }
  void advance(const fragment&, std::span<const fragment> out) {
    waiting.insert(waiting.end(), out.begin(), out.end());
  }
  void park(const fragment&) {}
  void release(const fragment& f) { waiting.push_back(f); }
  friend bool operator==(const alternating&, const alternating&) = default;
};
// The same, but says nothing of its state.
struct secretive : alternating {
  friend bool operator==(const secretive&, const secretive&) = delete;
};
static_assert(!comparable_policy<secretive> && comparable_policy<stack> && comparable_policy<frontier> &&
              comparable_policy<alternating>);

constexpr std::array<std::uint32_t, 8> in_order{0, 1, 2, 3, 4, 5, 6, 7};
constexpr limits find{.steps = 1'000'000, .detect_livelock = true};

// Blocks 0: compare and swap, the winner goes to 1 and unlocks there, the losers try again; then 2, the end.
struct spin_lock {
  bool held = false, noted = false;
  block_id operator()(std::uint32_t, block_id b) {
    if (b == 0) {
      if (held) return 0;
      held = true;
      return 1;
    }
    if (b == 1) {
      held = false;
      return 2;
    }
    return no_block;
  }
  void remember() { noted = held; }
  [[nodiscard]] bool as_remembered() const { return noted == held; }
};

}  // namespace

TEST_CASE("livelock: a spin lock under the post-dominator stack, and under thread frontiers in either order") {
  const std::array<block_id, 3> ipdoms{1, 2, no_block};  // the winner waits in 1 for those that can never come
  spin_lock lock;
  const verdict pdom = run(stack(ipdoms), lock, {.threads = 4}, no_observer{}, find);
  CHECK(describe(pdom) ==
        "livelock: the same state comes back after every block: warp 0: lane 0 stands at BB1 and never runs; lanes 1-3 "
        "go "
        "round, now at BB0");
  CHECK(pdom.steps <= 4);

  lock = {};
  const verdict lock_first = run(frontier(in_order), lock, {.threads = 4}, no_observer{}, find);
  CHECK(lock_first.how == outcome::livelock);
  CHECK(lock_first.period == 1);

  lock = {};
  const std::array<std::uint32_t, 3> holder_first{2, 0, 1};
  CHECK(run(frontier(holder_first), lock, {.threads = 4}, no_observer{}, find).finished());
  lock = {};
  CHECK(run(alternating{}, lock, {.threads = 4}, no_observer{}, find).finished());
  // The spec's two threads: eight steps.
  lock = {};
  const verdict two = run(frontier(holder_first), lock, {.threads = 2}, no_observer{}, find);
  CHECK(two.finished());
  CHECK(two.steps <= 8);
}

TEST_CASE("livelock: without limits::detect_livelock, or where it cannot be proven, it is the step limit") {
  const std::array<block_id, 3> ipdoms{1, 2, no_block};
  spin_lock lock;
  CHECK(run(stack(ipdoms), lock, {.threads = 4}, no_observer{}, {.steps = 1000}).how == outcome::step_limit);
  lock = {};
  const auto forever = [](std::uint32_t, block_id b) { return b; };
  CHECK(run(secretive{}, forever, {.threads = 4}, no_observer{}, {.steps = 1000, .detect_livelock = true}).how ==
        outcome::step_limit);
  // A callable that changes itself and does not remember.
  auto counts_down = [left = 100](std::uint32_t, block_id b) mutable { return left-- > 0 ? b : no_block; };
  CHECK(run(alternating{}, counts_down, {.threads = 1}, no_observer{}, find).finished());
  // A program that is none of ours and says nothing.
  struct silent {
    int left = 100;
    block_end run(block_id b, const group& g, partition& out) {
      out.go(left-- > 0 ? b : no_block, g.lanes);
      return block_end::next;
    }
  } program;
  CHECK(run(alternating{}, program, {.threads = 4}, no_observer{}, find).finished());
}

namespace {

// Runs one group for a while before another has its turn: lanes stand where they stood, the policy does not.
struct patient : alternating {
  int left = 50;
  void advance(const fragment&, std::span<const fragment> out) {
    const bool stays = left-- > 0;
    if (!stays) left = 50;
    for (const fragment& f : out) waiting.insert(stays ? waiting.begin() : waiting.end(), f);  // the last one first
  }
  friend bool operator==(const patient&, const patient&) = default;
};

// Every thread asks until a number is used up, and remembers the number.
struct countdown {
  int left = 50, noted = 0;
  block_id operator()(std::uint32_t, block_id b) { return left-- > 0 ? b : no_block; }
  void remember() { noted = left; }
  [[nodiscard]] bool as_remembered() const { return noted == left; }
};

}  // namespace

TEST_CASE("livelock: lanes that stand where they stood are none while the program or the policy changes") {
  CHECK(run(alternating{}, countdown{}, {.threads = 4}, no_observer{}, find).finished());
  spin_lock lock;
  CHECK(run(patient{}, lock, {.threads = 4}, no_observer{}, find).finished());
}

TEST_CASE("livelock: the period is the number of blocks between equal states") {
  // Lane 0 goes round a cycle of five blocks, lane 1 of three: under turns by turns 30 blocks.
  const auto step = [](std::uint32_t t, block_id b) -> block_id {
    if (b == 0) return t == 0 ? 1 : 10;
    return t == 0 ? 1 + b % 5 : 10 + (b - 9) % 3;
  };
  const verdict v = run(alternating{}, step, {.threads = 2}, no_observer{}, find);
  CHECK(v.how == outcome::livelock);
  CHECK(v.period == 30);
  CHECK(v.steps < 3 * 32);
  // One of several warps: the others have ended.
  const auto one = [](std::uint32_t t, block_id b) -> block_id { return t < 8 ? no_block : 1 + b % 7; };
  const verdict w = run(alternating{}, one, {.threads = 16, .warp_width = 4}, no_observer{}, find);
  CHECK(w.how == outcome::livelock);
  CHECK(w.period == 2 * 64 * 7);  // two warps in turns of 64 blocks
  const verdict alone = run(alternating{}, one, {.threads = 12, .warp_width = 4}, no_observer{}, find);
  CHECK(alone.period == 7);
}

TEST_CASE("livelock: a barrier that goes round forever is one, a barrier about to open is none") {
  const std::array<unsigned char, 2> barriers{1, 0};
  callable_program round([](std::uint32_t, block_id b) -> block_id { return 1 - b; }, {}, barriers);
  CHECK(run(frontier(in_order), round, {.threads = 70}, no_observer{}, find).how == outcome::livelock);

  // Warp 0 waits at barrier 1. Warp 1 arrives there and spins on what warp 0 does next: its state comes back at once,
  // but the barrier opens at the end of the round.
  struct hand_over {
    bool flag = false, noted = false;
    bool arrives = true;
    block_end run(block_id b, const group& g, partition& out) {
      if (b == 0) {
        out.go(g.warp == 0 ? 1 : 2, g.lanes);
      } else if (b == 1) {
        out.go(4, g.lanes);
        return block_end::barrier;
      } else if (b == 2) {
        out.go(3, g.lanes);
        if (arrives) return block_end::arrive;
      } else if (b == 3) {
        out.go(flag ? no_block : 3, g.lanes);
      } else {
        flag = true;
      }
      return block_end::next;
    }
    static std::uint32_t barrier_id(block_id) { return 1; }
    static std::uint32_t barrier_count(block_id) { return 64; }
    void remember() { noted = flag; }
    [[nodiscard]] bool as_remembered() const { return noted == flag; }
  };
  hand_over program;
  CHECK(run(frontier(in_order), program, {.threads = 64}, no_observer{}, find).finished());
  hand_over never{false, false, false};
  const verdict v = run(frontier(in_order), never, {.threads = 64}, no_observer{}, find);
  CHECK(describe(v) ==
        "livelock: the same state comes back after every block: warp 0: lanes 0-31 wait at barrier 1 that ends BB1 | "
        "warp 1: lanes 0-31 go round, now at BB3");

  // Two thread blocks of two threads: thread 0 waits for thread 1, which has just ended, and will set what thread 3
  // spins on; thread 2 has ended.
  struct neighbours {
    bool flag = false, noted = false;
    block_end run(block_id b, const group& g, partition& out) {
      if (b == 0 && g.warp == 0) out.go(1, g.lanes);
      if (b == 0 && g.warp == 3) out.go(3, g.lanes);
      if (b == 1) out.go(2, g.lanes);
      if (b == 2) flag = true;
      if (b == 3 && !flag) out.go(3, g.lanes);
      return b == 1 ? block_end::barrier : block_end::next;
    }
    void remember() { noted = flag; }
    [[nodiscard]] bool as_remembered() const { return noted == flag; }
  } blocks;
  CHECK(run(frontier(in_order), blocks, {.threads = 2, .warp_width = 1, .resident_blocks = 2}, no_observer{}, find)
            .finished());
}

namespace {

// A random pure step function on `blocks` blocks; some of its ways end.
struct random_step {
  std::uint64_t seed;
  std::size_t blocks;
  unsigned ends;
  block_id operator()(std::uint32_t t, block_id b) const {
    const std::uint64_t x = testing::mix_bits(seed ^ testing::mix_bits(t * 1009 + b));
    return x % 100 < ends ? no_block : static_cast<block_id>((x >> 20) % blocks);
  }
  // The same thread alone: whether it comes to its end.
  [[nodiscard]] bool finishes(std::uint32_t t) const {
    block_id b = 0;
    for (std::size_t i = 0; i <= blocks; ++i) {
      b = (*this)(t, b);
      if (b == no_block) return true;
    }
    return false;
  }
};

}  // namespace

TEST_CASE("livelock: random programs end, or are caught in a cycle that goes on") {
  int ended = 0, caught = 0;
  using issue = std::tuple<std::uint32_t, block_id, std::uint64_t>;
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    testing::rng random(seed);
    const random_step step{seed, random.between(1, 8), static_cast<unsigned>(random.between(0, 80))};
    std::vector<unsigned char> barriers(step.blocks, 0);
    const bool with_barriers = random.chance(30);
    if (with_barriers) barriers[random.below(step.blocks)] = 1;
    const launch shape{.threads = static_cast<std::uint32_t>(random.between(1, 12)),
                       .warp_width = static_cast<std::uint32_t>(random.between(1, 6)),
                       .barriers = barrier_model::thread_arrival};
    bool all_end = true;
    for (std::uint32_t t = 0; t < shape.threads; ++t) all_end = all_end && step.finishes(t);
    std::vector<std::uint32_t> rank(in_order.begin(), in_order.end());
    random.shuffle(rank);

    const auto check = [&](auto policy) {
      CAPTURE(seed);
      callable_program program(step, {}, barriers);
      const verdict v = run(policy, program, shape, no_observer{}, find);
      CHECK(v.finished() == all_end);
      if (v.finished()) {
        ++ended;
        return;
      }
      REQUIRE(v.how == outcome::livelock);  // a thread that goes round never lets an all-thread barrier deadlock
      ++caught;
      // Run on without the detection: what follows is the cycle again and again, by just those lanes that are said to
      // spin.
      std::vector<issue> issued;
      lane_mask ran[12];
      const std::uint64_t first = v.steps - v.period, last = v.steps + 3 * v.period;
      run(policy, program, shape,
          [&](const event::issued<lane_mask>& e) {
            if (e.step < first) return;
            issued.push_back({e.warp, e.block, e.lanes.word(0)});
            ran[e.warp] |= e.lanes;
          },
          {.steps = last});
      REQUIRE(issued.size() == 4 * v.period);
      for (std::size_t i = v.period; i < issued.size(); ++i) REQUIRE(issued[i] == issued[i - v.period]);
      for (const auto& s : v.standing)
        if (s.reason == standing_reason::ready)
          CHECK((s.lanes & ran[s.warp]).none());
        else if (s.reason == standing_reason::spinning)
          CHECK(s.lanes.is_subset_of(ran[s.warp]));
    };
    check(frontier(rank));
    check(alternating{});
  }
  CHECK(ended > 400);
  CHECK(caught > 400);
}

TEST_CASE("livelock: threads that count their visits are not caught before they end") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    testing::rng random(seed);
    testing::cfg_options options;
    options.terminating = true;
    const csr_graph g = testing::random_cfg(random, options);
    const testing::random_walks walks(g, {.seed = seed});
    CAPTURE(seed);
    testing::walking_threads threads(walks, 8);
    const launch shape{.threads = 8, .warp_width = 4, .entry = g.entry()};
    CHECK(run(alternating{}, threads, shape, no_observer{}, find).finished());
  }
}

TEST_CASE("livelock: recorded paths never come back, however long they stay at one place") {
  static_assert(program_with_memory<trace_program> && program_with_memory<testing::walking_threads>);
  block_paths paths;
  const std::vector<block_id> long_stay(100, 0), short_stay(3, 0);
  paths.add(std::span<const block_id>(long_stay));
  paths.add(std::span<const block_id>(short_stay));
  const std::array<std::uint32_t, 4> path_of_thread{0, 1, 1, 0};
  const std::array<std::uint32_t, 1> weights{1};
  trace_program trace(paths, weights);
  REQUIRE(trace.select_block(std::span<const std::uint32_t>(path_of_thread), 0));
  CHECK(run(alternating{}, trace, {.threads = 4, .warp_width = 2}, no_observer{}, find).finished());
}
