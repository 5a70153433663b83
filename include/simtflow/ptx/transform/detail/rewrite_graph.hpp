// SPDX-License-Identifier: BSL-1.0
//
// The blocks that a plan asks for and the edges between them: how each block goes on, and in which order the blocks are
// written. Blocks are made before edges; edges come block after block, slot after slot.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/ptx/text/checked_function.hpp>
#include <simtflow/ptx/text/function_blocks.hpp>
#include <simtflow/ptx/text/module.hpp>
#include <simtflow/ptx/transform/detail/block_layout.hpp>
#include <simtflow/transform/plan.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

class rewrite_graph {
 public:
  using block = std::uint32_t;  // number of a block that was made
  enum class node_kind : std::uint8_t { original, copy, guard, empty, end };
  // How a block goes on: by no edge; by one; by a branch that takes edge `taken` if `condition` holds (or not), else
  // `other`; by a table.
  enum class way : std::uint8_t { none, one, two, table };
  struct node {
    node_kind kind = node_kind::original;
    block_id text = no_block;
    std::uint32_t variable = 0, low = 0, high = 0;
    std::uint32_t first_edge = 0, edges = 0;
    way on = way::none;
    std::uint32_t taken = 0, other = 0;  // edges; of one way: `other`
    std::uint32_t condition = no_index;  // a register
    bool negated = false;
    std::uint32_t start = 0;  // where it stands
    bool is_target = false;
  };
  struct edge {
    block to;
    std::uint32_t first_set, sets;
  };

  // The checked function must outlive it.
  explicit rewrite_graph(const checked_function& f) : text_(f.text()), blocks_(f.blocks()) {}

  block add(node n) {
    nodes.push_back(n);
    return static_cast<block>(nodes.size() - 1);
  }
  // Makes edge `slot` of a block; it sets the variables of `assigned`.
  void connect(block from, std::uint32_t slot, block to, std::span<const plan_assignment> assigned) {
    node& n = nodes[from];
    if (slot == 0) n.first_edge = static_cast<std::uint32_t>(edges.size());
    SIMTFLOW_EXPECTS(n.first_edge + slot == edges.size(), "edges come block after block, slot after slot");
    ++n.edges;
    edges.push_back({to, static_cast<std::uint32_t>(sets.size()), static_cast<std::uint32_t>(assigned.size())});
    for (const plan_assignment& a : assigned) sets.push_back(a);
  }

  bool executes_text(const node& n) const { return n.kind == node_kind::original || n.kind == node_kind::copy; }
  std::span<const plan_assignment> sets_of(std::uint32_t e) const {
    return std::span<const plan_assignment>(sets).subspan(edges[e].first_set, edges[e].sets);
  }
  // The instruction that ends a block of the text; null if none does.
  const instruction* last_of(const node& n) const {
    const text_block& b = blocks_[n.text];
    const bool ends = b.first != b.last && b.end != text_end::falls && b.end != text_end::stops;
    return ends ? &text_.instructions[b.last - 1] : nullptr;
  }
  // True if the plan continues where the text leaves the function.
  bool has_exit_edge(const node& n) const {
    return executes_text(n) && n.edges > blocks_.graph().successors(n.text).size();
  }

  // Finds whether the plan changes anything.
  void find_changes() {
    std::vector<block> at(blocks_.size(), no_index);
    for (block b = 0; b < nodes.size(); ++b) {
      changed = changed || nodes[b].kind != node_kind::original;
      if (nodes[b].kind == node_kind::original) at[nodes[b].text] = b;
    }
    changed = changed || !sets.empty() || (!nodes.empty() && (nodes[entry].text != 0));
    for (const node& n : nodes) {
      if (changed) break;
      const auto successors = blocks_.graph().successors(n.text);
      changed = successors.size() != n.edges;
      for (std::uint32_t k = 0; k < n.edges && !changed; ++k) changed = edges[n.first_edge + k].to != at[successors[k]];
    }
  }
  // Finds how every block goes on. `passes` is the predicate register that guards test.
  void find_ways(std::uint32_t passes) {
    for (node& n : nodes) find_ways(n, passes);
  }
  // Orders the blocks; if nothing changes, as they were made.
  void lay_out() {
    csr_builder g(nodes.size(), entry);
    std::vector<block_layout::ways> on(nodes.size());
    for (block b = 0; b < nodes.size(); ++b) {
      const node& n = nodes[b];
      for (std::uint32_t k = 0; k < n.edges; ++k) g.add_edge(b, edges[n.first_edge + k].to);
      auto& w = on[b];
      if (n.on == way::one) w = {1, {edges[n.other].to, no_block}};
      if (n.on == way::two) w = {2, {edges[n.taken].to, edges[n.other].to}};
      if (w.count == 2 && w.to[0] == w.to[1]) w.count = 1;
      if (n.on == way::table && n.other < n.first_edge + n.edges) w = {1, {edges[n.other].to, no_block}};
    }
    if (changed)
      order = block_layout::order(g.build(), std::span<const block_layout::ways>(on));
    else
      for (block b = 0; b < nodes.size(); ++b) order.push_back(b);
  }

  std::vector<node> nodes;
  std::vector<edge> edges;
  std::vector<plan_assignment> sets;
  block entry = 0;
  bool changed = false;
  std::vector<block> order;  // in which the blocks are written

 private:
  void find_ways(node& n, std::uint32_t passes) const {
    const auto one = [&](std::uint32_t e) {
      n.on = way::one;
      n.other = e;
    };
    const auto two = [&](std::uint32_t reg, bool negated, std::uint32_t taken, std::uint32_t other) {
      n.on = way::two;
      n.condition = reg;
      n.negated = negated;
      n.taken = taken;
      n.other = other;
    };
    const std::uint32_t e = n.first_edge;
    if (n.kind == node_kind::end) return;
    if (n.kind == node_kind::empty) return one(e);
    if (n.kind == node_kind::guard) return two(passes, false, e, e + 1);
    const instruction* last = last_of(n);
    switch (blocks_[n.text].end) {
      case text_end::falls:
      case text_end::jumps:
        return one(e);
      case text_end::branches:
        return two(last->guard, last->guard_negated, e, e + 1);
      case text_end::leaves:
        if (n.edges == 2) return two(last->guard, last->guard_negated, e + 1, e);
        if (n.edges == 1) one(e);
        return;
      case text_end::table: {
        const std::uint32_t num_slots = n.edges - (last->guard != no_index ? 1 : 0);
        bool all = changed && num_slots > 0;
        for (std::uint32_t k = 1; k < num_slots; ++k) all = all && edges[e + k].to == edges[e].to;
        if (!all) {
          n.on = way::table;
          n.other = e + num_slots;
        } else if (num_slots == n.edges) {
          one(e);
        } else {
          two(last->guard, last->guard_negated, e, e + num_slots);
        }
        return;
      }
      case text_end::stops:
        return;
    }
  }

  const function& text_;
  const function_blocks& blocks_;
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
