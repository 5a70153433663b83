// SPDX-License-Identifier: BSL-1.0
#include <simtflow/simtflow.hpp>

#include <cstdio>
#include <vector>

int main() {
  const std::vector<std::vector<int>> cfg{{1, 2}, {5, 2}, {3, 4}, {4, 5}, {5}, {}};  // block 0 enters, block 5 leaves
  const auto pdom = simtflow::post_dominators(cfg);
  const auto order = simtflow::loop_contiguous_order(cfg);
  const auto thread = [&cfg](unsigned lane, unsigned block) {  // where a lane goes next
    return block == 5 ? simtflow::no_block : simtflow::block_id(cfg[block][block < 4 ? (lane >> block) % 2 : 0]);
  };
  simtflow::counts stack, frontier;
  simtflow::run(simtflow::ipdom_stack(pdom.ipdoms()), thread, {.threads = 32}, stack);
  simtflow::run(simtflow::thread_frontier(order.ranks()), thread, {.threads = 32}, frontier);
  std::printf("blocks fetched: %d with PDOM, %d at thread frontiers\n", int(stack.fetches), int(frontier.fetches));
}
