// SPDX-License-Identifier: BSL-1.0
//
// Solutions of unit 11: lanes that are dealt in another way, and more ways to diverge.
#include "count.hpp"
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/simt/policies/thread_block_compaction.hpp>

#include <cstdio>
#include <vector>

using namespace simtflow;

int main() {
  const std::vector<std::vector<int>> cfg{{1, 2}, {3}, {3}, {}};
  const auto meet = post_dominators(cfg);
  const std::vector<std::uint32_t> ten(4, 10);
  const auto print = [&](const char* what, home_lanes lanes, auto left) {
    const thread_function thread = [=](unsigned t, block_id b) -> block_id {
      return b == 0 ? (left(t) ? 1U : 2U) : b == 3 ? no_block : 3U;
    };
    counts c;
    run(policies::thread_block_compaction(meet.ipdoms(), {.lanes = lanes}), callable_program(thread, ten),
        {.threads = 16, .warp_width = 4}, c);
    std::printf("%s: %d warp instructions, SIMD efficiency %.2f\n", what, int(c.warp_instructions),
                c.simd_efficiency());
  };
  const auto alike = [](unsigned t) { return t % 2 == 0; };
  const auto one = [](unsigned t) { return t == 0; };
  print("1: all warps alike, lanes permuted", {.width = 4, .rule = lane_rule::permuted}, alike);
  print("1: all warps alike, any lane", {.width = 4, .rule = lane_rule::free}, alike);
  print("2: one thread of sixteen takes the slow arm", {.width = 4}, one);
  return 0;
}
