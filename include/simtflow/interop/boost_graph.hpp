// SPDX-License-Identifier: BSL-1.0
//
// Boost.Graph graphs as control-flow graphs: include this header, and every graph type of that library with an internal
// vertex_index property is a flow_graph as it is. This is the only header of simtflow that includes Boost.
//
//   adjacency_list (with listS vertices: give it a vertex_index property and number the vertices), adjacency_matrix,
//   compressed_sparse_row_graph, reverse_graph, filtered_graph (with default-constructible, assignable predicates)
//
// The slots of a vertex are its out-edges in the order of out_edges; predecessors come from in_edges where the graph
// has them. The entry is the first vertex; hand another root to snapshot(g, root). A filtered graph keeps the indices
// of the graph below it: what the filter hides are holes.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/graph/snapshot.hpp>
#include <simtflow/graph/traits.hpp>

#include <boost/graph/graph_traits.hpp>
#include <boost/graph/properties.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace boost {
// Declared here so that their headers need not be included.
template <typename Graph, typename EdgePredicate, typename VertexPredicate>
class filtered_graph;
template <class BidirectionalGraph, class GraphReference>
class reverse_graph;
}  // namespace boost

namespace simtflow {
inline namespace v0 {
namespace detail {

// boost::graph_traits<G> is a hard error for types that are no graphs, hence the first line of the first concept;
// get(vertex_index) is one for listS vertices without that property, hence the second concept.
template <class G>
concept boost_graph_type = requires {
  typename G::traversal_category;
  typename boost::graph_traits<G>::vertex_descriptor;
  typename boost::graph_traits<G>::edge_descriptor;
};

template <class G>
concept boost_indexed_graph = boost_graph_type<G> &&
    (std::integral<typename boost::graph_traits<G>::vertex_descriptor> ||
     boost::lookup_one_property<typename boost::vertex_property_type<G>::type, boost::vertex_index_t>::found);

template <class G>
concept boost_graph = boost_indexed_graph<G> &&
    requires(const G& g, const typename boost::graph_traits<G>::vertex_descriptor& v,
             const typename boost::graph_traits<G>::edge_descriptor& e) {
  { num_vertices(g) } -> std::convertible_to<std::size_t>;
  { vertices(g).first != vertices(g).second } -> std::convertible_to<bool>;
  { out_edges(v, g).first != out_edges(v, g).second } -> std::convertible_to<bool>;
  { target(e, g) } -> std::convertible_to<typename boost::graph_traits<G>::vertex_descriptor>;
  { get(boost::vertex_index, g, v) } -> std::convertible_to<std::size_t>;
};

template <class G>
concept boost_bidirectional_graph = boost_graph<G> &&
    std::convertible_to<typename boost::graph_traits<G>::traversal_category, boost::bidirectional_graph_tag>;

/// The other ends of a range of edges. Refers to the graph.
template <class G, class EdgeIterator, bool Forward>
class boost_neighbours {
 public:
  using vertex = typename boost::graph_traits<G>::vertex_descriptor;

  class iterator {
   public:
    iterator(const G* g, EdgeIterator at) : graph_(g), at_(at) {}
    vertex operator*() const {
      if constexpr (Forward)
        return target(*at_, *graph_);
      else
        return source(*at_, *graph_);
    }
    iterator& operator++() {
      ++at_;
      return *this;
    }
    friend bool operator==(const iterator& a, const iterator& b) { return a.at_ == b.at_; }

   private:
    const G* graph_;
    EdgeIterator at_;
  };

  boost_neighbours(const G& g, const std::pair<EdgeIterator, EdgeIterator>& edges) : graph_(&g), edges_(edges) {}
  [[nodiscard]] iterator begin() const { return {graph_, edges_.first}; }
  [[nodiscard]] iterator end() const { return {graph_, edges_.second}; }

 private:
  const G* graph_;
  std::pair<EdgeIterator, EdgeIterator> edges_;
};

// Versions of Boost differ in whether a filtered graph counts hidden vertices; indices are the indices of the graph
// below.
template <class G>
struct boost_index_bound {
  static std::size_t of(const G& g) { return static_cast<std::size_t>(num_vertices(g)); }
};
template <class G, class E, class V>
struct boost_index_bound<boost::filtered_graph<G, E, V>> {
  static std::size_t of(const boost::filtered_graph<G, E, V>& g) {
    const auto visible = vertices(g);
    return visible.first == visible.second ? 0 : boost_index_bound<G>::of(g.m_g);
  }
};
template <class G, class R>
struct boost_index_bound<boost::reverse_graph<G, R>> {
  static std::size_t of(const boost::reverse_graph<G, R>& g) { return boost_index_bound<G>::of(g.m_g); }
};

template <class G>
struct boost_traits {
  using vertex = typename boost::graph_traits<G>::vertex_descriptor;
  static std::size_t num_vertices(const G& g) { return boost_index_bound<G>::of(g); }
  static std::size_t index(const G& g, const vertex& v) {
    return static_cast<std::size_t>(get(boost::vertex_index, g, v));
  }
  /// O(1) where descriptors are indices; a search where they are not (listS). Algorithms ask only to name results.
  static vertex vertex_at(const G& g, std::size_t i) {
    if constexpr (std::is_integral_v<vertex>) {
      return static_cast<vertex>(i);
    } else {
      auto all = vertices(g);
      while (all.first != all.second && index(g, *all.first) != i) ++all.first;
      SIMTFLOW_EXPECTS(all.first != all.second, "no vertex of the Boost graph has this vertex_index");
      return *all.first;
    }
  }
  static vertex entry(const G& g) { return *vertices(g).first; }
  static auto successors(const G& g, const vertex& v) {
    return boost_neighbours<G, typename boost::graph_traits<G>::out_edge_iterator, true>(g, out_edges(v, g));
  }
};

}  // namespace detail

/// A Boost graph with vertex_index is a flow_graph; its entry is its first vertex.
template <detail::boost_graph G>
struct graph_traits<G> : detail::boost_traits<G> {};

/// The same for graphs that know their edges backwards.
template <detail::boost_bidirectional_graph G>
struct graph_traits<G> : detail::boost_traits<G> {
  using typename detail::boost_traits<G>::vertex;
  /// Sources of the edges into v. O(1) to make.
  static auto predecessors(const G& g, const vertex& v) {
    return detail::boost_neighbours<G, typename boost::graph_traits<G>::in_edge_iterator, false>(g, in_edges(v, g));
  }
};

}  // namespace v0
}  // namespace simtflow
