// SPDX-License-Identifier: BSL-1.0
//
// A total order of the blocks, highest priority first, as a value: what priorities.hpp makes, thread frontiers
// (thread_frontiers.hpp) are computed from and policies schedule by. A caller may bring one of his own.
#pragma once

#include <simtflow/analysis/dense/priority_order.hpp>
#include <simtflow/analysis/order.hpp>
#include <simtflow/analysis/vertex_map.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/traits.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// A priority for every block: rank 0 is the highest. The listed vertices come first; for the orders made here these
/// are the vertices that the entry reaches. All other indices below num_vertices, holes included, follow by ascending
/// index.
template <flow_graph G = csr_graph>
class priority_order {
 public:
  using vertex = vertex_t<G>;                           ///< the graph's own vertex type
  using range = typename detail::vertex_map<G>::range;  ///< vertex_range<G>; for a csr_graph a span of block ids

  /// \pre the ids in `listed` are distinct and below num_vertices of g.
  constexpr priority_order(const G& g, std::span<const block_id> listed) : map_(g) {
    index_.set(static_cast<std::size_t>(graph_traits<G>::num_vertices(g)), listed);
  }
  priority_order(const G&&, std::span<const block_id>) requires detail::keeps_pointer<G>
  = delete;

  /// Another list of vertices of g (the same graph, changed, or another), reusing every buffer.
  constexpr void recompute(const G& g, std::span<const block_id> listed) {
    map_ = detail::vertex_map<G>(g);
    index_.set(static_cast<std::size_t>(graph_traits<G>::num_vertices(g)), listed);
  }
  void recompute(const G&&, std::span<const block_id>) requires detail::keeps_pointer<G>
  = delete;

  /// The listed vertices, highest priority first.
  [[nodiscard]] constexpr range blocks() const& { return map_.over(index_.order()); }
  range blocks() const&& = delete;
  /// 0 = highest. O(1).
  [[nodiscard]] constexpr std::uint32_t rank(const vertex& v) const { return index_.rank(map_.index(v)); }
  /// Ranks by dense block id, a permutation of 0 .. num_vertices - 1: the argument of the policy
  /// policies::thread_frontier.
  [[nodiscard]] constexpr std::span<const std::uint32_t> ranks() const& { return index_.ranks(); }
  std::span<const std::uint32_t> ranks() const&& = delete;
  /// The same in dense block ids.
  [[nodiscard]] constexpr const detail::priority_index<>& ids() const& { return index_; }
  const detail::priority_index<>& ids() const&& = delete;

 private:
  detail::vertex_map<G> map_;
  detail::priority_index<> index_;
};

/// A caller's own order, highest priority first, by dense block id. Empty if it is none: an id out of range or listed
/// twice, or a block that the entry reaches missing. Unreachable blocks may be listed or not. What the order is good
/// for priority_checks.hpp tells. O(blocks + edges).
template <flow_graph G>
[[nodiscard]] constexpr std::optional<priority_order<G>> checked_order(const G& g, std::span<const block_id> order) {
  const std::size_t n = static_cast<std::size_t>(graph_traits<G>::num_vertices(g));
  std::vector<unsigned char> listed;
  listed.assign(n, 0);
  for (const block_id b : order) {
    if (b >= n || listed[b]) return std::nullopt;
    listed[b] = 1;
  }
  detail::depth_first_index<> dfs;
  dfs.recompute(detail::shape_of(g));
  for (const block_id b : dfs.rpo())
    if (!listed[b]) return std::nullopt;
  return priority_order<G>(g, order);
}
template <detail::keeps_pointer G>
std::optional<priority_order<G>> checked_order(const G&&, std::span<const block_id>) = delete;

}  // namespace v0
}  // namespace simtflow
