// SPDX-License-Identifier: BSL-1.0
//
// The shape of any flow_graph as a csr_graph: `snapshot(g)` copies it; pass the copy to many algorithms to copy only
// once. It visits only vertices that the entry reaches: holes and unreachable vertices become blocks without edges.
//
// Two ways to a shape: snapshot(g) makes a csr_graph for the caller, detail::kept_shape<G> is the buffer that a result
// keeps.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/traits.hpp>

#include <cstddef>
#include <vector>

namespace simtflow {
inline namespace v0 {

namespace detail {

/// Takes one snapshot after the other in the same memory: once it has seen graphs of a size, it allocates no more.
template <class G>
class snapshot_buffer {
 public:
  /// The shape of g as seen from root; good until the next call.
  constexpr const csr_graph& take(const G& g, const vertex_t<G>& root) {
    using traits = graph_traits<G>;
    const std::size_t n = static_cast<std::size_t>(traits::num_vertices(g));
    const std::size_t start = static_cast<std::size_t>(traits::index(g, root));
    SIMTFLOW_EXPECTS(n < no_block, "a graph has fewer than 2^32 - 1 blocks");
    SIMTFLOW_EXPECTS(start < n, "the root is a vertex of the graph");
    shape_.entry_ = static_cast<block_id>(start);
    shape_.exit_.assign((n + 31) / 32, 0);
    shape_.out_.assign(n + 1, 0);
    first_.assign(n, not_seen);
    found_.clear();
    work_.clear();
    work_.push_back(root);  // vertices, not ids: vertex_at may cost more than a copy
    first_[start] = 0;
    std::size_t reached = 0;
    while (!work_.empty()) {
      const vertex_t<G> v = work_.back();
      work_.pop_back();
      ++reached;
      const block_id b = static_cast<block_id>(traits::index(g, v));
      if constexpr (has_exit_predicate<G>)
        if (traits::is_exit(g, v)) shape_.exit_[b / 32] |= 1U << (b % 32);
      first_[b] = static_cast<edge_id>(found_.size());
      auto&& out = traits::successors(g, v);
      for (auto&& s : out) {
        const vertex_t<G> to = static_cast<vertex_t<G>>(s);
        const std::size_t i = static_cast<std::size_t>(traits::index(g, to));
        SIMTFLOW_EXPECTS(i < n, "a successor's index is below num_vertices (validate(g) names the edge)");
        found_.push_back(static_cast<block_id>(i));
        if (first_[i] == not_seen) {
          first_[i] = 0;
          work_.push_back(to);
        }
      }
      SIMTFLOW_EXPECTS(found_.size() < no_block, "a graph has fewer than 2^32 - 1 edges");
      shape_.out_[b + 1] = static_cast<edge_id>(found_.size()) - first_[b];
    }
    shape_.target_.assign(found_.size(), no_block);
    for (std::size_t b = 0; b < n; ++b) {  // from the order of discovery to the order of ids
      const edge_id begin = shape_.out_[b], count = shape_.out_[b + 1];
      for (edge_id k = 0; k < count; ++k) shape_.target_[begin + k] = found_[first_[b] + k];
      shape_.out_[b + 1] = begin + count;
    }
    shape_.complete();
    shape_.all_reachable_ = reached == n;
    return shape_;
  }
  constexpr const csr_graph& take(const G& g) {
    if (static_cast<std::size_t>(graph_traits<G>::num_vertices(g)) != 0) return take(g, graph_traits<G>::entry(g));
    shape_.entry_ = no_block;
    shape_.all_reachable_ = true;
    shape_.exit_.clear();
    for (std::vector<block_id>* rows : {&shape_.out_, &shape_.target_, &shape_.in_, &shape_.source_, &shape_.exits_})
      rows->clear();
    return shape_;
  }
  /// The last snapshot, handed over.
  [[nodiscard]] constexpr csr_graph release() { return static_cast<csr_graph&&>(shape_); }

 private:
  static constexpr edge_id not_seen = 0xFFFF'FFFFU;

  csr_graph shape_;
  std::vector<edge_id> first_;   // by block: where its successors begin in found_
  std::vector<block_id> found_;  // successors in the order of discovery
  std::vector<vertex_t<G>> work_;
};

/// The shape that an algorithm runs on: a csr_graph is its own shape; any other graph is copied into one buffer, which
/// the next graph reuses.
template <class G>
class kept_shape {
 public:
  /// Good until the next call, and while this object (and a csr_graph g itself) lives.
  constexpr const csr_graph& of(const G& g) { return buffer_.take(g); }
  /// Computes a dense result for g.
  template <class Dense, class... More>
  constexpr void recompute(Dense& dense, const G& g, const More&... more) {
    dense.recompute(of(g), more...);
  }

 private:
  snapshot_buffer<G> buffer_;
};
template <>
class kept_shape<csr_graph> {
 public:
  constexpr const csr_graph& of(const csr_graph& g) { return g; }
  template <class Dense, class... More>
  constexpr void recompute(Dense& dense, const csr_graph& g, const More&... more) {
    dense.recompute(g, more...);
  }
};

}  // namespace detail

/// The shape of g as seen from `root`: block i is vertex_at(g, i), the entry is the root, blocks that the root does not
/// reach have no edges and are exits of nothing that runs.
/// \pre check_adapter<G>() holds and every index is in range (validate(g) tells), root is a vertex of g.
/// Complexity: O(num_vertices + reachable edges) time and space. No recursion.
template <flow_graph G>
[[nodiscard]] constexpr csr_graph snapshot(const G& g, const vertex_t<G>& root) {
  detail::snapshot_buffer<G> buffer;
  (void)buffer.take(g, root);
  return buffer.release();
}

/// The shape of g as seen from its entry. An empty graph gives an empty snapshot.
/// The snapshot keeps no reference to g. Complexity: O(num_vertices + reachable edges) time and space; no recursion.
/// \pre check_adapter<G>() holds; fewer than 2^32 - 1 vertices and edges.
/// Errors: an entry or a successor with an index out of range is a contract violation; validate(g) names such an edge
/// beforehand.
/// \snippet reference_test.cpp snapshot
template <flow_graph G>
[[nodiscard]] constexpr csr_graph snapshot(const G& g) {
  detail::snapshot_buffer<G> buffer;
  (void)buffer.take(g);
  return buffer.release();
}

}  // namespace v0
}  // namespace simtflow
