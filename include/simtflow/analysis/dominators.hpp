// SPDX-License-Identifier: BSL-1.0
//
// Dominators. Block a dominates block b if every path from the entry to b contains a; every reachable block dominates
// itself. The immediate dominator of b is the strict dominator that every other strict dominator of b dominates; with
// it as parent the reachable blocks form a tree rooted at the entry.
//
//   immediate_dominators(g)   the parents alone
//   dominators(g)             the tree: dominance in O(1), children, subtrees, depth; can follow changes of the graph
//
// Semi-NCA finds the parents (detail/semi_nca.hpp). The tree numbers its blocks in preorder, siblings as the search
// found them: what a block dominates is a run of *positions*, and dominance is one comparison.
//
// A changed graph: let A be the nearest common dominator of the ends of all changed edges. What A does not dominate
// keeps its immediate dominator, so the subtree of A is computed anew and put back in its place, unless it is too large
// to pay. Blocks that the change makes reachable or unreachable widen A until no edge leaves them for a block outside.
//
// Literature: E. Lowry, C. Medlock, Object code optimization (1969); L. Georgiadis, R. Tarjan, R. Werneck, Finding
// dominators in practice (2006); updates: G. Ramalingam, T. Reps, An incremental algorithm for maintaining the
// dominator tree of a reducible flowgraph (1994), from which the bound by the nearest common dominator comes.
#pragma once

#include <simtflow/analysis/detail/semi_nca.hpp>
#include <simtflow/analysis/vertex_map.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/traits.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
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
  block_id a = no_block,         ///< the block that the promise is about; no_block if all hold
      b = no_block;              ///< the other one; no_block if the promise is about one
  [[nodiscard]] constexpr explicit operator bool() const { return broken == nullptr; }  ///< nothing is broken
};

/// An edge that was put into a graph or taken out of it.
template <class V>
struct changed_edge {
  V from,  ///< its source
      to;  ///< its target; the slot does not matter
};

namespace detail {

// The dominator tree in dense ids.
template <class Shape = csr_graph>
class dominator_index {
 public:
  constexpr void compute(const Shape& g, std::size_t walk_budget = semi_nca<>::default_budget) {
    if (g.num_blocks() == 0) return clear();
    const row_view view = along_edges(g);
    compute(view, static_cast<block_id>(g.num_blocks()), g.entry(), g.entry(), view.first(g.entry()),
            view.last(g.entry()), frames_, walk_budget);
  }

  // Of whatever the view shows: see semi_nca. `root_name` is what idom() calls the root: no_block if it stands for no
  // block.
  template <class View>
  constexpr void compute(const View& view, block_id num_ids, block_id root, block_id root_name,
                         typename View::cursor next, typename View::cursor end,
                         std::vector<search_frame<typename View::cursor>>& frames,
                         std::size_t walk_budget = semi_nca<>::default_budget) {
    search_.reserve(num_ids);
    block_id* const idoms = search_.tree_parents();
    search_.template run<true>(view, num_ids, root, next, end, frames, walk_budget,
                               [=](block_id b, block_id up) { idoms[b] = up == root ? root_name : up; });
    idoms[root] = no_block;
    num_blocks_ = num_ids;
    reachable_ = search_.size();
    patched_ = false;
    if (reachable_ != num_ids)
      for (block_id b = 0; b < num_ids; ++b)
        if (!search_.reached(b)) forget(b);
    block_id* const order = search_.tree_order();
    const node_column<block_id> nodes{search_.tree_nodes()};
    const block_id* const blocks = search_.blocks();
    search_.lay_out([=](block_id slot, block_id position, block_id size, block_id depth) {
      const block_id b = blocks[slot];
      nodes[b].set(position, size, depth);
      order[position] = b;
    });
  }

  constexpr void clear() {
    num_blocks_ = reachable_ = 0;
    patched_ = false;
  }

