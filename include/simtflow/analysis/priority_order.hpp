// SPDX-License-Identifier: BSL-1.0
//
// A total order of the blocks, highest priority first, as a value. priorities.hpp makes orders; thread frontiers
// (thread_frontiers.hpp) are computed from an order, and policies schedule by an order. A caller may bring an order of
// his own.
#pragma once

#include <simtflow/analysis/dense/priority_order.hpp>
#include <simtflow/analysis/order.hpp>
#include <simtflow/analysis/vertex_map.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/argument.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/snapshot.hpp>
#include <simtflow/graph/traits.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// A priority for every block: rank 0 is the highest. The listed vertices come first; the orders of priorities.hpp list
/// the vertices that the entry reaches. All other indices below num_vertices, holes included, follow by ascending
/// index.
template <flow_graph G = csr_graph>
class priority_order {
 public:
  using vertex = vertex_t<G>;                           ///< the graph's own vertex type
  using range = typename detail::vertex_map<G>::range;  ///< vertex_range<G>; for a csr_graph a span of block ids

  /// \pre the ids in `listed` are distinct and below num_vertices of g; g outlives the order (a csr_graph need not).
  /// Complexity: O(num_vertices).
  constexpr priority_order(graph_ref<G> g, std::span<const block_id> listed) { recompute(g, listed); }

  /// Takes another list of vertices of g (the same graph, changed, or another) and reuses every buffer. `listed` may be
  /// an order of dense::order_maker, which reuses its buffers as well. \pre as the constructor.
  constexpr void recompute(graph_ref<G> g, std::span<const block_id> listed) {
    map_ = detail::vertex_map<G>(g.get());
    dense_.recompute(static_cast<std::size_t>(graph_traits<G>::num_vertices(g.get())), listed);
  }

  /// The listed vertices, highest priority first. O(1).
  [[nodiscard]] constexpr range blocks() const& { return map_.over(dense_.order()); }
  range blocks() const&& = delete;
  /// The rank of v: 0 = highest. O(1).
  [[nodiscard]] constexpr std::uint32_t rank(const vertex& v) const { return dense_.rank(map_.index(v)); }
  /// Ranks by dense block id, a permutation of 0 .. num_vertices - 1, as the policies take them. O(1).
  [[nodiscard]] constexpr std::span<const std::uint32_t> ranks() const& { return dense_.ranks(); }
  std::span<const std::uint32_t> ranks() const&& = delete;
  /// The same order in dense block ids.
  [[nodiscard]] constexpr const dense::priority_order& ids() const& { return dense_; }
  const dense::priority_order& ids() const&& = delete;

 private:
  detail::vertex_map<G> map_;
  dense::priority_order dense_;
};

/// `priority_order order(g, listed)`.
template <flow_graph G, class Listed>
explicit priority_order(const G&, Listed&&) -> priority_order<G>;

/// A caller's own order, highest priority first, by dense block id. Empty if the list is no order: an id is out of
/// range or listed twice, or a block that the entry reaches is missing. Unreachable blocks may be listed or not.
/// priority_checks.hpp tells what the order is good for. O(blocks + edges).
template <graph_argument G>
[[nodiscard]] constexpr std::optional<priority_order<graph_t<G>>> checked_order(G&& g,
                                                                                std::span<const block_id> order) {
  const std::size_t n = static_cast<std::size_t>(graph_traits<graph_t<G>>::num_vertices(g));
  std::vector<unsigned char> listed;
  listed.assign(n, 0);
  for (const block_id b : order) {
    if (b >= n || listed[b]) return std::nullopt;
    listed[b] = 1;
  }
  dense::depth_first_order dfs;
  dfs.recompute(detail::kept_shape<graph_t<G>>().of(g));
  for (const block_id b : dfs.rpo())
    if (!listed[b]) return std::nullopt;
  return priority_order<graph_t<G>>(g, order);
}

}  // namespace v0
}  // namespace simtflow
