// SPDX-License-Identifier: BSL-1.0
//
// The loop nesting forest, irreducible cycles included. By definition:
//
//   1. The loops of a graph are its strongly connected sets of blocks that contain an edge (a self loop is one).
//   2. An *entry* of a loop is a block of it with an edge from a reachable block outside the loop, or the graph's
//      entry. The *header* is the entry that comes first in listed-order RPO (order.hpp).
//   3. Cut the edges into the header that come from the loop; the loops of what is left are the loop's children.
//
// A loop with one entry is a natural loop: its header dominates it. A loop with two or more entries is *irreducible*;
// for these the forest depends on the order of successors, the set of outermost loops does not.
//
// Construction: one depth-first search; then headers from last to first in preorder, each collecting its body backwards
// over edges whose ends are known to meet below it. A cross edge counts from the lowest common ancestor of its ends on,
// which keeps irreducible graphs near-linear as well.
//
// Literature: P. Havlak, Nesting of reducible and irreducible loops (1997); G. Ramalingam, Identifying loops in almost
// linear time (1999) and On loops, dominators, and dominance frontiers (2002).
#pragma once

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

/// A loop of a loop_forest: 0 .. num_loops() - 1, outer loops before the loops in them, siblings by RPO of their
/// headers.
using loop_id = std::uint32_t;

/// "In no loop", "no parent".
inline constexpr loop_id no_loop = 0xFFFF'FFFFU;

namespace detail {

// Shape is csr_graph or has its members.
template <class Shape = csr_graph>
class loop_index {
 public:
  constexpr void compute(const Shape& g) {
    dfs_.compute(g);
    nest(g);
    number(g);
    find_crossings(g);
  }

  [[nodiscard]] constexpr std::size_t num_blocks() const { return innermost_.size(); }
  [[nodiscard]] constexpr std::size_t num_loops() const { return header_.size(); }
  [[nodiscard]] constexpr loop_id innermost(block_id b) const {
    SIMTFLOW_EXPECTS(b < innermost_.size(), "a question about a block that is not in the graph of this result");
    return innermost_[b];
  }
  [[nodiscard]] constexpr block_id header(loop_id l) const { return header_[checked(l)]; }
  [[nodiscard]] constexpr loop_id parent(loop_id l) const { return parent_[checked(l)]; }
  [[nodiscard]] constexpr std::uint32_t depth(loop_id l) const { return depth_[checked(l)]; }
  [[nodiscard]] constexpr std::uint32_t depth_of(block_id b) const {
    const loop_id l = innermost(b);
    return l == no_loop ? 0 : depth_[l];
  }
  [[nodiscard]] constexpr bool is_irreducible(loop_id l) const { return irreducible_[checked(l)] != 0; }
  // A block in no loop has innermost loop 2^32 - 1, which no interval of loops contains.
  [[nodiscard]] constexpr bool contains(loop_id l, block_id b) const {
    return innermost(b) - checked(l) < loops_below_[l];
  }
  [[nodiscard]] constexpr bool is_nested(loop_id outer, loop_id inner) const {
    return checked(inner) - checked(outer) < loops_below_[outer];
  }
  [[nodiscard]] constexpr std::uint32_t num_nested(loop_id l) const { return loops_below_[checked(l)]; }
  [[nodiscard]] constexpr std::span<const block_id> blocks(loop_id l) const {
    return std::span<const block_id>(order_).subspan(first_[checked(l)], first_[l + loops_below_[l]] - first_[l]);
  }
  [[nodiscard]] constexpr std::span<const block_id> latches(loop_id l) const {
    return std::span<const block_id>(latch_).subspan(latch_begin_[checked(l)], latch_begin_[l + 1] - latch_begin_[l]);
  }
  [[nodiscard]] constexpr bool is_entry(loop_id l, block_id b) const {
    return contains(l, b) && enters_[b] <= depth_[l];
  }
  [[nodiscard]] constexpr bool is_exiting(loop_id l, block_id b) const {
    return contains(l, b) && leaves_[b] <= depth_[l];
  }
  [[nodiscard]] constexpr const depth_first_index<Shape>& order() const { return dfs_; }

