// SPDX-License-Identifier: BSL-1.0
//
// Launches for the tests of ptx/.
#pragma once

#include "ptx/decode_support.hpp"
#include <simtflow/ptx/machine/interpreter.hpp>
#include <simtflow/ptx/machine/memory.hpp>
#include <simtflow/simt/executor.hpp>

namespace simtflow_tests {

enum class schedule { thread_frontier, lane_serial };

/// Runs every thread block. Block numbers are the priorities: kernels of tests are written in a fitting order.
verdict run_grid(ptx::interpreter<>& program, schedule how);

}  // namespace simtflow_tests
