// SPDX-License-Identifier: BSL-1.0
//
// Depth-first orders. One search from the entry takes the successors of every block in slot order; everything here
// follows from it:
//
//   preorder       blocks in the order in which the search enters them
//   postorder      blocks in the order in which it leaves them
//   rpo            the reverse of the postorder. On an acyclic graph a topological order; in general every edge that
//                  goes against it is a back edge. "Listed-order RPO": two searches that take successors in different
//                  orders give different RPOs, so the order of the slots is part of the definition.
//   edge kinds     tree (the search entered its target through it), forward (to a proper descendant, not tree), back
//                  (to a block that is still open: an ancestor or the block itself; also called retreating), cross
//
// Literature: R. Tarjan, Depth-first search and linear graph algorithms (1972).
#pragma once

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

/// What an edge is to the depth-first search. Edges out of blocks that the entry does not reach are `unreachable`.
enum class edge_kind : unsigned char {
  unreachable,  ///< the search never comes to its source
  tree,         ///< the search found its target along it
  forward,      ///< to a block below in the search tree, beside a tree edge
  back,         ///< to the block itself or one above it in the search tree
  cross         ///< to a block that the search had done with, in another branch of the tree
};

/// The number of a block that has none, because the entry does not reach it.
inline constexpr std::uint32_t no_number = 0xFFFF'FFFFU;

namespace detail {

// Shape is csr_graph or has its members.
template <class Shape = csr_graph>
class depth_first_index {
 public:
  constexpr void compute(const Shape& g) {
    const std::size_t n = g.num_blocks();
    preorder_.clear();
    postorder_.clear();
    pre_.assign(n, no_number);
    post_.assign(n, no_number);
    parent_.assign(n, no_block);
    kind_.assign(g.num_edges(), edge_kind::unreachable);
    first_.assign(n, 0);
    for (block_id b = 0; b < n; ++b) first_[b] = g.first_edge(b);
    if (n != 0) {
      stack_.clear();
      enter(g, g.entry());
      while (!stack_.empty()) {
        const edge_id e = stack_.back().next;
        const block_id from = stack_.back().block;
        if (e == stack_.back().end) {
          post_[from] = static_cast<std::uint32_t>(postorder_.size());
          postorder_.push_back(from);
          stack_.pop_back();
          continue;
        }
        ++stack_.back().next;
        const block_id to = g.target(e);
        if (pre_[to] == no_number) {
          kind_[e] = edge_kind::tree;
          parent_[to] = from;
          enter(g, to);
        } else if (post_[to] == no_number) {
          kind_[e] = edge_kind::back;
        } else {
          kind_[e] = pre_[from] < pre_[to] ? edge_kind::forward : edge_kind::cross;
        }
      }
    }
    rpo_.assign(postorder_.size(), no_block);
    for (std::size_t i = 0; i < postorder_.size(); ++i) rpo_[i] = postorder_[postorder_.size() - 1 - i];
  }

  [[nodiscard]] constexpr std::size_t num_blocks() const { return pre_.size(); }
  [[nodiscard]] constexpr std::span<const block_id> preorder() const { return std::span<const block_id>(preorder_); }
  [[nodiscard]] constexpr std::span<const block_id> postorder() const { return std::span<const block_id>(postorder_); }
  [[nodiscard]] constexpr std::span<const block_id> rpo() const { return std::span<const block_id>(rpo_); }
  [[nodiscard]] constexpr std::uint32_t pre(block_id b) const { return pre_[checked(b)]; }
  [[nodiscard]] constexpr std::uint32_t post(block_id b) const { return post_[checked(b)]; }
  [[nodiscard]] constexpr std::uint32_t rpo_number(block_id b) const {
    const std::uint32_t p = post_[checked(b)];
    return p == no_number ? no_number : static_cast<std::uint32_t>(rpo_.size()) - 1 - p;
  }
  [[nodiscard]] constexpr bool is_reachable(block_id b) const { return pre_[checked(b)] != no_number; }
  [[nodiscard]] constexpr block_id parent(block_id b) const { return parent_[checked(b)]; }
  [[nodiscard]] constexpr bool is_ancestor(block_id a, block_id b) const {
    return is_reachable(a) && is_reachable(b) && pre_[a] <= pre_[b] && post_[b] <= post_[a];
  }
  [[nodiscard]] constexpr edge_kind kind(edge_id e) const {
    SIMTFLOW_EXPECTS(e < kind_.size(), "kind of an edge that is not in the graph");
    return kind_[e];
  }
  [[nodiscard]] constexpr edge_kind kind(block_id from, std::uint32_t slot) const {
    const std::size_t end = checked(from) + 1 < first_.size() ? first_[from + 1] : kind_.size();
    SIMTFLOW_EXPECTS(slot < end - first_[from], "kind of a successor slot that the block does not have");
    return kind_[first_[from] + slot];
  }

