// SPDX-License-Identifier: BSL-1.0
//
// The loop nesting forest in dense ids: what loops.hpp says of vertices, for blocks. detail/loop_bodies.hpp finds the
// loops, detail/loop_table.hpp numbers them.
#pragma once

#include <simtflow/analysis/detail/loop_bodies.hpp>
#include <simtflow/analysis/detail/loop_table.hpp>
#include <simtflow/analysis/loop_id.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/strong_id.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace simtflow {
inline namespace v0 {

namespace dense {

/// The loop nesting forest, or the forest of natural loops, of the blocks that the entry reaches.
template <class Shape = csr_graph>
class basic_loop_forest {
 public:
  constexpr basic_loop_forest() = default;                                ///< of the empty graph
  constexpr explicit basic_loop_forest(const Shape& g) { recompute(g); }  ///< of g; as recompute

  /// Computes the loop nesting forest of g and reuses every buffer. Near-linear in blocks and edges, no recursion.
  /// \pre fewer than 2^31 - 1 blocks.
  constexpr void recompute(const Shape& g) {
    if (!bodies_.find(g)) bodies_.collect(g, [](block_id, block_id) { return true; });
    reducible_ = bodies_.waiting().empty();
    table_.fill(g, bodies_);
  }

  /// Computes the forest of the natural loops of g. `tree` is a dense dominator tree; it is recomputed and used only if
  /// the graph is irreducible.
  template <class Tree>
  constexpr void recompute_natural(const Shape& g, Tree& tree) {
    recompute(g);
    if (reducible_) return;
    tree.recompute(g);
    bodies_.collect(g, [&](block_id header, block_id latch) { return tree.dominates(header, latch); });
    table_.fill(g, bodies_);
  }

  /// Number of blocks of the graph, unreachable ones included.
  [[nodiscard]] constexpr std::size_t num_blocks() const { return table_.innermost.size(); }
  /// Number of loops, inner ones included.
  [[nodiscard]] constexpr std::size_t num_loops() const { return table_.num_loops; }
  /// All loops, outer loops before the loops in them.
  [[nodiscard]] constexpr id_range<loop_id> all() const { return ids_below<loop_id>(table_.num_loops); }
  /// The smallest loop that contains b; no_loop if there is none. O(1).
  [[nodiscard]] constexpr loop_id innermost(block_id b) const {
    SIMTFLOW_EXPECTS(b < table_.innermost.size(), "a question about a block that is not in the graph of this result");
    return loop_id{table_.innermost[b]};
  }
  /// The entry of l that comes first in RPO. \pre l is a loop of this forest, here and below. O(1).
  [[nodiscard]] constexpr block_id header(loop_id l) const { return table_.loop[checked(l)].header; }
  /// The smallest loop around l; no_loop for an outermost one. O(1).
  [[nodiscard]] constexpr loop_id parent(loop_id l) const { return loop_id{table_.loop[checked(l)].parent}; }
  /// 1 for an outermost loop.
  [[nodiscard]] constexpr std::uint32_t depth(loop_id l) const { return table_.loop[checked(l)].depth; }
  /// Number of loops that contain b. O(1).
  [[nodiscard]] constexpr std::uint32_t depth_of(block_id b) const {
    const loop_id l = innermost(b);
    return l == no_loop ? 0 : table_.loop[index_of(l)].depth;
  }
  /// True if l has two or more entries. O(1).
  [[nodiscard]] constexpr bool is_irreducible(loop_id l) const { return table_.loop[checked(l)].irreducible; }
  /// True if the graph has no irreducible loop, also of a forest of natural loops. O(1).
  [[nodiscard]] constexpr bool is_reducible() const { return reducible_; }
  /// True if every cycle passes through the header of a loop that contains it.
  [[nodiscard]] constexpr bool cuts_every_cycle() const { return reducible_ || table_.entered; }
  /// True if l contains b, perhaps in an inner loop. O(1).
  // A block in no loop has innermost loop 2^32 - 1, which no interval of loops contains.
  [[nodiscard]] constexpr bool contains(loop_id l, block_id b) const {
    return index_of(innermost(b)) - checked(l) < table_.loop[index_of(l)].nested;
  }
  /// True if inner is outer or nested in it. O(1).
  [[nodiscard]] constexpr bool is_nested(loop_id outer, loop_id inner) const {
    return checked(inner) - checked(outer) < table_.loop[index_of(outer)].nested;
  }
  /// The loops in l and l itself are l .. end_of_nested(l) - 1. O(1).
  [[nodiscard]] constexpr loop_id end_of_nested(loop_id l) const {
    return loop_id{checked(l) + table_.loop[index_of(l)].nested};
  }
  /// All blocks of l, inner loops included: the header first, the blocks of inner loops after the loop's own. O(1).
  [[nodiscard]] constexpr std::span<const block_id> blocks(loop_id l) const {
    return std::span<const block_id>(table_.order)
        .subspan(table_.loop[checked(l)].first, table_.loop[index_of(l)].size);
  }
  /// The blocks of l with an edge to its header, each once. O(1).
  [[nodiscard]] constexpr std::span<const block_id> latches(loop_id l) const {
    const std::uint32_t i = checked(l);
    return std::span<const block_id>(table_.latch)
        .subspan(table_.loop[i].first_latch, table_.loop[i + 1].first_latch - table_.loop[i].first_latch);
  }
  /// True if b is in l and has an edge from a reachable block outside, or is the graph's entry. O(1).
  [[nodiscard]] constexpr bool is_entry(loop_id l, block_id b) const {
    return header(l) == b || (table_.entered && contains(l, b) && table_.enters[b] <= table_.loop[index_of(l)].depth);
  }
  /// True if b is in l and has an edge to a block outside. O(1).
  [[nodiscard]] constexpr bool is_exiting(loop_id l, block_id b) const {
    return contains(l, b) && table_.leaves[b] <= table_.loop[index_of(l)].depth;
  }
  /// The only block outside with an edge to the header; no_block if there is none or several. O(1).
  [[nodiscard]] constexpr block_id predecessor(loop_id l) const {
    const block_id p = table_.loop[checked(l)].outside;
    return p == detail::loop_table::several ? no_block : p;
  }
  /// predecessor(l), if its edge to the header is the only edge it has; else no_block. O(1).
  [[nodiscard]] constexpr block_id preheader(loop_id l) const {
    const auto& here = table_.loop[checked(l)];
    return here.preheader ? here.outside : no_block;
  }
  /// Calls f(edge) for every edge that leaves l, sources in the order of blocks(l), slots ascending, until f returns
  /// false.
  template <class F>
  constexpr void for_each_exit(loop_id l, F f) const {
    const auto& here = table_.loop[checked(l)];
    const std::uint32_t end = table_.loop[index_of(l) + here.nested].first_exit, depth = here.depth;
    for (std::uint32_t i = here.first_exit; i < end; ++i)
      if (table_.exits[i].depth <= depth && !f(table_.exits[i].edge)) return;
  }
  /// The outermost loop, l or around it, for which `holds` is true. O(log depth).
  /// \pre `holds` is true for l, and if it is true for a loop, it is true for every loop inside.
  template <class F>
  [[nodiscard]] constexpr loop_id outermost_while(loop_id l, F holds) const {
    return loop_id{table_.outermost(checked(l), [&](std::uint32_t x) { return holds(loop_id{x}); })};
  }
  /// The outermost loop, l or around it, without `outside`. \pre l does not contain `outside`. O(log depth).
  [[nodiscard]] constexpr loop_id outermost_left(loop_id l, block_id outside) const {
    return loop_id{table_.left_by_edge(checked(l), outside)};
  }
  /// The outermost loop that contains `in` and not `out`; no_loop if there is none. O(log depth).
  [[nodiscard]] constexpr loop_id outermost_without(block_id in, block_id out) const {
    const loop_id l = innermost(in);
    return l == no_loop || contains(l, out) ? no_loop : outermost_left(l, out);
  }
  /// The reachable blocks in listed-order reverse post-order.
  [[nodiscard]] constexpr std::span<const block_id> rpo() const {
    return std::span<const block_id>(bodies_.rpo()).subspan(bodies_.entry(), num_blocks() - bodies_.entry());
  }

 private:
  [[nodiscard]] constexpr std::uint32_t checked(loop_id l) const {
    SIMTFLOW_EXPECTS(index_of(l) < table_.num_loops, "a question about a loop that is not in this forest");
    return index_of(l);
  }

  bool reducible_ = true;
  detail::loop_table table_;
  detail::loop_bodies<Shape> bodies_;  // its workspace is kept for the next computation
};

/// A basic_loop_forest of a csr_graph.
using loop_forest = basic_loop_forest<>;

}  // namespace dense
}  // namespace v0
}  // namespace simtflow
