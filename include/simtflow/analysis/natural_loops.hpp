// SPDX-License-Identifier: BSL-1.0
//
// The forest of natural loops, for those who think in them (LLVM's LoopInfo). By definition:
//
//   back edge      an edge p -> h whose target dominates its source
//   natural loop   of a header h with back edges: h and every block that reaches the source of one of them without
//                  passing through h. One loop for each header: back edges to one header make one loop
//
// Two natural loops are disjoint or nested, so they form a forest. How it relates to the loop nesting forest
// (loops.hpp): in a reducible graph the two are the same. In an irreducible graph, every reducible loop of the nesting
// forest is a natural loop; an irreducible one is none, but its header may have back edges among its retreating ones,
// and their natural loop is a part of it. There are no other natural loops; cycles without a dominating block are in
// none.
//
// Literature: A. Aho, M. Lam, R. Sethi, J. Ullman, Compilers (2007), section 9.6; M. Hecht, J. Ullman,
// Characterizations of reducible flow graphs (1974).
#pragma once

#include <simtflow/analysis/dominators.hpp>
#include <simtflow/analysis/loops.hpp>
#include <simtflow/analysis/vertex_map.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/traits.hpp>

namespace simtflow {
inline namespace v0 {

/// The natural loops of the blocks that the entry reaches: a loop_forest in every question, with loops that have one
/// entry each, the header. No loop is_irreducible; is_reducible() speaks of the graph, and if it is false there are
/// cycles that no loop here accounts for. latches(l) are the sources of the back edges.
template <flow_graph G = csr_graph>
class natural_loop_forest : public loop_forest<G> {
 public:
  /// \pre check_adapter<G>(); g outlives the forest (a csr_graph need not).
  /// Complexity: that of loop_forest; on irreducible graphs that of dominator_tree as well.
  constexpr explicit natural_loop_forest(const G& g) : loop_forest<G>(g, typename loop_forest<G>::later{}) {
    recompute(g);
  }
  natural_loop_forest(const G&&) requires detail::keeps_pointer<G>
  = delete;

  /// Computes the forest of g (the same graph, changed, or another), reusing every buffer.
  constexpr void recompute(const G& g) { this->start(g).compute_natural(snapshot_.of(g), dominators_); }
  void recompute(const G&&) requires detail::keeps_pointer<G>
  = delete;

 private:
  detail::kept_shape<G> snapshot_;
  detail::dominator_index<> dominators_;  // workspace
};

/// The natural loops of g.
template <flow_graph G>
[[nodiscard]] constexpr natural_loop_forest<G> natural_loops(const G& g) {
  return natural_loop_forest<G>(g);
}
template <detail::keeps_pointer G>
natural_loop_forest<G> natural_loops(const G&&) = delete;

}  // namespace v0
}  // namespace simtflow
