// SPDX-License-Identifier: BSL-1.0
//
// Joins of branches: the blocks at which threads that have diverged at a branch can come together again in one
// iteration of the loops around the branch. Uniformity (uniformity.hpp) asks for them: the value of a phi at a join
// depends on the edges that the threads took.
//
// Threads that have diverged at a branch are in the same iteration of the loops around it until one of them reaches a
// header: there it waits for the threads that stay in the loop, and then they may leave the loop by any exit. So all
// joins are found in an acyclic graph, the *iteration graph*. Each loop has a further node, its *iteration end*; edges
// from the loop to its header lead to the iteration end instead, and the iteration end leads to the targets of the
// loop's exits. A join of branch b is a node with two paths from different successors of b that have no other node in
// common. A join at an iteration end is a join at the header.
//
// Paths and dominance: let S be the successors of b. Labels start there and travel from a node to the members of its
// dominance frontier; a node at which two labels meet is a join and becomes a label itself. That is the construction of
// SSA form for a variable that every successor of b assigns. Nodes that only one label can reach need no look.
//
// Literature: R. Cytron et al., Efficiently computing static single assignment form and the control dependence graph
// (1991); J. Rosemann, S. Moll, S. Hack, An abstract interpretation for SPMD divergence on reducible control flow
// graphs (2021).
#pragma once

#include <simtflow/analysis/analysis_result.hpp>
#include <simtflow/analysis/dense/branch_joins.hpp>
#include <simtflow/graph/argument.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/traits.hpp>

#include <vector>

namespace simtflow {
inline namespace v0 {

/// The joins of branches, as defined at the top of this header. A question writes to a workspace: use one object per
/// thread.
template <flow_graph G = csr_graph>
class branch_joins : public analysis_result<G, dense::branch_joins> {
  using base = analysis_result<G, dense::branch_joins>;
  using base::map_, base::dense_;

 public:
  using typename base::vertex;

  /// \pre check_adapter<G>(); g outlives the object (a csr_graph need not). Complexity: near-linear in blocks and
  /// edges; an edge that leaves several loops counts for each of them, but edges of one loop to one block count once
  /// together. O(edges) memory.
  constexpr explicit branch_joins(graph_ref<G> g) { this->compute(g); }

  /// The joins of b, in no particular order: none if b is unreachable or has fewer than two different successors.
  /// Complexity: the dominance frontiers of its successors and joins, times a logarithm. A branch can have as many
  /// joins as there are blocks, so the joins of all branches together can be quadratic.
  [[nodiscard]] constexpr std::vector<vertex> of(const vertex& b) {
    std::vector<vertex> found;
    dense_.for_each_of(map_.index(b), [&](block_id x) { found.push_back(map_.at(x)); });
    return found;
  }
};

/// `branch_joins joins(g)`.
template <flow_graph G>
explicit branch_joins(const G&) -> branch_joins<G>;

}  // namespace v0
}  // namespace simtflow