 private:
  [[nodiscard]] constexpr loop_id checked(loop_id l) const {
    SIMTFLOW_EXPECTS(l < header_.size(), "a question about a loop that is not in this forest");
    return l;
  }

  // Finds, per preorder number, the header of the innermost loop around the block, itself excluded (around_), and which
  // blocks are headers (heads_). Works in preorder numbers: an ancestor of s covers s .. s + size - 1.
  constexpr void nest(const Shape& g) {
    const std::span<const block_id> pre = dfs_.preorder();
    const std::uint32_t n = static_cast<std::uint32_t>(pre.size());
    around_.assign(n, no_number);
    heads_.assign(n, 0);
    list_cross_edges(g);
    sets_.reset(n);
    into_.assign(n, no_number);
    link_.clear();
    for (std::uint32_t w = n; w-- > 0;) {
      // Edges whose ends meet at w.
      for (std::uint32_t i = meet_[w]; i != no_number; i = cross_[i].next) add_edge(cross_[i].from, cross_[i].to);
      const edge_id first = g.first_edge(pre[w]);
      const std::span<const block_id> out = g.successors(pre[w]);
      for (std::uint32_t k = 0; k < out.size(); ++k) {
        const edge_kind kind = dfs_.kind(first + k);
        if (kind == edge_kind::tree || kind == edge_kind::forward) add_edge(w, dfs_.pre(out[k]));
      }
      // The body: everything that reaches the source of a back edge into w without passing w.
      work_.clear();
      for (const block_id p : g.predecessors(pre[w])) {
        if (!dfs_.is_ancestor(pre[w], p)) continue;
        heads_[w] = 1;
        collect(dfs_.pre(p), w);
      }
      for (std::size_t i = 0; i < work_.size(); ++i)
        for (std::uint32_t e = into_[work_[i]]; e != no_number; e = link_[e].next) collect(link_[e].from, w);
      for (const std::uint32_t x : work_) sets_.merge(x, w);
    }
  }

  constexpr void add_edge(std::uint32_t from, std::uint32_t to) {
    const std::uint32_t x = sets_.find(to);
    link_.push_back({from, into_[x]});
    into_[x] = static_cast<std::uint32_t>(link_.size() - 1);
  }
  constexpr void collect(std::uint32_t from, std::uint32_t header) {
    const std::uint32_t x = sets_.find(from);
    if (x == header || around_[x] != no_number) return;
    around_[x] = header;
    work_.push_back(x);
  }

  // Puts every cross edge on the list of the lowest common ancestor of its ends. When the search looks at the edge u ->
  // v, v is finished: the root of v's set is its lowest unfinished ancestor, the answer. Replays the search from its
  // orders.
  constexpr void list_cross_edges(const Shape& g) {
    const std::span<const block_id> pre = dfs_.preorder();
    const std::uint32_t n = static_cast<std::uint32_t>(pre.size());
    meet_.assign(n, no_number);
    cross_.clear();
    bool any = false;
    for (edge_id e = 0; e < g.num_edges() && !any; ++e) any = dfs_.kind(e) == edge_kind::cross;
    if (!any) return;
    sets_.reset(n);
    // In postorder, look at a block's cross edges when it is finished: the blocks open at that time are the ones that
    // were open when the edge was met, and v's set has not grown beyond them.
    for (const block_id b : dfs_.postorder()) {
      const std::uint32_t u = dfs_.pre(b);
      const edge_id first = g.first_edge(b);
      const std::span<const block_id> out = g.successors(b);
      for (std::uint32_t k = 0; k < out.size(); ++k) {
        if (dfs_.kind(first + k) != edge_kind::cross) continue;
        const std::uint32_t v = dfs_.pre(out[k]), root = sets_.find(v);
        cross_.push_back({u, v, meet_[root]});
        meet_[root] = static_cast<std::uint32_t>(cross_.size() - 1);
      }
      if (const block_id up = dfs_.parent(b); up != no_block) sets_.merge(u, dfs_.pre(up));
    }
  }

