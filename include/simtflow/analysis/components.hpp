// SPDX-License-Identifier: BSL-1.0
//
// Strongly connected components. Two blocks are in one component if each reaches the other; every reachable block is in
// exactly one. A component is *trivial* if it is a single block without an edge to itself: no cycle passes through it.
// It is *terminal* if no edge leaves it. Components contracted to points make an acyclic graph, the condensation; they
// are numbered in a topological order of it.
//
// Construction: one depth-first search in which every block learns the first open block it reaches; what is left over
// on a second stack when that is the block itself is its component.
//
// Literature: R. Tarjan, Depth-first search and linear graph algorithms (1972); E. Nuutila, E. Soisalon-Soininen, On
// finding the strongly connected components in a directed graph (1994), for leaving trivial components off the second
// stack; D. Pearce, A space-efficient algorithm for finding strongly connected components (2016), for the one number
// per block.
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

/// A strongly connected component: 0 .. num_components() - 1 in topological order, that of the entry first: an edge
/// from one component to another leads to a larger number.
using component_id = std::uint32_t;

/// "In no component": the entry does not reach it.
inline constexpr component_id no_component = 0xFFFF'FFFFU;

namespace detail {

// Shape is csr_graph or has its members.
template <class Shape = csr_graph>
class component_index {
 public:
  constexpr void compute(const Shape& g) {
    const std::size_t n = g.num_blocks();
    SIMTFLOW_EXPECTS(n < done_, "strongly connected components are of fewer than 2^31 blocks");
    component_.assign(n, 0);
    order_.assign(n, no_block);
    found_.clear();
    waiting_.clear();
    if (stack_.size() < n) stack_.assign(n, frame{});
    std::uint32_t left = static_cast<std::uint32_t>(n);
    if (n != 0) left = search(g);
    // Found last is first in topological order; what is found later stands before it in order_ already.
    const std::uint32_t count = static_cast<std::uint32_t>(found_.size());
    first_.assign(count + std::size_t{1}, static_cast<std::uint32_t>(n));
    kind_.assign(count, 0);
    for (component_id c = 0; c < count; ++c) {
      first_[c] = found_[count - 1 - c].first;
      kind_[c] = found_[count - 1 - c].kind;
    }
    for (std::uint32_t& c : component_) c = c == 0 ? no_component : count - 1 - (c - done_);
    reached_ = static_cast<std::uint32_t>(n) - left;
  }

  [[nodiscard]] constexpr std::size_t num_blocks() const { return component_.size(); }
  [[nodiscard]] constexpr std::size_t num_components() const { return kind_.size(); }
  [[nodiscard]] constexpr component_id component_of(block_id b) const {
    SIMTFLOW_EXPECTS(b < component_.size(), "a question about a block that is not in the graph of this result");
    return component_[b];
  }
  [[nodiscard]] constexpr std::span<const block_id> blocks(component_id c) const {
    return std::span<const block_id>(order_).subspan(first_[checked(c)], first_[c + 1] - first_[c]);
  }
  [[nodiscard]] constexpr std::span<const block_id> order() const {
    return std::span<const block_id>(order_).last(reached_);
  }
  [[nodiscard]] constexpr bool has_cycle(component_id c) const { return (kind_[checked(c)] & cyclic_) != 0; }
  [[nodiscard]] constexpr bool is_terminal(component_id c) const { return (kind_[checked(c)] & left_) == 0; }

 private:
  static constexpr std::uint32_t done_ = 0x8000'0000U;
  static constexpr std::uint32_t cyclic_ = 1, left_ = 2;
  struct frame {
    const block_id* next = nullptr;
    const block_id* end = nullptr;
    block_id block = no_block;
    std::uint32_t visit = 0;  // visits are counted from 1
    std::uint32_t low = 0;    // the least visit among the open blocks that it is known to reach
    std::uint32_t kind = 0;   // what is known of the component, should it turn out to be the first block of one
  };
  struct component {
    std::uint32_t first = 0, kind = 0;
  };

  [[nodiscard]] constexpr component_id checked(component_id c) const {
    SIMTFLOW_EXPECTS(c < kind_.size(), "a question about a component that is not in this result");
    return c;
  }

  // component_ holds meanwhile: 0 of blocks not visited; the visit of those that are on a stack; done_ and the number,
  // in the order in which they are found, of the component of all others.
  constexpr std::uint32_t search(const Shape& g) {
    std::uint32_t* const state = component_.data();
    frame* const bottom = stack_.data();
    frame* top = bottom;
    std::uint32_t visits = 0, left = static_cast<std::uint32_t>(order_.size());
    const auto open = [&](block_id b) {
      const std::span<const block_id> out = g.successors(b);
      state[b] = ++visits;
      *top = {out.data(), out.data() + out.size(), b, visits, visits, 0};
    };
    open(g.entry());
    while (true) {
      if (top->next != top->end) {
        const block_id to = *top->next++;
        if (state[to] == 0) {
          ++top;
          open(to);
        } else if (state[to] >= done_) {
          top->kind |= left_;
        } else {
          top->kind |= cyclic_;
          if (state[to] < top->low) top->low = state[to];
        }
        continue;
      }
      const frame now = *top;
      const bool complete = now.low == now.visit;
      if (complete) {
        // Its members wait in the order in which they were left. Turned round that is RPO, the present block first.
        const std::uint32_t name = done_ | static_cast<std::uint32_t>(found_.size());
        std::uint32_t begin = static_cast<std::uint32_t>(waiting_.size());
        while (begin != 0 && state[waiting_[begin - 1]] > now.visit) --begin;
        for (std::size_t i = begin; i < waiting_.size(); ++i) {
          state[waiting_[i]] = name;
          order_[--left] = waiting_[i];
        }
        while (waiting_.size() > begin) waiting_.pop_back();
        state[now.block] = name;
        order_[--left] = now.block;
        found_.push_back({left, now.kind});
      } else {
        waiting_.push_back(now.block);
      }
      if (top == bottom) return left;
      --top;
      if (complete) {
        top->kind |= left_;
      } else {
        top->kind |= now.kind;
        if (now.low < top->low) top->low = now.low;
      }
    }
  }

