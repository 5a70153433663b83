// SPDX-License-Identifier: BSL-1.0
//
// Remedies of a programmer, with figures before and after: sort the work, so that threads of a warp do
// alike; keep lanes busy with the next piece of work; hoist what both arms do; choose blocks of whole warps. None of
// this needs another GPU.
#include "write_picture.hpp"
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/io/svg_timeline.hpp>
#include <simtflow/simt/executor.hpp>
#include <simtflow/simt/observers/counts.hpp>
#include <simtflow/simt/observers/event_trace.hpp>
#include <simtflow/simt/policies/ipdom_stack.hpp>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

using namespace simtflow;

namespace {

// [kernel]
// A kernel: what a thread does at each block, the graph, and how many instructions a block has.
struct kernel {
  std::vector<std::vector<int>> cfg;
  std::vector<std::uint32_t> weights;
  std::function<block_id(std::uint32_t thread, block_id)> step;
};

// for (i = 0; i < turns[thread]; ++i) body();       0: test   1: body   2: end
kernel loop(std::vector<unsigned> turns) {
  return {{{1, 2}, {0}, {}}, {1, 3, 1}, [turns](std::uint32_t t, block_id b) mutable -> block_id {
            if (b == 1) return 0;
            return b == 0 ? (turns[t]-- > 0 ? 1U : 2U) : no_block;
          }};
}
// The same work from a queue: a lane that is done with a piece takes the next one and stays in the loop, so one loop
// does the work of two.                             0: test, take   1: body   2: end
kernel queue(std::vector<unsigned> turns, unsigned threads) {
  return {{{1, 2}, {0}, {}},
          {2, 3, 1},
          [turns, left = std::vector<unsigned>(threads), next = 0U](std::uint32_t t, block_id b) mutable -> block_id {
            if (b == 2) return no_block;
            if (b == 1) return --left[t], 0;
            if (left[t] == 0 && next < turns.size()) left[t] = turns[next++];
            return left[t] > 0 ? 1U : 2U;
          }};
}
// if (odd) { common(); a(); } else { common(); b(); }   and   common(); if (odd) a(); else b();
kernel arms(std::uint32_t before, std::uint32_t in_arm) {
  return {{{1, 2}, {3}, {3}, {}}, {before, in_arm, in_arm, 1}, [](std::uint32_t t, block_id b) -> block_id {
            return b == 0 ? 1 + t % 2 : b == 3 ? no_block : 3;
          }};
}
// [/kernel]

}  // namespace

int main(int argc, char** argv) {
  // [run]
  svg_timeline picture({.title = "the same 16 pieces of work, warps of 8 lanes", .width = 760});
  const auto figures = [&](const char* what, kernel k, const launch& shape, bool draw = false) {
    counts c;
    event_trace events;
    both observer(c, events);
    const auto meet = post_dominators(k.cfg);
    run(policies::ipdom_stack(meet.ipdoms()), callable_program(k.step, k.weights), shape, observer);
    std::printf("%-34s %4d warp instructions, SIMD efficiency %.2f\n", what, int(c.warp_instructions),
                c.simd_efficiency());
    if (draw) picture.add({.title = what}, events);
  };
  std::vector<unsigned> turns{1, 9, 2, 7, 1, 1, 8, 2, 1, 2, 9, 1, 1, 7, 2, 2};
  std::vector<unsigned> sorted = turns;
  std::sort(sorted.begin(), sorted.end());
  figures("as it comes", loop(turns), {.threads = 16, .warp_width = 8}, true);
  figures("sorted by length", loop(sorted), {.threads = 16, .warp_width = 8}, true);
  figures("lanes take the next piece", queue(turns, 8), {.threads = 8, .warp_width = 8}, true);
  figures("both arms do it", arms(1, 10), {.threads = 8, .warp_width = 8});
  figures("hoisted before the branch", arms(7, 4), {.threads = 8, .warp_width = 8});
  figures("a block of 40 threads", loop(std::vector<unsigned>(40, 4)), {.threads = 40});
  figures("a block of 64 threads", loop(std::vector<unsigned>(64, 4)), {.threads = 64});
  // [/run]
  const char* const names[] = {"test", "body", "end"};
  return write_picture(argc, argv, picture.text([&](block_id b) { return names[b]; }));
}
