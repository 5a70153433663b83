// SPDX-License-Identifier: BSL-1.0
//
// The first figure of the thread frontiers paper. The marked lines stand in README.md; the rest draws the picture.
#include "beside_schedule.hpp"
#include "write_picture.hpp"
#include <simtflow/simt/observers/event_trace.hpp>

#include <string>

// [figure]
#include <simtflow/simtflow.hpp>

#include <cstdio>
#include <vector>

int main(int argc, char** argv) {
  const std::vector<std::vector<int>> cfg{{1, 2}, {5, 2}, {3, 4}, {4, 5}, {5}, {}};  // block 0 enters, block 5 leaves
  const auto pdom = simtflow::post_dominators(cfg);
  const auto order = simtflow::loop_contiguous_order(cfg);
  const auto thread = [&cfg](unsigned lane, unsigned block) {  // where a lane goes next
    return block == 5 ? simtflow::no_block : simtflow::block_id(cfg[block][block < 4 ? (lane >> block) % 2 : 0]);
  };
  simtflow::counts stack, frontier;
  simtflow::run(simtflow::policies::ipdom_stack(pdom.ipdoms()), thread, {.threads = 32}, stack);
  simtflow::run(simtflow::policies::thread_frontier(order.ranks()), thread, {.threads = 32}, frontier);
  std::printf("blocks fetched: %d with PDOM, %d at thread frontiers\n", int(stack.fetches), int(frontier.fetches));
  // [/figure]
  simtflow::event_trace stacked, joined;
  simtflow::run(simtflow::policies::ipdom_stack(pdom.ipdoms()), thread, {.threads = 32}, stacked);
  simtflow::run(simtflow::policies::thread_frontier(order.ranks()), thread, {.threads = 32}, joined);
  simtflow::svg_timeline picture({.title = "figure 1, a lane on every path"});
  picture.add({.title = "PDOM"}, stacked);
  picture.add({.title = "thread frontiers"}, joined);
  const std::vector<std::string> names{"BB0", "BB1", "BB2", "BB3", "BB4", "BB5"};
  return write_picture(argc, argv, beside_schedule(cfg, names, picture));
  // [figure]
}
// [/figure]