  std::vector<component_id> component_;
  std::vector<block_id> order_;  // component by component; those of unreachable blocks are missing in front
  std::vector<std::uint32_t> first_, kind_;
  std::uint32_t reached_ = 0;
  // Workspace, kept for the next computation.
  std::vector<frame> stack_;
  std::vector<component> found_;
  std::vector<block_id> waiting_;
};

}  // namespace detail

/// The strongly connected components of the blocks that the entry reaches.
///
/// Unreachable vertices are in no component, and their edges have no effect. Parallel edges have none either; a self
/// loop makes its component cyclic. Edges decide what is terminal: threads that end in a block (is_exit) are not an
/// edge.
template <flow_graph G = csr_graph>
class strong_components {
 public:
  using vertex = vertex_t<G>;                           ///< the graph's own vertex type
  using range = typename detail::vertex_map<G>::range;  ///< vertex_range<G>; for a csr_graph a span of block ids

  /// \pre check_adapter<G>(); g outlives the result (a csr_graph need not).
  /// Complexity: O(blocks + edges) time and space, no recursion.
  constexpr explicit strong_components(const G& g) : map_(g) { index_.compute(shape_.of(g)); }
  strong_components(const G&&) requires detail::keeps_pointer<G>
  = delete;

  /// Computes the components of g (the same graph, changed, or another), reusing every buffer.
  constexpr void recompute(const G& g) {
    map_ = detail::vertex_map<G>(g);
    index_.compute(shape_.of(g));
  }
  void recompute(const G&&) requires detail::keeps_pointer<G>
  = delete;

  /// 0 only for an empty graph.
  [[nodiscard]] constexpr std::size_t num_components() const { return index_.num_components(); }
  /// Empty for unreachable v. O(1).
  [[nodiscard]] constexpr std::optional<component_id> component_of(const vertex& v) const {
    const component_id c = index_.component_of(map_.index(v));
    if (c == no_component) return std::nullopt;
    return c;
  }
  /// Each reaches the other. False if either is unreachable. O(1).
  [[nodiscard]] constexpr bool are_connected(const vertex& a, const vertex& b) const {
    const component_id c = index_.component_of(map_.index(a));
    return c != no_component && c == index_.component_of(map_.index(b));
  }
  /// All reachable vertices, component by component in topological order.
  [[nodiscard]] constexpr range order() const& { return map_.over(index_.order()); }
  range order() const&& = delete;

  /// The vertices of c, at least one, in listed-order RPO (order.hpp): the one where the depth-first search comes in is
  /// the first. \pre c < num_components(), here and below
  [[nodiscard]] constexpr range blocks(component_id c) const& { return map_.over(index_.blocks(c)); }
  range blocks(component_id) const&& = delete;
  /// Some edge stays in the component. O(1).
  [[nodiscard]] constexpr bool has_cycle(component_id c) const { return index_.has_cycle(c); }
  /// One vertex without an edge to itself. O(1).
  [[nodiscard]] constexpr bool is_trivial(component_id c) const { return !index_.has_cycle(c); }
  /// No edge leaves the component. O(1).
  [[nodiscard]] constexpr bool is_terminal(component_id c) const { return index_.is_terminal(c); }
  /// The same in dense block ids.
  [[nodiscard]] constexpr const detail::component_index<>& ids() const& { return index_; }
  const detail::component_index<>& ids() const&& = delete;

 private:
  detail::vertex_map<G> map_;
  detail::kept_shape<G> shape_;
  detail::component_index<> index_;
};

/// The strongly connected components of g.
template <flow_graph G>
[[nodiscard]] constexpr strong_components<G> strongly_connected_components(const G& g) {
  return strong_components<G>(g);
}
template <detail::keeps_pointer G>
strong_components<G> strongly_connected_components(const G&&) = delete;

/// The condensation of g: block c is component c, the entry is block 0, and for every edge of g from one component to
/// another there is one edge, parallel ones merged. A component with an exit of g is an exit.
/// \pre `components` are of g. Complexity: O(blocks + edges).
template <flow_graph G>
[[nodiscard]] constexpr csr_graph condensation(const G& g, const strong_components<G>& components) {
  const auto& index = components.ids();
  SIMTFLOW_EXPECTS(index.num_blocks() == static_cast<std::size_t>(graph_traits<G>::num_vertices(g)),
                   "the components are of this graph");
  const auto& shape = detail::shape_of(g);
  csr_builder builder(index.num_components());
  std::vector<component_id> last;  // by component: the last one with an edge to it
  last.assign(index.num_components(), no_component);
  for (component_id c = 0; c < index.num_components(); ++c)
    for (const block_id b : index.blocks(c)) {
      if (shape.is_exit(b)) builder.mark_exit(c);
      for (const block_id s : shape.successors(b)) {
        const component_id to = index.component_of(s);
        if (to == c || last[to] == c) continue;
        last[to] = c;
        builder.add_edge(c, to);
      }
    }
  return builder.build();
}

}  // namespace v0
}  // namespace simtflow
