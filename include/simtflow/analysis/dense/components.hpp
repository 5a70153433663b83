// SPDX-License-Identifier: BSL-1.0
//
// Strongly connected components in dense ids: what components.hpp says of vertices, for blocks.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/strong_id.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// A strongly connected component: 0 .. num_components() - 1 in topological order, beginning with the component of the
/// entry. An edge from one component to another leads to a larger number.
enum class component_id : std::uint32_t {};

/// "In no component": the entry does not reach it.
inline constexpr component_id no_component{0xFFFF'FFFFU};

namespace dense {

/// The strongly connected components of the blocks that the entry reaches.
template <class Shape = csr_graph>
class basic_strong_components {
 public:
  constexpr basic_strong_components() = default;                                ///< of the empty graph
  constexpr explicit basic_strong_components(const Shape& g) { recompute(g); }  ///< of g; as recompute

  /// Computes the components of g and reuses every buffer. O(blocks + edges), no recursion.
  constexpr void recompute(const Shape& g) {
    const std::size_t n = g.num_blocks();
    SIMTFLOW_EXPECTS(n < done_, "strongly connected components are of fewer than 2^31 blocks");
    component_.assign(n, 0);
    order_.assign(n, no_block);
    found_.clear();
    waiting_.clear();
    if (stack_.size() < n) stack_.assign(n, frame{});
    std::uint32_t left = static_cast<std::uint32_t>(n);
    if (n != 0) left = search(g);
    // The component found last is the first in topological order; order_ has the components found later in front of it.
    const std::uint32_t count = static_cast<std::uint32_t>(found_.size());
    first_.assign(count + std::size_t{1}, static_cast<std::uint32_t>(n));
    kind_.assign(count, 0);
    for (std::uint32_t c = 0; c < count; ++c) {
      first_[c] = found_[count - 1 - c].first;
      kind_[c] = found_[count - 1 - c].kind;
    }
    for (std::uint32_t& c : component_) c = c == 0 ? index_of(no_component) : count - 1 - (c - done_);
    reached_ = static_cast<std::uint32_t>(n) - left;
  }

  /// Number of blocks of the graph, unreachable ones included.
  [[nodiscard]] constexpr std::size_t num_blocks() const { return component_.size(); }
  /// 0 only for an empty graph.
  [[nodiscard]] constexpr std::size_t num_components() const { return kind_.size(); }
  /// All components, in topological order.
  [[nodiscard]] constexpr id_range<component_id> all() const { return ids_below<component_id>(num_components()); }
  /// The component of b; no_component if b is unreachable. O(1).
  [[nodiscard]] constexpr component_id component_of(block_id b) const {
    SIMTFLOW_EXPECTS(b < component_.size(), "a question about a block that is not in the graph of this result");
    return component_id{component_[b]};
  }
  /// The blocks of c in listed-order RPO. \pre c is one of all(), here and below. O(1).
  [[nodiscard]] constexpr std::span<const block_id> blocks(component_id c) const {
    return std::span<const block_id>(order_).subspan(first_[checked(c)], first_[index_of(c) + 1] - first_[index_of(c)]);
  }
  /// The reachable blocks, component by component in topological order.
  [[nodiscard]] constexpr std::span<const block_id> order() const {
    return std::span<const block_id>(order_).last(reached_);
  }
  /// True if some edge stays in c. O(1).
  [[nodiscard]] constexpr bool has_cycle(component_id c) const { return (kind_[checked(c)] & cyclic_) != 0; }
  /// True if no edge leaves c. O(1).
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
    std::uint32_t kind = 0;   // facts of the component that begins here, if one does
  };
  struct component {
    std::uint32_t first = 0, kind = 0;
  };

  [[nodiscard]] constexpr std::uint32_t checked(component_id c) const {
    SIMTFLOW_EXPECTS(index_of(c) < kind_.size(), "a question about a component that is not in this result");
    return index_of(c);
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
        // The members stand in the order in which the search left them. Backwards this is RPO, and the present block is
        // first.
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

  std::vector<std::uint32_t> component_;  // by block
  std::vector<block_id> order_;           // component by component; room for the unreachable blocks comes first
  std::vector<std::uint32_t> first_, kind_;
  std::uint32_t reached_ = 0;
  // Workspace, kept for the next computation.
  std::vector<frame> stack_;
  std::vector<component> found_;
  std::vector<block_id> waiting_;
};

/// A basic_strong_components of a csr_graph.
using strong_components = basic_strong_components<>;

}  // namespace dense
}  // namespace v0
}  // namespace simtflow
