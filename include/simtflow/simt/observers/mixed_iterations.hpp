// SPDX-License-Identifier: BSL-1.0
//
// The blocks that a mechanism executes for threads in different iterations of the loops around the block (iteration
// vectors: simt/maximal_convergence.hpp). Mixed iterations may save executions and do no harm to code that looks at its
// own lane only. An operation that looks at other lanes (a vote, a shuffle, a barrier within the warp) then sees the
// wrong lanes.
#pragma once

#include <simtflow/analysis/loops.hpp>
#include <simtflow/config.hpp>
#include <simtflow/simt/events.hpp>
#include <simtflow/simt/maximal_convergence.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// Observer: executed blocks with threads of different iteration vectors. Adds up over thread blocks, also over thread
/// blocks that do not come to their end. Expected O(loop depth) for each lane of each executed block.
class mixed_iterations {
 public:
  /// \pre the program's blocks are the blocks of the forest's graph; the forest outlives the observer.
  template <flow_graph G>
  constexpr explicit mixed_iterations(const loop_forest<G>& loops) : threads_(loops.ids()) {
    of_.assign(loops.ids().num_blocks(), 0);
  }
  template <flow_graph G>
  explicit mixed_iterations(const loop_forest<G>&&) = delete;

  /// Mixed executions of all blocks.
  [[nodiscard]] constexpr std::uint64_t total() const { return total_; }
  /// Mixed executions of one block. \pre b is a block of the graph.
  [[nodiscard]] constexpr std::uint64_t of(block_id b) const {
    SIMTFLOW_EXPECTS(b < of_.size(), "a question about a block that is not in the graph");
    return of_[b];
  }
  /// Mixed executions of the blocks with a mark: with marks on the blocks that hold subgroup operations, the number of
  /// executions that went wrong. Blocks beyond the end of the table have no mark. O(blocks).
  [[nodiscard]] constexpr std::uint64_t of_marked(std::span<const unsigned char> marks) const {
    std::uint64_t sum = 0;
    for (std::size_t b = 0; b < of_.size() && b < marks.size(); ++b)
      if (marks[b] != 0) sum += of_[b];
    return sum;
  }
  /// The block of the first mixed execution; no_block if there was no mixed execution.
  [[nodiscard]] constexpr block_id first() const { return first_; }

  /// Begins a thread block: every thread is in its first iterations.
  constexpr void operator()(const event::started&) { threads_.start(); }
  /// Compares the iterations of the lanes.
  template <class Mask>
  constexpr void operator()(const event::issued<Mask>& e) {
    SIMTFLOW_EXPECTS(e.block < of_.size(), "the loops belong to the program's graph");
    std::uint32_t vector = 0;
    bool seen = false, mixed = false;
    e.lanes.for_each([&](std::uint32_t lane) {
      const std::uint32_t here = threads_.enter(e.first_thread + lane, e.block, 0);
      mixed = mixed || (seen && here != vector);
      vector = here;
      seen = true;
    });
    if (!mixed) return;
    if (total_++ == 0) first_ = e.block;
    ++of_[e.block];
  }

 private:
  detail::iteration_tracker<> threads_;
  std::vector<std::uint64_t> of_;  // by block
  std::uint64_t total_ = 0;
  block_id first_ = no_block;
};

}  // namespace v0
}  // namespace simtflow
