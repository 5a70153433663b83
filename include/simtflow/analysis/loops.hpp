// SPDX-License-Identifier: BSL-1.0
//
// The loop nesting forest, irreducible cycles included. By definition:
//
//   1. The loops of a graph are its strongly connected sets of blocks that contain an edge (a self loop is one).
//   2. An *entry* of a loop is a block of it with an edge from a reachable block outside the loop, or the graph's
//      entry. The *header* is the entry that comes first in listed-order RPO (order.hpp).
//   3. Cut the edges into the header that come from the loop; the loops of the remaining graph are the loop's children.
//
// A loop with one entry is a natural loop: its header dominates it. A loop with two or more entries is *irreducible*;
// then the forest depends on the order of successors, but the set of outermost loops does not. A graph without
// irreducible loops is *reducible*. natural_loops.hpp has the forest of natural loops alone.
//
// dense/loops.hpp says how the forest is found.
//
// Literature: R. Tarjan, Testing flow graph reducibility (1974); P. Havlak, Nesting of reducible and irreducible loops
// (1997), the source of this forest; G. Ramalingam, Identifying loops in almost linear time (1999), where edges wait at
// the lowest common ancestor of their ends, and On loops, dominators, and dominance frontiers (2002); T. Wei, J. Mao,
// W. Zou, Y. Chen, A new algorithm for identifying loops in decompilation (2007), for loops within the search.
#pragma once

#include <simtflow/analysis/analysis_result.hpp>
#include <simtflow/analysis/dense/loops.hpp>
#include <simtflow/graph/argument.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/traits.hpp>
#include <simtflow/strong_id.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// The loop nesting forest of the blocks that the entry reaches, as defined at the top of this header.
///
/// Loops are named by loop_id, blocks by vertices of G. Unreachable vertices are in no loop and make no entry. Parallel
/// edges have no effect but in exit_edges; a self loop makes a loop of one block. Edges decide which blocks are in a
/// loop and which edges leave it: threads that end in a block (is_exit) are not an exit of the loop.
template <flow_graph G = csr_graph>
class loop_forest : public analysis_result<G, dense::loop_forest> {
  using base = analysis_result<G, dense::loop_forest>;

 public:
  using typename base::range;
  using typename base::vertex;

  /// \pre check_adapter<G>(); g outlives the forest (a csr_graph need not); fewer than 2^31 - 1 blocks.
  /// Complexity: near-linear in blocks and edges (edges out of several loops at once: O(log depth) each); no recursion.
  constexpr explicit loop_forest(graph_ref<G> g) { this->compute(g); }

  /// Number of loops, inner loops included; 0 for a graph without cycles.
  [[nodiscard]] constexpr std::size_t num_loops() const { return dense_.num_loops(); }
  /// All loops, outer loops before the loops in them: `for (const loop_id l : forest.all())`.
  [[nodiscard]] constexpr id_range<loop_id> all() const { return ids_below<loop_id>(num_loops()); }
  /// The smallest loop that contains v; empty if there is none. O(1).
  [[nodiscard]] constexpr std::optional<loop_id> innermost(const vertex& v) const {
    return maybe(dense_.innermost(map_.index(v)));
  }
  /// Number of loops that contain v. O(1).
  [[nodiscard]] constexpr std::uint32_t depth_of(const vertex& v) const { return dense_.depth_of(map_.index(v)); }
  /// True if every cycle that the entry reaches has a block that dominates the others: no loop is irreducible. O(1).
  [[nodiscard]] constexpr bool is_reducible() const { return dense_.is_reducible(); }
  /// The reachable blocks in listed-order reverse post-order (see order.hpp).
  [[nodiscard]] constexpr range rpo() const& { return map_.over(dense_.rpo()); }
  range rpo() const&& = delete;

