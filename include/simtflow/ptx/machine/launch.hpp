// SPDX-License-Identifier: BSL-1.0
//
// The shape of a launch, and whether a kernel can be launched so.
//
// Literature: NVIDIA, CUDA C++ Programming Guide, appendix "Compute Capabilities" (limits of grids and thread blocks).
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/diagnostic.hpp>
#include <simtflow/ptx/machine/arguments.hpp>
#include <simtflow/ptx/machine/decoded_kernel.hpp>
#include <simtflow/simt/mask.hpp>

#include <cstdint>
#include <string>
#include <utility>

namespace simtflow {
inline namespace v0 {
namespace ptx {

/// The shape of a launch.
struct launch_config {
  std::uint32_t grid[3] = {1, 1, 1};       ///< thread blocks
  std::uint32_t block[3] = {1, 1, 1};      ///< threads of a thread block
  std::uint32_t warp_width = 32;           ///< threads of a warp
  std::uint32_t dynamic_shared_bytes = 0;  ///< of each thread block: what its extern .shared arrays hold
  /// Threads that a group may span: 0 for a warp, at least the threads of the thread block under a policy that
  /// manages them all (policy_scope::block). The lane and warp that a kernel reads do not depend on it.
  std::uint32_t group_width = 0;
  std::uint32_t max_call_depth = 1024;    ///< a call beyond it is a fault
  std::uint32_t stack_bytes = 16U << 10;  ///< local memory of each thread for frames of recursive functions and alloca
  /// Address of the memory in which a cooperative grid keeps its barrier (concurrent_grid.hpp); 0: the launch is not
  /// cooperative. The kernel reads it in %envreg1 (high word) and %envreg2 (low word).
  std::uint64_t grid_workspace = 0;

  /// Thread blocks of the grid.
  [[nodiscard]] std::uint64_t num_blocks() const { return std::uint64_t{grid[0]} * grid[1] * grid[2]; }
  /// Threads of a thread block.
  [[nodiscard]] std::uint64_t num_threads() const { return std::uint64_t{block[0]} * block[1] * block[2]; }
};

/// The reasons that keep a launch from running: sizes that are zero or too large or not what the kernel asks for,
/// arguments that are missing or do not fit. `lanes` is how many the mask type holds.
[[nodiscard]] inline diagnostics check_launch(const decoded_kernel& k, const launch_config& l, const arguments& args,
                                              std::uint32_t lanes = lane_mask::capacity) {
  diagnostics found;
  const auto three = [](const std::uint32_t(&s)[3]) {
    return std::to_string(s[0]) + " x " + std::to_string(s[1]) + " x " + std::to_string(s[2]);
  };
  for (int i = 0; i < 3; ++i) {
    if (l.grid[i] == 0 || l.grid[i] > (i == 0 ? 0x7FFF'FFFFU : 0xFFFFU)) {
      add_diagnostic(found, {},
                     "a grid of " + three(l.grid) + " thread blocks: 1 to 2^31 - 1 along x, 1 to 65535 along y and z");
      break;
    }
  }
  bool sizes_ok = true;
  for (const std::uint32_t size : l.block) sizes_ok = sizes_ok && size > 0 && size <= 1024;
  if (!sizes_ok || l.num_threads() > 1024)
    add_diagnostic(found, {}, "a thread block of " + three(l.block) + " threads: it has 1 to 1024");
  if (sizes_ok && k.required_threads[0] != 0 &&
      (l.block[0] != k.required_threads[0] || l.block[1] != k.required_threads[1] ||
       l.block[2] != k.required_threads[2]))
    add_diagnostic(found, {},
                   "a thread block of " + three(l.block) + " threads, but kernel '" + k.name + "' requires " +
                       three(k.required_threads));
  const std::uint64_t most =
      std::uint64_t{k.max_threads[0]} * (k.max_threads[1] & 0xFFFFU) * (k.max_threads[2] & 0xFFFFU);
  if (sizes_ok && most != 0 && l.num_threads() > most)
    add_diagnostic(
        found, {},
        "a thread block of " + three(l.block) + " threads, but kernel '" + k.name + "' allows " + std::to_string(most));
  if (l.warp_width == 0 || (l.group_width == 0 ? l.warp_width : l.group_width) > lanes)
    add_diagnostic(found, {},
                   "a warp of " + std::to_string(l.warp_width) + " lanes: it has 1 to " + std::to_string(lanes));
  const std::uint32_t width = l.warp_width;
  if (k.talks && l.group_width != 0 && l.group_width != width && width != 0 && width % 32 != 0 && 32 % width != 0)
    add_diagnostic(found, {},
                   "a warp of " + std::to_string(width) + " lanes that exchange values under a policy that forms " +
                       "warps anew: it is a part or a multiple of 32");
  if (k.has_matrices && width != 32)
    add_diagnostic(found, {},
                   "a warp of " + std::to_string(width) + " lanes, but kernel '" + k.name +
                       "' has instructions on matrices: their fragments lie in 32 lanes");
  if (l.stack_bytes > max_local_bytes) add_diagnostic(found, {}, "more than 512 KiB of stack for a thread");
  if (l.dynamic_shared_bytes > max_shared_bytes) add_diagnostic(found, {}, "more than 1 MiB of dynamic shared memory");
  if (args.size() != k.parameters.size()) add_diagnostic(found, {}, "the arguments were made for another kernel");
  for (diagnostic& d : args.diagnostics()) add_diagnostic(found, d.where, std::move(d.message));
  return found;
}

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