  // The graph has `num_blocks` blocks now, and `changed` lists (from, to) of every edge that was put in or taken out.
  // each(b, f) calls f with every successor of b. Gives the number of blocks whose place in the tree was computed
  // again, no_block if all of them have to be: then nothing has been changed.
  template <class Each>
  constexpr block_id update(std::size_t num_blocks, block_id entry, std::span<const changed_edge<block_id>> changed,
                            std::size_t most_blocks, const Each& each) {
    if (reachable_ == 0 || num_blocks < num_blocks_ || entry != placed(0)) return no_block;
    search_.reserve(static_cast<block_id>(num_blocks));
    while (num_blocks_ < num_blocks) forget(num_blocks_++);
    fresh_.clear();
    block_id top = no_block;  // its subtree is to be computed anew
    const auto widen = [&](block_id b) { top = top == no_block ? b : nearest_common(top, b); };
    for (const changed_edge<block_id>& e : changed) {
      if (!is_reachable(e.from) || e.to == entry) continue;
      if (is_reachable(e.to)) {
        if (dominates(e.to, e.from)) continue;  // no path needs an edge back to a dominator
        widen(e.from);
        widen(e.to);
        continue;
      }
      bool there = false;
      each(e.from, [&](block_id s) { there = there || s == e.to; });
      if (!there) continue;
      widen(e.from);
      discover(e.to, each);
    }
    if (top == no_block) return 0;
    for (const block_id x : fresh_)
      each(x, [&](block_id s) {
        if (is_reachable(s) && !dominates(s, top)) widen(s);
      });
    while (true) {
      if (node(top).size() + fresh_.size() > most_blocks) {
        for (const block_id x : fresh_) forget(x);
        return no_block;
      }
      copy_region(top, each);
      const row_view view{region_begin_.data(), region_target_.data()};
      const block_id n = static_cast<block_id>(region_.size());
      search_.template run<true>(view, n, 0, view.first(0), view.last(0), frames_, semi_nca<>::default_budget,
                                 [](block_id, block_id) {});
      if (search_.size() == n || !lost_blocks_reach_out(top, n, each, widen)) break;
    }
    put_back(top);
    return static_cast<block_id>(region_.size());
  }

  [[nodiscard]] constexpr std::size_t num_blocks() const { return num_blocks_; }
  [[nodiscard]] constexpr std::size_t num_reachable() const { return reachable_; }
  [[nodiscard]] constexpr block_id entry() const { return reachable_ == 0 ? no_block : placed(0); }
  [[nodiscard]] constexpr std::span<const block_id> idoms() const {
    return std::span<const block_id>(search_.tree_parents(), num_blocks_);
  }
  [[nodiscard]] constexpr block_id idom(block_id b) const { return up(checked(b)); }
  [[nodiscard]] constexpr bool is_reachable(block_id b) const { return node(checked(b)).size() != 0; }

  // An unreachable b has position 2^32 - 1 and an unreachable a has size 0: one unsigned comparison says no to both.
  [[nodiscard]] constexpr bool dominates(block_id a, block_id b) const {
    const auto above = node(checked(a));
    return node(checked(b)).position() - above.position() < above.size();
  }
  [[nodiscard]] constexpr bool strictly_dominates(block_id a, block_id b) const { return a != b && dominates(a, b); }

  [[nodiscard]] constexpr std::uint32_t depth(block_id b) const { return node(checked(b)).depth(); }
  // The idom, but the root is called by its id.
  [[nodiscard]] constexpr block_id parent(block_id b) const {
    const block_id above = up(checked(b));
    return above == no_block && is_reachable(b) && b != placed(0) ? placed(0) : above;
  }
  [[nodiscard]] constexpr block_id nearest_common(block_id a, block_id b) const {
    if (!is_reachable(a) || !is_reachable(b)) return no_block;
    while (!dominates(a, b)) {
      a = up(a);
      if (a == no_block) return placed(0);
    }
    return a;
  }
  // Of the last search, the root included.
  [[nodiscard]] constexpr block_id num_reached() const { return search_.size(); }
  [[nodiscard]] constexpr bool reached(block_id b) const { return search_.reached(b); }
  [[nodiscard]] constexpr std::span<const block_id> dominated_by(block_id b) const {
    const auto found = node(checked(b));
    if (found.size() == 0) return {};
    return std::span<const block_id>(search_.tree_order() + found.position(), found.size());
  }
  // The position where the subtree of the block at `position` ends: its next sibling's, if it has one.
  [[nodiscard]] constexpr block_id behind(block_id position) const { return position + node(placed(position)).size(); }
  [[nodiscard]] constexpr block_id at(block_id position) const { return placed(position); }
  [[nodiscard]] constexpr block_id position(block_id b) const { return node(checked(b)).position(); }

