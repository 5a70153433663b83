// SPDX-License-Identifier: BSL-1.0
//
// The forest of natural loops (LLVM's LoopInfo). By definition:
//
//   back edge      an edge p -> h with a target h that dominates its source p
//   natural loop   of a header h with back edges: h and every block that reaches the source of such a back edge without
//                  passing through h. There is one loop for each header: back edges to one header make one loop
//
// Two natural loops are disjoint or nested, so they form a forest. How it relates to the loop nesting forest
// (loops.hpp): in a reducible graph the two are the same. In an irreducible graph, every reducible loop of the nesting
// forest is a natural loop; an irreducible loop is no natural loop. But its header may have back edges among its
// retreating edges, and their natural loop is a part of it. There are no other natural loops; cycles without a
// dominating block are in no natural loop.
//
// Literature: A. Aho, M. Lam, R. Sethi, J. Ullman, Compilers (2007), section 9.6; M. Hecht, J. Ullman,
// Characterizations of reducible flow graphs (1974).
#pragma once

#include <simtflow/analysis/dense/dominators.hpp>
#include <simtflow/analysis/loops.hpp>
#include <simtflow/analysis/vertex_map.hpp>
#include <simtflow/graph/argument.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/traits.hpp>

namespace simtflow {
inline namespace v0 {

/// The natural loops of the blocks that the entry reaches: a loop_forest in every question. Every loop has one entry,
/// the header, so no loop is_irreducible. is_reducible() tells about the graph; if it is false, there are cycles that
/// are in no loop here. latches(l) are the sources of the back edges.
template <flow_graph G = csr_graph>
class natural_loop_forest : public loop_forest<G> {
 public:
  /// \pre check_adapter<G>(); g outlives the forest (a csr_graph need not).
  /// Complexity: as for loop_forest; on irreducible graphs also as for dominator_tree.
  constexpr explicit natural_loop_forest(graph_ref<G> g) { recompute(g); }

  /// Computes the forest of g (the same graph, changed, or another) and reuses every buffer.
  constexpr void recompute(graph_ref<G> g) {
    this->map_ = detail::vertex_map<G>(g.get());
    this->dense_.recompute_natural(this->shape_.of(g.get()), dominators_);
  }

 private:
  dense::dominator_tree dominators_;  // workspace
};

/// `natural_loop_forest result(g)`.
template <flow_graph G>
explicit natural_loop_forest(const G&) -> natural_loop_forest<G>;

/// The natural loops of g.
template <graph_argument G>
[[nodiscard]] constexpr natural_loop_forest<graph_t<G>> natural_loops(G&& g) {
  return natural_loop_forest<graph_t<G>>(g);
}

}  // namespace v0
}  // namespace simtflow
