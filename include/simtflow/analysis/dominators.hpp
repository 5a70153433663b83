// SPDX-License-Identifier: BSL-1.0
//
// Dominators. Block a dominates block b if every path from the entry to b contains a; every reachable block dominates
// itself. The immediate dominator of b is the strict dominator that every other strict dominator of b dominates; with
// it as parent the reachable blocks form a tree rooted at the entry.
//
// Construction: Semi-NCA. Semidominators by path compression over the depth-first tree, then the immediate dominator as
// the nearest ancestor that is not below the semidominator. The second step has a quadratic worst case, so it walks
// under a budget and changes to logarithmic jumps when the budget is spent.
//
// Literature: L. Georgiadis, R. Tarjan, R. Werneck, Finding dominators in practice (2006); T. Lengauer, R. Tarjan,
// A fast algorithm for finding dominators in a flowgraph (1979); jump pointers: E. Myers, An applicative random-access
// stack (1983).
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

/// How much verify() may spend.
enum class effort : unsigned char {
  quick,   ///< the numbering agrees with the tree: linear in the blocks
  normal,  ///< also reachability, and for every edge u -> v the immediate dominator of v dominates u: linear
  full     ///< also the definition: remove each block and search. blocks x (blocks + edges)
};

/// What verify() found: nothing, or one broken promise and the blocks that break it.
struct tree_check {
  const char* broken = nullptr;  ///< the promise in words; null if all hold
  block_id a = no_block, b = no_block;
  [[nodiscard]] constexpr explicit operator bool() const { return broken == nullptr; }
};

namespace detail {

// Everything in dense ids. Two numberings: a *slot* is a preorder number of the search, a *position* a preorder number
// of the dominator tree (children in RPO order), so that the blocks a block dominates are a run of positions.
// Shape is csr_graph or has its members.
template <class Shape = csr_graph>
class dominator_index {
 public:
  // `walk_budget`: steps of plain walking per block, on average, before the jumps start.
  constexpr void compute(const Shape& g, std::size_t walk_budget = 8) {
    search(g);
    find_idoms(g, walk_budget);
    build_tree(g.num_blocks());
  }

  [[nodiscard]] constexpr std::size_t num_blocks() const { return idom_.size(); }
  [[nodiscard]] constexpr block_id entry() const { return order_.empty() ? no_block : order_[0]; }
  [[nodiscard]] constexpr std::span<const block_id> idoms() const { return std::span<const block_id>(idom_); }
  [[nodiscard]] constexpr block_id idom(block_id b) const { return idom_[checked(b)]; }
  [[nodiscard]] constexpr bool is_reachable(block_id b) const { return size_[checked(b)] != 0; }

  // An unreachable b has position 2^32 - 1 and an unreachable a has size 0: one unsigned comparison says no to both.
  [[nodiscard]] constexpr bool dominates(block_id a, block_id b) const {
    return position_[checked(b)] - position_[checked(a)] < size_[a];
  }
  [[nodiscard]] constexpr bool strictly_dominates(block_id a, block_id b) const { return a != b && dominates(a, b); }

  [[nodiscard]] constexpr std::uint32_t depth(block_id b) const { return depth_[checked(b)]; }
  [[nodiscard]] constexpr block_id nearest_common(block_id a, block_id b) const {
    if (!is_reachable(a) || !is_reachable(b)) return no_block;
    while (!dominates(a, b)) a = idom_[a];
    return a;
  }
  [[nodiscard]] constexpr std::span<const block_id> children(block_id b) const {
    return std::span<const block_id>(children_).subspan(child_begin_[checked(b)],
                                                        child_begin_[b + 1] - child_begin_[b]);
  }
  [[nodiscard]] constexpr std::span<const block_id> dominated_by(block_id b) const {
    if (!is_reachable(b)) return {};
    return std::span<const block_id>(order_).subspan(position_[b], size_[b]);
  }
  [[nodiscard]] constexpr std::span<const block_id> rpo() const { return std::span<const block_id>(rpo_); }

