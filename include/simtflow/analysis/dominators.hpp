// SPDX-License-Identifier: BSL-1.0
//
// Dominators. Block a dominates block b if every path from the entry to b contains a; every reachable block dominates
// itself. The immediate dominator of b is the strict dominator that every other strict dominator of b dominates; with
// it as parent the reachable blocks form a tree with the entry as root.
//
//   immediate_dominators(g)   the parents alone
//   dominators(g)             the tree: dominance in O(1), children, subtrees, depth; can follow changes of the graph
//
// Semi-NCA finds the parents (detail/semi_nca.hpp). The tree numbers its blocks in preorder, siblings as the search
// found them: the blocks that a block dominates are a run of *positions*, and dominance is one comparison.
//
// A changed graph: let A be the nearest common dominator of the ends of all changed edges. A block that A does not
// dominate keeps its immediate dominator, so the subtree of A is computed anew and put back in its place, unless it is
// too large to pay. Blocks that the change makes reachable or unreachable widen A until no edge leaves them for a block
// outside.
//
// Literature: E. Lowry, C. Medlock, Object code optimization (1969); L. Georgiadis, R. Tarjan, R. Werneck, Finding
// dominators in practice (2006); updates: G. Ramalingam, T. Reps, An incremental algorithm for maintaining the
// dominator tree of a reducible flowgraph (1994), from which the bound by the nearest common dominator comes.
#pragma once

#include <simtflow/analysis/analysis_result.hpp>
#include <simtflow/analysis/dense/dominators.hpp>
#include <simtflow/analysis/dense/immediate_dominators.hpp>
#include <simtflow/analysis/detail/verify_dominators.hpp>
#include <simtflow/analysis/detail/walked_graph.hpp>
#include <simtflow/analysis/tree_check.hpp>
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

namespace detail {

// Iterates over what a lazy range of the tree makes up as it goes: Range::value(at) and Range::step(at) of a block_id.
template <class Range, class Vertex>
class tree_iterator {
 public:
  using value_type = Vertex;
  using difference_type = std::ptrdiff_t;
  using reference = Vertex;
  using pointer = void;
  using iterator_category = std::input_iterator_tag;

  constexpr tree_iterator() = default;
  constexpr tree_iterator(const Range* range, block_id at) : range_(range), at_(at) {}
  constexpr Vertex operator*() const { return range_->value(at_); }
  constexpr tree_iterator& operator++() {
    at_ = range_->step(at_);
    return *this;
  }
  constexpr tree_iterator operator++(int) {
    tree_iterator before = *this;
    ++*this;
    return before;
  }
  friend constexpr bool operator==(const tree_iterator& a, const tree_iterator& b) { return a.at_ == b.at_; }

 private:
  const Range* range_ = nullptr;
  block_id at_ = no_block;
};

}  // namespace detail

/// The dominators of one vertex, from itself up to the entry; made by dominators_of, walks the tree lazily.
template <class G>
class dominator_walk {
 public:
  using iterator = detail::tree_iterator<dominator_walk, vertex_t<G>>;  ///< an input iterator over vertices

  constexpr dominator_walk() = default;  ///< of no vertex
  /// For dominators_of: from a block upwards along `up`, the immediate dominators by dense id.
  constexpr dominator_walk(detail::vertex_map<G> map, std::span<const block_id> up, block_id from)
      : map_(map), up_(up), from_(from) {}
  [[nodiscard]] constexpr iterator begin() const { return {this, from_}; }   ///< the vertex itself
  [[nodiscard]] constexpr iterator end() const { return {this, no_block}; }  ///< past the entry

 private:
  friend iterator;
  constexpr vertex_t<G> value(block_id at) const { return map_.at(at); }
  constexpr block_id step(block_id at) const { return up_[at]; }

  detail::vertex_map<G> map_;
  std::span<const block_id> up_;
  block_id from_ = no_block;
};

/// The immediate dominators, without the tree: half the work of dominator_tree, if no other question matters.
template <flow_graph G = csr_graph>
class immediate_dominator_map : public analysis_result<G, dense::immediate_dominator_map, detail::walked_graph<G>> {
  using base = analysis_result<G, dense::immediate_dominator_map, detail::walked_graph<G>>;
  using base::map_, base::dense_;

 public:
  using typename base::vertex;

  /// \pre check_adapter<G>(); g outlives the map (a csr_graph need not).
  constexpr explicit immediate_dominator_map(graph_ref<G> g) { this->compute(g); }

  /// The immediate dominator; empty for the entry and for unreachable v. O(1).
  [[nodiscard]] constexpr std::optional<vertex> idom(const vertex& v) const {
    return map_.maybe(dense_.idom(map_.index(v)));
  }
  /// True if the entry reaches v. O(1).
  [[nodiscard]] constexpr bool is_reachable(const vertex& v) const { return dense_.is_reachable(map_.index(v)); }
  /// Immediate dominators by dense block id; no_block for the entry and for unreachable blocks.
  [[nodiscard]] constexpr std::span<const block_id> idoms() const& { return dense_.idoms(); }
  std::span<const block_id> idoms() const&& = delete;
};

