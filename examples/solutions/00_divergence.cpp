// SPDX-License-Identifier: BSL-1.0
//
// Solutions of unit 0. The program of the unit, with each way to diverge as a parameter.
#include "count.hpp"
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/simt/policies/ipdom_stack.hpp>

#include <cstdio>
#include <vector>

using namespace simtflow;

int main() {
  const std::vector<std::vector<int>> cfg{{1, 2}, {}, {3, 4}, {5}, {5}, {6, 7}, {5}, {}};
  const auto meet = post_dominators(cfg);
  const auto print = [&](const char* what, auto leaves, auto even, auto trips, std::uint32_t warp_width) {
    const auto thread = [=, turns = std::vector<unsigned>(8)](unsigned lane, block_id b) mutable -> block_id {
      if (b == 0) return leaves(lane) ? 1U : 2U;
      if (b == 2) return even(lane) ? 3U : 4U;
      if (b == 5) return turns[lane]++ < trips(lane) ? 6U : 7U;
      return b == 1 || b == 7 ? no_block : 5U;
    };
    const counts c =
        count(any_policy(policies::ipdom_stack(meet.ipdoms())), thread, {.threads = 8, .warp_width = warp_width});
    std::printf("%s: %d issue slots, SIMD efficiency %.2f\n", what, int(c.warp_instructions), c.simd_efficiency());
  };
  const auto first = [](unsigned lane) { return lane == 0; };
  const auto nobody = [](unsigned) { return false; };
  const auto alternate = [](unsigned lane) { return lane % 2 == 0; };
  const auto halves = [](unsigned lane) { return lane < 4; };
  const auto own = [](unsigned lane) { return lane; };
  const auto seven = [](unsigned) { return 7U; };
  print("as in the unit", first, alternate, own, 8);
  print("1: every lane turns seven times", first, alternate, seven, 8);
  print("2: nobody returns early", nobody, alternate, own, 8);
  print("3: warps of four, arms alternate", nobody, alternate, seven, 4);
  print("3: warps of four, an arm for each warp", nobody, halves, seven, 4);
  return 0;
}
