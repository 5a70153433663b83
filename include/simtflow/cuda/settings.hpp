// SPDX-License-Identifier: BSL-1.0
//
// The settings of a simulated device: under which policy kernels run, on which machine, within which limits, and what
// is taken of each launch beside its results.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/diagnostic.hpp>
#include <simtflow/simt/policy_names.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace cuda {

/// The settings of a device.
struct settings {
  std::string policy = "pdom";  ///< NAME or NAME:PARAMETER=VALUE,... of simt/policy_names.hpp
  std::string machine = {};     ///< a name of timing/machines.hpp; empty: launches take no cycles
  std::uint32_t threads = 1;    ///< host threads that run the thread blocks of a grid; 0: as many as the host has
  /// Basic blocks that one thread block may execute before its kernel counts as hanging.
  std::uint64_t steps = std::uint64_t{1} << 34;
  /// True if each launch also runs under the oracle on a copy of memory, and the memories are compared.
  bool check = false;
  /// Transforms of each kernel in their order, when it runs first: names of kernel_transforms().
  std::vector<std::string> transforms = {};
  bool profile = false;  ///< True if rows have the branch profile of their launch
  bool paths = false;    ///< True if the listener hears of every thread's path
  /// True if a launch returns the fault of its kernel. Else it returns success and the next call returns the fault, as
  /// in CUDA, where a launch does not wait for its kernel (CUDA_LAUNCH_BLOCKING).
  bool blocking = true;
  std::uint32_t capability = 75;  ///< compute capability of the device: ten times major plus minor
  std::uint64_t memory_bytes = std::uint64_t{16} << 30;  ///< global memory of the device
};

/// The reason, in words, why the policy of the settings cannot be had; empty: it can. Complexity: linear in the names.
[[nodiscard]] inline diagnostics diagnose_policy(const settings& s) {
  const result<policy_choice> choice = choose_policy(s.policy);
  return choice ? diagnostics{} : choice.diagnostics();
}

}  // namespace cuda
}  // namespace v0
}  // namespace simtflow
