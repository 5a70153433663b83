// SPDX-License-Identifier: BSL-1.0
//
// A graph that a search walks as it is, without a snapshot.
#pragma once

#include <simtflow/analysis/detail/semi_nca.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/snapshot.hpp>
#include <simtflow/graph/traits.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace detail {

// True if iterators of successor ranges stay valid during a search: then the search walks the graph itself.
template <class G>
concept steady_successors = requires(const G& g, const vertex_t<G>& v) {
  requires std::is_lvalue_reference_v<decltype(graph_traits<G>::successors(g, v))> ||
      std::ranges::enable_borrowed_range<std::remove_cvref_t<decltype(graph_traits<G>::successors(g, v))>>;
};

template <class G>
struct graph_view {
  using traits = graph_traits<G>;
  using handle = vertex_t<G>;
  using cursor =
      std::remove_cvref_t<decltype(adl::first(traits::successors(std::declval<const G&>(), std::declval<handle>())))>;
  const G* graph;
  std::size_t num_blocks;
  constexpr block_id index(const handle& v) const {
    const std::size_t i = static_cast<std::size_t>(traits::index(*graph, v));
    SIMTFLOW_EXPECTS(i < num_blocks, "a successor's index is below num_vertices (validate(g) names the edge)");
    return static_cast<block_id>(i);
  }
  constexpr cursor first(const handle& v) const { return adl::first(traits::successors(*graph, v)); }
  constexpr cursor last(const handle& v) const { return adl::last(traits::successors(*graph, v)); }
};

// Recomputes a dense result for a graph of type G, by a walk over the graph itself where its successor ranges allow
// that; keeps what the next time needs.
template <class G>
class walked_graph : public kept_shape<G> {};
template <steady_successors G>
  requires(!std::same_as<G, csr_graph>)
class walked_graph<G> {
 public:
  template <class Dense>
  constexpr void recompute(Dense& dense, const G& g) {
    using traits = graph_traits<G>;
    const graph_view<G> view{&g, static_cast<std::size_t>(traits::num_vertices(g))};
    if (view.num_blocks == 0) return dense.clear();
    SIMTFLOW_EXPECTS(view.num_blocks < no_block, "a graph has fewer than 2^32 - 1 blocks");
    const vertex_t<G> entry = static_cast<vertex_t<G>>(traits::entry(g));
    const block_id root = view.index(entry);
    dense.recompute(view,
                    search_root<typename graph_view<G>::cursor>{static_cast<block_id>(view.num_blocks), root, root,
                                                                view.first(entry), view.last(entry)},
                    frames_);
  }

 private:
  std::vector<search_frame<typename graph_view<G>::cursor>> frames_;
};

}  // namespace detail
}  // namespace v0
}  // namespace simtflow