  /// True if the loop contains v, perhaps in an inner loop. O(1). \pre l is a loop of this forest, here and below
  [[nodiscard]] constexpr bool contains(loop_id l, const vertex& v) const { return dense_.contains(l, map_.index(v)); }
  /// The entry of the loop that comes first in RPO; it dominates the loop unless that is irreducible. O(1).
  [[nodiscard]] constexpr vertex header(loop_id l) const { return map_.at(dense_.header(l)); }
  /// The smallest loop around l; empty for an outermost loop. O(1).
  [[nodiscard]] constexpr std::optional<loop_id> parent(loop_id l) const { return maybe(dense_.parent(l)); }
  /// Number of loops that contain l, itself included: 1 for an outermost loop.
  [[nodiscard]] constexpr std::uint32_t depth(loop_id l) const { return dense_.depth(l); }
  /// True if the loop has two or more entries.
  [[nodiscard]] constexpr bool is_irreducible(loop_id l) const { return dense_.is_irreducible(l); }
  /// True if inner is outer or nested in it. O(1).
  [[nodiscard]] constexpr bool is_nested(loop_id outer, loop_id inner) const { return dense_.is_nested(outer, inner); }
  /// All blocks of the loop, inner loops included: the header first, the blocks of inner loops after the loop's own,
  /// the blocks of no inner loop in RPO.
  [[nodiscard]] constexpr range blocks(loop_id l) const& { return map_.over(dense_.blocks(l)); }
  range blocks(loop_id) const&& = delete;
  /// The blocks of the loop with an edge to its header, each once.
  [[nodiscard]] constexpr range latches(loop_id l) const& { return map_.over(dense_.latches(l)); }
  range latches(loop_id) const&& = delete;
  /// True if v is in the loop and has an edge from a reachable block outside it, or is the graph's entry. O(1).
  [[nodiscard]] constexpr bool is_entry(loop_id l, const vertex& v) const { return dense_.is_entry(l, map_.index(v)); }
  /// True if v is in the loop and has an edge to a block outside it. O(1).
  [[nodiscard]] constexpr bool is_exiting(loop_id l, const vertex& v) const {
    return dense_.is_exiting(l, map_.index(v));
  }
  /// The blocks for which is_entry (is_exiting) holds, in the order of blocks(l). Linear in the loop.
  [[nodiscard]] constexpr std::vector<vertex> entries(loop_id l) const {
    std::vector<vertex> found;
    for (const block_id b : dense_.blocks(l))
      if (dense_.is_entry(l, b)) found.push_back(map_.at(b));
    return found;
  }
  /// The blocks for which is_exiting holds, in the order of blocks(l). Linear in the loop.
  [[nodiscard]] constexpr std::vector<vertex> exiting_blocks(loop_id l) const {
    std::vector<vertex> found;
    for (const block_id b : dense_.blocks(l))
      if (dense_.is_exiting(l, b)) found.push_back(map_.at(b));
    return found;
  }
  /// The edges that leave the loop, parallel edges included, sources in the order of blocks(l), slots ascending. Linear
  /// in the edges that leave it or a loop in it.
  [[nodiscard]] constexpr std::vector<loop_exit<vertex>> exit_edges(loop_id l) const {
    std::vector<loop_exit<vertex>> found;
    dense_.for_each_exit(l, [&](const loop_exit<block_id>& e) {
      found.push_back({map_.at(e.from), e.slot, map_.at(e.to)});
      return true;
    });
    return found;
  }

  /// The only latch; empty if there are several.
  [[nodiscard]] constexpr std::optional<vertex> latch(loop_id l) const {
    const std::span<const block_id> all = dense_.latches(l);
    return map_.maybe(all.size() == 1 ? all[0] : no_block);
  }
  /// The only block outside with an edge to the header; empty if there is no such block or several. O(1). For an
  /// irreducible loop this says nothing about its other entries.
  [[nodiscard]] constexpr std::optional<vertex> predecessor(loop_id l) const {
    return map_.maybe(dense_.predecessor(l));
  }
  /// predecessor(l), if its edge to the header is the only edge it has: code put there runs when the loop is entered by
  /// its header, and at no other time. O(1).
  [[nodiscard]] constexpr std::optional<vertex> preheader(loop_id l) const { return map_.maybe(dense_.preheader(l)); }
  /// The only block of the loop with an edge that leaves it; empty if there is no such block or several.
  [[nodiscard]] constexpr std::optional<vertex> exiting_block(loop_id l) const {
    return map_.maybe(only(l, [](const loop_exit<block_id>& e) { return e.from; }));
  }
  /// The only block outside to which edges lead from the loop; empty if there is no such block or several.
  [[nodiscard]] constexpr std::optional<vertex> exit_block(loop_id l) const {
    return map_.maybe(only(l, [](const loop_exit<block_id>& e) { return e.to; }));
  }

 protected:
  using base::map_, base::dense_;
  constexpr loop_forest() = default;  ///< for forests by another definition, which fill dense_ themselves

 private:
  static constexpr std::optional<loop_id> maybe(loop_id l) {
    if (l == no_loop) return std::nullopt;
    return l;
  }
  template <class F>
  constexpr block_id only(loop_id l, F end_of) const {
    block_id found = no_block;
    bool several = false;
    dense_.for_each_exit(l, [&](const loop_exit<block_id>& e) {
      several = found != no_block && found != end_of(e);
      found = end_of(e);
      return !several;
    });
    return several ? no_block : found;
  }
};

/// `loop_forest result(g)`.
template <flow_graph G>
explicit loop_forest(const G&) -> loop_forest<G>;

/// The loop nesting forest of g.
/// Irreducible loops are in it, with all their entries. A graph without cycles, or without blocks, has no loops.
/// Complexity: close to linear in blocks and edges; no recursion.
/// \pre check_adapter<G>() holds; g outlives the result (a csr_graph need not).
/// Errors: a successor with an index out of range is a contract violation; validate(g) names such an edge beforehand.
/// \snippet reference_test.cpp loops
template <graph_argument G>
[[nodiscard]] constexpr loop_forest<graph_t<G>> loops(G&& g) {
  return loop_forest<graph_t<G>>(g);
}

}  // namespace v0
}  // namespace simtflow
