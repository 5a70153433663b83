// SPDX-License-Identifier: BSL-1.0
//
// Joins of branches.
#pragma once

#include <simtflow/analysis/detail/iteration_graph.hpp>
#include <simtflow/analysis/detail/join_search.hpp>
#include <simtflow/analysis/vertex_map.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/traits.hpp>

#include <vector>

namespace simtflow {
inline namespace v0 {

/// The joins of branches: the blocks at which threads that have diverged at a branch can come together again, as
/// defined at the top of this header.
template <flow_graph G = csr_graph>
class branch_joins {
 public:
  using vertex = vertex_t<G>;  ///< the graph's own vertex type

  /// \pre check_adapter<G>(); g outlives the object. Complexity: near-linear in blocks and edges; an edge that leaves
  /// several loops counts for each of them, but edges of one loop to one block count once together. O(edges) memory.
  constexpr explicit branch_joins(const G& g) : map_(g) { recompute(g); }
  branch_joins(const G&&) requires detail::keeps_pointer<G>
  = delete;

  /// Another graph, or this one changed; reuses every buffer.
  constexpr void recompute(const G& g) {
    map_ = detail::vertex_map<G>(g);
    laps_.compute(buffer_.of(g));
    laps_.make_searchable();
  }
  void recompute(const G&&) requires detail::keeps_pointer<G>
  = delete;
  /// The joins of b, in no particular order: none if b is unreachable or has fewer than two different successors.
  /// Complexity: the dominance frontiers of its successors and joins, times a logarithm. A branch can have as many
  /// joins as there are blocks, so the joins of all branches together can be quadratic.
  [[nodiscard]] constexpr std::vector<vertex> of(const vertex& b) {
    std::vector<vertex> found;
    search_.run(laps_, map_.index(b));
    search_.for_each_block(laps_, map_.index(b), [&](block_id x) { found.push_back(map_.at(x)); });
    return found;
  }

 private:
  detail::vertex_map<G> map_;
  detail::kept_shape<G> buffer_;
  detail::lap_index<> laps_;
  detail::join_search<> search_;
};

}  // namespace v0
}  // namespace simtflow
