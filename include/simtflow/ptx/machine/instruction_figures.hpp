// SPDX-License-Identifier: BSL-1.0
//
// Figures of a kernel's run that depend on the kinds of its instructions: the counters of the melding paper.
//
//   weighted       the sum of the instructions' weights (ptx/text/latency.hpp) over all issues. An issue in which no
//                  lane has a true guard weighs as much as an instruction of the class `other`, and at most as much as
//                  the instruction. This is the quantity that melding optimizes
//   ALU            instructions that compute: arithmetic, logic, comparisons, selections, conversions, moves. Memory,
//                  parameters, barriers, exchanges between lanes, products of matrices and control flow are none
//   vector memory  loads and stores in global, local and generic memory. Generic addresses that lead to shared memory
//                  count here also, because the instruction does not tell
//   shared memory  loads and stores in shared memory
//
// Memory instructions are counted once for each issue in which at least one lane accesses memory. An atomic operation
// counts as a store; a copy between global and shared memory (cp.async, cp.async.bulk) counts as a load of one memory
// and as a store to the other.
//
// Literature: C. Saumya, K. Sundararajah, M. Kulkarni, DARM: Control-flow melding for SIMT thread divergence reduction
// (2022), section VI-C (ALU utilization, Figure 10; memory instruction counters, Figure 11).
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/ptx/machine/decoded_kernel.hpp>
#include <simtflow/ptx/text/isa.hpp>
#include <simtflow/ptx/text/latency.hpp>
#include <simtflow/ptx/text/opcode.hpp>
#include <simtflow/ptx/text/operation.hpp>
#include <simtflow/simt/observers/instruction_profile.hpp>

#include <algorithm>
#include <cstdint>

namespace simtflow {
inline namespace v0 {
namespace ptx {

/// The figures; all are 0 if nothing was executed.
struct instruction_figures {
  std::uint64_t weighted = 0;          ///< weights, added up over issues
  std::uint64_t alu_instructions = 0;  ///< issues of ALU instructions
  std::uint64_t alu_slots = 0;         ///< lanes of a warp, added up over these issues
  std::uint64_t alu_lanes = 0;         ///< lanes that these issues used, lanes with a false guard included
  std::uint64_t alu_lanes_on = 0;      ///< lanes that computed
  std::uint64_t vector_loads = 0;      ///< loads of global, local and generic memory
  std::uint64_t vector_stores = 0;     ///< stores to it, atomic operations included
  std::uint64_t shared_loads = 0;      ///< loads of shared memory
  std::uint64_t shared_stores = 0;     ///< stores to it, atomic operations included

  /// alu_lanes / alu_slots: 0 .. 1; 1 if no ALU instruction was issued.
  [[nodiscard]] constexpr double alu_utilization() const { return share(alu_lanes); }
  /// alu_lanes_on / alu_slots: 0 .. alu_utilization(); 1 if no ALU instruction was issued.
  [[nodiscard]] constexpr double alu_utilization_on() const { return share(alu_lanes_on); }

 private:
  [[nodiscard]] constexpr double share(std::uint64_t lanes) const {
    return alu_slots == 0 ? 1.0 : static_cast<double>(lanes) / static_cast<double>(alu_slots);
  }
};

/// True for an operation that computes and does nothing else. O(1).
[[nodiscard]] constexpr bool is_alu(const operation& o) {
  return o.name != mnemonic::invalid &&
         o.name < mnemonic::ld;  // the order of the enumeration: memory comes after what computes
}

/// The figures of a run. O(instructions), with one reading of each opcode.
///
/// \param k the kernel that ran
/// \param profile its issues
/// \param weights of the operations
/// \pre the profile was constructed with k.weights().
[[nodiscard]] inline instruction_figures figures_of(const decoded_kernel& k, const instruction_profile& profile,
                                                    const latencies& weights = latencies::standard()) {
  SIMTFLOW_EXPECTS(profile.num_blocks() == k.blocks.size(), "the profile is one of the kernel");
  instruction_figures sum;
  for (block_id b = 0; b < k.blocks.size(); ++b) {
    const decoded_block& block = k.blocks[b];
    for (std::uint32_t i = 0; i < block.weight; ++i) {
      const instruction_issues n = profile.of(b, i);
      if (n.issues == 0) break;  // the block was never executed
      const result<operation> read = parse_operation(k.opcodes[block.last_instruction + 1 - block.weight + i]);
      const operation o = read ? *read : operation{};
      const std::uint64_t weight = weights(o);
      sum.weighted += n.executed * weight +
                      (n.issues - n.executed) * std::min<std::uint64_t>(weight, weights[latency_class::other]);
      if (is_alu(o)) {
        sum.alu_instructions += n.issues;
        sum.alu_slots += n.issues * profile.warp_width();
        sum.alu_lanes += n.lanes;
        sum.alu_lanes_on += n.lanes_on;
        continue;
      }
      const detail::timing_kind kind = detail::row_of(o).cost.timing;
      const bool loads = kind == detail::timing_kind::load;
      if (!loads && kind != detail::timing_kind::store && kind != detail::timing_kind::atomic) continue;
      if (o.name == mnemonic::cp_async) {
        sum.vector_loads += n.executed;
        sum.shared_stores += n.executed;
      } else if (detail::is_bulk(o)) {
        (o.from == state_space::shared ? sum.shared_loads : sum.vector_loads) += n.executed;
        (o.space == state_space::shared ? sum.shared_stores : sum.vector_stores) += n.executed;
      } else if (o.space == state_space::shared) {
        (loads ? sum.shared_loads : sum.shared_stores) += n.executed;
      } else if (o.space == state_space::global || o.space == state_space::local || o.space == state_space::generic) {
        (loads ? sum.vector_loads : sum.vector_stores) += n.executed;
      }
    }
  }
  return sum;
}

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