  [[nodiscard]] constexpr bool has_rpo() const { return !patched_; }
  [[nodiscard]] constexpr std::vector<block_id> rpo() const {
    SIMTFLOW_EXPECTS(has_rpo(), "the order of a tree that update() has patched is not known; depth_first(g) has it");
    return reachable_ == 0 ? std::vector<block_id>() : search_.rpo();
  }

 private:
  // Three ids that lie side by side, constant ones or not.
  template <class Id>
  struct node_column {
    struct node {
      Id* at;
      constexpr Id& position() const { return at[0]; }  // no_block: unreachable
      constexpr Id& size() const { return at[1]; }      // blocks that it dominates; 0: unreachable
      constexpr Id& depth() const { return at[2]; }
      constexpr void set(block_id position, block_id size, block_id depth) const {
        at[0] = position;
        at[1] = size;
        at[2] = depth;
      }
    };
    Id* first;
    constexpr node operator[](block_id b) const { return {first + 3 * std::size_t{b}}; }
  };
  [[nodiscard]] constexpr auto node(block_id b) { return node_column<block_id>{search_.tree_nodes()}[b]; }
  [[nodiscard]] constexpr auto node(block_id b) const { return node_column<const block_id>{search_.tree_nodes()}[b]; }
  [[nodiscard]] constexpr block_id& up(block_id b) { return search_.tree_parents()[b]; }
  [[nodiscard]] constexpr block_id up(block_id b) const { return search_.tree_parents()[b]; }
  [[nodiscard]] constexpr block_id& placed(block_id position) { return search_.tree_order()[position]; }
  [[nodiscard]] constexpr block_id placed(block_id position) const { return search_.tree_order()[position]; }

  [[nodiscard]] constexpr block_id checked(block_id b) const {
    SIMTFLOW_EXPECTS(b < num_blocks_, "a question about a block that is not in the graph of this result");
    return b;
  }
  // Blocks that become reachable are marked by depth 1 and size 0; their idom is their place in fresh_.
  constexpr bool is_fresh(block_id b) const { return node(b).size() == 0 && node(b).depth() == 1; }
  constexpr void add_fresh(block_id b) {
    up(b) = static_cast<block_id>(fresh_.size());
    node(b).depth() = 1;
    fresh_.push_back(b);
  }
  constexpr void forget(block_id b) {
    node(b).set(no_block, 0, 0);
    up(b) = no_block;
  }
  template <class Each>
  constexpr void discover(block_id b, const Each& each) {
    if (is_fresh(b)) return;
    std::size_t next = fresh_.size();
    add_fresh(b);
    for (; next < fresh_.size(); ++next)
      each(fresh_[next], [this](block_id s) {
        if (!is_reachable(s) && !is_fresh(s)) add_fresh(s);
      });
  }

  // The subtree of `top` and the fresh blocks as a graph of their own, without the edges that leave.
  template <class Each>
  constexpr void copy_region(block_id top, const Each& each) {
    const std::span<const block_id> old = dominated_by(top);
    region_.assign(old.begin(), old.end());
    region_.insert(region_.end(), fresh_.begin(), fresh_.end());
    region_begin_.assign(1, 0);
    region_target_.clear();
    for (const block_id b : region_) {
      each(b, [&](block_id s) {
        if (dominates(top, s))
          region_target_.push_back(node(s).position() - node(top).position());
        else if (is_fresh(s))
          region_target_.push_back(static_cast<block_id>(old.size()) + up(s));
      });
      region_begin_.push_back(static_cast<block_id>(region_target_.size()));
    }
  }

  // Whether blocks that are not reached any more had an edge to a block outside that another path reaches.
  template <class Each, class Widen>
  constexpr bool lost_blocks_reach_out(block_id top, block_id n, const Each& each, const Widen& widen) {
    bool out = false;
    for (block_id i = 0; i < n; ++i)
      if (!search_.reached(i))
        each(region_[i], [&](block_id s) {
          if (!is_reachable(s) || dominates(top, s) || dominates(s, top)) return;
          widen(s);
          out = true;
        });
    return out;
  }

