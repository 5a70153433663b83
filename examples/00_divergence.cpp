// SPDX-License-Identifier: BSL-1.0
//
// Divergence. A warp is a handful of threads with one instruction pointer: it issues one instruction in a slot, for all
// of its lanes or for some. If threads want to go to different places, the warp goes to one place after the other, and
// lanes that want to go elsewhere idle. There are three ways to diverge: an early exit, an if, a loop.
#include "beside_schedule.hpp"
#include "write_picture.hpp"
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/simt/executor.hpp>
#include <simtflow/simt/observers/branch_profile.hpp>
#include <simtflow/simt/observers/counts.hpp>
#include <simtflow/simt/observers/event_trace.hpp>
#include <simtflow/simt/policies/ipdom_stack.hpp>

#include <cstdio>
#include <string>
#include <vector>

using namespace simtflow;

int main(int argc, char** argv) {
  // [run]
  // The program of a thread, one instruction a block; `lane` is the thread's number:
  //   start: if (lane == 0) return;  if: if (lane % 2 == 0) even(); else odd();  for (i = 0; i < lane; ++i) body();
  const std::vector<std::string> names{"start", "return", "if", "even", "odd", "loop", "body", "end"};
  const std::vector<std::vector<int>> cfg{{1, 2}, {}, {3, 4}, {5}, {5}, {6, 7}, {5}, {}};
  auto thread = [turns = std::vector<unsigned>(8)](unsigned lane, block_id b) mutable -> block_id {
    switch (b) {
      case 0:
        return lane == 0 ? 1U : 2U;
      case 2:
        return lane % 2 == 0 ? 3U : 4U;
      case 5:
        return turns[lane]++ < lane ? 6U : 7U;
      case 3:
      case 4:
      case 6:
        return 5;
      default:
        return no_block;
    }
  };
  counts c;
  branch_profile idle;
  event_trace events;
  both figures(c, idle);
  both observer(figures, events);
  const auto meet = post_dominators(cfg);  // where arms reconverge: the next unit
  run(policies::ipdom_stack(meet.ipdoms()), thread, {.threads = 8, .warp_width = 8}, observer);

  std::printf("%d issue slots of 8 lanes: %d lane slots, of these %d active: SIMD efficiency %.2f\n",
              int(c.warp_instructions), int(c.lane_slots), int(c.thread_instructions), c.simd_efficiency());
  for (const block_id b : {0U, 2U, 5U, 1U, 7U})
    std::printf("%3d lane slots idle because of '%s'\n", int(idle.branches()[b].blamed()), names[b].c_str());
  // [/run]
  svg_timeline picture({.title = "one warp, eight lanes"});
  picture.add({.title = "one way after the other"}, events);
  return write_picture(argc, argv, beside_schedule(cfg, names, picture));
}
