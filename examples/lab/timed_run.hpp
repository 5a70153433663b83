// SPDX-License-Identifier: BSL-1.0
//
// A run of a kernel's grid in the cycle model: experiment::run_timed(), and run_timed_trace() for a recorded one.
#pragma once

#include "lab/policies.hpp"
#include "lab/schedule.hpp"
#include "lab/watch.hpp"
#include <simtflow/graph/csr.hpp>
#include <simtflow/io/recording.hpp>
#include <simtflow/ptx/machine/memory.hpp>
#include <simtflow/simt/barrier_model.hpp>
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

/// A recorded trace with what its file does not say.
struct timed_trace_input {
  const simtflow::recorded_trace& trace;
  const simtflow::csr_graph& graph;   ///< without the sentinel
  const simtflow::csr_graph& bodies;  ///< functions side by side; the same graph if nothing is called
  simtflow::barrier_model barriers = simtflow::barrier_model::whole_warp;
  std::uint64_t most_blocks = 0;  ///< that one thread block may execute
};

/// Runs a trace in the cycle model. The result has no memory.
/// \pre is_timed(trace), and its thread blocks have as many threads each; not_applicable() is empty.
/// \throws input_error if the machine cannot run it.
[[nodiscard]] timed_run run_timed_trace(const chosen_policy& chosen, schedule& plan, const timed_trace_input& input,
                                        const timed_grid& how);

}  // namespace lab
