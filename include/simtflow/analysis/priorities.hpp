// SPDX-License-Identifier: BSL-1.0
//
// Priorities: a total order of the blocks, highest priority first. A machine that always runs the waiting block of
// highest priority joins threads well if the order meets two conditions:
//
//   topological       every edge that is no loop's way back to its header leads to a lower priority
//   loop-contiguous   the blocks of every loop (of the loop forest) are neighbours: a thread that has left the loop
//                     waits behind it until all others have left as well
//
// Any reverse post-order is topological, but it may number a loop's exit before its body; then every thread that leaves
// runs the rest of the program alone.
//
// Literature: G. Diamos et al., SIMD re-convergence at thread frontiers (2011), section 4; S. Moll, S. Hack, Partial
// control-flow linearization (2018) for compactness of block orders.
#pragma once

#include <simtflow/analysis/loops.hpp>
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

namespace detail {

template <class Shape = csr_graph>
class priority_index {
 public:
  // `listed`: distinct blocks, the highest priority first. All others follow by ascending id.
  constexpr void set(std::size_t num_blocks, std::vector<block_id> listed) {
    order_ = static_cast<std::vector<block_id>&&>(listed);
    rank_.assign(num_blocks, no_number);
    for (std::size_t i = 0; i < order_.size(); ++i) rank_[order_[i]] = static_cast<std::uint32_t>(i);
    std::uint32_t next = static_cast<std::uint32_t>(order_.size());
    for (std::uint32_t& r : rank_)
      if (r == no_number) r = next++;
  }

  [[nodiscard]] constexpr std::size_t num_blocks() const { return rank_.size(); }
  [[nodiscard]] constexpr std::span<const block_id> order() const { return std::span<const block_id>(order_); }
  [[nodiscard]] constexpr std::span<const std::uint32_t> ranks() const { return std::span<const std::uint32_t>(rank_); }
  [[nodiscard]] constexpr std::uint32_t rank(block_id b) const {
    SIMTFLOW_EXPECTS(b < rank_.size(), "the rank of a block that is not in the graph of this order");
    return rank_[b];
  }

 private:
  std::vector<block_id> order_;
  std::vector<std::uint32_t> rank_;
};

// RPO within every loop, an inner loop as one element where its header stands. On the way through the RPO the header of
// a loop comes first: reserve places for all of the loop there, the others then take theirs.
template <class Shape>
[[nodiscard]] constexpr std::vector<block_id> contiguous_order(const loop_index<Shape>& loops) {
  const std::span<const block_id> rpo = loops.order().rpo();
  std::vector<block_id> order;
  std::vector<std::uint32_t> next;  // by loop: the next free place in it
  order.assign(rpo.size(), no_block);
  next.assign(loops.num_loops(), 0);
  std::uint32_t outside = 0;
  for (const block_id b : rpo) {
    const loop_id l = loops.innermost(b);
    if (l != no_loop && loops.header(l) == b) {
      const loop_id up = loops.parent(l);
      std::uint32_t& reserve = up == no_loop ? outside : next[up];
      next[l] = reserve;
      reserve += static_cast<std::uint32_t>(loops.blocks(l).size());
    }
    std::uint32_t& at = l == no_loop ? outside : next[l];
    order[at++] = b;
  }
  return order;
}

}  // namespace detail

/// A priority for every block: rank 0 is the highest. The listed vertices come first; for the orders made here these
/// are the vertices that the entry reaches. All other indices below num_vertices, holes included, follow by ascending
/// index.
template <flow_graph G = csr_graph>
class priority_order {
 public:
  using vertex = vertex_t<G>;
  using range = typename detail::vertex_map<G>::range;

  /// \pre the ids in `listed` are distinct and below num_vertices of g.
  constexpr priority_order(const G& g, std::vector<block_id> listed) : map_(g) {
    index_.set(static_cast<std::size_t>(graph_traits<G>::num_vertices(g)),
               static_cast<std::vector<block_id>&&>(listed));
  }
  priority_order(const G&&, std::vector<block_id>) requires detail::keeps_pointer<G>
  = delete;

  /// The listed vertices, highest priority first.
  [[nodiscard]] constexpr range blocks() const& { return map_.over(index_.order()); }
  range blocks() const&& = delete;
  /// 0 = highest. O(1).
  [[nodiscard]] constexpr std::uint32_t rank(const vertex& v) const { return index_.rank(map_.index(v)); }
  /// Ranks by dense block id, a permutation of 0 .. num_vertices - 1. This is what the policy thread_frontier takes.
  [[nodiscard]] constexpr std::span<const std::uint32_t> ranks() const& { return index_.ranks(); }
  std::span<const std::uint32_t> ranks() const&& = delete;
  /// The same in dense block ids.
  [[nodiscard]] constexpr const detail::priority_index<>& ids() const& { return index_; }
  const detail::priority_index<>& ids() const&& = delete;

 private:
  detail::vertex_map<G> map_;
  detail::priority_index<> index_;
};

/// Listed-order reverse post-order (order.hpp): topological, not loop-contiguous in general. The order of the thread
/// frontiers paper. O(blocks + edges).
template <flow_graph G>
[[nodiscard]] constexpr priority_order<G> reverse_post_order(const G& g) {
  detail::depth_first_index<> dfs;
  dfs.compute(detail::shape_of(g));
  return priority_order<G>(g, std::vector<block_id>(dfs.rpo().begin(), dfs.rpo().end()));
}
template <detail::keeps_pointer G>
priority_order<G> reverse_post_order(const G&&) = delete;

/// The loop-contiguous order: topological and loop-contiguous on every graph, the header first in each loop. Within a
/// loop (inner loops taken as single elements) and outside of all loops the blocks keep their listed-order RPO, so that
/// an RPO which is loop-contiguous already is the answer. For irreducible loops "the way back" is the edges into the
/// header that the loop forest chose.
/// Not promised: that the blocks one block dominates are neighbours; a loop with several exits can make that
/// impossible. Near-linear in blocks and edges.
template <flow_graph G>
[[nodiscard]] constexpr priority_order<G> loop_contiguous_order(const G& g) {
  detail::loop_index<> loops;
  loops.compute(detail::shape_of(g));
  return priority_order<G>(g, detail::contiguous_order(loops));
}
template <detail::keeps_pointer G>
priority_order<G> loop_contiguous_order(const G&&) = delete;

/// The same from a loop forest of g that is there already.
template <flow_graph G>
[[nodiscard]] constexpr priority_order<G> loop_contiguous_order(const G& g, const loop_forest<G>& loops) {
  SIMTFLOW_EXPECTS(loops.ids().num_blocks() == static_cast<std::size_t>(graph_traits<G>::num_vertices(g)),
                   "the loop forest is of this graph");
  return priority_order<G>(g, detail::contiguous_order(loops.ids()));
}
template <detail::keeps_pointer G>
priority_order<G> loop_contiguous_order(const G&&, const loop_forest<G>&) = delete;

/// A caller's own order, highest priority first, by dense block id. Empty if it is none: an id out of range or listed
/// twice, or a block that the entry reaches missing. Unreachable blocks may be listed or not. O(blocks + edges).
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
  dfs.compute(detail::shape_of(g));
  for (const block_id b : dfs.rpo())
    if (!listed[b]) return std::nullopt;
  return priority_order<G>(g, std::vector<block_id>(order.begin(), order.end()));
}
template <detail::keeps_pointer G>
std::optional<priority_order<G>> checked_order(const G&&, std::span<const block_id>) = delete;

}  // namespace v0
}  // namespace simtflow