  // Gives loops and blocks their final order.
  constexpr void number(const Shape& g) {
    const std::span<const block_id> pre = dfs_.preorder();
    const std::uint32_t n = static_cast<std::uint32_t>(pre.size());
    std::uint32_t loops = 0;
    for (std::uint32_t s = 0; s < n; ++s) loops += heads_[s];
    header_.assign(loops, no_block);
    parent_.assign(loops, no_loop);
    depth_.assign(loops, 0);
    loops_below_.assign(loops, 0);
    irreducible_.assign(loops, 0);

    // Loops in forest preorder, siblings by RPO: count each loop's nested loops, then hand out runs of ids in RPO
    // order. An outer header comes before an inner one both in preorder and in RPO.
    count_.assign(n, 0);
    for (std::uint32_t s = n; s-- > 0;) {
      count_[s] += heads_[s];
      if (around_[s] != no_number && heads_[s]) count_[around_[s]] += count_[s];
    }
    place_.assign(n, 0);  // by header: next free id below it
    loop_id next_root = 0;
    innermost_.assign(g.num_blocks(), no_loop);
    for (const block_id b : dfs_.rpo()) {
      const std::uint32_t s = dfs_.pre(b), outer = around_[s];
      if (!heads_[s]) continue;
      loop_id& next = outer == no_number ? next_root : place_[outer];
      const loop_id l = next;
      next += count_[s];
      place_[s] = l + 1;
      header_[l] = b;
      loops_below_[l] = count_[s];
      innermost_[b] = l;
      if (outer == no_number) {
        depth_[l] = 1;
      } else {
        parent_[l] = innermost_[pre[outer]];
        depth_[l] = depth_[parent_[l]] + 1;
      }
    }

    // Blocks by innermost loop, RPO within it: then the blocks of a loop are a run, its header first.
    first_.assign(loops + 1, 0);
    for (const block_id b : dfs_.rpo()) {
      const std::uint32_t s = dfs_.pre(b);
      if (!heads_[s] && around_[s] != no_number) innermost_[b] = innermost_[pre[around_[s]]];
      if (innermost_[b] != no_loop) ++first_[innermost_[b] + 1];
    }
    for (std::uint32_t l = 0; l < loops; ++l) first_[l + 1] += first_[l];
    order_.assign(first_[loops], no_block);
    place_.assign(first_.begin(), first_.end());
    for (const block_id b : dfs_.rpo())
      if (innermost_[b] != no_loop) order_[place_[innermost_[b]]++] = b;

    latch_begin_.assign(loops + 1, 0);
    latch_.clear();
    for (loop_id l = 0; l < loops; ++l) {
      for (const block_id p : g.predecessors(header_[l]))
        if (dfs_.is_reachable(p) && contains(l, p) && (latch_.size() == latch_begin_[l] || latch_.back() != p))
          latch_.push_back(p);  // parallel edges are neighbours in the list of predecessors
      latch_begin_[l + 1] = static_cast<std::uint32_t>(latch_.size());
    }
  }

  // The outermost loop around `inside` (as a depth) that does not contain `outside`; 2^32 - 1 if there is none.
  [[nodiscard]] constexpr std::uint32_t crossed_depth(block_id inside, block_id outside) const {
    loop_id l = innermost_[inside];
    if (l == no_loop || contains(l, outside)) return no_number;
    while (true) {
      const loop_id up = parent_[l];
      if (up == no_loop || contains(up, outside)) return depth_[l];
      l = jump_[l] != no_loop && !contains(jump_[l], outside) ? jump_[l] : up;
    }
  }

