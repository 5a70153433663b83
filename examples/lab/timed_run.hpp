// SPDX-License-Identifier: BSL-1.0
//
// A run of a kernel's grid in the cycle model: experiment::run_timed().
#pragma once

#include "lab/watch.hpp"
#include <simtflow/ptx/machine/memory.hpp>
#include <simtflow/simt/verdict.hpp>
#include <simtflow/timing/branch_costs.hpp>
#include <simtflow/timing/machine.hpp>
#include <simtflow/timing/report.hpp>
#include <simtflow/timing/timed_trace.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace lab {

/// The machine of a timed run, and what PTX does not say about the kernel.
struct timed_grid {
  simtflow::timing::machine machine;
  std::uint32_t registers = 0;         ///< 32-bit registers of a thread, for the occupancy; 0: no limit
  progress_meter* progress = nullptr;  ///< told of executed basic blocks; nobody if null
  std::size_t most_records = 0;        ///< of the trace; 0: no trace is taken
  bool branches = false;               ///< also take the costs of the branches
};

/// One policy's run of the whole grid in the cycle model.
struct timed_run {
  simtflow::timing::report report;
  simtflow::outcome how = simtflow::outcome::finished;  ///< of the thread block where the run ended
  std::string words;                                    ///< on that, unless it finished
  /// The priority order that it ran in, and why not in the default order; empty: in the order asked for.
  std::string other_order;
  std::optional<simtflow::timing::timed_trace> trace;      ///< if it was asked for
  std::optional<simtflow::timing::branch_costs> branches;  ///< if they were asked for
  simtflow::ptx::device_memory memory;
};

}  // namespace lab
