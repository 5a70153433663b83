// SPDX-License-Identifier: BSL-1.0
//
// The events of a timed run, beside the events of each thread block (simt/events.hpp). An observer takes the events
// that it can be called with; the others cost nothing.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/timing/accounting.hpp>
#include <simtflow/timing/clock.hpp>
#include <simtflow/timing/dram.hpp>
#include <simtflow/timing/instruction_class.hpp>
#include <simtflow/timing/memory_counts.hpp>

#include <cstdint>
#include <span>

namespace simtflow {
inline namespace v0 {
namespace timing {

/// A warp instruction issues.
template <class Mask>
struct instruction_issued {
  cycle at;                    ///< the cycle
  std::uint32_t core;          ///< number of the core
  std::uint32_t scheduler;     ///< number of the scheduler in the core
  std::uint32_t slot;          ///< the warp slot of the core
  std::uint64_t thread_block;  ///< number of the thread block in the grid; core scope: of the lowest lane
  std::uint32_t warp;          ///< number of the policy's instance in the thread block: of the warp under warp scope
  block_id block;              ///< the block of the program
  std::uint32_t instruction;   ///< its place in the block
  instruction_class kind;      ///< its class
  Mask lanes;                  ///< active lanes of the instance
  Mask on;                     ///< of these the lanes for which the guard held
  bool replays;                ///< true if it has issued before, and waited for other lanes at a collective operation
  cycle waited;                ///< cycles between the issue before and this one in which the warp waited
  bool for_memory;             ///< true if the wait was for the result of a load or an atomic
};

/// A thread block comes to a core. Its warps can issue in this cycle.
struct thread_block_started {
  cycle at;                    ///< the cycle
  std::uint32_t core;          ///< number of the core
  std::uint32_t place;         ///< its place in the core, free until now
  std::uint64_t thread_block;  ///< its number in the grid
};

/// A thread block has ended, and its place is free.
struct thread_block_ended {
  cycle at;                    ///< the first cycle without it
  std::uint32_t core;          ///< number of the core
  std::uint32_t place;         ///< its place in the core
  std::uint64_t thread_block;  ///< its number in the grid
};

/// A scheduler spent cycles in one class. Events of one scheduler come in order and leave out no cycle in which its
/// core has a thread block.
struct cycles_passed {
  cycle first;              ///< the first cycle
  cycle count;              ///< the number of cycles, at least 1
  std::uint32_t core;       ///< number of the core
  std::uint32_t scheduler;  ///< number of the scheduler in the core
  cycle_class kind;         ///< their class
};

/// The counts of the memory side since the start of the run. The observer names a period in its function `cycle
/// counts_every() const`: the event comes in the first simulated cycle of each period, and at the end of the run. With
/// a period of `never` it does not come.
struct memory_counted {
  cycle at;                               ///< the counts include this cycle
  core_memory_counts cores;               ///< load/store units and caches of all cores
  memory_counts partitions;               ///< interconnect, L2, DRAM
  std::span<const dram_counts> channels;  ///< each DRAM channel; valid during the call
};

}  // namespace timing
}  // namespace v0
}  // namespace simtflow
