// SPDX-License-Identifier: BSL-1.0
//
// The thread block that an interpreter runs: its shape and place in the grid, and what went wrong in it.
//
//   chunk  32 lanes of a group (the last one may be part empty); their registers lie together
//   group  lanes that a policy manages together: a warp, or all threads of the thread block
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/ptx/machine/decoded_kernel.hpp>
#include <simtflow/ptx/machine/fault.hpp>
#include <simtflow/ptx/machine/launch.hpp>
#include <simtflow/ptx/machine/values/lanes.hpp>

#include <cstdint>
#include <string>
#include <utility>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

inline constexpr std::uint32_t lanes_per_chunk = static_cast<std::uint32_t>(chunk_lanes);
/// The threads of a warpgroup: four warps, the first one's number a multiple of four.
inline constexpr std::uint32_t warpgroup_threads = 128;

/// Shape, place and fault; the parts of an interpreter share one. The kernel must outlive it.
struct thread_block {
  thread_block(const decoded_kernel& k, const launch_config& l) : kernel(&k), launch(l) {
    threads = static_cast<std::uint32_t>(l.num_threads());
    warps = (threads + l.warp_width - 1) / l.warp_width;
    group_width = l.group_width == 0 ? l.warp_width : l.group_width;
    groups = (threads + group_width - 1) / group_width;
    chunks_per_group = (group_width + lanes_per_chunk - 1) / lanes_per_chunk;
    dynamic_shared = (k.shared_bytes + k.dynamic_shared_align - 1) / k.dynamic_shared_align * k.dynamic_shared_align;
    shared_bytes = l.dynamic_shared_bytes == 0 ? k.shared_bytes : dynamic_shared + l.dynamic_shared_bytes;
  }

  /// Its number in the grid; x runs fastest.
  [[nodiscard]] std::uint64_t number() const {
    return (std::uint64_t{ctaid[2]} * launch.grid[1] + ctaid[1]) * launch.grid[0] + ctaid[0];
  }

  /// Why a warpgroup is not whole; empty if it is.
  [[nodiscard]] std::string lack_of_warpgroup(std::uint32_t which) const {
    const std::uint32_t first = which * warpgroup_threads;
    if (threads >= first + warpgroup_threads) return {};
    return "warpgroup " + std::to_string(which) + " has " + std::to_string(threads - first) +
           " threads in this thread block, but it needs " + std::to_string(warpgroup_threads);
  }

  /// Chooses the place in the grid with this number. \pre the grid has it.
  void select(std::uint64_t n) {
    ctaid[0] = static_cast<std::uint32_t>(n % launch.grid[0]);
    ctaid[1] = static_cast<std::uint32_t>(n / launch.grid[0] % launch.grid[1]);
    ctaid[2] = static_cast<std::uint32_t>(n / launch.grid[0] / launch.grid[1]);
  }

  /// A thread did what cannot be done; fault_in() is still to say in which block.
  [[gnu::noinline]] void record(fault_kind kind, std::uint32_t instruction, std::uint32_t thread, std::uint64_t address,
                                std::uint32_t size, state_space space, std::string hint) {
    fault = {};
    fault.kind = kind;
    fault.kernel = kernel->name;
    fault.opcode = kernel->opcodes[instruction];
    fault.where = kernel->positions[instruction];
    fault.source = kernel->source_of(instruction);
    fault.thread[0] = thread % launch.block[0];
    fault.thread[1] = thread / launch.block[0] % launch.block[1];
    fault.thread[2] = thread / launch.block[0] / launch.block[1];
    for (int i = 0; i < 3; ++i) fault.thread_block[i] = ctaid[i];
    fault.address = address;
    fault.size = size;
    fault.space = space;
    fault.hint = std::move(hint);
  }
  /// The same where it is not a memory access that is wrong.
  void complain(fault_kind kind, std::uint32_t instruction, std::uint32_t thread, std::uint64_t address,
                std::string why) {
    record(kind, instruction, thread, address, 0, state_space::generic, std::move(why));
  }
  void fault_in(block_id b) {
    fault.block = b;
    fault.block_name = kernel->block_name(b);
    if (const std::uint32_t f = kernel->blocks[b].function; f != 0) fault.function = kernel->functions[f].name;
  }

  const decoded_kernel* kernel;
  launch_config launch;
  std::uint32_t threads = 0, warps = 0;
  std::uint32_t group_width = 0, groups = 0, chunks_per_group = 1;
  std::uint64_t dynamic_shared = 0;  ///< where the shared memory begins that the launch adds
  std::uint64_t shared_bytes = 0;    ///< with that
  std::uint32_t ctaid[3] = {0, 0, 0};
  fault_info fault;
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
