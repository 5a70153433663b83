// SPDX-License-Identifier: BSL-1.0
//
// Control dependence: which branch edge decides whether a block runs.
//
//   block b depends on edge (a, slot)   b is the edge's target or post-dominates it, and b does not strictly
//                                       post-dominate a: once the edge is taken b will run; before that a path around b
//                                       is open.
//   entry region                        the blocks that post-dominate the entry: they run whenever the program runs to
//                                       its end. A block that depends on no edge is in it; a loop in the entry region
//                                       is as well, though its blocks depend on the edges that run them again.
//
// A block of a loop can depend on its own edges: in 0 -> 1, 1 -> {1, 2} block 1 depends on edge (1, 0). Where threads
// may end (is_exit) and from where a virtual edge leads out of an endless loop, control has one way more to go: this
// makes the block a branch, but no block depends on that way itself.
//
// Construction: the blocks that depend on an edge a -> t are those on the way up the post-dominator tree from t to the
// immediate post-dominator of a, which is not one of them. The sources of the edges that b depends on are the
// post-dominance frontier of b (dominance_frontiers.hpp).
//
// All dependences together can be quadratic (n nested loops). control_dependence() stores them;
// control_dependence_query answers from linear memory: b depends on the edges a -> t with t in the subtree of b
// (contiguous if sorted by t in preorder) and an immediate post-dominator of a above b (a comparison of depths).
//
// Literature: J. Ferrante, K. Ottenstein, J. Warren, The program dependence graph and its use in optimization (1987);
// K. Pingali, G. Bilardi, Optimal control dependence computation and the Roman chariots problem (1997).
#pragma once