/// `immediate_dominator_map map(g)`.
template <flow_graph G>
explicit immediate_dominator_map(const G&) -> immediate_dominator_map<G>;

/// The children of one vertex in the dominator tree, siblings as the search found them; made by children(), steps from
/// subtree to subtree. Refers to the tree.
template <class G>
class dominator_children {
 public:
  using iterator = detail::tree_iterator<dominator_children, vertex_t<G>>;  ///< an input iterator over vertices

  constexpr dominator_children() = default;  ///< of no vertex
  /// For children(): the children of block `of`; none if it is unreachable.
  constexpr dominator_children(detail::vertex_map<G> map, const dense::dominator_tree& tree, block_id of)
      : map_(map), tree_(&tree) {
    if (!tree.is_reachable(of)) return;
    begin_ = tree.position(of) + 1;
    end_ = tree.subtree_end(tree.position(of));
  }
  [[nodiscard]] constexpr iterator begin() const { return {this, begin_}; }  ///< the first child
  [[nodiscard]] constexpr iterator end() const { return {this, end_}; }      ///< past the last
  [[nodiscard]] constexpr bool empty() const { return begin_ == end_; }      ///< a leaf, or unreachable
  /// Linear in the answer.
  [[nodiscard]] constexpr std::size_t size() const {
    std::size_t n = 0;
    for (block_id at = begin_; at != end_; at = step(at)) ++n;
    return n;
  }

 private:
  friend iterator;
  constexpr vertex_t<G> value(block_id position) const { return map_.at(tree_->at(position)); }
  constexpr block_id step(block_id position) const { return tree_->subtree_end(position); }

  detail::vertex_map<G> map_;
  const dense::dominator_tree* tree_ = nullptr;
  block_id begin_ = 0, end_ = 0;
};

/// The dominator tree of the blocks that the entry reaches.
///
/// Unreachable vertices dominate nothing and are dominated by nothing, not even themselves. Parallel edges and self
/// loops have no effect. Const questions never write, so a tree may be shared between threads.
template <flow_graph G = csr_graph>
class dominator_tree : public analysis_result<G, dense::dominator_tree, detail::walked_graph<G>> {
  using base = analysis_result<G, dense::dominator_tree, detail::walked_graph<G>>;
  using base::map_, base::dense_;

 public:
  using typename base::range;
  using typename base::vertex;

  /// \pre check_adapter<G>(); g outlives the tree (a csr_graph need not).
  /// Complexity: close to linear in blocks and edges, O(edges log blocks) at worst; no recursion.
  constexpr explicit dominator_tree(graph_ref<G> g) { this->compute(g); }

  /// Follows changes: g is the graph after them. `changed` names, in any order, every edge that was put in or taken out
  /// since the tree was made. It may name an edge that did not change; if a changed edge is missing, the tree is wrong,
  /// and verify() reports it. Vertices may have been added; a vertex is removed by removing its edges.
  /// After a partial update siblings stand in some order and rpo() is not known.
  /// \returns the number of blocks with a place in the tree that was computed again: 0 if the changes have no effect,
  ///          num_vertices of g if the changes reach more than half of the tree or the entry changed.
  /// \pre the tree was made for g before the changes; vertices keep their index.
  /// Complexity: as recompute, for the subtree of the nearest common dominator of all changed edges. Added or lost
  /// blocks move the blocks after them, in one pass over an array.
  constexpr std::size_t update(graph_ref<G> graph, std::span<const changed_edge<vertex>> changed) {
    using traits = graph_traits<G>;
    const G& g = graph.get();
    map_ = detail::vertex_map<G>(g);
    changed_.clear();
    for (const changed_edge<vertex>& e : changed) changed_.push_back({map_.index(e.from), map_.index(e.to)});
    const std::size_t n = static_cast<std::size_t>(traits::num_vertices(g));
    if (n != 0) {
      const block_id done = dense_.update(n, map_.index(static_cast<vertex>(traits::entry(g))),
                                          std::span<const changed_edge<block_id>>(changed_), dense_.num_reachable() / 2,
                                          [this, &g](block_id b, const auto& f) {
                                            for (auto&& s : traits::successors(g, map_.at(b)))
                                              f(map_.index(static_cast<vertex>(s)));
                                          });
      if (done != no_block) return done;
    }
    this->compute(graph);
    return n;
  }

