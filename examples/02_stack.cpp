// SPDX-License-Identifier: BSL-1.0
//
// The post-dominator stack (PDOM), the mechanism of the first GPUs. The top of the stack runs. A divergent branch turns
// the top into an entry that waits where the arms reconverge, and pushes an entry for each arm. A lane that gets to the
// place where its entry stops is popped into the entry below. Here the stack itself is driven, slot by slot.
#include "beside_schedule.hpp"
#include "write_picture.hpp"
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/simt/executor.hpp>
#include <simtflow/simt/observers/event_trace.hpp>
#include <simtflow/simt/policies/ipdom_stack.hpp>

#include <cstdio>
#include <string>
#include <vector>

using namespace simtflow;

int main(int argc, char** argv) {
  // [stack]
  // if (lane < 3) { if (lane < 1) a(); else b(); c(); } else d(); e();   Four lanes.
  const std::vector<std::string> names{"outer if", "inner if", "a", "b", "c", "d", "e"};
  const std::vector<std::vector<int>> cfg{{1, 5}, {2, 3}, {4}, {4}, {6}, {6}, {}};
  const auto thread = [](unsigned lane, block_id b) -> block_id {
    const block_id next[] = {lane < 3 ? 1U : 5U, lane < 1 ? 2U : 3U, 4, 4, 6, 6, no_block};
    return next[b];
  };
  const auto meet = post_dominators(cfg);
  policies::ipdom_stack stack(meet.ipdoms());
  stack.start({0, lane_mask(0b1111)});
  for (int slot = 0; const auto top = stack.next(); ++slot) {
    std::printf("slot %d:", slot);
    for (const auto& e : stack.entries()) {
      std::printf("  [");
      for (unsigned lane = 0; lane < 4; ++lane) std::printf("%c", e.lanes.test(lane) ? char('0' + lane) : '.');
      std::printf(" at %s", names[e.block].c_str());
      if (e.reconvergence != no_block) std::printf(", to %s", names[e.reconvergence].c_str());
      std::printf("]");
    }
    std::printf("\n");
    partition out;  // the targets of the lanes that run, one fragment each
    top->lanes.for_each([&](unsigned lane) { out.go(thread(lane, top->block), lane_mask::lane(lane)); });
    stack.advance(*top, out.fragments());
  }
  // [/stack]
  event_trace events;  // of the same run, by the executor
  run(policies::ipdom_stack(meet.ipdoms()), thread, {.threads = 4, .warp_width = 4}, events);
  std::vector<std::string> notes;
  for (block_id b = 0; b < 7; ++b)
    notes.push_back(cfg[b].size() < 2 ? "" : "reconverges at " + names[meet.ipdoms()[b]]);
  svg_timeline picture({.title = "post-dominator stack"});
  picture.add({.title = "PDOM"}, events);
  return write_picture(argc, argv, beside_schedule(cfg, names, picture, notes));
}
