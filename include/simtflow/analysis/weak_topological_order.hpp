// SPDX-License-Identifier: BSL-1.0
//
// Weak topological orders: how to visit a graph with cycles so that a fixpoint settles inner cycles before outer ones.
// A hierarchical order is a sequence of blocks with well-nested parentheses around *components*; the first block of a
// component is its *head*: 0 (1 2 (3 4) 5) 6. It is a weak topological order if for every edge u -> v
//
//   v stands behind u and is not the head of a component that contains u, or
//   v stands before u or is u, and is the head of a component that contains u.
//
// So every cycle passes through a head: widening at heads alone makes any iteration end. Here the components are the
// loops of the loop nesting forest (loops.hpp), irreducible ones included, and the heads their headers. Within a
// component and outside of all, blocks keep their listed-order RPO, an inner component standing where its head stands;
// without cycles the order is the RPO.
//
// Why that is one. A retreating edge u -> v leads to an ancestor v of u in the depth-first tree. No block of the cycle
// that it makes with the tree path from v to u comes before v in RPO, so no header cuts it until v is the header: then
// the loop contains u. Every other edge leads forward in RPO, and here as well: where it enters a loop it comes from
// before the header, because a block between the header and a block of the loop with an edge to the latter is in the
// loop.
//
// Literature: F. Bourdoncle, Efficient chaotic iteration strategies with widenings (1993), whose recursive algorithm
// finds another such order in time blocks x nesting depth; G. Ramalingam, On loops, dominators, and dominance frontiers
// (2002) for the forest.
#pragma once

#include <simtflow/analysis/loops.hpp>
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

/// What a step of a weak topological order says.
enum class wto_step_kind : unsigned char {
  block,  ///< visit a block that is no head
  head,   ///< a component begins: visit its head (and widen)
  end     ///< a component ends: if it is stable go on, else back to its head
};

/// One step. V is a vertex type.
template <class V>
struct wto_step {
  wto_step_kind kind = wto_step_kind::block;  ///< what to do
  V block;                                    ///< of `end`: the head of the component
  std::uint32_t match = 0;  ///< of `head` and `end`: where the other one is; of `block`: its own place
  friend constexpr bool operator==(const wto_step&, const wto_step&) = default;
};

namespace detail {

// Shape is csr_graph or has its members.
template <class Shape = csr_graph>
class wto_index {
 public:
  using step = wto_step<block_id>;

  constexpr void compute(const Shape& g) {
    loops_.compute(g);
    arrange(loops_);
  }
  constexpr void arrange(const loop_index<Shape>& loops) {
    SIMTFLOW_EXPECTS(loops.cuts_every_cycle(), "the forest accounts for every cycle (natural loops may not)");
    list_loop_contiguous(loops, order_, next_);
    place_.assign(loops.num_blocks(), none_);
    steps_.clear();
    open_.clear();
    heads_.clear();
    for (std::size_t i = 0; i < order_.size(); ++i) {
      const block_id b = order_[i];
      const loop_id l = loops.innermost(b);
      const bool head = l != no_loop && loops.header(l) == b;
      const std::uint32_t at = static_cast<std::uint32_t>(steps_.size());
      place_[b] = at;
      steps_.push_back({head ? wto_step_kind::head : wto_step_kind::block, b, at});
      if (head) {
        heads_.push_back(b);
        open_.push_back({at, static_cast<std::uint32_t>(i + loops.blocks(l).size())});
      }
      while (!open_.empty() && open_.back().end == i + 1) {
        const std::uint32_t begin = open_.back().begin;
        steps_[begin].match = static_cast<std::uint32_t>(steps_.size());
        steps_.push_back({wto_step_kind::end, steps_[begin].block, begin});
        open_.pop_back();
      }
    }
  }

  [[nodiscard]] constexpr std::size_t num_blocks() const { return place_.size(); }
  [[nodiscard]] constexpr std::span<const step> steps() const { return std::span<const step>(steps_); }
  [[nodiscard]] constexpr std::span<const block_id> order() const { return std::span<const block_id>(order_); }
  [[nodiscard]] constexpr std::span<const block_id> heads() const { return std::span<const block_id>(heads_); }
  // The step that visits b; 2^32 - 1 if b is unreachable.
  [[nodiscard]] constexpr std::uint32_t place(block_id b) const {
    SIMTFLOW_EXPECTS(b < place_.size(), "a question about a block that is not in the graph of this result");
    return place_[b];
  }
  [[nodiscard]] constexpr bool is_head(block_id b) const {
    return place(b) != none_ && steps_[place_[b]].kind == wto_step_kind::head;
  }