 private:
  struct frame {
    const block_id* next;
    const block_id* end;
    std::uint32_t slot;
  };
  // One record per slot, so that a step of the sweep touches one line.
  struct record {
    std::uint32_t ancestor;  // next slot on the compressed path
    std::uint32_t label;     // smallest semidominator on the compressed path
    std::uint32_t semi;
    std::uint32_t idom;  // before the sweep: the parent in the depth-first tree
  };

  [[nodiscard]] constexpr block_id checked(block_id b) const {
    SIMTFLOW_EXPECTS(b < idom_.size(), "a question about a block that is not in the graph of this result");
    return b;
  }

  constexpr void enter(const Shape& g, block_id b, std::uint32_t parent) {
    const std::uint32_t slot = static_cast<std::uint32_t>(block_.size());
    slot_[b] = slot;
    block_.push_back(b);
    record_.push_back({parent, slot, parent, parent});
    const std::span<const block_id> out = g.successors(b);
    stack_.push_back({out.data(), out.data() + out.size(), slot});
  }

  constexpr void search(const Shape& g) {
    slot_.assign(g.num_blocks(), no_number_);
    block_.clear();
    record_.clear();
    stack_.clear();
    if (g.num_blocks() == 0) return;
    enter(g, g.entry(), 0);
    while (!stack_.empty()) {
      frame& top = stack_.back();
      if (top.next == top.end) {
        stack_.pop_back();
        continue;
      }
      const block_id to = *top.next++;
      if (slot_[to] == no_number_) enter(g, to, top.slot);
    }
    // Postorder number = preorder number - tree depth + size of the subtree - 1; so the RPO needs no second search.
    const std::uint32_t n = static_cast<std::uint32_t>(block_.size());
    size_.assign(n, 1);
    depth_.assign(n, 0);
    for (std::uint32_t s = n; s-- > 1;) size_[record_[s].idom] += size_[s];
    for (std::uint32_t s = 1; s < n; ++s) depth_[s] = depth_[record_[s].idom] + 1;
    rpo_.assign(n, no_block);
    for (std::uint32_t s = 0; s < n; ++s) rpo_[n - (s - depth_[s] + size_[s])] = block_[s];
  }

  // The smallest label on the path from v up to the last ancestor above slot `last` (exclusive); compresses the path.
  constexpr std::uint32_t evaluate(std::uint32_t v, std::uint32_t last) {
    if (record_[v].ancestor <= last) return record_[v].label;
    path_.clear();
    std::uint32_t top = v;
    do {
      path_.push_back(top);
      top = record_[top].ancestor;
    } while (record_[top].ancestor > last);
    while (!path_.empty()) {
      record& r = record_[path_.back()];
      path_.pop_back();
      if (record_[top].label < r.label) r.label = record_[top].label;
      r.ancestor = record_[top].ancestor;
      top = static_cast<std::uint32_t>(&r - record_.data());
    }
    return record_[v].label;
  }

  constexpr void find_idoms(const Shape& g, std::size_t walk_budget) {
    const std::uint32_t n = static_cast<std::uint32_t>(block_.size());
    for (std::uint32_t w = n; w-- > 1;) {
      std::uint32_t semi = record_[w].semi;
      for (const block_id p : g.predecessors(block_[w])) {
        std::uint32_t v = slot_[p];
        if (v == no_number_) continue;
        if (v > w) v = evaluate(v, w);
        if (v < semi) semi = v;
      }
      record_[w].semi = record_[w].label = semi;
    }
    std::size_t budget = walk_budget * n + 1;
    jump_.clear();
    for (std::uint32_t w = 1; w < n; ++w) {
      const std::uint32_t semi = record_[w].semi;
      std::uint32_t d = record_[w].idom;
      if (jump_.empty()) {
        std::size_t steps = 0;
        for (; d > semi; d = record_[d].idom) ++steps;
        budget -= steps < budget ? steps : budget;
        record_[w].idom = d;
        if (budget == 0) start_jumps(w + 1, n);
      } else {
        while (d > semi) d = jump_[d] > semi ? jump_[d] : record_[d].idom;
        record_[w].idom = d;
        set_jump(w);
      }
    }
  }

