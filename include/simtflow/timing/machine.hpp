// SPDX-License-Identifier: BSL-1.0
//
// The parameters of a simulated device: cores, execution units, caches, interconnect and DRAM. Plain data, each number
// with its unit. machine_fields.hpp names every field and checks the values; machines.hpp has the shipped machines.
//
// Every default is harmless: no cache, no wait beyond one cycle, no limit. `machine{}` is therefore the ideal machine.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/timing/coherence.hpp>
#include <simtflow/timing/instruction_class.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace simtflow {
inline namespace v0 {
namespace timing {

/// The value of a capacity without a limit. Text forms spell it `unlimited`.
inline constexpr std::uint32_t unlimited = 0xFFFF'FFFFU;

/// The orders in which a scheduler looks for a warp that can issue.
enum class scheduler_kind : unsigned char {
  loose_round_robin,   ///< from the warp after the last one that issued, skipping warps that cannot issue
  greedy_then_oldest,  ///< the last warp that issued as long as it can, then the oldest one
  oldest,              ///< the oldest warp that can issue
  two_level            ///< loose round robin over `active_warps` warps; a warp that waits for memory leaves the set
};

/// The order of thread blocks within a scheduler (TBC paper, section 6.2). Warps of one thread block follow
/// scheduler_kind.
enum class block_priority_kind : unsigned char {
  none,               ///< thread blocks do not matter
  age,                ///< AGE: the thread block that came to the core first has the highest priority
  round_robin,        ///< RRB: priority rotates every cycle
  sticky_round_robin  ///< SRR: a thread block that issues keeps priority until none of its warps is ready
};

/// The condition under which an instruction of a warp may issue after an earlier one.
enum class scoreboard_kind : unsigned char {
  one_in_flight,  ///< the warp's last instruction is complete (TBC paper, section 2.2)
  registers       ///< no earlier instruction of the warp has yet to write its registers and predicates
};

/// The granule in which a thread block is given registers.
enum class register_scope : unsigned char {
  warp,  ///< each warp's registers are rounded up (CUDA devices of compute capability 2 and higher)
  block  ///< the sum over a thread block is rounded up (compute capability 1)
};

/// The kinds of execution units.
enum class unit_kind : unsigned char {
  sp,       ///< single precision, and integers where the core has no unit of their own
  integer,  ///< integers
  special,  ///< transcendental functions
  dp,       ///< double precision
  memory    ///< loads, stores, atomics
};

/// The words of scheduler_kind, in its order.
inline constexpr const char* scheduler_kind_names[] = {"loose_round_robin", "greedy_then_oldest", "oldest",
                                                       "two_level"};
/// The words of block_priority_kind, in its order.
inline constexpr const char* block_priority_kind_names[] = {"none", "age", "round_robin", "sticky_round_robin"};
/// The words of scoreboard_kind, in its order.
inline constexpr const char* scoreboard_kind_names[] = {"one_in_flight", "registers"};
/// The words of register_scope, in its order.
inline constexpr const char* register_scope_names[] = {"warp", "block"};
/// The words of unit_kind, in its order.
inline constexpr const char* unit_kind_names[] = {"sp", "integer", "special", "dp", "memory"};

/// The word of an enumerator, as it is spelled. \pre `kind` is an enumerator; so for the functions below.
[[nodiscard]] constexpr const char* to_string(scheduler_kind kind) {
  return scheduler_kind_names[static_cast<std::size_t>(kind)];
}
/// The word of an enumerator.
[[nodiscard]] constexpr const char* to_string(block_priority_kind kind) {
  return block_priority_kind_names[static_cast<std::size_t>(kind)];
}
/// The word of an enumerator.
[[nodiscard]] constexpr const char* to_string(scoreboard_kind kind) {
  return scoreboard_kind_names[static_cast<std::size_t>(kind)];
}
/// The word of an enumerator.
[[nodiscard]] constexpr const char* to_string(register_scope scope) {
  return register_scope_names[static_cast<std::size_t>(scope)];
}
/// The word of an enumerator.
[[nodiscard]] constexpr const char* to_string(unit_kind kind) {
  return unit_kind_names[static_cast<std::size_t>(kind)];
}

/// A core: what it holds and how it issues.
struct core_parameters {
  std::uint32_t cores = 1;                      ///< number of cores of the device
  std::uint32_t mhz = 1000;                     ///< core clock. All latencies without another unit count it
  std::uint32_t warp_width = 32;                ///< threads in a warp
  std::uint32_t max_threads = unlimited;        ///< resident threads in a core
  std::uint32_t max_warps = unlimited;          ///< resident warps in a core
  std::uint32_t max_blocks = 1;                 ///< resident thread blocks in a core
  std::uint32_t max_block_threads = unlimited;  ///< threads in one thread block
  std::uint32_t warp_unit = 1;                  ///< a thread block gets registers for a multiple of so many warps
  std::uint32_t registers = unlimited;          ///< 32-bit registers in a core
  std::uint32_t register_unit = 1;              ///< registers are given out in multiples of so many
  register_scope registers_by = register_scope::warp;  ///< what `register_unit` rounds up
  std::uint32_t shared_bytes = unlimited;              ///< bytes of shared memory in a core
  std::uint32_t shared_unit = 1;                       ///< shared memory is given out in multiples of so many bytes
  std::uint32_t schedulers = 1;                        ///< warp schedulers; each issues at most one instruction a cycle
  scheduler_kind scheduler = scheduler_kind::loose_round_robin;    ///< order of warps
  std::uint32_t active_warps = unlimited;                          ///< two_level: warps in the active set
  block_priority_kind block_priority = block_priority_kind::none;  ///< order of thread blocks
  scoreboard_kind scoreboard = scoreboard_kind::one_in_flight;     ///< what an instruction waits for
  /// Cycles of every instruction outside its unit: reads of operands before, write of the result after. They add to
  /// the latency of each class; an instruction that writes no register does not make the next one wait for them.
  std::uint32_t operand_read = 0;
  /// Further cycles after a control instruction in which its warp does not issue: the fetch at the new address.
  std::uint32_t branch_resolve = 0;
  friend constexpr bool operator==(const core_parameters&, const core_parameters&) = default;
};

/// Execution units of one kind in a core.
struct unit_parameters {
  std::uint32_t number = 1;  ///< units of that kind; 0: none
  std::uint32_t lanes = 0;   ///< SIMD width of one unit: warp_width / lanes passes for a warp; 0: as wide as a warp
  friend constexpr bool operator==(const unit_parameters&, const unit_parameters&) = default;
};

/// The units of a core.
struct units_parameters {
  unit_parameters sp;       ///< single precision, and integers where there is no unit of their own
  unit_parameters integer;  ///< integers
  unit_parameters special;  ///< transcendental functions
  unit_parameters dp;       ///< double precision
  unit_parameters memory;   ///< loads, stores, atomics
  /// The units of one kind. \pre `kind` is an enumerator.
  [[nodiscard]] constexpr const unit_parameters& operator[](unit_kind kind) const {
    switch (kind) {
      case unit_kind::sp:
        return sp;
      case unit_kind::integer:
        return integer;
      case unit_kind::special:
        return special;
      case unit_kind::dp:
        return dp;
      case unit_kind::memory:
        break;
    }
    return memory;
  }
  friend constexpr bool operator==(const units_parameters&, const units_parameters&) = default;
};

/// Timing of one instruction class.
struct operation_timing {
  std::uint32_t latency =
      1;  ///< cycles in the unit: a dependent instruction may issue operand_read + latency cycles later
  std::uint32_t initiation = 1;    ///< cycles that a pass of a warp through a unit keeps the unit
  unit_kind unit = unit_kind::sp;  ///< the kind of unit that executes it
  friend constexpr bool operator==(const operation_timing&, const operation_timing&) = default;
};

/// The timing of all instruction classes. The latency of load, store and atomic is the time of the address generation,
/// before the load/store unit.
struct operations_parameters {
  operation_timing of[num_instruction_classes] = {};  ///< by instruction_class
  /// Every class on the unit that its name suggests: one cycle each.
  constexpr operations_parameters() {
    for (std::size_t k = static_cast<std::size_t>(instruction_class::dp_add); k < num_instruction_classes; ++k) {
      const auto kind = static_cast<instruction_class>(k);
      if (kind <= instruction_class::dp_div) of[k].unit = unit_kind::dp;
      if (kind == instruction_class::special) of[k].unit = unit_kind::special;
      if (kind >= instruction_class::load) of[k].unit = unit_kind::memory;
    }
  }
  /// The timing of one class. \pre `kind` is an enumerator.
  [[nodiscard]] constexpr operation_timing& operator[](instruction_class kind) {
    return of[static_cast<std::size_t>(kind)];
  }
  /// The timing of one class. \pre `kind` is an enumerator.
  [[nodiscard]] constexpr const operation_timing& operator[](instruction_class kind) const {
    return of[static_cast<std::size_t>(kind)];
  }
  friend constexpr bool operator==(const operations_parameters&, const operations_parameters&) = default;
};

/// Shared memory of a core.
struct shared_parameters {
  std::uint32_t banks = 32;      ///< banks; a pass serves one word of each
  std::uint32_t bank_bytes = 4;  ///< width of a bank's word
  std::uint32_t latency = 1;     ///< core cycles from the last pass until the data is there
  friend constexpr bool operator==(const shared_parameters&, const shared_parameters&) = default;
};

/// A cache, or the cache of one L2 slice. Replacement is LRU.
struct cache_parameters {
  std::uint32_t size = 0;                ///< bytes; 0: no cache, every access is a miss
  std::uint32_t line = 128;              ///< bytes of a line; for the L1 also the granule of coalescing
  std::uint32_t sector = 0;              ///< bytes that are fetched at a time; 0: a line
  std::uint32_t ways = 1;                ///< lines in a set
  std::uint32_t latency = 1;             ///< cycles of a hit: core cycles, for the L2 cycles of partition.mhz
  std::uint32_t mshrs = unlimited;       ///< lines (or sectors) that can be missing at a time
  std::uint32_t merges = unlimited;      ///< accesses that can wait for one missing line
  std::uint32_t miss_queue = unlimited;  ///< misses that can wait for the level below
  std::uint32_t bytes_per_cycle = 0;     ///< bytes through the data port in a cycle; 0: a line
  /// The number of sets; 0 for no cache.
  [[nodiscard]] constexpr std::uint32_t num_sets() const {
    return size == 0 || line == 0 || ways == 0 ? 0 : size / line / ways;
  }
  friend constexpr bool operator==(const cache_parameters&, const cache_parameters&) = default;
};

/// The interconnect between cores and memory partitions: a crossbar for each direction.
struct interconnect_parameters {
  std::uint32_t mhz = 1000;                   ///< network clock
  std::uint32_t latency = 0;                  ///< network cycles from the last byte sent until it arrives
  std::uint32_t bytes_per_cycle = unlimited;  ///< bytes a port takes in a network cycle, each way
  std::uint32_t header_bytes = 0;             ///< bytes of a packet beside its data
  std::uint32_t queue = unlimited;            ///< packets that can wait in a port
  friend constexpr bool operator==(const interconnect_parameters&, const interconnect_parameters&) = default;
};

/// A memory partition: the L2 slices in front of one DRAM channel.
struct partition_parameters {
  std::uint32_t mhz = 1000;         ///< clock of the L2
  std::uint32_t slices = 1;         ///< L2 slices in front of one channel
  std::uint32_t interleave = 256;   ///< successive bytes of one slice before the next slice begins
  std::uint32_t latency = 0;        ///< cycles of mhz that each request waits before the L2 (the raster unit's path)
  std::uint32_t queue = unlimited;  ///< requests that can wait before a slice, and replies after it
  friend constexpr bool operator==(const partition_parameters&, const partition_parameters&) = default;
};

/// The DRAM: channels with one FR-FCFS controller each. Times are in cycles of `mhz`, the command clock.
struct dram_parameters {
  std::uint32_t channels = 1;                 ///< channels of the device
  std::uint32_t mhz = 1000;                   ///< command clock
  std::uint32_t queue = unlimited;            ///< requests that the controller can choose from
  std::uint32_t banks = 1;                    ///< banks of a channel
  std::uint32_t row_bytes = 2048;             ///< bytes of a row in a bank
  std::uint32_t bytes_per_cycle = unlimited;  ///< bytes a channel moves in a command cycle
  std::uint32_t burst_bytes = 32;             ///< bytes of one access; larger requests take several
  std::uint32_t latency = 0;                  ///< core cycles that each request waits beside the times below
  std::uint32_t t_cl = 0;                     ///< read command until its first data
  std::uint32_t t_wl = 0;                     ///< write command until its first data
  std::uint32_t t_rp = 0;                     ///< precharge until the activation of the same bank
  std::uint32_t t_rcd = 0;                    ///< activation until a command to the open row
  std::uint32_t t_ras = 0;                    ///< activation until the precharge of the same bank
  std::uint32_t t_rc = 0;                     ///< activation until the next activation of the same bank
  std::uint32_t t_rrd = 0;                    ///< activation until the activation of another bank
  std::uint32_t t_ccd = 0;                    ///< command until the next command
  std::uint32_t t_cdlr = 0;                   ///< last written data until a read command
  std::uint32_t t_wr = 0;                     ///< last written data until the precharge
  friend constexpr bool operator==(const dram_parameters&, const dram_parameters&) = default;
};

/// All parameters of a device.
struct machine {
  std::string name = "ideal";        ///< for tables and messages
  core_parameters core;              ///< cores and their schedulers
  units_parameters units;            ///< execution units of a core
  operations_parameters operations;  ///< timing of the instruction classes
  shared_parameters shared;          ///< shared memory of a core
  cache_parameters l1;               ///< data cache of a core
  cache_parameters constant;         ///< constant cache of a core
  cache_parameters texture;          ///< texture cache of a core
  cache_parameters instruction;      ///< instruction cache of a core; size 0: every fetch hits
  coherence_parameters coherence;    ///< of the L1s and the L2
  interconnect_parameters network;   ///< between cores and partitions
  partition_parameters partition;    ///< L2 slices and their clock
  cache_parameters l2;               ///< the cache of one slice
  dram_parameters dram;              ///< channels
  friend bool operator==(const machine&, const machine&) = default;
};

}  // namespace timing
}  // namespace v0
}  // namespace simtflow