 private:
  static constexpr std::uint32_t none_ = 0xFFFF'FFFFU;
  struct component {
    std::uint32_t begin, end;  // its first step; the place behind its last block in order_
  };

  std::vector<step> steps_;
  std::vector<block_id> order_, heads_;
  std::vector<std::uint32_t> place_;
  // Workspace, kept for the next computation.
  loop_index<Shape> loops_;
  std::vector<std::uint32_t> next_;
  std::vector<component> open_;
};

}  // namespace detail

/// A weak topological order of the blocks that the entry reaches, the entry first, as a flat sequence of steps that
/// needs no recursion:
///
///   for (std::size_t i = 0; i < wto.num_steps();) {
///     const auto step = wto.step(i);
///     if (step.kind != wto_step_kind::end) { visit(step.block); ++i; }
///     else if (stable(step.block)) ++i;
///     else i = step.match;
///   }
///
/// Unreachable vertices are not in it. Parallel edges have no effect; a self loop makes a component of one block.
template <flow_graph G = csr_graph>
class weak_topological_order {
 public:
  using vertex = vertex_t<G>;                           ///< the graph's own vertex type
  using range = typename detail::vertex_map<G>::range;  ///< vertex_range<G>; for a csr_graph a span of block ids

  /// \pre check_adapter<G>(); g outlives the order (a csr_graph need not).
  /// Complexity: near-linear in blocks and edges, that of loop_forest; no recursion.
  constexpr explicit weak_topological_order(const G& g) : map_(g) { index_.compute(shape_.of(g)); }
  weak_topological_order(const G&&) requires detail::keeps_pointer<G>
  = delete;
  /// The same from a loop forest of g that is there already. Linear in the blocks.
  /// \pre a forest of natural loops is of a reducible graph.
  constexpr weak_topological_order(const G& g, const loop_forest<G>& loops) : map_(g) {
    SIMTFLOW_EXPECTS(loops.ids().num_blocks() == static_cast<std::size_t>(graph_traits<G>::num_vertices(g)),
                     "the loop forest is of this graph");
    index_.arrange(loops.ids());
  }
  weak_topological_order(const G&&, const loop_forest<G>&) requires detail::keeps_pointer<G>
  = delete;

  /// Computes the order of g (the same graph, changed, or another), reusing every buffer.
  constexpr void recompute(const G& g) {
    map_ = detail::vertex_map<G>(g);
    index_.compute(shape_.of(g));
  }
  void recompute(const G&&) requires detail::keeps_pointer<G>
  = delete;

  /// One for each reachable block and one more for each component.
  [[nodiscard]] constexpr std::size_t num_steps() const { return index_.steps().size(); }
  /// \pre i < num_steps(). O(1).
  [[nodiscard]] constexpr wto_step<vertex> step(std::size_t i) const {
    SIMTFLOW_EXPECTS(i < num_steps(), "a step of this order");
    const wto_step<block_id>& s = index_.steps()[i];
    return {s.kind, map_.at(s.block), s.match};
  }
  /// The step that visits v; empty for unreachable v. O(1).
  [[nodiscard]] constexpr std::optional<std::uint32_t> place(const vertex& v) const {
    const std::uint32_t at = index_.place(map_.index(v));
    if (at >= num_steps()) return std::nullopt;
    return at;
  }
  /// The reachable vertices in this order: the loop-contiguous order of priorities.hpp.
  [[nodiscard]] constexpr range blocks() const& { return map_.over(index_.order()); }
  range blocks() const&& = delete;
  /// The heads in this order: where to widen.
  [[nodiscard]] constexpr range heads() const& { return map_.over(index_.heads()); }
  range heads() const&& = delete;
  /// v is the head of a component. O(1).
  [[nodiscard]] constexpr bool is_head(const vertex& v) const { return index_.is_head(map_.index(v)); }
  /// v is in the component of `head`, perhaps in an inner one. False if `head` is none. O(1).
  [[nodiscard]] constexpr bool contains(const vertex& head, const vertex& v) const {
    const block_id h = map_.index(head);
    const std::uint32_t at = index_.place(map_.index(v));
    return index_.is_head(h) && at >= index_.place(h) && at < index_.steps()[index_.place(h)].match;
  }
  /// The same in dense block ids.
  [[nodiscard]] constexpr const detail::wto_index<>& ids() const& { return index_; }
  const detail::wto_index<>& ids() const&& = delete;

 private:
  detail::vertex_map<G> map_;
  detail::kept_shape<G> shape_;
  detail::wto_index<> index_;
};

/// `weak_topological_order wto(g)`.
template <flow_graph G>
weak_topological_order(const G&) -> weak_topological_order<G>;

}  // namespace v0
}  // namespace simtflow
