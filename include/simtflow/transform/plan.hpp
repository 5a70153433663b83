// SPDX-License-Identifier: BSL-1.0
//
// A change of a control-flow graph, as plain data: the new graph, what each of its blocks is, and which variables its
// edges set. Nothing is rewritten yet: print a plan, draw it, run any analysis on it (it is a flow_graph), execute it
// (planned_program.hpp), compare it with another plan, and only then apply it to an IR.
//
// Blocks of a plan (plan_block.hpp) are originals, copies, guards that test a variable, and empty blocks.
//
// A plan starts as the graph itself: block b of the graph is block b of the plan, of the same slots. Blocks that
// transforms add come after them; blocks that they take out of the graph just become unreachable. Originals keep their
// slots, so that slot k stays outcome k of the block's own branch; only where it leads changes, and what is set on the
// way. A thread that ends in a block goes along the block's *exit edge*, if a transform has given it one.
//
// Variables are small unsigned integers, one copy for each thread, zero before they are set. Every variable belongs to
// one application of one transform and means nothing outside of what that has made.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/traits.hpp>
#include <simtflow/transform/plan_block.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// How much a plan adds; blocks are those that the entry reaches.
struct plan_cost {
  std::size_t originals = 0;    ///< blocks of the graph that are still executed where they stood
  std::size_t copies = 0;       ///< further places where such blocks are executed
  std::size_t guards = 0;       ///< tests of a variable
  std::size_t empties = 0;      ///< blocks that only go on
  std::size_t assignments = 0;  ///< constants that edges set
  std::size_t variables = 0;    ///< that guards test

  /// All blocks of the plan that the entry reaches.
  [[nodiscard]] constexpr std::size_t blocks() const { return originals + copies + guards + empties; }
};

/// A graph to be, and how it is related to the one it is made of. Also a flow_graph (vertex = block_id).
class flow_plan {
 public:
  /// The plan of no block.
  constexpr flow_plan() = default;

  /// The plan that changes nothing. O(blocks + edges).
  constexpr explicit flow_plan(const csr_graph& g) { start(g); }

  /// Makes this the plan that changes nothing; memory is kept.
  constexpr void start(const csr_graph& g) {
    block_.clear();
    row_.clear();
    edge_.clear();
    set_.clear();
    variables_ = 0;
    entry_ = g.entry();
    originals_ = g.num_blocks();
    block_.reserve(originals_);
    row_.reserve(originals_);
    edge_.reserve(g.targets().size());
    for (block_id b = 0; b < originals_; ++b) {
      block_.push_back({plan_role::original, b, 0, 0, 0, g.successors(b).empty(), false});
      row_.push_back({edge_.size(), g.successors(b).size()});
      for (const block_id s : g.successors(b)) edge_.push_back({s, none});
    }
    for (const block_id b : g.exits()) block_[b].leaves = true;
  }

  /// Blocks of the plan, those that cannot be reached any more among them.
  [[nodiscard]] constexpr std::size_t num_blocks() const { return block_.size(); }
  /// Blocks of the graph that the plan is for; they are the first blocks of the plan.
  [[nodiscard]] constexpr std::size_t num_originals() const { return originals_; }
  /// The block that control enters; no_block if there is no block.
  [[nodiscard]] constexpr block_id entry() const { return entry_; }
  /// Variables, numbered from 0, whether or not something still tests them.
  [[nodiscard]] constexpr std::uint32_t num_variables() const { return variables_; }

  /// A block. \pre b < num_blocks(), here and below
  [[nodiscard]] constexpr const plan_block& operator[](block_id b) const {
    SIMTFLOW_EXPECTS(b < num_blocks(), "a block that is not in the plan");
    return block_[b];
  }

  /// An edge; converts to the block it leads to.
  struct edge {
    block_id to = no_block;             ///< where it leads
    std::uint32_t sets = 0xFFFF'FFFFU;  ///< the plan's own: see for_each_assignment

