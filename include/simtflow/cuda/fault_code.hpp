// SPDX-License-Identifier: BSL-1.0
//
// The error that a program gets for the end of a kernel.
//
// Literature: NVIDIA, CUDA Runtime API, enum cudaError: which exceptions lead to which code.
#pragma once

#include <simtflow/cuda/error.hpp>
#include <simtflow/ptx/machine/fault.hpp>
#include <simtflow/simt/verdict.hpp>

namespace simtflow {
inline namespace v0 {
namespace cuda {

/// The error for a fault. Accesses outside shared memory are launch_failure, as the manual has it.
/// \param fault what happened
[[nodiscard]] inline error code_of(const ptx::fault_info& fault) {
  switch (fault.kind) {
    case ptx::fault_kind::none:
      return error::launch_failure;
    case ptx::fault_kind::out_of_bounds:
      return fault.space == ptx::state_space::shared ? error::launch_failure : error::illegal_address;
    case ptx::fault_kind::misaligned:
      return error::misaligned_address;
    case ptx::fault_kind::read_only:
      return error::illegal_address;
    case ptx::fault_kind::trap:
      return error::launch_failure;
    case ptx::fault_kind::call_overflow:
    case ptx::fault_kind::bad_stack:
      return error::hardware_stack_error;
    case ptx::fault_kind::bad_target:
      return error::invalid_pc;
    case ptx::fault_kind::bad_exchange:
      return error::launch_failure;
    case ptx::fault_kind::bad_texture:
      return error::illegal_address;
    case ptx::fault_kind::bad_barrier:
      return error::illegal_instruction;
    case ptx::fault_kind::assertion:
      return error::assertion;
    default:
      return error::launch_failure;
  }
}

/// The error for the end of a run: a kernel that never ends is one that a watchdog ends.
/// \param how the end \param fault if it is a fault
[[nodiscard]] inline error code_of(outcome how, const ptx::fault_info& fault) {
  switch (how) {
    case outcome::finished:
      return error::success;
    case outcome::barrier_deadlock:
    case outcome::nothing_runnable:
    case outcome::livelock:
    case outcome::step_limit:
      return error::launch_timeout;
    case outcome::barrier_misaligned:
    case outcome::barrier_misuse:
      return error::launch_failure;
    case outcome::lost_threads:
    case outcome::policy_error:
      return error::unknown;
    case outcome::fault:
      break;
  }
  return code_of(fault);
}

}  // namespace cuda
}  // namespace v0
}  // namespace simtflow
