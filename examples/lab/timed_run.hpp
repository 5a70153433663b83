// SPDX-License-Identifier: BSL-1.0
//
// A run of a kernel's grid in the cycle model: experiment::run_timed().
#pragma once

#include "lab/watch.hpp"
#include <simtflow/ptx/machine/memory.hpp>
#include <simtflow/simt/verdict.hpp>
#include <simtflow/timing/machine.hpp>
#include <simtflow/timing/report.hpp>

#include <cstdint>
#include <string>

namespace lab {

/// The machine of a timed run, and what PTX does not say about the kernel.
struct timed_grid {
  simtflow::timing::machine machine;
  std::uint32_t registers = 0;         ///< 32-bit registers of a thread, for the occupancy; 0: no limit
  progress_meter* progress = nullptr;  ///< told of executed basic blocks; nobody if null
};

/// One policy's run of the whole grid in the cycle model.
struct timed_run {
  simtflow::timing::report report;
  simtflow::outcome how = simtflow::outcome::finished;  ///< of the thread block where the run ended
  std::string words;                                    ///< on that, unless it finished
  /// The priority order that it ran in, and why not in the default order; empty: in the order asked for.
  std::string other_order;
  simtflow::ptx::device_memory memory;
};

}  // namespace lab