    constexpr operator block_id() const { return to; }  ///< where it leads
  };
  /// The edges of a block in slot order; the exit edge is the last one.
  [[nodiscard]] constexpr std::span<const edge> successors(block_id b) const {
    SIMTFLOW_EXPECTS(b < num_blocks(), "successors of a block that is not in the plan");
    return std::span<const edge>(edge_).subspan(row_[b].first, row_[b].count);
  }
  /// The slots that are outcomes of the block: all but the exit edge.
  [[nodiscard]] constexpr std::size_t num_outcomes(block_id b) const {
    return successors(b).size() - ((*this)[b].exit_edge ? 1 : 0);
  }

  /// Calls `f(plan_assignment)` for what an edge sets, each variable once.
  template <class F>
  constexpr void for_each_assignment(const edge& e, F f) const {
    for (std::uint32_t at = e.sets; at != none; at = set_[at].next)
      f(plan_assignment{set_[at].variable, set_[at].value});
  }
  /// The value that an edge gives a variable, or `otherwise`. O(assignments of the edge).
  [[nodiscard]] constexpr std::uint32_t value_on(const edge& e, std::uint32_t variable, std::uint32_t otherwise) const {
    for (std::uint32_t at = e.sets; at != none; at = set_[at].next)
      if (set_[at].variable == variable) return set_[at].value;
    return otherwise;
  }

  // --- making a plan -------------------------------------------------------------------------------------------------

  /// A new variable.
  constexpr std::uint32_t add_variable() { return variables_++; }

  /// A new guard; its edges lead to itself until they are set, here and below.
  constexpr block_id add_guard(std::uint32_t variable, std::uint32_t low, std::uint32_t high,
                               block_id lets = no_block) {
    SIMTFLOW_EXPECTS(variable < variables_ && low <= high,
                     "a guard tests a variable of the plan for a range of values");
    return add({plan_role::guard, lets, variable, low, high, false, false}, 2);
  }
  /// A new empty block with one edge, or without any: an end.
  constexpr block_id add_empty(bool is_end = false) {
    return add({plan_role::empty, no_block, 0, 0, 0, is_end, false}, is_end ? 0 : 1);
  }
  /// A second block that does the same, with the same edges and what they set. O(edges of b).
  constexpr block_id add_copy(block_id b) {
    plan_block same = (*this)[b];
    if (same.role == plan_role::original) same.role = plan_role::copy;
    const block_id made = add(same, row_[b].count);
    for (std::size_t k = 0; k < row_[b].count; ++k) edge_[row_[made].first + k] = edge_[row_[b].first + k];
    return made;
  }

  /// Gives the threads that end in a block an edge instead. Its slot is the last one. \pre the block has none yet
  constexpr std::size_t add_exit_edge(block_id b, block_id to) {
    SIMTFLOW_EXPECTS((*this)[b].leaves && !block_[b].exit_edge, "an exit edge where threads end, and only one");
    const std::size_t first = edge_.size(), count = row_[b].count;
    for (std::size_t k = 0; k < count; ++k) {
      const edge e = edge_[row_[b].first + k];
      edge_.push_back(e);
    }
    edge_.push_back({to, none});
    row_[b] = {first, count + 1};
    block_[b].exit_edge = true;
    block_[b].leaves = false;
    return count;
  }

