// SPDX-License-Identifier: BSL-1.0
//
// The limits of a core by compute capability, for occupancy and device properties where no machine says them.
//
// Literature: NVIDIA, CUDA C++ Programming Guide, table "Technical Specifications per Compute Capability"; the units of
// allocation are the CUDA occupancy calculator's.
#pragma once

#include <simtflow/timing/machine.hpp>

#include <cstdint>

namespace simtflow {
inline namespace v0 {
namespace cuda {

/// The limits of a core of a compute capability; of an unknown one the limits of the nearest one below.
/// \param capability ten times major plus minor \returns a core; its other parameters have their defaults
[[nodiscard]] inline timing::core_parameters core_of_capability(std::uint32_t capability) {
  struct limits {
    std::uint32_t capability, warps, blocks, shared_kilobytes;
  };
  constexpr limits all[] = {{50, 64, 32, 64},  {52, 64, 32, 96},   {53, 64, 32, 64},  {60, 64, 32, 64},
                            {61, 64, 32, 96},  {62, 64, 32, 64},   {70, 64, 32, 96},  {75, 32, 16, 64},
                            {80, 64, 32, 164}, {86, 48, 16, 100},  {87, 48, 16, 164}, {89, 48, 24, 100},
                            {90, 64, 32, 228}, {100, 64, 32, 228}, {120, 48, 24, 100}};
  limits of = all[0];
  for (const limits& one : all)
    if (one.capability <= capability) of = one;
  timing::core_parameters core;
  core.cores = 16;
  core.mhz = 1500;
  core.max_warps = of.warps;
  core.max_threads = of.warps * 32;
  core.max_blocks = of.blocks;
  core.max_block_threads = 1024;
  core.warp_unit = 4;
  core.registers = 65536;
  core.register_unit = 256;
  core.shared_bytes = of.shared_kilobytes << 10;
  core.shared_unit = capability < 80 ? 256 : 128;
  return core;
}

/// Bytes of shared memory that the system takes for each thread block.
/// \param capability ten times major plus minor
[[nodiscard]] constexpr std::uint32_t reserved_shared_bytes(std::uint32_t capability) {
  return capability >= 80 ? 1024 : 0;
}

/// The most shared memory that one thread block can have if its kernel asks for it.
/// \param core its core \param capability ten times major plus minor
[[nodiscard]] constexpr std::uint32_t max_block_shared_bytes(const timing::core_parameters& core,
                                                             std::uint32_t capability) {
  const std::uint32_t plain = 48U << 10;
  if (core.shared_bytes == timing::unlimited) return plain;
  if (capability < 70) return core.shared_bytes < plain ? core.shared_bytes : plain;
  const std::uint32_t reserved = reserved_shared_bytes(capability);
  return core.shared_bytes > reserved ? core.shared_bytes - reserved : 0;
}

}  // namespace cuda
}  // namespace v0
}  // namespace simtflow
