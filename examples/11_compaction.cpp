// SPDX-License-Identifier: BSL-1.0
//
// Thread block compaction: warps of one thread block wait for each other at a branch, and the threads of each path are
// packed into new, fuller warps. Each thread keeps its lane, so it pays where the lanes of different warps complement
// each other, and not where all warps diverge alike.
#include "write_picture.hpp"
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/io/svg_timeline.hpp>
#include <simtflow/simt/executor.hpp>
#include <simtflow/simt/observers/counts.hpp>
#include <simtflow/simt/observers/event_trace.hpp>
#include <simtflow/simt/policies/ipdom_stack.hpp>
#include <simtflow/simt/policies/thread_block_compaction.hpp>

#include <cstdio>
#include <vector>

using namespace simtflow;

int main(int argc, char** argv) {
  // [run]
  // if (even(...)) slow(); else fast();   Four warps of four threads; each block has ten instructions.
  const std::vector<std::vector<int>> cfg{{1, 2}, {3}, {3}, {}};
  const std::vector<std::uint32_t> ten(4, 10);
  const auto pdom = post_dominators(cfg);
  svg_timeline picture({.title = "if (even) slow(); else fast();", .clock = timeline_clock::shared});
  const auto compare = [&](const char* what, auto goes_left) {
    const auto step = [&](unsigned thread, block_id b) -> block_id {
      if (b == 0) return goes_left(thread) ? 1U : 2U;
      return b == 3 ? no_block : 3U;
    };
    const launch shape{.threads = 16, .warp_width = 4};
    counts stack, packed;
    event_trace stack_events, packed_events;
    both stack_observer(stack, stack_events), packed_observer(packed, packed_events);
    run(policies::ipdom_stack(pdom.ipdoms()), callable_program(step, ten), shape, stack_observer);
    run(policies::thread_block_compaction(pdom.ipdoms(), {.lanes = {.width = 4}}), callable_program(step, ten), shape,
        packed_observer);
    picture.add({.title = "PDOM", .note = what}, stack_events);
    picture.add(
        {.title = "thread block compaction", .note = what, .rows = "threads", .group = "thread block", .warp_width = 4},
        packed_events);
    std::printf("%-21s PDOM %3d warp instructions, SIMD efficiency %.2f; TBC %3d, %.2f\n", what,
                int(stack.warp_instructions), stack.simd_efficiency(), int(packed.warp_instructions),
                packed.simd_efficiency());
  };
  compare("lanes that complement", [](unsigned t) { return (t + t / 4) % 2 == 0; });
  compare("all warps alike", [](unsigned t) { return t % 2 == 0; });
  // [/run]
  const char* const names[] = {"if", "slow", "fast", "join"};
  return write_picture(argc, argv, picture.text([&](block_id b) { return names[b]; }));
}
