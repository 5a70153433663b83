// SPDX-License-Identifier: BSL-1.0
//
// Shared by the solutions about time: the timed loop under a mechanism that is chosen at run time, on one core.
#pragma once

#include "../timed_loop.hpp"
#include <simtflow/simt/any_policy.hpp>
#include <simtflow/timing/device.hpp>
#include <simtflow/timing/machines.hpp>

#include <cstdint>
#include <functional>

using wide_mask = simtflow::basic_mask<4>;  // the threads of a thread block
using wide_loop = timed_loop<wide_mask>;
using wide_policy = simtflow::basic_any_policy<wide_mask>;

/// The report of `blocks` thread blocks of the loop.
inline simtflow::timing::report time_loop(const wide_policy& policy, const wide_loop::shape& code, std::uint32_t blocks,
                                          simtflow::timing::machine device) {
  device.core.cores = 1;
  const std::function<wide_loop(std::uint32_t)> make = [&](std::uint32_t) { return wide_loop(code); };
  return *simtflow::timing::run(policy, make, {.blocks = blocks, .threads = code.threads}, device);
}
