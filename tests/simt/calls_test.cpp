// SPDX-License-Identifier: BSL-1.0
//
// Calls: threads return to where they called from under every policy; which calls are run together is the policy's.
#include <simtflow/io/describe.hpp>
#include <simtflow/simt/calls.hpp>
#include <simtflow/simt/executor.hpp>
#include <simtflow/simt/observers/counts.hpp>
#include <simtflow/simt/policies/ipdom_stack.hpp>
#include <simtflow/simt/policies/lane_serial.hpp>
#include <simtflow/simt/policies/min_pc.hpp>
#include <simtflow/simt/policies/thread_frontier.hpp>
#include <simtflow/testing/generate.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

using namespace simtflow;

namespace {

// The thread frontiers paper's split merge (section 6.4.2): a function pointer sends every thread into a function of
// its own; two of the three functions call one shared function.
//
//   0 call (*f)  1 end       2 f0: call s  3 return      4 f1: call s  5 return      6 f2  7 return      8 s  9 return
constexpr std::array<block_id, 10> split_merge_returns{1,        no_block, 3,        no_block, 5,
                                                       no_block, no_block, no_block, no_block, no_block};
constexpr block_id split_merge(std::uint32_t thread, block_id b) {
  switch (b) {
    case 0:
      return 2 + 2 * (thread % 3);
    case 1:
      return no_block;
    case 2:
    case 4:
      return 8;
    case 6:
      return 7;
    case 8:
      return 9;
    default:
      return return_to_caller;
  }
}
// The functions' own post-dominators: a call is a block like any other.
constexpr std::array<block_id, 10> split_merge_ipdoms{1, no_block, 3, no_block, 5, no_block, 7, no_block, 9, no_block};
// Callees before what their callers do next.
constexpr std::array<std::uint32_t, 10> split_merge_ranks{0, 9, 1, 6, 2, 7, 3, 8, 4, 5};

template <class Policy>
constexpr std::array<int, 10> fetches_of_split_merge(Policy policy) {
  callable_program targets(split_merge);
  call_program program(targets, split_merge_returns, 6);
  std::array<int, 10> fetched{};
  const verdict v =
      run(policy, program, {.threads = 6}, [&](const event::issued<lane_mask>& e) { ++fetched[e.block]; });
  return v.finished() ? fetched : std::array<int, 10>{};
}

}  // namespace