#include <simtflow/analysis/detail/low_keys.hpp>
#include <simtflow/analysis/detail/sort.hpp>
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/analysis/vertex_map.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/traits.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {

namespace detail {

// Shape is csr_graph or has its members.
template <class Shape = csr_graph>
class control_dependence_index {
 public:
  constexpr void compute(const Shape& g, const post_dominator_index<>& tree) {
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

  [[nodiscard]] constexpr std::size_t num_blocks() const { return num_blocks_; }
  [[nodiscard]] constexpr std::span<const edge> dependences_of(block_id b) const {
    return std::span<const edge>(dependences_).subspan(begin_[checked(b)], begin_[b + 1] - begin_[b]);
  }
  [[nodiscard]] constexpr std::span<const block_id> dependents_of(block_id a) const {
    return std::span<const block_id>(block_rows_)
        .subspan(block_begin_[checked(a)], block_begin_[a + 1] - block_begin_[a]);
  }
  [[nodiscard]] constexpr std::span<const block_id> dependents_of(block_id a, std::uint32_t slot) const {
    SIMTFLOW_EXPECTS(slot < first_edge_[checked(a) + 1] - first_edge_[a],
                     "dependents of a successor slot that the block does not have");
    return dependents_of_edge(first_edge_[a] + slot);
  }
  [[nodiscard]] constexpr bool depends(block_id b, block_id a, std::uint32_t slot) const {
    SIMTFLOW_EXPECTS(slot < first_edge_[checked(a) + 1] - first_edge_[a],
                     "dependents of a successor slot that the block does not have");
    const std::span<const edge> row = dependences_of(b);
    std::size_t low = 0, high = row.size();
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (row[middle] < edge{a, slot})
        low = middle + 1;
      else
        high = middle;
    }
    return low < row.size() && row[low] == edge{a, slot};
  }
  [[nodiscard]] constexpr std::span<const block_id> entry_region() const {
    return std::span<const block_id>(entry_region_);
  }
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

// Dependences without a table of them. Shape is csr_graph or has its members.
template <class Shape = csr_graph>
class control_dependence_query_index {
 public:
  constexpr void compute(const Shape& g, const post_dominator_index<>& tree) {
    SIMTFLOW_EXPECTS(tree.num_blocks() == g.num_blocks(), "the tree is of this graph");
    tree_ = &tree;
    target_.assign(g.targets().begin(), g.targets().end());
    source_.assign(target_.size(), no_block);
    first_.assign(g.num_blocks() + 1, 0);
    const dominator_index<>& at = tree.tree();
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
  // f(edge id) for every edge that b depends on, in no particular order.
  template <class F>
  constexpr void for_each_dependence(block_id b, F f) const {
    SIMTFLOW_EXPECTS(b + std::size_t{1} < first_.size(), "a question about a block that is not in the graph");
    if (!in_tree(b)) return;
    const dominator_index<>& at = tree_->tree();
    const block_id position = at.position(b);
    // The immediate post-dominator of a is one level above a, and above b if a is not below that.
    above_.for_each(begin_[position], begin_[at.subtree_end(position)], at.depth(b), [&](std::size_t k) { f(edge_[k]); });
  }
  [[nodiscard]] constexpr edge edge_of(edge_id e) const { return {source_[e], e - first_[source_[e]]}; }
  [[nodiscard]] constexpr edge_id checked(block_id a, std::uint32_t slot) const {
    SIMTFLOW_EXPECTS(a + std::size_t{1} < first_.size() && slot < first_[a + 1] - first_[a],
                     "dependents of a successor slot that the block does not have");
    return first_[a] + slot;
  }
  // f(block) for every block that depends on the edge.
  template <class F>
  constexpr void for_each_dependent(edge_id e, F f) const {
    const block_id a = source_[e];
    if (!in_tree(a) || !in_tree(target_[e])) return;
    for (block_id b = target_[e]; b != tree_->ipdom(a); b = tree_->ipdom(b)) f(b);
  }
  [[nodiscard]] constexpr bool depends(block_id b, edge_id e) const {
    const dominator_index<>& at = tree_->tree();
    const block_id a = source_[e];
    return in_tree(a) && at.dominates(b, target_[e]) && at.depth(a) <= at.depth(b);
  }

 private:
  [[nodiscard]] constexpr bool in_tree(block_id b) const { return tree_->tree().is_reachable(b); }

  const post_dominator_index<>* tree_ = nullptr;
  std::vector<block_id> target_, source_;  // by edge
  std::vector<edge_id> first_;             // by block: its first edge
  std::vector<edge_id> begin_, edge_;      // by position of the target: the edges into it, contiguous in edge_
  low_keys<> above_;                       // by place in edge_: the depth of the source
  // Workspace, kept for the next computation.
  std::vector<edge_id> next_;
};

}  // namespace detail

/// The control dependences of a graph, in both directions.
///
/// Unreachable blocks depend on nothing and nothing depends on their edges. Endless loops are as the post-dominator
/// tree has them: by default the first block of each is left for the virtual exit as well, so that its own edges decide
/// whether the rest of the loop runs; with infinite_loops::ignore blocks that reach no exit count as unreachable, and
/// an edge into an endless loop has no dependents. Parallel edges count each.
template <flow_graph G = csr_graph>
class control_dependences {
 public:
  using vertex = vertex_t<G>;                           ///< the graph's own vertex type
  using range = typename detail::vertex_map<G>::range;  ///< vertex_range<G>; for a csr_graph a span of block ids

  /// \pre the tree was made for g; g outlives the result (a csr_graph need not). The tree is not needed any longer.
  /// Complexity: O(blocks + edges + total_size()); total_size() is at most edges x depth of the tree. No recursion.
  constexpr control_dependences(const G& g, const post_dominator_tree<G>& tree) : map_(g) {
    index_.compute(shape_.of(g), tree.ids());
  }
  control_dependences(const G&&, const post_dominator_tree<G>&) requires detail::keeps_pointer<G>
  = delete;

  /// Computes the dependences of g (the same graph, changed, or another), reusing every buffer.
  constexpr void recompute(const G& g, const post_dominator_tree<G>& tree) {
    map_ = detail::vertex_map<G>(g);
    index_.compute(shape_.of(g), tree.ids());
  }
  void recompute(const G&&, const post_dominator_tree<G>&) requires detail::keeps_pointer<G>
  = delete;

  /// The edges that v depends on, by ascending source and slot; `from` is a dense block id. O(1).
  [[nodiscard]] constexpr std::span<const edge> dependences_of(const vertex& v) const& {
    return index_.dependences_of(map_.index(v));
  }
  std::span<const edge> dependences_of(const vertex&) const&& = delete;
  /// The blocks that depend on edge (v, slot): none if its target post-dominates v strictly; otherwise the target, its
  /// immediate post-dominator, and so on. \pre v has a successor slot of that number. O(1).
  [[nodiscard]] constexpr range dependents_of(const vertex& v, std::uint32_t slot) const& {
    return map_.over(index_.dependents_of(map_.index(v), slot));
  }
  range dependents_of(const vertex&, std::uint32_t) const&& = delete;
  /// The blocks that depend on an edge of v, each once: those of slot 0, then the new ones of slot 1, and so on. O(1).
  [[nodiscard]] constexpr range dependents_of(const vertex& v) const& {
    return map_.over(index_.dependents_of(map_.index(v)));
  }
  range dependents_of(const vertex&) const&& = delete;
  /// b depends on edge (a, slot). \pre a has a successor slot of that number. O(log edges that b depends on).
  [[nodiscard]] constexpr bool depends(const vertex& b, const vertex& a, std::uint32_t slot) const {
    return index_.depends(map_.index(b), map_.index(a), slot);
  }
  /// The entry, its immediate post-dominator, and so on up to the virtual exit. Empty for an empty graph and, with
  /// infinite_loops::ignore, for a program that never ends.
  [[nodiscard]] constexpr range entry_region() const& { return map_.over(index_.entry_region()); }
  range entry_region() const&& = delete;
  /// Number of pairs of a block and an edge that it depends on.
  [[nodiscard]] constexpr std::size_t total_size() const { return index_.total_size(); }
  /// The same in dense block ids.
  [[nodiscard]] constexpr const detail::control_dependence_index<>& ids() const& { return index_; }
  const detail::control_dependence_index<>& ids() const&& = delete;

 private:
  detail::vertex_map<G> map_;
  detail::kept_shape<G> shape_;
  detail::control_dependence_index<> index_;
};

/// The same answers from linear memory: no dependence is stored, every question is answered from the tree.
template <flow_graph G = csr_graph>
class control_dependence_query {
 public:
  using vertex = vertex_t<G>;  ///< the graph's own vertex type

  /// \pre the tree was made for g, and outlives the query unchanged; so does g (a csr_graph need not).
  /// Complexity: O(blocks + edges), in time and memory.
  constexpr control_dependence_query(const G& g, const post_dominator_tree<G>& tree) : map_(g) {
    detail::kept_shape<G> shape;
    index_.compute(shape.of(g), tree.ids());
  }
  control_dependence_query(const G&&, const post_dominator_tree<G>&) requires detail::keeps_pointer<G>
  = delete;
  control_dependence_query(const G&, const post_dominator_tree<G>&&) = delete;

  /// As control_dependences::dependences_of. O(log edges), and O(log edges) more for each edge of the answer.
  [[nodiscard]] constexpr std::vector<edge> dependences_of(const vertex& v) const {
    std::vector<edge_id> edges;
    index_.for_each_dependence(map_.index(v), [&](edge_id e) { edges.push_back(e); });
    detail::sort_ascending(edges);
    std::vector<edge> found;
    for (const edge_id e : edges) found.push_back(index_.edge_of(e));
    return found;
  }
  /// As control_dependences::dependents_of(v, slot). O(answer). \pre v has a successor slot of that number.
  [[nodiscard]] constexpr std::vector<vertex> dependents_of(const vertex& v, std::uint32_t slot) const {
    std::vector<vertex> found;
    index_.for_each_dependent(index_.checked(map_.index(v), slot), [&](block_id b) { found.push_back(map_.at(b)); });
    return found;
  }
  /// As control_dependences::depends. O(1). \pre a has a successor slot of that number.
  [[nodiscard]] constexpr bool depends(const vertex& b, const vertex& a, std::uint32_t slot) const {
    return index_.depends(map_.index(b), index_.checked(map_.index(a), slot));
  }

 private:
  detail::vertex_map<G> map_;
  detail::control_dependence_query_index<> index_;
};

/// The control dependences of g as a table: total_size() can be quadratic (see control_dependence_query).
/// \pre the tree was made for g.
template <flow_graph G>
[[nodiscard]] constexpr control_dependences<G> control_dependence(const G& g, const post_dominator_tree<G>& tree) {
  return control_dependences<G>(g, tree);
}
/// The same with a post-dominator tree made for this call.
template <flow_graph G>
[[nodiscard]] constexpr control_dependences<G> control_dependence(const G& g, post_dominator_options options = {}) {
  return control_dependences<G>(g, post_dominator_tree<G>(g, options));
}
template <detail::keeps_pointer G>
control_dependences<G> control_dependence(const G&&, const post_dominator_tree<G>&) = delete;
template <detail::keeps_pointer G>
control_dependences<G> control_dependence(const G&&, post_dominator_options = {}) = delete;

}  // namespace v0
}  // namespace simtflow