  // Jump pointers skip 1, 3, 7, ... tree levels, so that any ancestor is O(log depth) jumps away.
  constexpr void set_jump(std::uint32_t w) {
    const std::uint32_t up = record_[w].idom;
    depth_[w] = depth_[up] + 1;
    const std::uint32_t far = jump_[up];
    jump_[w] = depth_[up] - depth_[far] == depth_[far] - depth_[jump_[far]] ? jump_[far] : up;
  }
  constexpr void start_jumps(std::uint32_t done, std::uint32_t n) {
    jump_.assign(n, 0);
    depth_[0] = 0;
    for (std::uint32_t w = 1; w < done; ++w) set_jump(w);
  }

  constexpr void build_tree(std::size_t blocks) {
    const std::uint32_t n = static_cast<std::uint32_t>(block_.size());
    idom_.assign(blocks, no_block);
    position_.assign(blocks, no_number_);
    size_.assign(blocks, 0);
    depth_.assign(blocks, 0);
    child_begin_.assign(blocks + 1, 0);
    children_.assign(n == 0 ? 0 : n - 1, no_block);
    order_.assign(n, no_block);
    if (n == 0) return;
    for (std::uint32_t s = 1; s < n; ++s) {
      const block_id b = block_[s], d = block_[record_[s].idom];
      idom_[b] = d;
      depth_[b] = depth_[d] + 1;
      ++child_begin_[d + 1];
    }
    for (std::uint32_t s = n; s-- > 0;) {
      const block_id b = block_[s];
      ++size_[b];
      if (s != 0) size_[idom_[b]] += size_[b];
    }
    for (std::size_t b = 0; b < blocks; ++b) child_begin_[b + 1] += child_begin_[b];
    // In RPO parents come before their children: hand out child places and runs of positions on the way.
    slot_.assign(child_begin_.begin(), child_begin_.end() - 1);  // next free child place
    path_.assign(blocks, 0);                                     // next free position below a block
    for (const block_id b : rpo_) {
      std::uint32_t at = 0;
      if (const block_id d = idom_[b]; d != no_block) {
        children_[slot_[d]++] = b;
        at = path_[d];
        path_[d] += size_[b];
      }
      position_[b] = at;
      order_[at] = b;
      path_[b] = at + 1;
    }
  }

  static constexpr std::uint32_t no_number_ = 0xFFFF'FFFFU;