 private:
  struct frame {
    block_id block;
    edge_id next, end;
  };

  [[nodiscard]] constexpr block_id checked(block_id b) const {
    SIMTFLOW_EXPECTS(b < pre_.size(), "a question about a block that is not in the graph of this result");
    return b;
  }

  constexpr void enter(const Shape& g, block_id b) {
    pre_[b] = static_cast<std::uint32_t>(preorder_.size());
    preorder_.push_back(b);
    const edge_id first = g.first_edge(b);
    stack_.push_back({b, first, first + static_cast<edge_id>(g.successors(b).size())});
  }

  std::vector<block_id> preorder_, postorder_, rpo_, parent_;
  std::vector<std::uint32_t> pre_, post_;
  std::vector<edge_kind> kind_;
  std::vector<edge_id> first_;
  std::vector<frame> stack_;
};

}  // namespace detail

/// Everything one depth-first search tells. Questions take and answer vertices of G.
///
/// Unreachable blocks: no_number for every number, in none of the orders, no parent, their edges are of kind
/// `unreachable`. An empty graph gives empty orders. Parallel edges: the first is the tree edge, the others are forward
/// edges. A self loop is a back edge.
/// Complexity: every question O(1); construction O(blocks + edges) time and space, no recursion.
template <flow_graph G = csr_graph>
class depth_first_order {
 public:
  using vertex = vertex_t<G>;                           ///< the graph's own vertex type
  using range = typename detail::vertex_map<G>::range;  ///< vertex_range<G>; for a csr_graph a span of block ids

  /// \pre check_adapter<G>(); g outlives the result (a csr_graph need not).
  constexpr explicit depth_first_order(const G& g) : map_(g) { index_.compute(shape_.of(g)); }
  depth_first_order(const G&&) requires detail::keeps_pointer<G>
  = delete;

  /// Does the search again for a graph (the same one, changed, or another), reusing every buffer.
  constexpr void recompute(const G& g) {
    map_ = detail::vertex_map<G>(g);
    index_.compute(shape_.of(g));
  }
  void recompute(const G&&) requires detail::keeps_pointer<G>
  = delete;

  /// The reachable blocks in the order in which the search finds them; the entry is the first.
  [[nodiscard]] constexpr range preorder() const& { return map_.over(index_.preorder()); }
  range preorder() const&& = delete;
  /// The reachable blocks in the order in which the search is done with them; the entry is the last.
  [[nodiscard]] constexpr range postorder() const& { return map_.over(index_.postorder()); }
  range postorder() const&& = delete;
  /// postorder() backwards: topological but for the back edges; the entry is the first.
  [[nodiscard]] constexpr range rpo() const& { return map_.over(index_.rpo()); }
  range rpo() const&& = delete;
  /// Position in preorder(); no_number if unreachable.
  [[nodiscard]] constexpr std::uint32_t pre(const vertex& v) const { return index_.pre(map_.index(v)); }
  /// Position in postorder(); no_number if unreachable.
  [[nodiscard]] constexpr std::uint32_t post(const vertex& v) const { return index_.post(map_.index(v)); }
  /// Position in rpo(); no_number if unreachable.
  [[nodiscard]] constexpr std::uint32_t rpo_number(const vertex& v) const { return index_.rpo_number(map_.index(v)); }
  /// The entry reaches v.
  [[nodiscard]] constexpr bool is_reachable(const vertex& v) const { return index_.is_reachable(map_.index(v)); }
  /// Where the search came from; empty for the entry and for unreachable blocks.
  [[nodiscard]] constexpr std::optional<vertex> parent(const vertex& v) const {
    return map_.maybe(index_.parent(map_.index(v)));
  }
  /// a is b or an ancestor of b in the search tree; false if either is unreachable.
  [[nodiscard]] constexpr bool is_ancestor(const vertex& a, const vertex& b) const {
    return index_.is_ancestor(map_.index(a), map_.index(b));
  }
  /// \pre `from` has a successor slot of that number.
  [[nodiscard]] constexpr edge_kind kind(const vertex& from, std::uint32_t slot) const {
    return index_.kind(map_.index(from), slot);
  }
  /// The same in dense block ids; edges there may be named by edge id.
  [[nodiscard]] constexpr const detail::depth_first_index<>& ids() const& { return index_; }
  const detail::depth_first_index<>& ids() const&& = delete;

 private:
  detail::vertex_map<G> map_;
  detail::kept_shape<G> shape_;
  detail::depth_first_index<> index_;
};

/// One depth-first search from the entry, successors in slot order.
template <flow_graph G>
[[nodiscard]] constexpr depth_first_order<G> depth_first(const G& g) {
  return depth_first_order<G>(g);
}
template <detail::keeps_pointer G>
depth_first_order<G> depth_first(const G&&) = delete;

}  // namespace v0
}  // namespace simtflow
