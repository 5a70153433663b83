// SPDX-License-Identifier: BSL-1.0
//
// Solutions of unit 13: fewer thread blocks, and how much work an arm needs.
#include "time_loop.hpp"
#include <simtflow/simt/policies/ipdom_stack.hpp>
#include <simtflow/simt/policies/thread_block_compaction.hpp>

#include <cstdio>

using namespace simtflow;

int main() {
  const timing::machine device = timing::machines::quadro_fx5800_plus_caches();
  const wide_policy stack{policies::basic_ipdom_stack<wide_mask>(wide_loop::ipdom)};
  const wide_policy packed{
      policies::basic_thread_block_compaction<wide_mask>(wide_loop::ipdom, {.lanes = {.width = 32}})};
  const auto complement = [](std::uint32_t t, std::uint32_t i) { return (t + t / 32 + i) % 2 == 0; };
  const auto print = [&](const char* what, std::uint32_t number, std::uint32_t blocks, std::uint32_t arithmetic) {
    const wide_loop::shape code{.threads = 256, .arithmetic = arithmetic, .wants = complement};
    std::printf(
        "%s %2u: compaction has %.2f times the speed of the stack\n", what, number,
        double(time_loop(stack, code, blocks, device).cycles) / double(time_loop(packed, code, blocks, device).cycles));
  };
  for (const std::uint32_t blocks : {1U, 2U, 8U}) print("1: thread blocks:", blocks, blocks, 12);
  for (const std::uint32_t arithmetic : {1U, 4U, 12U}) print("2: multiply-adds in an arm:", arithmetic, 8, arithmetic);
  return 0;
}