  constexpr void put_back(block_id top) {
    const block_id position = node(top).position(), depth = node(top).depth(), before = node(top).size();
    const block_id now = search_.size();
    for (const block_id b : region_)
      if (b != top) forget(b);
    if (now != before) {
      for (block_id a = up(top); a != no_block; a = up(a)) node(a).size() += now - before;
      const block_id end = reachable_, tail = position + before;
      if (now > before)
        for (block_id i = end; i-- > tail;) move_to(i, i + (now - before));
      else
        for (block_id i = tail; i < end; ++i) move_to(i, i - (before - now));
      reachable_ += now - before;
    }
    patched_ = true;
    search_.lay_out([&](block_id slot, block_id at, block_id size, block_id levels) {
      const block_id b = region_[search_.blocks()[slot]];
      node(b).set(position + at, size, depth + levels);
      placed(position + at) = b;
      if (slot != 0) up(b) = region_[search_.blocks()[search_.idom(slot)]];
    });
  }
  constexpr void move_to(block_id from, block_id to) {
    placed(to) = placed(from);
    node(placed(to)).position() = to;
  }

  block_id num_blocks_ = 0, reachable_ = 0;
  bool patched_ = false;  // by update(): search_ has seen a part of the graph last
  semi_nca<> search_;     // keeps the tree in its columns
  // Workspace, kept for the next computation.
  std::vector<search_frame<const block_id*>> frames_;
  std::vector<block_id> fresh_, region_, region_begin_, region_target_;
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
[[nodiscard]] constexpr tree_check verify_dominators(const dominator_index<>& d, const Shape& g, effort how,
                                                     bool nameless_root = false) {
  const std::size_t n = g.num_blocks();
  if (d.num_blocks() != n) return {"the tree has as many blocks as the graph"};
  std::size_t reachable = 0;
  for (block_id b = 0; b < n; ++b) {
    const block_id up = d.parent(b);
    if (d.idom(b) != (nameless_root && up == g.entry() ? no_block : up))
      return {"every other block is called by its id", b, up};
    if (!d.is_reachable(b)) {
      if (up != no_block || d.depth(b) != 0 || d.dominates(b, b) || !d.dominated_by(b).empty())
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
    block_id at = d.position(b) + 1;  // the subtrees of the children fill the run of positions
    for (const block_id end = d.behind(at - 1); at < end; at = d.behind(at))
      if (d.parent(d.at(at)) != b) return {"a child names its parent", b, d.at(at)};
    if (d.at(d.position(b)) != b || at != d.behind(d.position(b)))
      return {"the interval of a block is its own and its children's", b};
  }
  if (d.num_reachable() != reachable) return {"the tree has as many positions as reachable blocks"};
  if (how == effort::quick) return {};

  std::vector<unsigned char> seen;
  std::vector<block_id> work;
  reach_without(g, no_block, seen, work);
  for (block_id b = 0; b < n; ++b)
    if ((seen[b] != 0) != d.is_reachable(b)) return {"the tree holds exactly what the entry reaches", b};
  for (block_id b = 0; b < n; ++b) {
    if (!seen[b]) continue;
    for (const block_id s : g.successors(b))
      if (s != g.entry() && !d.dominates(d.parent(s), b))
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

// Successor ranges that stay where they are while a search goes on: then it walks the graph itself, without a copy.
template <class G>
concept steady_successors = requires(const G& g, const vertex_t<G>& v) {
  requires std::is_lvalue_reference_v<decltype(graph_traits<G>::successors(g, v))> ||
      std::ranges::enable_borrowed_range<std::remove_cvref_t<decltype(graph_traits<G>::successors(g, v))>>;
};

template <class G>
struct graph_view {
  using traits = graph_traits<G>;
  using handle = vertex_t<G>;
  using cursor =
      std::remove_cvref_t<decltype(adl::first(traits::successors(std::declval<const G&>(), std::declval<handle>())))>;
  const G* graph;
  std::size_t num_blocks;
  constexpr block_id index(const handle& v) const {
    const std::size_t i = static_cast<std::size_t>(traits::index(*graph, v));
    SIMTFLOW_EXPECTS(i < num_blocks, "a successor's index is below num_vertices (validate(g) names the edge)");
    return static_cast<block_id>(i);
  }
  constexpr cursor first(const handle& v) const { return adl::first(traits::successors(*graph, v)); }
  constexpr cursor last(const handle& v) const { return adl::last(traits::successors(*graph, v)); }
};

// Runs Index::compute on a graph of type G and keeps what that needs for the next time.
template <class G>
class dominator_input {
 public:
  template <class Index>
  constexpr void compute(const G& g, Index& index) {
    index.compute(shape_.of(g));
  }

 private:
  shape_of_graph<G> shape_;
};
template <steady_successors G>
  requires(!std::same_as<G, csr_graph>)
class dominator_input<G> {
 public:
  template <class Index>
  constexpr void compute(const G& g, Index& index) {
    using traits = graph_traits<G>;
    const graph_view<G> view{&g, static_cast<std::size_t>(traits::num_vertices(g))};
    if (view.num_blocks == 0) return index.clear();
    SIMTFLOW_EXPECTS(view.num_blocks < no_block, "a graph has fewer than 2^32 - 1 blocks");
    const vertex_t<G> entry = static_cast<vertex_t<G>>(traits::entry(g));
    const block_id root = view.index(entry);
    index.compute(view, static_cast<block_id>(view.num_blocks), root, root, view.first(entry), view.last(entry),
                  frames_);
  }

 private:
  std::vector<search_frame<typename graph_view<G>::cursor>> frames_;
};

// The parents alone.
template <class Shape = csr_graph>
class idom_index {
 public:
  constexpr void compute(const Shape& g) {
    if (g.num_blocks() == 0) return clear();
    const row_view view = along_edges(g);
    compute(view, static_cast<block_id>(g.num_blocks()), g.entry(), g.entry(), view.first(g.entry()),
            view.last(g.entry()), frames_);
  }
  template <class View>
  constexpr void compute(const View& view, block_id num_ids, block_id root, block_id root_name,
                         typename View::cursor next, typename View::cursor end,
                         std::vector<search_frame<typename View::cursor>>& frames) {
    search_.reserve(num_ids);
    block_id* const idoms = search_.tree_parents();
    search_.template run<false>(view, num_ids, root, next, end, frames, semi_nca<>::default_budget,
                                [=](block_id b, block_id up) { idoms[b] = up == root ? root_name : up; });
    idoms[root] = no_block;
    entry_ = root;
    num_blocks_ = num_ids;
    if (search_.size() != num_ids)
      for (block_id b = 0; b < num_ids; ++b)
        if (!search_.reached(b)) idoms[b] = no_block;
  }
  constexpr void clear() {
    entry_ = no_block;
    num_blocks_ = 0;
  }
  [[nodiscard]] constexpr std::span<const block_id> idoms() const {
    return std::span<const block_id>(search_.tree_parents(), num_blocks_);
  }
  [[nodiscard]] constexpr block_id idom(block_id b) const {
    SIMTFLOW_EXPECTS(b < num_blocks_, "a question about a block that is not in the graph of this result");
    return search_.tree_parents()[b];
  }
  [[nodiscard]] constexpr bool is_reachable(block_id b) const { return idom(b) != no_block || b == entry_; }
  // Of the last search, the root included.
  [[nodiscard]] constexpr block_id num_reached() const { return search_.size(); }
  [[nodiscard]] constexpr bool reached(block_id b) const { return search_.reached(b); }

 private:
  block_id entry_ = no_block, num_blocks_ = 0;
  semi_nca<> search_;  // keeps the parents in its columns
  std::vector<search_frame<const block_id*>> frames_;
};

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
  [[nodiscard]] constexpr iterator end() const { return {this, no_block}; }  ///< behind the entry

 private:
  friend iterator;
  constexpr vertex_t<G> value(block_id at) const { return map_.at(at); }
  constexpr block_id step(block_id at) const { return up_[at]; }

  detail::vertex_map<G> map_;
  std::span<const block_id> up_;
  block_id from_ = no_block;
};

/// The immediate dominators, without the tree: half the work of dominator_tree for those who ask nothing else.
template <flow_graph G = csr_graph>
class immediate_dominator_map {
 public:
  using vertex = vertex_t<G>;  ///< the graph's own vertex type

  /// \pre check_adapter<G>(); g outlives the map (a csr_graph need not).
  constexpr explicit immediate_dominator_map(const G& g) : map_(g) { recompute(g); }
  immediate_dominator_map(const G&&) requires detail::keeps_pointer<G>
  = delete;

  /// Computes the map of g (the same graph, changed, or another), reusing every buffer.
  constexpr void recompute(const G& g) {
    map_ = detail::vertex_map<G>(g);
    input_.compute(g, index_);
  }
  void recompute(const G&&) requires detail::keeps_pointer<G>
  = delete;

  /// Empty for the entry and for unreachable v. O(1).
  [[nodiscard]] constexpr std::optional<vertex> idom(const vertex& v) const {
    return map_.maybe(index_.idom(map_.index(v)));
  }
  /// The entry reaches v. O(1).
  [[nodiscard]] constexpr bool is_reachable(const vertex& v) const { return index_.is_reachable(map_.index(v)); }
  /// By dense block id; no_block for the entry and for unreachable blocks.
  [[nodiscard]] constexpr std::span<const block_id> idoms() const& { return index_.idoms(); }
  std::span<const block_id> idoms() const&& = delete;
  /// The same in dense block ids.
  [[nodiscard]] constexpr const detail::idom_index<>& ids() const& { return index_; }
  const detail::idom_index<>& ids() const&& = delete;

 private:
  detail::vertex_map<G> map_;
  detail::dominator_input<G> input_;
  detail::idom_index<> index_;
};

/// The children of one vertex in the dominator tree, siblings as the search found them; made by children(), steps from
/// subtree to subtree. Refers to the tree.
template <class G>
class dominator_children {
 public:
  using iterator = detail::tree_iterator<dominator_children, vertex_t<G>>;  ///< an input iterator over vertices

  constexpr dominator_children() = default;  ///< of no vertex
  /// For children(): those of block `of`; none if it is unreachable.
  constexpr dominator_children(detail::vertex_map<G> map, const detail::dominator_index<>& tree, block_id of)
      : map_(map), tree_(&tree) {
    if (!tree.is_reachable(of)) return;
    begin_ = tree.position(of) + 1;
    end_ = tree.behind(tree.position(of));
  }
  [[nodiscard]] constexpr iterator begin() const { return {this, begin_}; }  ///< the first child
  [[nodiscard]] constexpr iterator end() const { return {this, end_}; }      ///< behind the last
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
  constexpr block_id step(block_id position) const { return tree_->behind(position); }

  detail::vertex_map<G> map_;
  const detail::dominator_index<>* tree_ = nullptr;
  block_id begin_ = 0, end_ = 0;
};

/// The dominator tree of the blocks that the entry reaches.
///
/// Unreachable vertices dominate nothing and are dominated by nothing, not even themselves. Parallel edges and self
/// loops have no effect. Const questions never write, so a tree may be shared between threads.
template <flow_graph G = csr_graph>
class dominator_tree {
 public:
  using vertex = vertex_t<G>;                           ///< the graph's own vertex type
  using range = typename detail::vertex_map<G>::range;  ///< vertex_range<G>; for a csr_graph a span of block ids

  /// \pre check_adapter<G>(); g outlives the tree (a csr_graph need not).
  /// Complexity: close to linear in blocks and edges, O(edges log blocks) at worst; no recursion.
  constexpr explicit dominator_tree(const G& g) : map_(g) { recompute(g); }
  dominator_tree(const G&&) requires detail::keeps_pointer<G>
  = delete;

  /// Computes the tree of g (the same graph, changed, or another), reusing every buffer.
  constexpr void recompute(const G& g) {
    map_ = detail::vertex_map<G>(g);
    input_.compute(g, index_);
  }
  void recompute(const G&&) requires detail::keeps_pointer<G>
  = delete;

  /// Follows changes: g is the graph after them, `changed` names every edge that was put in or taken out since the tree
  /// was made, in any order. An edge that is named and did not change does no harm, one that changed and is not named
  /// makes the tree wrong (verify() finds out). Vertices may have been added; one that was removed is one that has lost
  /// its edges. Gives the number of blocks whose place in the tree was computed again: 0 if the changes have no effect,
  /// num_vertices of g if the whole tree was recomputed, because the changes reach more than half of it or because the
  /// entry changed.
  /// If less was, siblings stand in some order afterwards and rpo() is not known.
  /// \pre the tree was made for g before the changes; vertices keep their index.
  /// Complexity: as recompute, for the subtree of the nearest common dominator of all changed edges. Added or lost
  /// blocks move the blocks behind them, in one pass over an array.
  constexpr std::size_t update(const G& g, std::span<const changed_edge<vertex>> changed) {
    using traits = graph_traits<G>;
    map_ = detail::vertex_map<G>(g);
    changed_.clear();
    for (const changed_edge<vertex>& e : changed) changed_.push_back({map_.index(e.from), map_.index(e.to)});
    const std::size_t n = static_cast<std::size_t>(traits::num_vertices(g));
    if (n != 0) {
      const block_id done = index_.update(n, map_.index(static_cast<vertex>(traits::entry(g))),
                                          std::span<const changed_edge<block_id>>(changed_), index_.num_reachable() / 2,
                                          [this, &g](block_id b, const auto& f) {
                                            for (auto&& s : traits::successors(g, map_.at(b)))
                                              f(map_.index(static_cast<vertex>(s)));
                                          });
      if (done != no_block) return done;
    }
    recompute(g);
    return n;
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
  /// The entry reaches v. O(1).
  [[nodiscard]] constexpr bool is_reachable(const vertex& v) const { return index_.is_reachable(map_.index(v)); }
  /// Number of strict dominators; 0 for the entry and for unreachable v. O(1).
  [[nodiscard]] constexpr std::uint32_t depth(const vertex& v) const { return index_.depth(map_.index(v)); }
  /// The deepest block that dominates both; empty if either is unreachable. O(depth).
  [[nodiscard]] constexpr std::optional<vertex> nearest_common(const vertex& a, const vertex& b) const {
    return map_.maybe(index_.nearest_common(map_.index(a), map_.index(b)));
  }
  /// The blocks whose immediate dominator is v, in the order in which a depth-first search from the entry that takes
  /// successors in slot order finds them (after a partial update(): in some order); none for unreachable v.
  [[nodiscard]] constexpr dominator_children<G> children(const vertex& v) const& {
    return {map_, index_, map_.index(v)};
  }
  dominator_children<G> children(const vertex&) const&& = delete;
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
  /// The reachable blocks in listed-order reverse post-order (see order.hpp). Linear: made for the caller.
  /// \pre the tree was computed whole: it is new, or recompute() or update() did so last.
  [[nodiscard]] constexpr std::vector<vertex> rpo() const {
    std::vector<vertex> order;
    for (const block_id b : index_.rpo()) order.push_back(map_.at(b));
    return order;
  }
  /// Immediate dominators by dense block id; no_block for the entry and for unreachable blocks.
  [[nodiscard]] constexpr std::span<const block_id> idoms() const& { return index_.idoms(); }
  std::span<const block_id> idoms() const&& = delete;
  /// The same tree in dense block ids.
  [[nodiscard]] constexpr const detail::dominator_index<>& ids() const& { return index_; }
  const detail::dominator_index<>& ids() const&& = delete;

 private:
  detail::vertex_map<G> map_;
  detail::dominator_input<G> input_;
  detail::dominator_index<> index_;
  std::vector<changed_edge<block_id>> changed_;
};

/// The immediate dominators of g.
template <flow_graph G>
[[nodiscard]] constexpr immediate_dominator_map<G> immediate_dominators(const G& g) {
  return immediate_dominator_map<G>(g);
}
template <detail::keeps_pointer G>
immediate_dominator_map<G> immediate_dominators(const G&&) = delete;

/// The dominator tree of g.
template <flow_graph G>
[[nodiscard]] constexpr dominator_tree<G> dominators(const G& g) {
  return dominator_tree<G>(g);
}
template <detail::keeps_pointer G>
dominator_tree<G> dominators(const G&&) = delete;

/// Checks a tree against its graph by other means than it was built with. Cheap enough for tests and debug builds at
/// effort::normal; effort::full proves it.
// In parentheses: AssertMacros.h of macOS has a macro verify(x).
template <flow_graph G>
[[nodiscard]] constexpr tree_check(verify)(const dominator_tree<G>& tree, const G& g, effort how = effort::normal) {
  return detail::verify_dominators(tree.ids(), detail::shape_of(g), how);
}

}  // namespace v0
}  // namespace simtflow
