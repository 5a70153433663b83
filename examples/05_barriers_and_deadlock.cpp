// SPDX-License-Identifier: BSL-1.0
//
// A barrier before the immediate post-dominator: under the post-dominator stack one part of the warp waits at the
// barrier for lanes that the stack will only run afterwards. That is a deadlock of the mechanism, not of the program:
// every thread reaches the barrier by itself. Thread frontiers bring the lanes together first.
#include "beside_schedule.hpp"
#include "write_picture.hpp"
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/io/describe.hpp>
#include <simtflow/simt/executor.hpp>
#include <simtflow/simt/observers/event_trace.hpp>
#include <simtflow/simt/policies/ipdom_stack.hpp>
#include <simtflow/simt/policies/thread_frontier.hpp>

#include <cstdio>
#include <vector>

using namespace simtflow;

int main(int argc, char** argv) {
  // [run]
  // Thread frontiers paper, figure 2(a): an exception may leave block 1 for block 4; block 3 holds the barrier.
  const std::vector<std::vector<int>> cfg{{1, 2}, {3, 4}, {3}, {4}, {}};
  const std::vector<std::uint32_t> one(5, 1);
  const std::vector<unsigned char> barriers{0, 0, 0, 1, 0};
  const callable_program program(
      [](unsigned lane, block_id b) -> block_id {
        const block_id next[] = {lane % 2 == 0 ? 1U : 2U, 3, 3, 4, no_block};  // nobody throws
        return next[b];
      },
      one, barriers);
  const auto pdom = post_dominators(cfg);
  const std::vector<std::uint32_t> rank{0, 1, 2, 3, 4};
  auto a = program, b = program, c = program, d = program;
  event_trace stuck, done, two_warps;
  std::printf("PDOM: %s\n", describe(run(policies::ipdom_stack(pdom.ipdoms()), a, {.threads = 4}, stuck)).c_str());
  std::printf("thread frontiers: %s\n",
              describe(run(policies::thread_frontier(rank), b, {.threads = 4}, done)).c_str());
  // Barriers that count warps do not help: the first lanes arrive for all, and the others come when it has opened.
  const auto by_warp =
      run(policies::ipdom_stack(pdom.ipdoms()), c, {.threads = 4, .barriers = barrier_model::warp_arrival});
  std::printf("PDOM, barriers by warp: %s\n", describe(by_warp).c_str());
  // Two warps: the warp that arrives first waits for the other one.
  run(policies::thread_frontier(rank), d, {.threads = 8, .warp_width = 4}, two_warps);
  // [/run]
  svg_timeline picture({.title = "a barrier before the post-dominator", .clock = timeline_clock::shared});
  picture.add({.title = "PDOM", .note = "lanes 0 and 2 wait, 1 and 3 are not run", .bad_end = "deadlock"}, stuck);
  picture.add({.title = "thread frontiers"}, done);
  picture.add({.title = "thread frontiers, two warps"}, two_warps);
  return write_picture(argc, argv,
                       beside_schedule(cfg, {"BB0", "BB1", "BB2", "BB3", "BB4"}, picture, {"", "", "", "barrier", ""}));
}