  // How far out the edges into and out of each block cross loops. An edge that enters loops of depth d .. e makes its
  // target an entry of each of them, so the smallest d of a block says it all.
  constexpr void find_crossings(const Shape& g) {
    const std::uint32_t loops = static_cast<std::uint32_t>(header_.size());
    enters_.assign(g.num_blocks(), no_number);
    leaves_.assign(g.num_blocks(), no_number);
    if (loops == 0) return;
    jump_.assign(loops, no_loop);
    for (loop_id l = 0; l < loops; ++l) {
      const loop_id up = parent_[l];
      if (up == no_loop) continue;
      const loop_id far = jump_[up];
      const bool even =
          far != no_loop && jump_[far] != no_loop && depth_[up] - depth_[far] == depth_[far] - depth_[jump_[far]];
      jump_[l] = even ? jump_[far] : up;
    }
    for (const block_id b : dfs_.rpo())
      for (const block_id s : g.successors(b)) {
        if (innermost_[b] == innermost_[s]) continue;
        if (const std::uint32_t d = crossed_depth(s, b); d < enters_[s]) enters_[s] = d;
        if (const std::uint32_t d = crossed_depth(b, s); d < leaves_[b]) leaves_[b] = d;
      }
    if (innermost_[g.entry()] != no_loop) enters_[g.entry()] = 1;
    // A loop is irreducible if an entry other than its header lies in it: push the smallest depth from inner to outer.
    count_.assign(loops, no_number);
    for (const block_id b : order_) {
      loop_id l = innermost_[b];
      if (header_[l] == b) l = parent_[l];
      if (l != no_loop && enters_[b] < count_[l]) count_[l] = enters_[b];
    }
    for (loop_id l = loops; l-- > 0;) {
      irreducible_[l] = count_[l] <= depth_[l];
      if (parent_[l] != no_loop && count_[l] < count_[parent_[l]]) count_[parent_[l]] = count_[l];
    }
  }

  // Sets that are only ever merged into one of their members; find with path halving.
  class merge_sets {
   public:
    constexpr void reset(std::size_t n) {
      up_.assign(n, 0);
      for (std::uint32_t i = 0; i < n; ++i) up_[i] = i;
    }
    constexpr std::uint32_t find(std::uint32_t x) {
      while (up_[x] != x) x = up_[x] = up_[up_[x]];
      return x;
    }
    constexpr void merge(std::uint32_t from, std::uint32_t into) { up_[from] = into; }

   private:
    std::vector<std::uint32_t> up_;
  };
  struct cross_edge {
    std::uint32_t from, to, next;
  };
  struct in_edge {
    std::uint32_t from, next;
  };

  depth_first_index<Shape> dfs_;
  std::vector<loop_id> innermost_, parent_;
  std::vector<block_id> header_, order_, latch_;
  std::vector<std::uint32_t> depth_, loops_below_, first_, latch_begin_, enters_, leaves_;
  std::vector<unsigned char> irreducible_;
  // Workspace, kept for the next computation.
  merge_sets sets_;
  std::vector<std::uint32_t> around_, into_, meet_, count_, place_, work_;
  std::vector<unsigned char> heads_;
  std::vector<cross_edge> cross_;
  std::vector<in_edge> link_;
  std::vector<loop_id> jump_;
};

}  // namespace detail

/// The loop nesting forest of the blocks that the entry reaches, as defined at the top of this header.
///
/// Loops are named by loop_id, blocks by vertices of G. Unreachable vertices are in no loop and make no entry. Parallel
/// edges have no effect; a self loop makes a loop of one block. Edges decide what is in a loop and what leaves it:
/// threads that end in a block (is_exit) are not an exit of the loop.
template <flow_graph G = csr_graph>
class loop_forest {
 public:
  using vertex = vertex_t<G>;
  using range = typename detail::vertex_map<G>::range;

  /// \pre check_adapter<G>(); g outlives the forest (a csr_graph need not).
  /// Complexity: near-linear in blocks and edges (O(edges log depth) for irreducible nests); no recursion.
  constexpr explicit loop_forest(const G& g) : map_(g) { index_.compute(detail::shape_of(g)); }
  loop_forest(const G&&) requires detail::keeps_pointer<G>
  = delete;

  constexpr void recompute(const G& g) {
    map_ = detail::vertex_map<G>(g);
    index_.compute(detail::shape_of(g));
  }