TEST_CASE("calls: divergent calls to one shared function run together under thread frontiers, not under PDOM") {
  constexpr std::array<int, 10> apart{1, 1, 1, 1, 1, 1, 1, 1, 2, 2}, together{1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  static_assert(fetches_of_split_merge(policies::ipdom_stack(split_merge_ipdoms)) == apart);
  static_assert(fetches_of_split_merge(policies::thread_frontier(split_merge_ranks)) == together);
  CHECK(fetches_of_split_merge(policies::ipdom_stack(split_merge_ipdoms)) == apart);
  CHECK(fetches_of_split_merge(policies::thread_frontier(split_merge_ranks)) == together);

  // By PC alone the shared function is run together, but the threads of f2 do not wait in block 1, which lies before
  // it. By depth first it is the other way round: whoever is in a call comes out before others go in.
  callable_program targets(split_merge);
  call_program program(targets, split_merge_returns, 6);
  constexpr std::array<std::uint32_t, 10> in_memory{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  const auto fetches = [&](auto policy) {
    std::array<int, 10> fetched{};
    CHECK(run(policy, program, {.threads = 6}, [&](const event::issued<lane_mask>& e) {
            ++fetched[e.block];
          }).finished());
    return fetched;
  };
  CHECK(fetches(policies::min_pc(in_memory)) == std::array<int, 10>{1, 3, 1, 1, 1, 1, 1, 1, 1, 1});
  CHECK(fetches(policies::min_pc(in_memory, program.depths())) == apart);
}

TEST_CASE("calls: two arms that call one function") {
  // 0 branch; 1 and 2 call s (5, 6), come back to 3 and to 4; all end in 7.
  constexpr std::array<block_id, 8> returns{no_block, 3, 4, no_block, no_block, no_block, no_block, no_block};
  const auto step = [](std::uint32_t t, block_id b) -> block_id {
    constexpr std::array<block_id, 8> to{0, 5, 5, 7, 7, 6, return_to_caller, no_block};
    return b == 0 ? 1 + t % 2 : to[b];
  };
  callable_program targets(step);
  call_program program(targets, returns, 8);
  constexpr std::array<block_id, 8> ipdoms{7, 3, 4, 7, 7, 6, no_block, no_block};
  constexpr std::array<std::uint32_t, 8> calls_first{0, 1, 2, 5, 6, 3, 4, 7}, in_memory{0, 1, 2, 3, 4, 5, 6, 7};
  const auto fetches = [&](auto policy) {
    counts c;
    CHECK(run(policy, program, {.threads = 8, .warp_width = 4}, c).finished());
    return c.fetches / 2;
  };
  CHECK(fetches(policies::ipdom_stack(ipdoms)) == 10);
  CHECK(fetches(policies::thread_frontier(calls_first)) == 8);
  CHECK(fetches(policies::thread_frontier(in_memory)) == 8);
  CHECK(fetches(policies::lane_serial()) == 24);
}

TEST_CASE("calls: recursion to a depth of its own for each thread; too deep is a fault that names the thread") {
  std::vector<std::uint32_t> depth(70, 0), deepest(70, 0), left(70, 0);
  // Block 0: call 0 again, or go on to 1 at once: it is the block after the call as well. Block 1: return.
  const auto step = [&](std::uint32_t t, block_id b) -> block_id {
    if (b == 0) {
      if (depth[t] == t) return 1;
      ++depth[t];
      deepest[t] = depth[t];
      return 0;
    }
    ++left[t];
    return return_to_caller;
  };
  constexpr std::array<block_id, 2> returns{1, no_block};
  constexpr std::array<std::uint32_t, 2> in_order{0, 1};
  callable_program targets(step);
  call_program program(targets, returns, 70, 69);
  std::uint32_t most = 0;
  counts c;
  overloaded watch{[&](const event::issued<lane_mask>& e) {
    e.lanes.for_each([&](std::uint32_t lane) {
      const std::uint32_t now = program.depths()[e.first_thread + lane];
      most = now > most ? now : most;
    });
  }};
  both observer(c, watch);
  CHECK(run(policies::min_pc(in_order, program.depths()), program, {.threads = 70}, observer).finished());
  CHECK(most == 69);
  for (std::uint32_t t = 0; t < 70; ++t) {
    CHECK(deepest[t] == t);
    CHECK(left[t] == t + 1);
    CHECK(program.depths()[t] == 0);
  }
  CHECK_FALSE(program.overflow().has_value());

  depth.assign(70, 0);
  call_program shallow(targets, returns, 70, 40);
  const verdict v = run(policies::min_pc(in_order, shallow.depths()), shallow, {.threads = 70});
  CHECK(v.how == outcome::fault);
  REQUIRE(shallow.overflow().has_value());
  CHECK(shallow.overflow()->thread == 41);
  CHECK(shallow.overflow()->block == 0);
  CHECK(describe(v).find("lanes 8-31 faulted in BB0") != std::string::npos);
  shallow.begin({});
  CHECK_FALSE(shallow.overflow().has_value());
  depth.assign(70, 0);
  CHECK(run(policies::lane_serial(), shallow, {.threads = 40, .barriers = barrier_model::thread_arrival}).finished());
}

TEST_CASE("calls: a thread may end inside a function, call or not call, and wait at a barrier there") {
  // 0 calls f (2) for even threads, odd ones go to 1 at once; f ends in a barrier; thread 2 ends in f; 1 calls g (3).
  const std::array<block_id, 5> returns{1, 4, no_block, no_block, no_block};
  const std::array<unsigned char, 5> barriers{0, 0, 1, 0, 0};
  const std::array<std::uint32_t, 5> weights{1, 2, 3, 4, 5};
  const auto step = [](std::uint32_t t, block_id b) -> block_id {
    if (b == 0) return t % 2 == 0 ? 2 : 1;
    if (b == 1) return 3;
    if (b == 2) return t == 2 ? no_block : return_to_caller;
    return b == 3 ? return_to_caller : no_block;
  };
  callable_program targets(step, weights, barriers);
  call_program program(targets, returns, 4);
  const std::array<std::uint32_t, 5> rank{0, 3, 1, 2, 4};
  std::vector<std::vector<block_id>> paths(4);
  counts c;
  overloaded watch{[&](const event::issued<lane_mask>& e) {
    e.lanes.for_each([&](std::uint32_t lane) { paths[lane].push_back(e.block); });
  }};
  both observer(c, watch);
  for (int again = 0; again < 2; ++again) {
    paths.assign(4, {});
    CHECK(run(policies::thread_frontier(rank), program, {.threads = 4, .barriers = barrier_model::thread_arrival},
              observer)
              .finished());
    CHECK(paths == std::vector<std::vector<block_id>>{{0, 2, 1, 3, 4}, {0, 1, 3, 4}, {0, 2}, {0, 1, 3, 4}});
    CHECK(program.depths()[2] == 0);  // nobody is left in f
  }
  CHECK(c.thread_instructions == 2 * (15 + 12 + 4 + 12));
}

TEST_CASE("calls: a loop that calls is caught as a livelock, a deeper and deeper one is not the same state") {
  const std::array<block_id, 3> returns{1, no_block, no_block};
  callable_program round([](std::uint32_t, block_id b) -> block_id {
    return b == 0 ? 2 : b == 1 ? 0 : return_to_caller;
  });
  call_program program(round, returns, 4);
  const std::array<std::uint32_t, 3> rank{0, 1, 2};
  const limits find{.steps = 100'000, .detect_livelock = true};
  const verdict v = run(policies::min_pc(rank, program.depths()), program, {.threads = 4}, no_observer{}, find);
  CHECK(v.how == outcome::livelock);
  CHECK(v.period == 3);
  callable_program down([](std::uint32_t, block_id) -> block_id { return 0; });
  const std::array<block_id, 1> returns_down{5};
  call_program deeper(down, returns_down, 4, 500);
  const verdict w = run(policies::min_pc(rank), deeper, {.threads = 4}, no_observer{}, find);
  CHECK(w.how == outcome::fault);
  CHECK(w.steps == 501);
}

namespace {

// Random functions that call only functions of higher numbers. Function f has blocks f * size .. f * size + size - 1;
// block k of it goes to a later block of it, calls and goes on after, or returns.
struct random_calls {
  std::uint64_t seed;
  std::uint32_t functions, size;

  enum class kind : unsigned char { jump, call, ret };
  [[nodiscard]] std::uint64_t draw(std::uint64_t what, std::uint64_t b, std::uint64_t thread) const {
    return testing::mix_bits(seed ^ testing::mix_bits(what * 7919 + b * 104729 + thread * 15485863));
  }
  [[nodiscard]] kind kind_of(block_id b) const {
    if (b % size == size - 1) return kind::ret;
    return b / size + 1 < functions && draw(1, b, 0) % 100 < 45 ? kind::call : kind::jump;
  }
  [[nodiscard]] block_id callee(std::uint32_t t, block_id b) const {
    const std::uint32_t f = b / size, choice = draw(2, b, 0) % 2 == 0 ? 0 : t;  // direct or through a pointer
    return static_cast<block_id>((f + 1 + draw(3, b, choice) % (functions - f - 1)) * size);
  }
  [[nodiscard]] block_id later(std::uint32_t t, block_id b) const {
    const std::uint32_t k = b % size;
    return static_cast<block_id>(b + 1 + draw(4, b, t) % (size - k - 1));
  }
  block_id operator()(std::uint32_t t, block_id b) const {
    const kind k = kind_of(b);
    return k == kind::ret ? return_to_caller : k == kind::call ? callee(t, b) : later(t, b);
  }
  // The path of a thread by calling in earnest.
  void walk(std::uint32_t t, block_id b, std::vector<block_id>& path) const {
    for (;;) {
      path.push_back(b);
      const kind k = kind_of(b);
      if (k == kind::ret) return;
      if (k == kind::call) {
        walk(t, callee(t, b), path);
        b = b + 1;
      } else {
        b = later(t, b);
      }
    }
  }
};

}  // namespace

TEST_CASE("calls: random call graphs give each thread the path that calling in earnest gives") {
  std::uint64_t pdom_fetches = 0, depth_fetches = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    testing::rng random(seed);
    const random_calls code{seed, static_cast<std::uint32_t>(random.between(1, 5)),
                            static_cast<std::uint32_t>(random.between(1, 5))};
    const std::uint32_t n = code.functions * code.size, threads = 9;
    std::vector<block_id> returns, ipdoms;
    std::vector<std::uint32_t> rank;
    for (block_id b = 0; b < n; ++b) {
      returns.push_back(code.kind_of(b) == random_calls::kind::call ? b + 1 : no_block);
      // Right for calls; for jumps the function's last block, which post-dominates all of it.
      ipdoms.push_back(code.kind_of(b) == random_calls::kind::call  ? b + 1
                       : code.kind_of(b) == random_calls::kind::ret ? no_block
                                                                    : b / code.size * code.size + code.size - 1);
      rank.push_back(b);
    }
    random.shuffle(rank);
    std::vector<std::vector<block_id>> expected(threads);
    for (std::uint32_t t = 0; t < threads; ++t) code.walk(t, 0, expected[t]);
    callable_program targets(code);
    call_program program(targets, returns, threads);
    const auto check = [&](auto policy) {
      CAPTURE(seed);
      std::vector<std::vector<block_id>> paths(threads);
      std::uint64_t fetches = 0;
      const verdict v =
          run(policy, program, {.threads = threads, .warp_width = 5}, [&](const event::issued<lane_mask>& e) {
            ++fetches;
            e.lanes.for_each([&](std::uint32_t l) { paths[e.first_thread + l].push_back(e.block); });
          });
      CHECK(v.finished());
      CHECK(paths == expected);
      return fetches;
    };
    check(policies::thread_frontier(rank));
    check(policies::lane_serial());
    check(policies::min_pc(rank, program.depths()));
    std::vector<std::uint32_t> in_memory;
    for (block_id b = 0; b < n; ++b) in_memory.push_back(b);
    depth_fetches += check(policies::min_pc(in_memory, program.depths()));
    pdom_fetches += check(policies::ipdom_stack(ipdoms));
  }
  CHECK(depth_fetches < pdom_fetches);
}
