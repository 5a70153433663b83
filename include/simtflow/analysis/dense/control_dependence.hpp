// SPDX-License-Identifier: BSL-1.0
//
// Control dependence in dense ids: what control_dependence.hpp says of vertices, for blocks and edges.
#pragma once

#include <simtflow/analysis/dense/post_dominators.hpp>
#include <simtflow/analysis/detail/low_keys.hpp>
#include <simtflow/config.hpp>
#include <simtflow/detail/search.hpp>
#include <simtflow/graph/csr.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace dense {

/// The control dependences of a graph as a table, in both directions.
template <class Shape = csr_graph>
class basic_control_dependences {
 public:
  constexpr basic_control_dependences() = default;  ///< of the empty graph
  /// For g; as recompute.
  constexpr basic_control_dependences(const Shape& g, const post_dominator_tree& tree) { recompute(g, tree); }

  /// Computes the dependences of g and reuses every buffer. \pre the tree was made for g.
  /// Complexity: O(blocks + edges + total_size()); total_size() is at most edges x depth of the tree. No recursion.
  constexpr void recompute(const Shape& g, const post_dominator_tree& tree) {
    SIMTFLOW_EXPECTS(tree.num_blocks() == g.num_blocks(), "the tree is of this graph");
    const std::size_t n = g.num_blocks();
    const std::span<const block_id> up = tree.ipdoms();
    const auto in_tree = [&](block_id b) { return up[b] != no_block || tree.tree().is_reachable(b); };
    num_blocks_ = n;
    first_edge_.clear();
    edge_begin_.clear();
    block_begin_.clear();
    edge_rows_.clear();
    block_rows_.clear();
    entry_region_.clear();
    begin_.assign(n + 1, 0);
    seen_.assign(n, no_block);

    std::uint32_t edges = 0;
    for (block_id a = 0; a < n; ++a) {
      first_edge_.push_back(edges);
      block_begin_.push_back(block_rows_.size());
      const bool inside = in_tree(a);
      for (const block_id t : g.successors(a)) {
        edge_begin_.push_back(edge_rows_.size());
        ++edges;
        if (!inside || t == up[a] || !in_tree(t)) continue;
        for (block_id b = t; b != up[a]; b = up[b]) {
          edge_rows_.push_back(b);
          ++begin_[b + 1];
          if (seen_[b] == a) continue;
          seen_[b] = a;
          block_rows_.push_back(b);
        }
      }
    }
    first_edge_.push_back(edges);
    edge_begin_.push_back(edge_rows_.size());
    block_begin_.push_back(block_rows_.size());

    for (std::size_t b = 0; b < n; ++b) begin_[b + 1] += begin_[b];
    next_.assign(begin_.begin(), begin_.end());
    if (dependences_.size() < edge_rows_.size()) dependences_.assign(edge_rows_.size(), edge{});
    for (block_id a = 0; a < n; ++a)
      for (edge_id e = first_edge_[a]; e < first_edge_[a + 1]; ++e)
        for (const block_id b : dependents_of_edge(e)) dependences_[next_[b]++] = {a, e - first_edge_[a]};

    if (n != 0 && in_tree(g.entry()))
      for (block_id b = g.entry(); b != no_block; b = up[b]) entry_region_.push_back(b);
  }

  /// Number of blocks of the graph, unreachable ones included.
  [[nodiscard]] constexpr std::size_t num_blocks() const { return num_blocks_; }
  /// The edges that b depends on, by ascending source and slot. O(1).
  [[nodiscard]] constexpr std::span<const edge> dependences_of(block_id b) const {
    return std::span<const edge>(dependences_).subspan(begin_[checked(b)], begin_[b + 1] - begin_[b]);
  }
  /// The blocks that depend on an edge of a, each once, by the first slot that adds them. O(1).
  [[nodiscard]] constexpr std::span<const block_id> dependents_of(block_id a) const {
    return std::span<const block_id>(block_rows_)
        .subspan(block_begin_[checked(a)], block_begin_[a + 1] - block_begin_[a]);
  }
  /// The blocks that depend on edge (a, slot), up the post-dominator tree. \pre a has that slot. O(1).
  [[nodiscard]] constexpr std::span<const block_id> dependents_of(block_id a, std::uint32_t slot) const {
    SIMTFLOW_EXPECTS(slot < first_edge_[checked(a) + 1] - first_edge_[a],
                     "dependents of a successor slot that the block does not have");
    return dependents_of_edge(first_edge_[a] + slot);
  }
  /// True if b depends on edge (a, slot). \pre a has that slot. O(log edges that b depends on).
  [[nodiscard]] constexpr bool depends(block_id b, block_id a, std::uint32_t slot) const {
    SIMTFLOW_EXPECTS(slot < first_edge_[checked(a) + 1] - first_edge_[a],
                     "dependents of a successor slot that the block does not have");
    return detail::holds_sorted(dependences_of(b), edge{a, slot});
  }
  /// The entry, its immediate post-dominator, and so on up to the virtual exit.
  [[nodiscard]] constexpr std::span<const block_id> entry_region() const {
    return std::span<const block_id>(entry_region_);
  }
  /// Number of pairs of a block and an edge that it depends on.
  [[nodiscard]] constexpr std::size_t total_size() const { return edge_rows_.size(); }

