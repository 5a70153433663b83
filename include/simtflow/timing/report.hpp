// SPDX-License-Identifier: BSL-1.0
//
// The result of a timed run: cycles, their classes, and the costs of each instruction.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/simt/policy_state.hpp>
#include <simtflow/simt/verdict.hpp>
#include <simtflow/timing/accounting.hpp>
#include <simtflow/timing/clock.hpp>
#include <simtflow/timing/memory_counts.hpp>
#include <simtflow/timing/occupancy.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace timing {

/// The costs of one instruction of the program, over all warps.
struct instruction_costs {
  std::uint64_t issues = 0;          ///< warp instructions issued
  std::uint64_t lanes = 0;           ///< active lanes, summed over issues
  std::uint64_t predicated_off = 0;  ///< of these the lanes with a false guard
  std::uint64_t wait_cycles = 0;     ///< cycles between the issue before and its own in which its warp waited
  std::uint64_t memory_cycles = 0;   ///< of these the waits for a result of a load or an atomic
  /// Adds the costs of another instruction.
  constexpr instruction_costs& operator+=(const instruction_costs& o) {
    issues += o.issues;
    lanes += o.lanes;
    predicated_off += o.predicated_off;
    wait_cycles += o.wait_cycles;
    memory_cycles += o.memory_cycles;
    return *this;
  }
  friend constexpr bool operator==(const instruction_costs&, const instruction_costs&) = default;
};

/// The costs of every instruction that issued, by block of the program.
class program_costs {
 public:
  /// The instructions of a block, first to last; empty if the block never ran. O(1).
  [[nodiscard]] std::span<const instruction_costs> of_block(block_id b) const {
    return b < by_block_.size() ? std::span<const instruction_costs>(by_block_[b])
                                : std::span<const instruction_costs>();
  }
  /// One more than the highest block that ran.
  [[nodiscard]] std::size_t num_blocks() const { return by_block_.size(); }

  /// The row of an instruction, to be added to. \pre i < weight, the same for each call with one block. O(1) amortised.
  [[nodiscard]] instruction_costs& at(block_id b, std::uint32_t i, std::uint32_t weight) {
    if (b >= by_block_.size()) by_block_.resize(std::size_t{b} + 1);
    if (by_block_[b].empty()) by_block_[b].resize(weight);
    return by_block_[b][i];
  }
  friend bool operator==(const program_costs&, const program_costs&) = default;

 private:
  std::vector<std::vector<instruction_costs>> by_block_;
};

/// The result of a timed run, without its verdict.
struct report {
  /// Core cycles until the last thread block has ended and its results are there; up to its end, if a run stops early.
  cycle cycles = 0;
  std::uint64_t thread_blocks = 0;  ///< thread blocks that have ended
  std::uint64_t instructions = 0;   ///< warp instructions issued, without replays
  std::uint64_t overhead = 0;       ///< issue slots of operations of the policy's own (policy_with_overhead)
  std::uint64_t replays = 0;        ///< issue slots of instructions that issued again after waiting at a collective
  std::uint64_t steps = 0;          ///< blocks of the program executed, over all warps
  policy_work work;                 ///< counts of the policy's own, over all thread blocks that have ended
  cycle_counts schedulers;          ///< scheduler-cycles by class
  core_memory_counts core_memory;   ///< load/store units of all cores
  memory_counts memory;             ///< interconnect, L2, DRAM
  occupancy fit;                    ///< thread blocks that a core holds, and the limit that binds
  program_costs costs;              ///< by instruction of the program
  /// True if both have the same figures; the occupancy follows from the machine and is not compared.
  friend bool operator==(const report& a, const report& b) {
    return a.cycles == b.cycles && a.thread_blocks == b.thread_blocks && a.instructions == b.instructions &&
           a.overhead == b.overhead && a.replays == b.replays && a.steps == b.steps && a.work == b.work &&
           a.schedulers == b.schedulers && a.core_memory == b.core_memory && a.memory == b.memory && a.costs == b.costs;
  }

  /// Instructions in each cycle of the device; 0 for a run without cycles.
  [[nodiscard]] double ipc() const {
    return cycles == 0 ? 0 : static_cast<double>(instructions) / static_cast<double>(cycles);
  }
};

/// The result of a timed run under a policy with masks of type Mask.
template <class Mask>
struct basic_report : report {
  basic_verdict<Mask> verdict;      ///< how the run ended: of the thread block that ended it, if it did not finish
  std::uint64_t stopped_block = 0;  ///< the number of that thread block
  bool out_of_cycles = false;       ///< true if timing::limits::cycles ended the run; the verdict says step_limit
};

}  // namespace timing
}  // namespace v0
}  // namespace simtflow
