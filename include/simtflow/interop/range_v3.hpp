// SPDX-License-Identifier: BSL-1.0
//
// Graphs and results as views of range-v3: for pipes. Needs range-v3 only where it is included.
//
//   for (auto b : simtflow::blocks(g) | ranges::views::filter(is_interesting)) ...
//   const auto heads = simtflow::back_edges(g) | ranges::views::transform(&simtflow::graph_edge<int>::to)
//                    | ranges::to<std::set>();
//   nest.blocks(l) | ranges::views::transform(name_of)
//
// blocks, edges and back_edges look at the graph once, when they are called; what they return owns what was found, is
// cheap to copy, and outlives the graph (as far as its vertices do). The runs of vertices that results of analyses hand
// out are views as well; they refer to the result and to the graph.
#pragma once

#include <simtflow/analysis/dominators.hpp>
#include <simtflow/analysis/loops.hpp>
#include <simtflow/analysis/order.hpp>
#include <simtflow/analysis/vertex_map.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/snapshot.hpp>
#include <simtflow/graph/traits.hpp>

#include <range/v3/range/concepts.hpp>
#include <range/v3/view/interface.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// An edge in vertices of a user's graph: the successor in that slot of `from` is `to`.
template <class V>
struct graph_edge {
  V from{};                ///< its source
  std::uint32_t slot = 0;  ///< which of the source's successors it leads to
  V to{};                  ///< its target

  /// The same source, slot and target.
  friend constexpr bool operator==(const graph_edge&, const graph_edge&) = default;
};

/// A list that its copies share: a random-access view. Empty if it is default-constructed.
template <class T>
class shared_list : public ranges::view_interface<shared_list<T>> {
 public:
  shared_list() = default;  ///< of nothing
  /// Takes the items over.
  explicit shared_list(std::vector<T>&& items) : items_(std::make_shared<const std::vector<T>>(std::move(items))) {}

  /// The first item, and past the last.
  [[nodiscard]] const T* begin() const { return items_ == nullptr ? nullptr : items_->data(); }
  /// See begin().
  [[nodiscard]] const T* end() const { return items_ == nullptr ? nullptr : items_->data() + items_->size(); }

 private:
  std::shared_ptr<const std::vector<T>> items_;
};

namespace detail {

// The edges out of reachable blocks, sources in reverse post-order, for which keep(from, to) holds.
template <class G, class Keep>
shared_list<graph_edge<vertex_t<G>>> list_edges(const G& g, const csr_graph& shape, std::span<const block_id> rpo,
                                                Keep keep) {
  std::vector<graph_edge<vertex_t<G>>> found;
  for (const block_id b : rpo) {
    std::uint32_t slot = 0;
    for (const block_id s : shape.successors(b)) {
      if (keep(b, s)) found.push_back({graph_traits<G>::vertex_at(g, b), slot, graph_traits<G>::vertex_at(g, s)});
      ++slot;
    }
  }
  return shared_list<graph_edge<vertex_t<G>>>(std::move(found));
}

}  // namespace detail

/// The vertices that the entry reaches, in reverse post-order. Empty for an empty graph. O(blocks + edges).
template <flow_graph G>
[[nodiscard]] shared_list<vertex_t<G>> blocks(const G& g) {
  const csr_graph shape = snapshot(g);
  const depth_first_order<csr_graph> search(shape);
  std::vector<vertex_t<G>> found;
  found.reserve(search.rpo().size());
  for (const block_id b : search.rpo()) found.push_back(graph_traits<G>::vertex_at(g, b));
  return shared_list<vertex_t<G>>(std::move(found));
}

/// The edges out of those vertices, in the order of blocks(g) and then of their slots; parallel edges are several.
/// O(blocks + edges).
template <flow_graph G>
[[nodiscard]] shared_list<graph_edge<vertex_t<G>>> edges(const G& g) {
  const csr_graph shape = snapshot(g);
  const depth_first_order<csr_graph> search(shape);
  return detail::list_edges(g, shape, search.rpo(), [](block_id, block_id) { return true; });
}

/// The edges that lead to the header of a loop from within that loop (analysis/loops.hpp); self loops are among them.
/// None in an acyclic graph. In a reducible graph these are the edges with a target that dominates their source; in an
/// irreducible loop the header is its first block in depth-first order. Near-linear.
template <flow_graph G>
[[nodiscard]] shared_list<graph_edge<vertex_t<G>>> back_edges(const G& g) {
  const csr_graph shape = snapshot(g);
  const loop_forest<csr_graph> nest(shape);
  return detail::list_edges(g, shape, nest.rpo(), [&nest](block_id from, block_id to) {
    const auto l = nest.innermost(to);
    return l && nest.header(*l) == to && nest.contains(*l, from);
  });
}

}  // namespace v0
}  // namespace simtflow

// How range-v3 is told what is a view.
/// @cond
namespace ranges {
template <class G>
inline constexpr bool enable_view<simtflow::vertex_range<G>> = true;
template <class G>
inline constexpr bool enable_borrowed_range<simtflow::vertex_range<G>> = true;
template <class G>
inline constexpr bool enable_view<simtflow::dominator_children<G>> = true;
template <class G>
inline constexpr bool enable_view<simtflow::dominator_walk<G>> = true;
}  // namespace ranges
/// @endcond
