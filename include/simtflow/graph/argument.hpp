// SPDX-License-Identifier: BSL-1.0
//
// How functions and results take a graph.
//
// A result over a graph type G keeps a pointer to the graph to speak of its vertices, so a temporary graph is refused.
// A csr_graph is its own shape: results over it keep no pointer, so a temporary is enough. This rule is stated here
// once:
//
//   function      template <graph_argument G> dominator_tree<graph_t<G>> dominators(G&& g);
//   constructor   explicit dominator_tree(graph_ref<G> g);
#pragma once

#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/traits.hpp>

#include <concepts>
#include <type_traits>

namespace simtflow {
inline namespace v0 {

/// The graph type that a deduced argument type names: without reference and const.
template <class G>
using graph_t = std::remove_cvref_t<G>;

// The compilers show two of the lines below, with their comments, when they refuse a temporary.
namespace detail {
template <class G>
concept keeps_pointer = !std::same_as<G, csr_graph>;
template <class G>
inline constexpr bool outlives_call = std::is_lvalue_reference_v<G> || !keeps_pointer<graph_t<G>>;
template <class G>
concept lasting = outlives_call<G>;  // a result keeps a pointer to the graph: give the graph a name
}  // namespace detail

/// The argument of an entry function, `G&& g`: a graph that has a name, or any csr_graph.
template <class G>
concept graph_argument = flow_graph<graph_t<G>> && detail::lasting<G>;

/// A graph that outlives the result which is made from it: the parameter type of constructors and of recompute(). It
/// converts from a graph that has a name, and from any csr_graph.
template <class G>
class graph_ref {
 public:
  constexpr graph_ref(const G& g) : graph_(&g) {}                    ///< g, without a copy
  graph_ref(const G&&) requires(detail::keeps_pointer<G>) = delete;  // a result keeps a pointer: give the graph a name
  [[nodiscard]] constexpr const G& get() const { return *graph_; }   ///< the graph
  constexpr operator const G&() const { return *graph_; }            ///< the graph

 private:
  const G* graph_;
};

}  // namespace v0
}  // namespace simtflow
