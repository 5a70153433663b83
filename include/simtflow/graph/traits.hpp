// SPDX-License-Identifier: BSL-1.0
//
// The definition of a control-flow graph: `graph_traits<G>`, the only customisation point, and the concepts on top of
// it.
//
//   vertex      the user's own name of a basic block: an integer, a pointer, a small handle
//   index       its dense number, 0 .. num_vertices - 1; numbers no vertex has ("holes") are allowed and count as
//               unreachable blocks, because nothing ever asks for them
//   edge        (source, slot): the slot-th successor of the source. Parallel edges (two slots, one target) and self
//               loops are ordinary. By convention slot 0 of a two-way branch is the taken target, slot 1 the
//               fall-through.
//   entry       where control enters; asked for only if there is a vertex
//   exit        a vertex without successors, or one that `is_exit` names (a predicated return leaves for some threads)
//
// Three ways in: ranges of ranges of integers adapt themselves (below); a callable makes a function_graph or a
// discovered_graph; a specialisation of graph_traits is for keeps:
//
//   template <> struct simtflow::graph_traits<ir::function> {
//     using vertex = ir::block*;
//     static std::size_t num_vertices(const ir::function& f)              { return f.blocks.size(); }
//     static std::size_t index(const ir::function&, vertex b)             { return b->id; }
//     static vertex      vertex_at(const ir::function& f, std::size_t i)  { return f.blocks[i].get(); }
//     static vertex      entry(const ir::function& f)                     { return f.blocks.front().get(); }
//     static const auto& successors(const ir::function&, vertex b)        { return b->succ; }
//     // optional: static bool is_exit(const ir::function&, vertex);
//     //           static ... predecessors(const ir::function&, vertex);
//   };
//
// Traits rather than CPOs or tag_invoke: they work for pointers, standard and foreign types, cannot collide with
// another library's `source` or `vertices`, and the compiler names the missing function. The price: a specialisation
// must be visible before its first use, so put it beside the class. `check_adapter<G>()` in graph/check.hpp explains
// what is missing.
#pragma once

#include <simtflow/config.hpp>

#include <concepts>
#include <cstddef>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// How a graph type G is read. Specialise it for your own graphs; see the top of this header.
template <class G>
struct graph_traits;

/// The vertex type of G.
template <class G>
using vertex_t = typename graph_traits<G>::vertex;

/// A base for the traits of graphs with block_ids as vertices and block 0 as entry: the specialisation writes
/// num_vertices and successors only.
template <class G>
struct integer_vertices {
  using vertex = block_id;                                              ///< vertices are their own indices
  static constexpr std::size_t index(const G&, vertex v) { return v; }  ///< v itself
  static constexpr vertex vertex_at(const G&, std::size_t i) { return static_cast<vertex>(i); }  ///< i itself
  static constexpr vertex entry(const G&) { return 0; }  ///< block 0; redeclare it for another entry
};

namespace detail {

// A successor range need only work in a range-for: LLVM's own successor ranges are no std::ranges::input_range.
namespace adl {
using std::begin;
using std::end;
template <class R>
constexpr auto first(R&& r) -> decltype(begin(r)) {
  return begin(r);
}
template <class R>
constexpr auto last(R&& r) -> decltype(end(r)) {
  return end(r);
}
}  // namespace adl

template <class R, class V>
concept iterable_over = requires(R&& r) {
  { adl::first(r) != adl::last(r) } -> std::convertible_to<bool>;
  { *adl::first(r) } -> std::convertible_to<V>;
};

template <class T>
concept index_integer = std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char> &&
                        !std::same_as<T, signed char> && !std::same_as<T, unsigned char> && !std::same_as<T, wchar_t> &&
                        !std::same_as<T, char8_t> && !std::same_as<T, char16_t> && !std::same_as<T, char32_t>;

template <class R>
using range_value_of = std::remove_cvref_t<decltype(*adl::first(std::declval<const R&>()))>;

template <class G>
concept adjacency_ranges = requires(const G& g, std::size_t i) {
  { g.size() } -> std::convertible_to<std::size_t>;
  requires index_integer<range_value_of<std::remove_cvref_t<decltype(g[i])>>>;
};

}  // namespace detail

/// Ranges of ranges of integers are graphs as they are: `std::vector<std::vector<int>>{{1, 2}, {3}, {3}, {}}`.
/// Vertex v is element v, its successors are the integers in it, the entry is vertex 0. Ranges of characters or of bool
/// are not taken for graphs (a vector of strings is none).
template <detail::adjacency_ranges G>
struct graph_traits<G> {
  /// The integer type of the inner ranges.
  using vertex = detail::range_value_of<std::remove_cvref_t<decltype(std::declval<const G&>()[std::size_t{}])>>;
  static constexpr std::size_t num_vertices(const G& g) { return g.size(); }  ///< one for each inner range
  static constexpr std::size_t index(const G&, vertex v) { return static_cast<std::size_t>(v); }  ///< v as a number
  static constexpr vertex vertex_at(const G&, std::size_t i) { return static_cast<vertex>(i); }   ///< i as a vertex
  static constexpr vertex entry(const G&) { return vertex{0}; }                                   ///< always 0
  /// The inner range.
  static constexpr decltype(auto) successors(const G& g, vertex v) { return g[static_cast<std::size_t>(v)]; }
};

/// A control-flow graph: graph_traits<G> names the vertex type and the five functions. The compiler can check no more
/// than that they exist; `validate(g)` checks what they return.
///
/// Semantic requirements: index(v) < num_vertices for every vertex that the entry reaches; vertex_at(index(v)) == v;
/// successors(v) gives the same vertices in the same order each time; nothing is asked of an empty graph but
/// num_vertices.
template <class G>
concept flow_graph = requires(const G& g, const vertex_t<G>& v, std::size_t i) {
  requires std::copyable<vertex_t<G>> && std::equality_comparable<vertex_t<G>>;
  { graph_traits<G>::num_vertices(g) } -> std::convertible_to<std::size_t>;
  { graph_traits<G>::index(g, v) } -> std::convertible_to<std::size_t>;
  { graph_traits<G>::vertex_at(g, i) } -> std::convertible_to<vertex_t<G>>;
  { graph_traits<G>::entry(g) } -> std::convertible_to<vertex_t<G>>;
  requires detail::iterable_over<decltype(graph_traits<G>::successors(g, v)), vertex_t<G>>;
};

/// The traits say which vertices threads may leave from although they have successors.
template <class G>
concept has_exit_predicate = flow_graph<G> && requires(const G& g, const vertex_t<G>& v) {
  { graph_traits<G>::is_exit(g, v) } -> std::convertible_to<bool>;
};

/// The traits know predecessors too. No algorithm needs this: a snapshot has them for every graph.
template <class G>
concept bidirectional_flow_graph = flow_graph<G> && requires(const G& g, const vertex_t<G>& v) {
  requires detail::iterable_over<decltype(graph_traits<G>::predecessors(g, v)), vertex_t<G>>;
};

}  // namespace v0
}  // namespace simtflow
