// SPDX-License-Identifier: BSL-1.0
//
// Solutions of unit 17: where sorting pays, and what hoisting saves.
#include "count.hpp"
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/simt/policies/ipdom_stack.hpp>

#include <algorithm>
#include <cstdio>
#include <vector>

using namespace simtflow;

int main() {
  const std::vector<std::vector<int>> loop{{1, 2}, {0}, {}}, arms{{1, 2}, {3}, {3}, {}};
  const auto loop_meet = post_dominators(loop), arms_meet = post_dominators(arms);
  std::vector<unsigned> turns;
  for (unsigned t = 0; t < 64; ++t) turns.push_back(t * 37 % 64);  // every length from 0 to 63 once
  std::vector<unsigned> sorted = turns;
  std::sort(sorted.begin(), sorted.end());
  for (const std::uint32_t width : {4U, 16U, 64U})
    for (const auto* work : {&turns, &sorted}) {
      const auto thread = [left = *work](unsigned t, block_id b) mutable -> block_id {
        if (b == 1) return 0;
        return b == 0 ? (left[t]-- > 0 ? 1U : 2U) : no_block;
      };
      const counts c = count(any_policy(policies::ipdom_stack(loop_meet.ipdoms())), thread,
                             {.threads = 64, .warp_width = width}, {1, 3, 1});
      std::printf("1: warps of %2u lanes, %s: SIMD efficiency %.2f\n", width,
                  work == &turns ? "as it comes" : "sorted     ", c.simd_efficiency());
    }
  for (const std::uint32_t hoisted : {0U, 3U, 6U, 9U}) {  // of ten instructions of each arm
    const auto thread = [](unsigned t, block_id b) -> block_id { return b == 0 ? 1 + t % 2 : b == 3 ? no_block : 3; };
    const counts c = count(any_policy(policies::ipdom_stack(arms_meet.ipdoms())), thread, {},
                           {1 + hoisted, 10 - hoisted, 10 - hoisted, 1});
    std::printf("2: %u of 10 instructions hoisted: %2d warp instructions, SIMD efficiency %.2f\n", hoisted,
                int(c.warp_instructions), c.simd_efficiency());
  }
  return 0;
}
