// SPDX-License-Identifier: BSL-1.0
//
// Thread frontiers run the waiting lanes of the highest priority first, so that they reach the others where paths can
// meet. Priorities must respect the edges: any reverse post-order (RPO) does. But an order that puts a block which
// follows a loop between the loop's own blocks sends lanes out of the loop early, one iteration at a time.
#include "beside_schedule.hpp"
#include "write_picture.hpp"
#include <simtflow/analysis/priorities.hpp>
#include <simtflow/simt/executor.hpp>
#include <simtflow/simt/observers/counts.hpp>
#include <simtflow/simt/observers/event_trace.hpp>
#include <simtflow/simt/policies/thread_frontier.hpp>

#include <cstdio>
#include <vector>

using namespace simtflow;

int main(int argc, char** argv) {
  // [order]
  // for (i = 0; i < n; ++i) body();  tail();     0: test   1: tail   2: body
  const std::vector<std::vector<int>> cfg{{2, 1}, {}, {0}};
  const auto threads = [laps = std::vector<unsigned>(32)](unsigned lane, block_id b) mutable -> block_id {
    if (b == 0) return laps[lane]++ < lane ? 2U : 1U;  // lane i turns i times
    return b == 2 ? 0U : no_block;
  };
  svg_timeline picture({.title = "thread frontiers under two orders", .width = 720});
  const auto fetches = [&](const std::vector<std::uint32_t>& rank, const char* name) {
    auto fresh = threads;
    counts c;
    event_trace events;
    both observer(c, events);
    run(policies::thread_frontier(rank), fresh, {.threads = 32}, observer);
    picture.add({.title = name}, events);
    return static_cast<int>(c.fetches);
  };
  std::printf("order test, tail, body (an RPO): %d blocks fetched\n", fetches({0, 1, 2}, "test, tail, body"));
  std::printf("order test, body, tail (one too): %d blocks fetched\n", fetches({0, 2, 1}, "test, body, tail"));
  const auto order = loop_contiguous_order(cfg);  // an RPO that keeps loops together
  std::printf("the loop-contiguous order is the");
  std::printf(order.rank(2) < order.rank(1) ? " second\n" : " first\n");
  // [/order]
  return write_picture(argc, argv, beside_schedule(cfg, {"test", "tail", "body"}, picture));
}
