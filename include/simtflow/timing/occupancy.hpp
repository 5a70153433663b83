// SPDX-License-Identifier: BSL-1.0
//
// Occupancy: how many thread blocks a core holds at a time, and which limit binds. The rules are the CUDA
// occupancy calculator's, with the units of allocation of the machine.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/diagnostic.hpp>
#include <simtflow/timing/machine.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace simtflow {
inline namespace v0 {
namespace timing {

/// The resources that one thread block takes.
struct block_resources {
  std::uint32_t threads = 1;               ///< threads in the thread block
  std::uint32_t registers_per_thread = 0;  ///< 32-bit registers; 0: no limit
  std::uint32_t shared_bytes = 0;          ///< bytes of shared memory, static and dynamic
};

/// The limits of a core.
enum class occupancy_limit : unsigned char {
  blocks,         ///< core.max_blocks
  warps,          ///< core.max_warps
  threads,        ///< core.max_threads; a warp counts whole
  registers,      ///< core.registers
  shared_memory,  ///< core.shared_bytes
};

/// The number of limits.
inline constexpr std::size_t num_occupancy_limits = 5;

/// The words of a table: "thread blocks", "warps", "threads", "registers", "shared memory".
/// \pre `limit` is an enumerator.
[[nodiscard]] constexpr const char* to_string(occupancy_limit limit) {
  constexpr const char* words[num_occupancy_limits] = {"thread blocks", "warps", "threads", "registers",
                                                       "shared memory"};
  return words[static_cast<std::size_t>(limit)];
}

/// How full a core is with thread blocks of one kind.
struct occupancy {
  std::uint32_t blocks = 0;           ///< resident thread blocks in a core, at least 1
  std::uint32_t warps_per_block = 0;  ///< warps of one thread block, the last one perhaps not full
  /// The limit that binds; the first in the order of occupancy_limit if several do.
  occupancy_limit limit = occupancy_limit::blocks;
  /// The thread blocks that each limit alone would allow; `unlimited`: it is no limit.
  std::uint32_t allowed[num_occupancy_limits] = {};
  /// Resident warps in a core.
  [[nodiscard]] constexpr std::uint32_t warps() const { return blocks * warps_per_block; }
};

namespace detail {

constexpr std::uint64_t rounded_up(std::uint64_t x, std::uint64_t unit) { return (x + unit - 1) / unit * unit; }

// How many pieces of `each` a capacity holds.
constexpr std::uint32_t pieces(std::uint32_t capacity, std::uint64_t each) {
  return capacity == unlimited || each == 0 ? unlimited : static_cast<std::uint32_t>(capacity / each);
}

}  // namespace detail

/// Tells how many thread blocks of one kind a core holds. Warps, threads and thread blocks are limits. Registers:
/// by warp, each warp's registers are rounded up to core.register_unit, and the warps for which the core has registers
/// are rounded down to core.warp_unit; by block, the warps of a thread block are rounded up to core.warp_unit and their
/// registers to core.register_unit. Shared memory is rounded up to core.shared_unit.
///
/// \returns diagnostics without a place for a thread block of no thread, for one with more threads than
/// core.max_block_threads, and for one that does not fit into an empty core: each limit that it breaks, with what it
/// needs and what there is. \pre diagnose() finds nothing wrong with `core`. O(1).
[[nodiscard]] inline result<occupancy> occupancy_of(const core_parameters& core, const block_resources& block) {
  if (block.threads == 0) return diagnostics{{{}, "a thread block has at least one thread"}};
  diagnostics why;
  if (block.threads > core.max_block_threads)
    why.push_back({{},
                   "a thread block of " + std::to_string(block.threads) + " threads: the machine allows " +
                       std::to_string(core.max_block_threads) + " (core.max_block_threads)"});
  const std::uint64_t width = core.warp_width;
  const std::uint64_t warps = (std::uint64_t{block.threads} + width - 1) / width;
  std::uint64_t registers = std::uint64_t{block.registers_per_thread} * width;  // of a warp
  const std::uint64_t shared = detail::rounded_up(block.shared_bytes, core.shared_unit);

  occupancy found;
  const auto allow = [&](occupancy_limit limit, std::uint32_t blocks, std::uint64_t needed, std::uint32_t there,
                         const char* field) {
    found.allowed[static_cast<std::size_t>(limit)] = blocks;
    if (blocks == 0)
      why.push_back({{},
                     std::string("a thread block needs ") + std::to_string(needed) + ' ' +
                         (limit == occupancy_limit::shared_memory ? "bytes of shared memory" : to_string(limit)) +
                         ": a core has " + std::to_string(there) + " (" + field + ')'});
  };
  allow(occupancy_limit::blocks, core.max_blocks, 1, core.max_blocks, "core.max_blocks");
  allow(occupancy_limit::warps, detail::pieces(core.max_warps, warps), warps, core.max_warps, "core.max_warps");
  allow(occupancy_limit::threads, detail::pieces(core.max_threads, warps * width), warps * width, core.max_threads,
        "core.max_threads");
  std::uint32_t by_registers = unlimited;
  if (core.registers_by == register_scope::warp) {
    registers = detail::rounded_up(registers, core.register_unit);
    if (const std::uint32_t fit = detail::pieces(core.registers, registers); fit != unlimited)
      by_registers = detail::pieces(fit / core.warp_unit * core.warp_unit, warps);
    registers *= warps;
  } else {
    registers = detail::rounded_up(detail::rounded_up(warps, core.warp_unit) * registers, core.register_unit);
    by_registers = detail::pieces(core.registers, registers);
  }
  allow(occupancy_limit::registers, by_registers, registers, core.registers, "core.registers");
  allow(occupancy_limit::shared_memory, detail::pieces(core.shared_bytes, shared), shared, core.shared_bytes,
        "core.shared_bytes");
  if (!why.empty()) return why;

  found.warps_per_block = static_cast<std::uint32_t>(warps);
  found.blocks = unlimited;
  for (std::size_t i = 0; i < num_occupancy_limits; ++i)
    if (found.allowed[i] < found.blocks) {
      found.blocks = found.allowed[i];
      found.limit = static_cast<occupancy_limit>(i);
    }
  return found;
}

}  // namespace timing
}  // namespace v0
}  // namespace simtflow
