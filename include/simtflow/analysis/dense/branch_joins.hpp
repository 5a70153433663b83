// SPDX-License-Identifier: BSL-1.0
//
// The joins of branches in dense ids. analysis/branch_joins.hpp tells what they mean.
#pragma once

#include <simtflow/analysis/detail/iteration_graph.hpp>
#include <simtflow/analysis/detail/join_search.hpp>
#include <simtflow/graph/csr.hpp>

#include <vector>

namespace simtflow {
inline namespace v0 {

namespace dense {

/// The joins of the branches of one graph, by dense id. A question writes to a workspace.
template <class Shape = csr_graph>
class basic_branch_joins {
 public:
  /// Prepares questions about g and reuses every buffer.
  /// Complexity: near-linear in blocks and edges; O(edges) memory.
  constexpr void recompute(const Shape& g) {
    graph_.compute(g);
    graph_.make_searchable();
  }
  /// Calls found(x) for each join x of b, in no particular order. \pre b is a block of the graph.
  template <class Found>
  constexpr void for_each_of(block_id b, Found found) {
    search_.run(graph_, b);
    search_.for_each_block(graph_, b, found);
  }

 private:
  detail::iteration_graph<Shape> graph_;
  detail::join_search<Shape> search_;
};

/// Over a csr_graph.
using branch_joins = basic_branch_joins<>;

}  // namespace dense
}  // namespace v0
}  // namespace simtflow
