// SPDX-License-Identifier: BSL-1.0
//
// Counts of the memory side, and the reasons for which its first stage stands still.
#pragma once

#include <simtflow/config.hpp>

#include <cstddef>
#include <cstdint>

namespace simtflow {
inline namespace v0 {
namespace timing {

/// Why the load/store unit does not take an instruction.
enum class stall_cause : unsigned char {
  none,           ///< it does
  bank_conflict,  ///< passes over shared memory or the constant cache are left, one for each cycle
  coalescing,     ///< lines of the instruction in the unit are left, one for each cycle
  mshr,           ///< no MSHR of the cache is free, or no place to wait for a line that is already missing
  queue,          ///< the queues below are full: the memory partition that comes next does not take requests
  interconnect    ///< the core's port is full: its packets leave at the bandwidth of the network
};

/// The number of stall causes, `none` among them.
inline constexpr std::size_t num_stall_causes = 6;

/// The name of a cause as an enumerator spells it. \returns "" for a value that is no cause.
[[nodiscard]] constexpr const char* to_string(stall_cause cause) {
  constexpr const char* names[num_stall_causes] = {"none", "bank_conflict", "coalescing",
                                                   "mshr", "queue",         "interconnect"};
  const std::size_t at = static_cast<std::size_t>(cause);
  return at < num_stall_causes ? names[at] : "";
}

/// Counts of one kind of cache, in sectors; a line without sectors counts as one. Every access is a hit, a merge or a
/// miss.
struct cache_counts {
  std::uint64_t accesses = 0;        ///< sectors that were looked up, stores included
  std::uint64_t hits = 0;            ///< sectors that were there, stores included
  std::uint64_t misses = 0;          ///< sectors that were neither there nor under way, stores included
  std::uint64_t merges = 0;          ///< sectors that were under way: nothing was sent for them
  std::uint64_t sector_misses = 0;   ///< misses of loads on a line that was there without the sector
  std::uint64_t store_accesses = 0;  ///< accesses that were stores
  std::uint64_t fills = 0;           ///< sectors that came from the level below
  std::uint64_t write_backs = 0;     ///< dirty sectors that were written to the level below
  std::uint64_t invalidations = 0;   ///< lines that an atomic or a bypassing access took away
  /// Adds the counts of another cache.
  constexpr cache_counts& operator+=(const cache_counts& o) {
    accesses += o.accesses;
    hits += o.hits;
    misses += o.misses;
    merges += o.merges;
    sector_misses += o.sector_misses;
    store_accesses += o.store_accesses;
    fills += o.fills;
    write_backs += o.write_backs;
    invalidations += o.invalidations;
    return *this;
  }
  friend constexpr bool operator==(const cache_counts&, const cache_counts&) = default;
};

/// Counts of a core's load/store unit.
struct core_memory_counts {
  std::uint64_t instructions = 0;                  ///< memory instructions taken
  std::uint64_t shared_passes = 0;                 ///< passes over shared memory; a conflict-free access has one
  std::uint64_t shared_instructions = 0;           ///< instructions on shared memory
  cache_counts l1;                                 ///< data cache, global and local space
  cache_counts constant;                           ///< constant cache
  cache_counts texture;                            ///< texture cache
  cache_counts instruction;                        ///< instruction cache
  std::uint64_t stall_cycles[num_stall_causes]{};  ///< by cause: cycles in which the first stage held an instruction
  /// Adds the counts of another core.
  constexpr core_memory_counts& operator+=(const core_memory_counts& o) {
    instructions += o.instructions;
    shared_passes += o.shared_passes;
    shared_instructions += o.shared_instructions;
    l1 += o.l1;
    constant += o.constant;
    texture += o.texture;
    instruction += o.instruction;
    for (std::size_t i = 0; i < num_stall_causes; ++i) stall_cycles[i] += o.stall_cycles[i];
    return *this;
  }
  friend constexpr bool operator==(const core_memory_counts&, const core_memory_counts&) = default;
};

/// Counts of the interconnect, the partitions and the DRAM.
struct memory_counts {
  std::uint64_t requests = 0;             ///< packets from cores to partitions
  std::uint64_t replies = 0;              ///< packets from partitions to cores
  std::uint64_t bytes_to_partitions = 0;  ///< bytes of the requests, headers included
  std::uint64_t bytes_to_cores = 0;       ///< bytes of the replies, headers included
  cache_counts l2;                        ///< all slices
  std::uint64_t atomics = 0;              ///< atomic requests performed at the L2
  std::uint64_t bytes_from_dram = 0;      ///< bytes read
  std::uint64_t bytes_to_dram = 0;        ///< bytes written
  std::uint64_t dram_reads = 0;           ///< bursts read
  std::uint64_t dram_writes = 0;          ///< bursts written
  std::uint64_t row_hits = 0;             ///< requests that found their row open
  std::uint64_t row_misses = 0;           ///< requests that did not
  std::uint64_t activations = 0;          ///< rows opened
  friend constexpr bool operator==(const memory_counts&, const memory_counts&) = default;
};

}  // namespace timing
}  // namespace v0
}  // namespace simtflow