  std::vector<block_id> idom_, children_, order_, rpo_;
  std::vector<std::uint32_t> position_, size_, depth_, child_begin_;
  // Workspace, kept for the next computation.
  std::vector<std::uint32_t> slot_, path_, jump_;
  std::vector<block_id> block_;
  std::vector<record> record_;
  std::vector<frame> stack_;
};

/// Blocks that the entry reaches without passing through `removed` (no_block removes none).
template <class Shape>
constexpr void reach_without(const Shape& g, block_id removed, std::vector<unsigned char>& seen,
                             std::vector<block_id>& work) {
  seen.assign(g.num_blocks(), 0);
  work.clear();
  if (g.num_blocks() == 0 || g.entry() == removed) return;
  seen[g.entry()] = 1;
  work.push_back(g.entry());
  while (!work.empty()) {
    const block_id b = work.back();
    work.pop_back();
    for (const block_id s : g.successors(b))
      if (s != removed && !seen[s]) {
        seen[s] = 1;
        work.push_back(s);
      }
  }
}

template <class Shape>
[[nodiscard]] constexpr tree_check verify_dominators(const dominator_index<>& d, const Shape& g, effort how) {
  const std::size_t n = g.num_blocks();
  if (d.num_blocks() != n) return {"the tree has as many blocks as the graph"};
  std::size_t reachable = 0;
  for (block_id b = 0; b < n; ++b) {
    const block_id up = d.idom(b);
    if (!d.is_reachable(b)) {
      if (up != no_block || d.depth(b) != 0 || d.dominates(b, b) || !d.children(b).empty())
        return {"an unreachable block is in no tree", b};
      continue;
    }
    ++reachable;
    if ((up == no_block) != (b == g.entry())) return {"exactly the entry has no immediate dominator", b};
    if (!d.dominates(b, b)) return {"a reachable block dominates itself", b};
    if (up != no_block) {
      if (!d.is_reachable(up) || d.depth(b) != d.depth(up) + 1)
        return {"depth grows by one from parent to child", up, b};
      if (!d.dominates(up, b) || d.dominates(b, up)) return {"the intervals of parent and child nest", up, b};
    }
    std::size_t below = 1;
    for (const block_id c : d.children(b)) {
      if (d.idom(c) != b) return {"a child names its parent", b, c};
      below += d.dominated_by(c).size();
    }
    if (below != d.dominated_by(b).size()) return {"the interval of a block is its own and its children's", b};
  }
  if (d.rpo().size() != reachable) return {"the order lists every reachable block"};
  if (how == effort::quick) return {};

  std::vector<unsigned char> seen;
  std::vector<block_id> work;
  reach_without(g, no_block, seen, work);
  for (block_id b = 0; b < n; ++b)
    if ((seen[b] != 0) != d.is_reachable(b)) return {"the tree holds exactly what the entry reaches", b};
  for (block_id b = 0; b < n; ++b) {
    if (!seen[b]) continue;
    for (const block_id s : g.successors(b))
      if (s != g.entry() && !d.dominates(d.idom(s), b))
        return {"an edge stays below the target's immediate dominator", b, s};
  }
  if (how == effort::normal) return {};

  for (block_id a = 0; a < n; ++a) {
    if (!d.is_reachable(a)) continue;
    reach_without(g, a, seen, work);
    for (block_id b = 0; b < n; ++b)
      if (d.is_reachable(b) && (seen[b] == 0) != d.dominates(a, b))
        return {"dominance is what removing a block shows", a, b};
  }
  return {};
}

}  // namespace detail

/// The dominators of one vertex, from itself up to the entry; made by dominators_of, walks the tree lazily.
template <class G>
class dominator_walk {
 public:
  class iterator {
   public:
    using value_type = vertex_t<G>;
    using difference_type = std::ptrdiff_t;
    using reference = vertex_t<G>;
    using pointer = void;
    using iterator_category = std::input_iterator_tag;

    constexpr iterator() = default;
    constexpr iterator(const dominator_walk* walk, block_id at) : walk_(walk), at_(at) {}
    constexpr vertex_t<G> operator*() const { return walk_->map_.at(at_); }
    constexpr iterator& operator++() {
      at_ = walk_->up_[at_];
      return *this;
    }
    constexpr iterator operator++(int) {
      iterator before = *this;
      ++*this;
      return before;
    }
    friend constexpr bool operator==(const iterator& a, const iterator& b) { return a.at_ == b.at_; }

   private:
    const dominator_walk* walk_ = nullptr;
    block_id at_ = no_block;
  };

  constexpr dominator_walk(detail::vertex_map<G> map, std::span<const block_id> up, block_id from)
      : map_(map), up_(up), from_(from) {}
  [[nodiscard]] constexpr iterator begin() const { return {this, from_}; }
  [[nodiscard]] constexpr iterator end() const { return {this, no_block}; }

 private:
  detail::vertex_map<G> map_;
  std::span<const block_id> up_;
  block_id from_;
};

/// The dominator tree of the blocks that the entry reaches.
///
/// Unreachable vertices dominate nothing and are dominated by nothing, not even themselves. Parallel edges and self
/// loops have no effect. Const questions never write, so a tree may be shared between threads.
template <flow_graph G = csr_graph>
class dominator_tree {
 public:
  using vertex = vertex_t<G>;
  using range = typename detail::vertex_map<G>::range;

  /// \pre check_adapter<G>(); g outlives the tree (a csr_graph need not).
  /// Complexity: close to linear in blocks and edges, O(edges log blocks) at worst; no recursion.
  constexpr explicit dominator_tree(const G& g) : map_(g) { index_.compute(detail::shape_of(g)); }
  dominator_tree(const G&&) requires detail::keeps_pointer<G>
  = delete;