  /// Lets an edge lead elsewhere; what it sets stays.
  constexpr void set_edge(block_id b, std::size_t slot, block_id to) {
    SIMTFLOW_EXPECTS(slot < successors(b).size() && to < num_blocks(), "an edge of the plan leads to a block of it");
    edge_[row_[b].first + slot].to = to;
  }
  /// Lets an edge set a variable, whatever it has set it to before. O(assignments of the edge).
  constexpr void assign(block_id b, std::size_t slot, plan_assignment a) {
    SIMTFLOW_EXPECTS(slot < successors(b).size() && a.variable < variables_, "an edge sets a variable of the plan");
    edge& e = edge_[row_[b].first + slot];
    std::uint32_t old = e.sets;
    while (old != none && set_[old].variable != a.variable) old = set_[old].next;
    if (old != none) {  // copies of the block share the list: what stands before the old value is written anew
      std::uint32_t rest = set_[old].next;
      for (std::uint32_t at = e.sets; at != old; at = set_[at].next) {
        set_.push_back({set_[at].variable, set_[at].value, rest});
        rest = static_cast<std::uint32_t>(set_.size() - 1);
      }
      e.sets = rest;
    }
    set_.push_back({a.variable, a.value, e.sets});
    e.sets = static_cast<std::uint32_t>(set_.size() - 1);
  }
  /// Lets control enter elsewhere.
  constexpr void set_entry(block_id b) {
    SIMTFLOW_EXPECTS(b < num_blocks(), "control enters at a block of the plan");
    entry_ = b;
  }

  // -------------------------------------------------------------------------------------------------------------------

  /// The blocks, edges and assignments that the plan adds. O(blocks + edges + assignments).
  [[nodiscard]] constexpr plan_cost cost() const {
    plan_cost c;
    if (block_.empty()) return c;
    std::vector<unsigned char> seen, tested;
    seen.assign(num_blocks(), 0);
    tested.assign(variables_, 0);
    std::vector<block_id> work;
    work.push_back(entry_);
    seen[entry_] = 1;
    while (!work.empty()) {
      const block_id b = work.back();
      work.pop_back();
      switch (block_[b].role) {
        case plan_role::original:
          ++c.originals;
          break;
        case plan_role::copy:
          ++c.copies;
          break;
        case plan_role::guard:
          ++c.guards;
          c.variables += tested[block_[b].variable] == 0 ? 1 : 0;
          tested[block_[b].variable] = 1;
          break;
        case plan_role::empty:
          ++c.empties;
          break;
      }
      for (const edge& e : successors(b)) {
        for_each_assignment(e, [&](plan_assignment) { ++c.assignments; });
        if (seen[e.to] != 0) continue;
        seen[e.to] = 1;
        work.push_back(e.to);
      }
    }
    return c;
  }

 private:
  static constexpr std::uint32_t none = 0xFFFF'FFFFU;

  struct row {
    std::size_t first, count;
  };
  struct assigned {
    std::uint32_t variable, value, next;
  };

  constexpr block_id add(const plan_block& b, std::size_t edges) {
    const auto id = static_cast<block_id>(block_.size());
    SIMTFLOW_EXPECTS(id != no_block, "a plan has fewer than 2^32 - 1 blocks");
    block_.push_back(b);
    row_.push_back({edge_.size(), edges});
    for (std::size_t k = 0; k < edges; ++k) edge_.push_back({id, none});
    return id;
  }

  std::vector<plan_block> block_;
  std::vector<row> row_;  // by block: its edges in edge_
  std::vector<edge> edge_;
  std::vector<assigned> set_;
  std::size_t originals_ = 0;
  std::uint32_t variables_ = 0;
  block_id entry_ = no_block;
};

/// A plan is a control-flow graph.
template <>
struct graph_traits<flow_plan> {
  /// @{
  /// As flow_graph asks; O(1).
  using vertex = block_id;
  static constexpr std::size_t num_vertices(const flow_plan& p) { return p.num_blocks(); }
  static constexpr std::size_t index(const flow_plan&, vertex b) { return b; }
  static constexpr vertex vertex_at(const flow_plan&, std::size_t i) { return static_cast<vertex>(i); }
  static constexpr vertex entry(const flow_plan& p) { return p.entry(); }
  static constexpr std::span<const flow_plan::edge> successors(const flow_plan& p, vertex b) { return p.successors(b); }
  static constexpr bool is_exit(const flow_plan& p, vertex b) { return p[b].leaves; }
  /// @}
};

}  // namespace v0
}  // namespace simtflow
