// SPDX-License-Identifier: BSL-1.0
//
// The common part of all analysis results: the user's graph, its shape, and the answers in dense ids. A result has two
// faces:
//
//   vertices in, vertices out    simtflow::dominator_tree<G>: absence is an empty optional
//   dense ids in and out         simtflow::dense::dominator_tree, what ids() returns: absence is no_block, no_loop ...
//
// A new analysis X is a class dense::X with recompute(const csr_graph&, options...) in analysis/dense/, and
//
//   template <flow_graph G = csr_graph>
//   class X : public analysis_result<G, dense::X> {
//     using base = analysis_result<G, dense::X>;
//     using base::map_, base::dense_;
//
//    public:
//     using typename base::vertex;
//     constexpr explicit X(graph_ref<G> g) { this->compute(g); }
//     [[nodiscard]] constexpr std::optional<vertex> parent(const vertex& v) const {
//       return map_.maybe(dense_.parent(map_.index(v)));
//     }
//   };
//   template <flow_graph G>
//   explicit X(const G&) -> X<G>;
//   template <graph_argument G>
//   [[nodiscard]] constexpr X<graph_t<G>> xs(G&& g) {
//     return X<graph_t<G>>(g);
//   }
//
// A result with options declares a recompute(graph_ref<G> g, options) of its own that calls compute(g, options). Dense
// classes are templates (basic_X<Shape>, with dense::X for a csr_graph) so that only what is used is compiled.
#pragma once

#include <simtflow/analysis/vertex_map.hpp>
#include <simtflow/graph/argument.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/snapshot.hpp>
#include <simtflow/graph/traits.hpp>

namespace simtflow {
inline namespace v0 {

/// The base of the results of analyses over a graph type G; Dense holds the answers in dense ids. Const questions never
/// write unless the class says so, so a result may be shared between threads. A result over a csr_graph keeps no
/// pointer to it; any other graph must outlive the result.
template <flow_graph G, class Dense, class Shape = detail::kept_shape<G>>
class analysis_result {
 public:
  using vertex = vertex_t<G>;                           ///< the graph's own vertex type
  using range = typename detail::vertex_map<G>::range;  ///< vertex_range<G>; for a csr_graph a span of block ids

  /// Computes the result for g (the same graph, changed, or another) and reuses every buffer. Complexity: as for the
  /// constructor.
  constexpr void recompute(graph_ref<G> g) { compute(g); }

  /// The same result in dense ids.
  [[nodiscard]] constexpr const Dense& ids() const& { return dense_; }
  const Dense& ids() const&& = delete;

 protected:
  constexpr analysis_result() = default;  ///< of no graph: compute() follows

  /// Points at g and computes the answers from its shape and `more`.
  template <class... More>
  constexpr void compute(graph_ref<G> g, const More&... more) {
    map_ = detail::vertex_map<G>(g.get());
    shape_.recompute(dense_, g.get(), more...);
  }

  detail::vertex_map<G> map_;  ///< from vertices to dense ids and back
  Shape shape_;                ///< buffers for the shape of the graph
  Dense dense_;                ///< the answers
};

}  // namespace v0
}  // namespace simtflow
