// SPDX-License-Identifier: BSL-1.0
//
// Solutions of unit 12: more arithmetic for each load, and an arm that a single lane takes.
#include "time_loop.hpp"
#include <simtflow/simt/policies/ipdom_stack.hpp>

#include <cstdio>

using namespace simtflow;

int main() {
  timing::machine device = timing::machines::gtx480();
  device.core.schedulers = 1;
  device.core.max_blocks = 48;
  const wide_policy stack{policies::basic_ipdom_stack<wide_mask>(wide_loop::ipdom)};
  const auto all = [](std::uint32_t, std::uint32_t) { return true; };
  for (const std::uint32_t arithmetic : {6U, 24U})
    for (const std::uint32_t warps : {8U, 16U}) {
      const timing::report r = time_loop(stack, {.arithmetic = arithmetic, .wants = all}, warps, device);
      std::printf("1: %2u multiply-adds, %2u warps: the scheduler waits for memory %2.0f %% of the time\n", arithmetic,
                  warps, 100 * double(r.schedulers[timing::cycle_class::memory]) / double(r.schedulers.total()));
    }
  const timing::report together = time_loop(stack, {.wants = all}, 4, device);
  for (const std::uint32_t lanes : {1U, 16U}) {
    const auto some = [=](std::uint32_t thread, std::uint32_t) { return thread % 32 < lanes; };
    std::printf("2: %2u of 32 lanes take the other arm: %.2f times the cycles\n", lanes,
                double(time_loop(stack, {.wants = some}, 4, device).cycles) / double(together.cycles));
  }
  return 0;
}