  /// The immediate dominator; empty for the entry and for unreachable v. O(1).
  [[nodiscard]] constexpr std::optional<vertex> idom(const vertex& v) const {
    return map_.maybe(dense_.idom(map_.index(v)));
  }
  /// True if every path from the entry to b contains a; false if either is unreachable. O(1).
  [[nodiscard]] constexpr bool dominates(const vertex& a, const vertex& b) const {
    return dense_.dominates(map_.index(a), map_.index(b));
  }
  /// True if dominates(a, b) and a is not b. O(1).
  [[nodiscard]] constexpr bool strictly_dominates(const vertex& a, const vertex& b) const {
    return dense_.strictly_dominates(map_.index(a), map_.index(b));
  }
  /// True if the entry reaches v. O(1).
  [[nodiscard]] constexpr bool is_reachable(const vertex& v) const { return dense_.is_reachable(map_.index(v)); }
  /// Number of strict dominators; 0 for the entry and for unreachable v. O(1).
  [[nodiscard]] constexpr std::uint32_t depth(const vertex& v) const { return dense_.depth(map_.index(v)); }
  /// The deepest block that dominates both; empty if either is unreachable. O(depth).
  [[nodiscard]] constexpr std::optional<vertex> nearest_common(const vertex& a, const vertex& b) const {
    return map_.maybe(dense_.nearest_common(map_.index(a), map_.index(b)));
  }
  /// The blocks with v as their immediate dominator, in the order in which a depth-first search from the entry finds
  /// them. The search takes successors in slot order; after a partial update() the order is unspecified. Empty for
  /// unreachable v.
  [[nodiscard]] constexpr dominator_children<G> children(const vertex& v) const& {
    return {map_, dense_, map_.index(v)};
  }
  dominator_children<G> children(const vertex&) const&& = delete;
  /// The blocks that v dominates: v first, then the subtrees of its children; empty for unreachable v.
  [[nodiscard]] constexpr range blocks_dominated_by(const vertex& v) const& {
    return map_.over(dense_.dominated_by(map_.index(v)));
  }
  range blocks_dominated_by(const vertex&) const&& = delete;
  /// v, its immediate dominator, ... up to the entry; empty for unreachable v. Refers to the tree.
  [[nodiscard]] constexpr dominator_walk<G> dominators_of(const vertex& v) const& {
    const block_id b = map_.index(v);
    return {map_, dense_.idoms(), dense_.is_reachable(b) ? b : no_block};
  }
  dominator_walk<G> dominators_of(const vertex&) const&& = delete;
  /// The reachable blocks in listed-order reverse post-order (see order.hpp). Linear: made for the caller.
  /// \pre the tree was computed whole: it is new, or recompute() or update() did so last.
  [[nodiscard]] constexpr std::vector<vertex> rpo() const {
    std::vector<vertex> order;
    for (const block_id b : dense_.rpo()) order.push_back(map_.at(b));
    return order;
  }
  /// Immediate dominators by dense block id; no_block for the entry and for unreachable blocks.
  [[nodiscard]] constexpr std::span<const block_id> idoms() const& { return dense_.idoms(); }
  std::span<const block_id> idoms() const&& = delete;

 private:
  std::vector<changed_edge<block_id>> changed_;
};

/// `dominator_tree tree(g)`.
template <flow_graph G>
explicit dominator_tree(const G&) -> dominator_tree<G>;

/// The immediate dominators of g. Complexity: close to linear in blocks and edges, half the work of dominators().
/// The entry has no immediate dominator, and neither has a block that the entry does not reach. An empty graph is fine.
/// \pre check_adapter<G>() holds; g outlives the result (a csr_graph need not).
/// Errors: a successor with an index out of range is a contract violation; validate(g) names such an edge beforehand.
/// \snippet reference_test.cpp immediate_dominators
template <graph_argument G>
[[nodiscard]] constexpr immediate_dominator_map<graph_t<G>> immediate_dominators(G&& g) {
  return immediate_dominator_map<graph_t<G>>(g);
}

/// The dominator tree of g. Complexity: close to linear in blocks and edges.
/// Blocks that the entry does not reach are in no tree: dominator_tree says what each question means there. An empty
/// graph gives an empty tree.
/// \pre check_adapter<G>() holds; g outlives the result (a csr_graph need not).
/// Errors: a successor with an index out of range is a contract violation; validate(g) names such an edge beforehand.
/// \snippet reference_test.cpp dominators
template <graph_argument G>
[[nodiscard]] constexpr dominator_tree<graph_t<G>> dominators(G&& g) {
  return dominator_tree<graph_t<G>>(g);
}

/// Checks a tree against its graph by other means than it was built with. Cheap enough for tests and debug builds at
/// effort::normal; effort::full proves it.
// In parentheses: AssertMacros.h of macOS has a macro verify(x).
template <flow_graph G>
[[nodiscard]] constexpr tree_check(verify)(const dominator_tree<G>& tree, const G& g, effort how = effort::normal) {
  return detail::verify_dominators(tree.ids(), detail::kept_shape<G>().of(g), how);
}

}  // namespace v0
}  // namespace simtflow
