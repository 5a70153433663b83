// SPDX-License-Identifier: BSL-1.0
#include "playground/flow_run.hpp"

#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/simt/executor.hpp>
#include <simtflow/simt/policies/ipdom_stack.hpp>
#include <simtflow/simt/policies/lane_serial.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace {

using namespace simtflow;
using playground::flow_run;
using playground::parse_flow;

// The blocks that each thread runs, by name, as a policy schedules them.
template <class Policy>
std::vector<std::string> paths_of(const std::string& text, Policy policy, outcome expected = outcome::finished) {
  const auto program = parse_flow(text);
  REQUIRE(program);
  std::vector<std::string> paths(program->threads);
  flow_run running(*program);
  const launch shape{.threads = program->threads, .warp_width = program->warp_width};
  const auto observer = [&](const auto& e) {
    if constexpr (requires { e.live; })
      e.lanes.for_each([&](std::uint32_t lane) { paths[e.first_thread + lane] += program->blocks[e.block].name; });
  };
  executor<Policy> machine(std::move(policy));
  const auto verdict = machine.run(running, shape, observer, {.steps = 100'000, .detect_livelock = true});
  CHECK(verdict.how == expected);
  return paths;
}

std::vector<std::string> solo(const std::string& text) { return paths_of(text, policies::lane_serial()); }

}  // namespace

TEST_CASE("a thread of the playground takes the way that its line says") {
  using list = std::vector<std::string>;
  CHECK(solo("threads 4\nA: if lane == 0 then C else B\nB: if lane == 1 then F else C\n"
             "C: if lane == 2 then E else D\nD: if lane == 3 then F else E\nE: goto F\nF: exit") ==
        list{"ACDEF", "ABF", "ABCEF", "ABCDF"});
  CHECK(solo("threads 3\nA: loop lane to A then B\nB:") == list{"AB", "AAB", "AAAB"});
  CHECK(solo("threads 2\nA: loop 0 - 5 to A\nB:") == list{"AB", "AB"});
  // The count begins again: an inner loop runs anew for each iteration of the outer one.
  CHECK(solo("threads 1\nA: loop 2 to A\nB: loop 1 to A\nC:") == list{"AAABAAABC"});
  CHECK(solo("threads 5\nA: switch lane - 1 to B, C, exit\nB: exit\nC: exit") == list{"A", "AB", "AC", "A", "A"});
  CHECK(solo("threads 4\nwarp 2\nA: if warp == 1 and lane == 0 and thread == 2 then B else exit\nB:") ==
        list{"A", "A", "AB", "A"});
  CHECK(solo("threads 2\nA: if visits < lane + 1 then A else B\nB:") == list{"AAB", "AAAB"});
  CHECK(solo("threads 2\nA: exit\nB: goto A") == list{"A", "A"});  // nothing leads to B
  const std::string random = "threads 32\nA: if random < 50 then B else C\nB: goto A\nC:";
  CHECK(solo(random) == solo(random));
  CHECK(solo(random)[0] != solo(random)[1]);
}

TEST_CASE("a program of the playground runs the same under a stack") {
  for (const char* text : {"A: if lane < 4 then B else C\nB: goto D\nC: goto D\nD:",
                           "threads 40\nA: loop lane % 5 to A\nB: if random < 30 then A else C\nC:"}) {
    const auto tree = post_dominators(parse_flow(text)->graph());
    CHECK(paths_of(text, policies::ipdom_stack(tree.ipdoms())) == solo(text));
  }
}

TEST_CASE("lanes of the playground communicate by flags") {
  // One of the threads takes the flag; the next one gets it when it is cleared.
  const std::string lock = "threads 3\ntry: if take m then work else try\nwork: clear m; exit";
  const auto tree = post_dominators(parse_flow(lock)->graph());
  CHECK(solo(lock) == std::vector<std::string>{"trywork", "trywork", "trywork"});
  (void)paths_of(lock, policies::ipdom_stack(tree.ipdoms()), outcome::livelock);
  const std::string sent = "threads 2\nA: if lane == 0 then B else C\nB: set f; exit\nC: if is f then exit else C";
  CHECK(solo(sent) == std::vector<std::string>{"AB", "AC"});
}

TEST_CASE("threads of the playground wait at barriers") {
  const std::string uneven =
      "threads 2\nwarp 1\nA: if thread == 0 then B else C\nB: barrier 1; exit\nC: barrier 2; exit";
  const auto tree = post_dominators(parse_flow(uneven)->graph());
  (void)paths_of(uneven, policies::ipdom_stack(tree.ipdoms()), outcome::barrier_deadlock);
  const std::string even = "threads 8\nwarp 2\nA: loop thread to A\nB: barrier; goto C\nC:";
  const auto other = post_dominators(parse_flow(even)->graph());
  std::vector<std::string> expected;
  for (std::size_t thread = 0; thread < 8; ++thread) expected.push_back(std::string(thread + 1, 'A') + "BC");
  CHECK(paths_of(even, policies::ipdom_stack(other.ipdoms())) == expected);
}
