// SPDX-License-Identifier: BSL-1.0
//
// The ends of control: the blocks that the entry reaches, and the reached blocks that have an edge to the *virtual
// exit*. These are the exits and, unless infinite loops are ignored, the first block of every terminal loop
// (graph/views.hpp). For analyses that need one exit but no second graph.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/views.hpp>

#include <cstddef>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace detail {

// O(blocks + edges). Shape is csr_graph or has its members.
template <class Shape = csr_graph>
class end_index {
 public:
  constexpr void compute(const Shape& g, infinite_loops endless) {
    const std::size_t n = g.num_blocks();
    state_.assign(n, 0);
    if (n == 0) return;
    if (work_.size() < n) work_.assign(n, no_block);
    count_ = 0;
    mark(g.entry(), reachable);
    for (std::size_t i = 0; i < count_; ++i)
      for (const block_id s : g.successors(work_[i])) mark(s, reachable);
    const std::size_t reached = count_;
    count_ = 0;
    for (block_id b = 0; b < n; ++b)
      if (is_reachable(b) && g.is_exit(b)) {
        state_[b] |= leaves;
        mark(b, finite);
      }
    for (std::size_t i = 0; i < count_; ++i)
      for (const block_id p : g.predecessors(work_[i]))
        if (is_reachable(p)) mark(p, finite);
    if (count_ == reached || endless == infinite_loops::ignore) return;
    for (const block_id b : terminal_loops_.of(g))
      if (is_reachable(b)) state_[b] |= leaves;
  }

  [[nodiscard]] constexpr bool is_reachable(block_id b) const { return (state_[b] & reachable) != 0; }
  /// True if b has an edge to the virtual exit.
  [[nodiscard]] constexpr bool ends(block_id b) const { return (state_[b] & leaves) != 0; }
  /// True if b reaches an exit of the graph itself. If ends(b) is true and this is false, no thread takes that edge.
  [[nodiscard]] constexpr bool reaches_exit(block_id b) const { return (state_[b] & finite) != 0; }

 private:
  static constexpr unsigned char reachable = 1, finite = 2, leaves = 4;

  constexpr void mark(block_id b, unsigned char bit) {
    if ((state_[b] & bit) != 0) return;
    state_[b] |= bit;
    work_[count_++] = b;
  }

  std::vector<unsigned char> state_;
  std::vector<block_id> work_;  // the first count_ of it
  std::size_t count_ = 0;
  terminal_loop_search terminal_loops_;
};

}  // namespace detail
}  // namespace v0
}  // namespace simtflow
