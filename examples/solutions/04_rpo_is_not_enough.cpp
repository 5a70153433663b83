// SPDX-License-Identifier: BSL-1.0
//
// Solutions of unit 4: other orders, and lanes that agree.
#include "count.hpp"
#include <simtflow/simt/policies/thread_frontier.hpp>

#include <cstdio>
#include <vector>

using namespace simtflow;

int main() {
  // 0: test   1: tail   2: body. rank[b] is the place of block b in the order.
  const auto fetches = [](const char* what, std::vector<std::uint32_t> rank, bool alike) {
    const auto thread = [=, turns = std::vector<unsigned>(32)](unsigned lane, block_id b) mutable -> block_id {
      if (b == 0) return turns[lane]++ < (alike ? 31 : lane) ? 2U : 1U;
      return b == 2 ? 0U : no_block;
    };
    std::printf("%s: %d blocks fetched\n", what,
                int(count(any_policy(policies::thread_frontier(rank)), thread, {}).fetches));
  };
  fetches("1: every lane turns 31 times, order test, tail, body", {0, 1, 2}, true);
  fetches("1: every lane turns 31 times, order test, body, tail", {0, 2, 1}, true);
  fetches("2: lane i turns i times, order body, test, tail", {1, 2, 0}, false);
  fetches("2: lane i turns i times, order tail, test, body", {1, 0, 2}, false);
  return 0;
}
