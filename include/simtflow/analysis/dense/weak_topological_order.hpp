// SPDX-License-Identifier: BSL-1.0
//
// Weak topological orders in dense ids: what weak_topological_order.hpp says of vertices, for blocks.
#pragma once

#include <simtflow/analysis/dense/loops.hpp>
#include <simtflow/analysis/detail/loop_contiguous.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// The kinds of steps of a weak topological order.
enum class wto_step_kind : unsigned char {
  block,  ///< visit a block that is no head
  head,   ///< a component begins: visit its head (and widen)
  end     ///< a component ends: if it is stable go on, else back to its head
};

/// One step. V is a vertex type.
template <class V>
struct wto_step {
  wto_step_kind kind = wto_step_kind::block;  ///< what to do
  V block;                                    ///< of `end`: the head of the component
  std::uint32_t match = 0;  ///< of `head` and `end`: where the other one is; of `block`: its own place
  friend constexpr bool operator==(const wto_step&, const wto_step&) = default;
};

namespace dense {

/// A weak topological order of the blocks that the entry reaches, the entry first.
template <class Shape = csr_graph>
class basic_weak_topological_order {
 public:
  using step = wto_step<block_id>;  ///< a step over blocks

  constexpr basic_weak_topological_order() = default;                                ///< of the empty graph
  constexpr explicit basic_weak_topological_order(const Shape& g) { recompute(g); }  ///< of g; as recompute

  /// Computes the order of g and reuses every buffer. Near-linear in blocks and edges, no recursion.
  constexpr void recompute(const Shape& g) {
    loops_.recompute(g);
    arrange(loops_);
  }
  /// Arranges the blocks of a graph by its loop forest. Linear in the blocks.
  /// \pre loops.cuts_every_cycle().
  constexpr void arrange(const basic_loop_forest<Shape>& loops) {
    SIMTFLOW_EXPECTS(loops.cuts_every_cycle(), "the forest accounts for every cycle (natural loops may not)");
    detail::list_loop_contiguous(loops, order_, next_);
    place_.assign(loops.num_blocks(), none_);
    steps_.clear();
    open_.clear();
    heads_.clear();
    for (std::size_t i = 0; i < order_.size(); ++i) {
      const block_id b = order_[i];
      const loop_id l = loops.innermost(b);
      const bool head = l != no_loop && loops.header(l) == b;
      const std::uint32_t at = static_cast<std::uint32_t>(steps_.size());
      place_[b] = at;
      steps_.push_back({head ? wto_step_kind::head : wto_step_kind::block, b, at});
      if (head) {
        heads_.push_back(b);
        open_.push_back({at, static_cast<std::uint32_t>(i + loops.blocks(l).size())});
      }
      while (!open_.empty() && open_.back().end == i + 1) {
        const std::uint32_t begin = open_.back().begin;
        steps_[begin].match = static_cast<std::uint32_t>(steps_.size());
        steps_.push_back({wto_step_kind::end, steps_[begin].block, begin});
        open_.pop_back();
      }
    }
  }

  /// Number of blocks of the graph, unreachable ones included.
  [[nodiscard]] constexpr std::size_t num_blocks() const { return place_.size(); }
  /// All steps, in order.
  [[nodiscard]] constexpr std::span<const step> steps() const { return std::span<const step>(steps_); }
  /// The reachable blocks in this order.
  [[nodiscard]] constexpr std::span<const block_id> order() const { return std::span<const block_id>(order_); }
  /// The heads in this order.
  [[nodiscard]] constexpr std::span<const block_id> heads() const { return std::span<const block_id>(heads_); }
  /// The step that visits b; 2^32 - 1 if b is unreachable. O(1).
  [[nodiscard]] constexpr std::uint32_t place(block_id b) const {
    SIMTFLOW_EXPECTS(b < place_.size(), "a question about a block that is not in the graph of this result");
    return place_[b];
  }
  /// True if b is the head of a component. O(1).
  [[nodiscard]] constexpr bool is_head(block_id b) const {
    return place(b) != none_ && steps_[place_[b]].kind == wto_step_kind::head;
  }

 private:
  static constexpr std::uint32_t none_ = 0xFFFF'FFFFU;
  struct component {
    std::uint32_t begin, end;  // its first step; the place past its last block in order_
  };

  std::vector<step> steps_;
  std::vector<block_id> order_, heads_;
  std::vector<std::uint32_t> place_;
  // Workspace, kept for the next computation.
  basic_loop_forest<Shape> loops_;
  std::vector<std::uint32_t> next_;
  std::vector<component> open_;
};

/// A basic_weak_topological_order of a csr_graph.
using weak_topological_order = basic_weak_topological_order<>;

}  // namespace dense
}  // namespace v0
}  // namespace simtflow
