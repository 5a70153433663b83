// SPDX-License-Identifier: BSL-1.0
//
// Solutions of unit 3: fewer lanes, and the least that any mechanism can fetch.
#include "count.hpp"
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/analysis/priorities.hpp>
#include <simtflow/simt/lower_bound.hpp>
#include <simtflow/simt/policies/ipdom_stack.hpp>
#include <simtflow/simt/policies/lane_serial.hpp>
#include <simtflow/simt/policies/thread_frontier.hpp>

#include <cstdio>
#include <vector>

using namespace simtflow;

int main() {
  const std::vector<std::vector<int>> cfg{{1, 2}, {5, 2}, {3, 4}, {4, 5}, {5}, {}};
  const auto meet = post_dominators(cfg);
  const auto order = loop_contiguous_order(cfg);
  const auto thread = [&cfg](unsigned lane, block_id b) -> block_id {
    return b == 5 ? no_block : block_id(cfg[b][b < 4 ? (lane >> b) % 2 : 0]);
  };
  for (const std::uint32_t lanes : {1U, 2U, 4U, 8U, 16U, 32U}) {
    const launch shape{.threads = lanes};
    std::printf("1: %2d lanes: %2d blocks fetched with PDOM, %d at thread frontiers\n", int(lanes),
                int(count(any_policy(policies::ipdom_stack(meet.ipdoms())), thread, shape).fetches),
                int(count(any_policy(policies::thread_frontier(order.ranks())), thread, shape).fetches));
  }
  lower_bound bound(cfg.size());  // each block as often as its busiest lane visits it
  run(any_policy(policies::lane_serial()), callable_program(thread_function(thread)), {.threads = 32}, bound);
  std::printf("2: no mechanism for warps fetches less than %d blocks\n", int(bound.fetches()));
  return 0;
}