 private:
  [[nodiscard]] constexpr block_id checked(block_id b) const {
    SIMTFLOW_EXPECTS(b < num_blocks_, "a question about a block that is not in the graph of this result");
    return b;
  }
  [[nodiscard]] constexpr std::span<const block_id> dependents_of_edge(edge_id e) const {
    return std::span<const block_id>(edge_rows_).subspan(edge_begin_[e], edge_begin_[e + 1] - edge_begin_[e]);
  }

  std::size_t num_blocks_ = 0;
  std::vector<block_id> edge_rows_, block_rows_, entry_region_, first_edge_;
  std::vector<std::size_t> edge_begin_, block_begin_, begin_;  // of the rows by edge, by source and by dependent block
  std::vector<edge> dependences_;
  // Workspace, kept for the next computation.
  std::vector<block_id> seen_;
  std::vector<std::size_t> next_;
};

/// A basic_control_dependences of a csr_graph.
using control_dependences = basic_control_dependences<>;

/// The same answers from linear memory: no dependence is stored, every question is answered from the tree.
template <class Shape = csr_graph>
class basic_control_dependence_query {
 public:
  constexpr basic_control_dependence_query() = default;  ///< of no graph: recompute() first
  /// For g; as recompute.
  constexpr basic_control_dependence_query(const Shape& g, const post_dominator_tree& tree) { recompute(g, tree); }

  /// Gets ready for g and reuses every buffer. \pre the tree was made for g, and outlives the query unchanged.
  /// Complexity: O(blocks + edges), in time and memory.
  constexpr void recompute(const Shape& g, const post_dominator_tree& tree) {
    SIMTFLOW_EXPECTS(tree.num_blocks() == g.num_blocks(), "the tree is of this graph");
    tree_ = &tree;
    target_.assign(g.targets().begin(), g.targets().end());
    source_.assign(target_.size(), no_block);
    first_.assign(g.num_blocks() + 1, 0);
    const dominator_tree& at = tree.tree();
    begin_.assign(std::size_t{at.num_reachable()} + 1, 0);
    edge_id e = 0;
    for (block_id a = 0; a < g.num_blocks(); ++a) {
      first_[a] = e;
      for (const block_id t : g.successors(a)) {
        source_[e++] = a;
        if (in_tree(a) && in_tree(t)) ++begin_[at.position(t) + std::size_t{1}];
      }
      first_[a + 1] = e;
    }
    for (std::size_t k = 1; k < begin_.size(); ++k) begin_[k] += begin_[k - 1];
    edge_.assign(begin_.back(), 0);
    next_.assign(begin_.begin(), begin_.end());
    for (e = 0; e < target_.size(); ++e)
      if (in_tree(source_[e]) && in_tree(target_[e])) edge_[next_[at.position(target_[e])]++] = e;
    above_.clear();
    for (const edge_id k : edge_) above_.push(at.depth(source_[k]));
    above_.finish();
  }
  /// Calls f(edge id) for every edge that b depends on, in no particular order. O(log edges) each.
  template <class F>
  constexpr void for_each_dependence(block_id b, F f) const {
    SIMTFLOW_EXPECTS(b + std::size_t{1} < first_.size(), "a question about a block that is not in the graph");
    if (!in_tree(b)) return;
    const dominator_tree& at = tree_->tree();
    const block_id position = at.position(b);
    // The immediate post-dominator of a is one level above a, and above b if a is not below that.
    above_.for_each(begin_[position], begin_[at.subtree_end(position)], at.depth(b),
                    [&](std::size_t k) { f(edge_[k]); });
  }
  /// The source and the slot of edge e. O(1).
  [[nodiscard]] constexpr edge edge_of(edge_id e) const { return {source_[e], e - first_[source_[e]]}; }
  /// The id of edge (a, slot). \pre a has that slot. O(1).
  [[nodiscard]] constexpr edge_id edge_id_of(block_id a, std::uint32_t slot) const {
    SIMTFLOW_EXPECTS(a + std::size_t{1} < first_.size() && slot < first_[a + 1] - first_[a],
                     "dependents of a successor slot that the block does not have");
    return first_[a] + slot;
  }
  /// Calls f(block) for every block that depends on edge e. O(answer).
  template <class F>
  constexpr void for_each_dependent(edge_id e, F f) const {
    const block_id a = source_[e];
    if (!in_tree(a) || !in_tree(target_[e])) return;
    for (block_id b = target_[e]; b != tree_->ipdom(a); b = tree_->ipdom(b)) f(b);
  }
  /// True if b depends on edge e. O(1).
  [[nodiscard]] constexpr bool depends(block_id b, edge_id e) const {
    const dominator_tree& at = tree_->tree();
    const block_id a = source_[e];
    return in_tree(a) && at.dominates(b, target_[e]) && at.depth(a) <= at.depth(b);
  }

 private:
  [[nodiscard]] constexpr bool in_tree(block_id b) const { return tree_->tree().is_reachable(b); }

  const post_dominator_tree* tree_ = nullptr;
  std::vector<block_id> target_, source_;  // by edge
  std::vector<edge_id> first_;             // by block: its first edge
  std::vector<edge_id> begin_, edge_;      // by position of the target: the edges into it, contiguous in edge_
  detail::low_keys<> above_;               // by place in edge_: the depth of the source
  // Workspace, kept for the next computation.
  std::vector<edge_id> next_;
};

/// A basic_control_dependence_query of a csr_graph.
using control_dependence_query = basic_control_dependence_query<>;

}  // namespace dense
}  // namespace v0
}  // namespace simtflow
