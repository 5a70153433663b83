// SPDX-License-Identifier: BSL-1.0
//
// Every instruction as a block of its own, for mechanisms that regroup threads at each program counter (dynamic warp
// formation, MICRO 2007). Block b of the program becomes a row of blocks, one for each instruction; a block without
// instructions becomes one without. Analyse the graph that expand() makes, so that every table that a policy needs is
// about the new blocks.
//
//   const timing::instruction_blocks rows(weights);
//   const csr_graph graph = rows.expand(blocks);
//   const policy_facts facts(graph);   // post-dominators, program counters, ... of instructions
//   timing::run(policy, [&](std::uint32_t) { return timing::instruction_granular<program>(rows, ...); },
//               {.entry = graph.entry(), ...}, machine);
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/simt/mask.hpp>
#include <simtflow/simt/program.hpp>
#include <simtflow/timing/instruction.hpp>
#include <simtflow/timing/program.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace timing {

/// The numbers of the new blocks.
class instruction_blocks {
 public:
  /// \param weights instructions by block of the program. O(blocks + instructions)
  explicit instruction_blocks(std::span<const std::uint32_t> weights) {
    for (const std::uint32_t weight : weights) {
      const auto b = static_cast<block_id>(first_.size());
      first_.push_back(static_cast<block_id>(of_.size()));
      for (std::uint32_t i = 0; i == 0 || i < weight; ++i) of_.push_back({b, i});
    }
  }

  /// The number of new blocks.
  [[nodiscard]] std::size_t num_blocks() const { return of_.size(); }
  /// The new block of the first instruction of a block. \pre b is a block of the program.
  [[nodiscard]] block_id first(block_id b) const { return first_[b]; }
  /// The block of the program to which a new block belongs. \pre it is one.
  [[nodiscard]] block_id block(block_id instruction) const { return of_[instruction].block; }
  /// Its place in that block, from 0. \pre it is one.
  [[nodiscard]] std::uint32_t place(block_id instruction) const { return of_[instruction].place; }
  /// True if the new block ends a block of the program. \pre it is one.
  [[nodiscard]] bool is_last(block_id instruction) const {
    return instruction + 1 == of_.size() || of_[instruction + 1].place == 0;
  }

  /// The graph of the new blocks: the last one of each row has the successors of its block, and is an exit if its block
  /// is one. \pre g has a block for each weight. O(blocks + instructions + edges)
  [[nodiscard]] csr_graph expand(const csr_graph& g) const {
    SIMTFLOW_EXPECTS(g.num_blocks() == first_.size(), "a weight for each block of the graph");
    csr_builder builder(of_.size(), of_.empty() ? 0 : first_[g.entry()]);
    for (block_id n = 0; n < of_.size(); ++n) {
      if (!is_last(n)) {
        builder.add_edge(n, n + 1);
        continue;
      }
      const block_id b = of_[n].block;
      for (const block_id s : g.successors(b)) builder.add_edge(n, first_[s]);
      if (g.is_exit(b)) builder.mark_exit(n);
    }
    return builder.build();
  }

 private:
  struct where {
    block_id block;
    std::uint32_t place;
  };
  std::vector<block_id> first_;  // by block of the program
  std::vector<where> of_;        // by new block
};

/// A timed program P over masks of type Mask, with the new blocks. All optional members of P stay.
template <class P, class Mask = lane_mask>
class instruction_granular : public P {
 public:
  /// Makes the program in place. The numbers must outlive it.
  template <class... Arguments>
    requires std::constructible_from<P, Arguments...>
  explicit instruction_granular(const instruction_blocks& rows, Arguments&&... arguments)
      : P(std::forward<Arguments>(arguments)...), rows_(&rows) {}

  /// 1; 0 for a block without instructions.
  [[nodiscard]] std::uint32_t weight(block_id n) const { return P::weight(rows_->block(n)) == 0 ? 0 : 1; }
  /// The instruction that the block stands for. \pre weight(n) == 1, i == 0.
  [[nodiscard]] const instruction& instruction_at(block_id n, std::uint32_t) const {
    return P::instruction_at(rows_->block(n), rows_->place(n));
  }
  /// Its address in the code.
  [[nodiscard]] std::uint64_t code_address(block_id n, std::uint32_t) const requires(program_with_code_addresses<P>) {
    return P::code_address(rows_->block(n), rows_->place(n));
  }

  /// Runs the instruction, or the block without instructions.
  block_end run(block_id n, const basic_group<Mask>& g, basic_partition<Mask>& out) {
    if (weight(n) != 0) {
      issue_effect<Mask> effect{g.lanes, {}};
      return issue(n, 0, g, out, effect);
    }
    part_.clear();
    const block_end end = P::run(rows_->block(n), g, part_);
    return to_rows(n, end, g, out);
  }
  /// Runs the instruction. \pre i == 0.
  block_end issue(block_id n, std::uint32_t, const basic_group<Mask>& g, basic_partition<Mask>& out,
                  issue_effect<Mask>& effect) {
    part_.clear();
    const block_end end = P::issue(rows_->block(n), rows_->place(n), g, part_, effect);
    return to_rows(n, end, g, out);
  }

  /// The barrier at the end of the block. \pre the last instruction of its row
  [[nodiscard]] std::uint32_t barrier_id(block_id n) const requires(program_with_named_barriers<P>) {
    return static_cast<std::uint32_t>(P::barrier_id(rows_->block(n)));
  }
  /// The number of threads that it opens for. \pre the last instruction of its row
  [[nodiscard]] std::uint32_t barrier_count(block_id n) const requires(program_with_barrier_counts<P>) {
    return static_cast<std::uint32_t>(P::barrier_count(rows_->block(n)));
  }
  /// 0: lanes that stopped at a collective stopped in a block of its own.
  [[nodiscard]] std::uint32_t resumed_at(block_id,
                                         const basic_group<Mask>&) requires(program_with_collectives<P, Mask>) {
    return 0;
  }

 private:
  block_end to_rows(block_id n, block_end end, const basic_group<Mask>& g, basic_partition<Mask>& out) {
    if (end == block_end::fault || end == block_end::collective) return end;
    if (!rows_->is_last(n)) {
      out.go(n + 1, g.lanes);
      return end;
    }
    for (const basic_fragment<Mask>& o : part_.fragments()) out.go(rows_->first(o.block), o.lanes);
    return end;
  }

  const instruction_blocks* rows_;
  basic_partition<Mask> part_;
};

}  // namespace timing
}  // namespace v0
}  // namespace simtflow