  /// Computes the tree of g (the same graph, changed, or another), reusing every buffer.
  constexpr void recompute(const G& g) {
    map_ = detail::vertex_map<G>(g);
    index_.compute(detail::shape_of(g));
  }

  /// The immediate dominator; empty for the entry and for unreachable v. O(1).
  [[nodiscard]] constexpr std::optional<vertex> idom(const vertex& v) const {
    return map_.maybe(index_.idom(map_.index(v)));
  }
  /// Every path from the entry to b contains a. False if either is unreachable. O(1).
  [[nodiscard]] constexpr bool dominates(const vertex& a, const vertex& b) const {
    return index_.dominates(map_.index(a), map_.index(b));
  }
  /// dominates(a, b) and a is not b. O(1).
  [[nodiscard]] constexpr bool strictly_dominates(const vertex& a, const vertex& b) const {
    return index_.strictly_dominates(map_.index(a), map_.index(b));
  }
  [[nodiscard]] constexpr bool is_reachable(const vertex& v) const { return index_.is_reachable(map_.index(v)); }
  /// Number of strict dominators; 0 for the entry and for unreachable v. O(1).
  [[nodiscard]] constexpr std::uint32_t depth(const vertex& v) const { return index_.depth(map_.index(v)); }
  /// The deepest block that dominates both; empty if either is unreachable. O(depth).
  [[nodiscard]] constexpr std::optional<vertex> nearest_common(const vertex& a, const vertex& b) const {
    return map_.maybe(index_.nearest_common(map_.index(a), map_.index(b)));
  }
  /// The blocks whose immediate dominator is v, in RPO order.
  [[nodiscard]] constexpr range children(const vertex& v) const& { return map_.over(index_.children(map_.index(v))); }
  range children(const vertex&) const&& = delete;
  /// The blocks that v dominates: v first, then the subtrees of its children; empty for unreachable v.
  [[nodiscard]] constexpr range blocks_dominated_by(const vertex& v) const& {
    return map_.over(index_.dominated_by(map_.index(v)));
  }
  range blocks_dominated_by(const vertex&) const&& = delete;
  /// v, its immediate dominator, ... up to the entry; empty for unreachable v. Refers to the tree.
  [[nodiscard]] constexpr dominator_walk<G> dominators_of(const vertex& v) const& {
    const block_id b = map_.index(v);
    return {map_, index_.idoms(), index_.is_reachable(b) ? b : no_block};
  }
  dominator_walk<G> dominators_of(const vertex&) const&& = delete;
  /// The reachable blocks in listed-order reverse post-order (see order.hpp).
  [[nodiscard]] constexpr range rpo() const& { return map_.over(index_.rpo()); }
  range rpo() const&& = delete;
  /// Immediate dominators by dense block id; no_block for the entry and for unreachable blocks.
  [[nodiscard]] constexpr std::span<const block_id> idoms() const& { return index_.idoms(); }
  std::span<const block_id> idoms() const&& = delete;
  /// The same tree in dense block ids.
  [[nodiscard]] constexpr const detail::dominator_index<>& ids() const& { return index_; }
  const detail::dominator_index<>& ids() const&& = delete;

 private:
  detail::vertex_map<G> map_;
  detail::dominator_index<> index_;
};

/// The dominator tree of g.
template <flow_graph G>
[[nodiscard]] constexpr dominator_tree<G> dominators(const G& g) {
  return dominator_tree<G>(g);
}
template <detail::keeps_pointer G>
dominator_tree<G> dominators(const G&&) = delete;

/// Checks a tree against its graph by other means than it was built with. Cheap enough for tests and debug builds at
/// effort::normal; effort::full proves it.
template <flow_graph G>
[[nodiscard]] constexpr tree_check verify(const dominator_tree<G>& tree, const G& g, effort how = effort::normal) {
  return detail::verify_dominators(tree.ids(), detail::shape_of(g), how);
}

}  // namespace v0
}  // namespace simtflow
