// SPDX-License-Identifier: BSL-1.0
//
// Depth-first orders in dense ids: what order.hpp says of vertices, for blocks and edges.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// The kind of an edge in the depth-first search. Edges out of blocks that the entry does not reach are `unreachable`.
enum class edge_kind : unsigned char {
  unreachable,  ///< the search never comes to its source
  tree,         ///< the search found its target along it
  forward,      ///< to a block below in the search tree, beside a tree edge
  back,         ///< to the block itself or one above it in the search tree
  cross         ///< to a block that the search had done with, in another branch of the tree
};

/// The number of a block that has none, because the entry does not reach it.
inline constexpr std::uint32_t no_number = 0xFFFF'FFFFU;

namespace dense {

/// One depth-first search from the entry, successors in slot order. Every question is O(1).
template <class Shape = csr_graph>
class basic_depth_first_order {
 public:
  constexpr basic_depth_first_order() = default;                                ///< of the empty graph
  constexpr explicit basic_depth_first_order(const Shape& g) { recompute(g); }  ///< of g; as recompute

  /// Searches g and reuses every buffer. O(blocks + edges), no recursion.
  constexpr void recompute(const Shape& g) {
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

  /// Number of blocks of the graph, unreachable ones included.
  [[nodiscard]] constexpr std::size_t num_blocks() const { return pre_.size(); }
  /// The reachable blocks in the order in which the search enters them; the entry is the first.
  [[nodiscard]] constexpr std::span<const block_id> preorder() const { return std::span<const block_id>(preorder_); }
  /// The reachable blocks in the order in which the search leaves them; the entry is the last.
  [[nodiscard]] constexpr std::span<const block_id> postorder() const { return std::span<const block_id>(postorder_); }
  /// postorder() backwards; the entry is the first.
  [[nodiscard]] constexpr std::span<const block_id> rpo() const { return std::span<const block_id>(rpo_); }
  /// Position in preorder(); no_number if b is unreachable.
  [[nodiscard]] constexpr std::uint32_t pre(block_id b) const { return pre_[checked(b)]; }
  /// Position in postorder(); no_number if b is unreachable.
  [[nodiscard]] constexpr std::uint32_t post(block_id b) const { return post_[checked(b)]; }
  /// Position in rpo(); no_number if b is unreachable.
  [[nodiscard]] constexpr std::uint32_t rpo_number(block_id b) const {
    const std::uint32_t p = post_[checked(b)];
    return p == no_number ? no_number : static_cast<std::uint32_t>(rpo_.size()) - 1 - p;
  }
  /// True if the entry reaches b.
  [[nodiscard]] constexpr bool is_reachable(block_id b) const { return pre_[checked(b)] != no_number; }
  /// The block that the search found b from; no_block for the entry and for unreachable b.
  [[nodiscard]] constexpr block_id parent(block_id b) const { return parent_[checked(b)]; }
  /// True if a is b or an ancestor of b in the search tree; false if either is unreachable.
  [[nodiscard]] constexpr bool is_ancestor(block_id a, block_id b) const {
    return is_reachable(a) && is_reachable(b) && pre_[a] <= pre_[b] && post_[b] <= post_[a];
  }
  /// The kind of edge e. \pre e < num_edges() of the graph.
  [[nodiscard]] constexpr edge_kind kind(edge_id e) const {
    SIMTFLOW_EXPECTS(e < kind_.size(), "kind of an edge that is not in the graph");
    return kind_[e];
  }
  /// The kind of the edge in that slot of `from`. \pre `from` has a successor slot of that number.
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

/// A basic_depth_first_order of a csr_graph.
using depth_first_order = basic_depth_first_order<>;

}  // namespace dense

}  // namespace v0
}  // namespace simtflow