  [[nodiscard]] constexpr std::size_t num_loops() const { return index_.num_loops(); }
  /// The smallest loop that contains v; empty if there is none. O(1).
  [[nodiscard]] constexpr std::optional<loop_id> innermost(const vertex& v) const {
    return maybe(index_.innermost(map_.index(v)));
  }
  /// Number of loops that contain v. O(1).
  [[nodiscard]] constexpr std::uint32_t depth_of(const vertex& v) const { return index_.depth_of(map_.index(v)); }
  /// The loop contains v, perhaps in an inner loop. O(1).
  [[nodiscard]] constexpr bool contains(loop_id l, const vertex& v) const { return index_.contains(l, map_.index(v)); }

  /// \pre for all that follows: l < num_loops().
  [[nodiscard]] constexpr vertex header(loop_id l) const { return map_.at(index_.header(l)); }
  [[nodiscard]] constexpr std::optional<loop_id> parent(loop_id l) const { return maybe(index_.parent(l)); }
  /// 1 for an outermost loop.
  [[nodiscard]] constexpr std::uint32_t depth(loop_id l) const { return index_.depth(l); }
  /// Two or more entries.
  [[nodiscard]] constexpr bool is_irreducible(loop_id l) const { return index_.is_irreducible(l); }
  /// inner is outer or nested in it. O(1).
  [[nodiscard]] constexpr bool is_nested(loop_id outer, loop_id inner) const { return index_.is_nested(outer, inner); }
  /// All blocks of the loop, inner loops included: the header first, the blocks of inner loops behind the loop's own.
  [[nodiscard]] constexpr range blocks(loop_id l) const& { return map_.over(index_.blocks(l)); }
  range blocks(loop_id) const&& = delete;
  /// The blocks of the loop with an edge to its header, each once.
  [[nodiscard]] constexpr range latches(loop_id l) const& { return map_.over(index_.latches(l)); }
  range latches(loop_id) const&& = delete;
  /// v is in the loop and has an edge from a reachable block outside it, or is the graph's entry. O(1).
  [[nodiscard]] constexpr bool is_entry(loop_id l, const vertex& v) const { return index_.is_entry(l, map_.index(v)); }
  /// v is in the loop and has an edge to a block outside it. O(1).
  [[nodiscard]] constexpr bool is_exiting(loop_id l, const vertex& v) const {
    return index_.is_exiting(l, map_.index(v));
  }
  /// The blocks for which is_entry (is_exiting) holds, in the order of blocks(l). Linear in the loop.
  [[nodiscard]] constexpr std::vector<vertex> entries(loop_id l) const {
    std::vector<vertex> found;
    for (const block_id b : index_.blocks(l))
      if (index_.is_entry(l, b)) found.push_back(map_.at(b));
    return found;
  }
  [[nodiscard]] constexpr std::vector<vertex> exiting_blocks(loop_id l) const {
    std::vector<vertex> found;
    for (const block_id b : index_.blocks(l))
      if (index_.is_exiting(l, b)) found.push_back(map_.at(b));
    return found;
  }
  /// No loop is irreducible.
  [[nodiscard]] constexpr bool is_reducible() const {
    for (loop_id l = 0; l < num_loops(); ++l)
      if (index_.is_irreducible(l)) return false;
    return true;
  }
  /// The same in dense block ids, and the depth-first orders that were computed on the way.
  [[nodiscard]] constexpr const detail::loop_index<>& ids() const& { return index_; }
  const detail::loop_index<>& ids() const&& = delete;

 private:
  static constexpr std::optional<loop_id> maybe(loop_id l) {
    if (l == no_loop) return std::nullopt;
    return l;
  }

  detail::vertex_map<G> map_;
  detail::loop_index<> index_;
};

/// The loop nesting forest of g.
template <flow_graph G>
[[nodiscard]] constexpr loop_forest<G> loops(const G& g) {
  return loop_forest<G>(g);
}
template <detail::keeps_pointer G>
loop_forest<G> loops(const G&&) = delete;

}  // namespace v0
}  // namespace simtflow
