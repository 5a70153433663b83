// SPDX-License-Identifier: BSL-1.0
//
// Strongly connected components. Two blocks are in one component if each reaches the other; every reachable block is in
// exactly one. A component is *trivial* if it is a single block without an edge to itself: no cycle passes through it.
// It is *terminal* if no edge leaves it. Components contracted to points make an acyclic graph, the condensation; they
// are numbered in a topological order of it.
//
// Construction: one depth-first search in which every block learns the first open block it reaches; what is left over
// on a second stack when that is the block itself is its component.
//
// Literature: R. Tarjan, Depth-first search and linear graph algorithms (1972); E. Nuutila, E. Soisalon-Soininen, On
// finding the strongly connected components in a directed graph (1994), for leaving trivial components off the second
// stack; D. Pearce, A space-efficient algorithm for finding strongly connected components (2016), for the one number
// per block.
#pragma once

#include <simtflow/analysis/analysis_result.hpp>
#include <simtflow/analysis/dense/components.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/argument.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/snapshot.hpp>
#include <simtflow/graph/traits.hpp>
#include <simtflow/strong_id.hpp>

#include <cstddef>
#include <optional>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// The strongly connected components of the blocks that the entry reaches.
///
/// Unreachable vertices are in no component, and their edges have no effect. Parallel edges have none either; a self
/// loop makes its component cyclic. Edges decide what is terminal: threads that end in a block (is_exit) are not an
/// edge.
template <flow_graph G = csr_graph>
class strong_components : public analysis_result<G, dense::strong_components> {
  using base = analysis_result<G, dense::strong_components>;
  using base::map_, base::dense_;

 public:
  using typename base::range;
  using typename base::vertex;

  /// \pre check_adapter<G>(); g outlives the result (a csr_graph need not).
  /// Complexity: O(blocks + edges) time and space, no recursion.
  constexpr explicit strong_components(graph_ref<G> g) { this->compute(g); }

  /// 0 only for an empty graph.
  [[nodiscard]] constexpr std::size_t num_components() const { return dense_.num_components(); }
  /// All components, in topological order: `for (const component_id c : components.all())`.
  [[nodiscard]] constexpr id_range<component_id> all() const { return dense_.all(); }
  /// The component of v; empty for unreachable v. O(1).
  [[nodiscard]] constexpr std::optional<component_id> component_of(const vertex& v) const {
    const component_id c = dense_.component_of(map_.index(v));
    if (c == no_component) return std::nullopt;
    return c;
  }
  /// Each reaches the other. False if either is unreachable. O(1).
  [[nodiscard]] constexpr bool are_connected(const vertex& a, const vertex& b) const {
    const component_id c = dense_.component_of(map_.index(a));
    return c != no_component && c == dense_.component_of(map_.index(b));
  }
  /// All reachable vertices, component by component in topological order.
  [[nodiscard]] constexpr range order() const& { return map_.over(dense_.order()); }
  range order() const&& = delete;

  /// The vertices of c, at least one, in listed-order RPO (order.hpp): the one where the depth-first search comes in is
  /// the first. \pre c is one of all(), here and below
  [[nodiscard]] constexpr range blocks(component_id c) const& { return map_.over(dense_.blocks(c)); }
  range blocks(component_id) const&& = delete;
  /// Some edge stays in the component. O(1).
  [[nodiscard]] constexpr bool has_cycle(component_id c) const { return dense_.has_cycle(c); }
  /// One vertex without an edge to itself. O(1).
  [[nodiscard]] constexpr bool is_trivial(component_id c) const { return !dense_.has_cycle(c); }
  /// No edge leaves the component. O(1).
  [[nodiscard]] constexpr bool is_terminal(component_id c) const { return dense_.is_terminal(c); }
};

/// `strong_components result(g)`.
template <flow_graph G>
explicit strong_components(const G&) -> strong_components<G>;

/// The strongly connected components of g.
/// Blocks that the entry does not reach are in no component; an empty graph has none. Complexity: O(blocks + edges); no
/// recursion.
/// \pre check_adapter<G>() holds; g outlives the result (a csr_graph need not).
/// Errors: a successor with an index out of range is a contract violation; validate(g) names such an edge beforehand.
/// \snippet reference_test.cpp strongly_connected_components
template <graph_argument G>
[[nodiscard]] constexpr strong_components<graph_t<G>> strongly_connected_components(G&& g) {
  return strong_components<graph_t<G>>(g);
}

/// The condensation of g: block c is component c, the entry is block 0, and for every edge of g from one component to
/// another there is one edge, parallel ones merged. A component with an exit of g is an exit.
/// \pre `components` are of g. Complexity: O(blocks + edges).
template <flow_graph G>
[[nodiscard]] constexpr csr_graph condensation(const G& g, const strong_components<G>& components) {
  const auto& index = components.ids();
  SIMTFLOW_EXPECTS(index.num_blocks() == static_cast<std::size_t>(graph_traits<G>::num_vertices(g)),
                   "the components are of this graph");
  detail::kept_shape<G> buffer;
  const csr_graph& shape = buffer.of(g);
  csr_builder builder(index.num_components());
  std::vector<component_id> last;  // by component: the last one with an edge to it
  last.assign(index.num_components(), no_component);
  for (const component_id c : index.all())
    for (const block_id b : index.blocks(c)) {
      if (shape.is_exit(b)) builder.mark_exit(index_of(c));
      for (const block_id s : shape.successors(b)) {
        const component_id to = index.component_of(s);
        if (to == c || last[index_of(to)] == c) continue;
        last[index_of(to)] = c;
        builder.add_edge(index_of(c), index_of(to));
      }
    }
  return builder.build();
}

}  // namespace v0
}  // namespace simtflow
