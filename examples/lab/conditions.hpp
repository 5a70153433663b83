// SPDX-License-Identifier: BSL-1.0
//
// The conditions of a run under any policy.
#pragma once

#include "lab/launch_file.hpp"
#include "lab/schedule.hpp"
#include <simtflow/simt/executor.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace lab {

/// How runs go, whatever the policy.
struct run_conditions {
  simtflow::priority_rule order = simtflow::priority_rule::loop_contiguous;
  std::uint64_t most_blocks = 20'000'000;                ///< basic blocks one thread block may execute
  std::uint32_t jobs = 1;                                ///< host threads, 0: as many as the host has
  std::uint32_t warp_width = 0;                          ///< 0: what the launch file or the trace says
  std::optional<simtflow::barrier_model> barriers = {};  ///< none: each policy's own
  std::size_t launch_number = 0;                         ///< of a launch file, from 1; 0: the only one, or all
  launch_overrides overrides = {};                       ///< of that launch
};

}  // namespace lab
