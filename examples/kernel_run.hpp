// SPDX-License-Identifier: BSL-1.0
//
// Shared by the course programs that write PTX: one thread block of a kernel under the post-dominator stack.
// 07_run_a_kernel.cpp shows every step of it. The function is compiled once, in kernel_run.cpp.
#pragma once

#include <simtflow/ptx/text/module.hpp>
#include <simtflow/simt/launch.hpp>
#include <simtflow/simt/observers/counts.hpp>
#include <simtflow/simt/observers/event_trace.hpp>
#include <simtflow/simt/observers/memory_metrics.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// One array of 32-bit words for each parameter of the kernel.
using kernel_arrays = std::vector<std::vector<std::uint32_t>>;

/// A run.
struct kernel_run {
  std::string problem = {};              ///< why the run did not finish; empty: it finished
  kernel_arrays arrays = {};             ///< the parameters' arrays after the run
  simtflow::counts figures = {};         ///< what it took
  simtflow::memory_metrics memory = {};  ///< its memory accesses
  /// The run instruction by instruction: a "block" is the number of an operation ("add") in `operations`.
  simtflow::event_trace instructions = {};
};

/// The mechanism of the run.
enum class lane_order {
  stack,  ///< post-dominator stack
  apart   ///< lanes that have diverged never reconverge (policies::no_reconvergence)
};

/// The module of a PTX text. Ends the program with the diagnostics if there are any.
simtflow::ptx::module parse_kernel(std::string_view text);

/// Runs the first kernel of the module. Names of operations that are not in `operations` are added there.
kernel_run run_kernel(const simtflow::ptx::module& module, const simtflow::launch& shape, const kernel_arrays& arrays,
                      std::vector<std::string>& operations, lane_order order = lane_order::stack);
