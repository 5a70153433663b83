// SPDX-License-Identifier: BSL-1.0
//
// The facts of one control-flow graph that several analyses and transformations ask for, each computed at the first
// question and shared from then on: dominators, post-dominators, loops and structure. Without it, each
// of them computes its own.
//
//   cfg_facts facts(shape);
//   const block_id join = facts.post_dominators().ipdom(branch);  // computed here
//   merge(facts);  // may ask for post-dominators again: they are there already
#pragma once

#include <simtflow/analysis/dense/dominators.hpp>
#include <simtflow/analysis/dense/loops.hpp>
#include <simtflow/analysis/dense/post_dominators.hpp>
#include <simtflow/analysis/dense/structure.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>

namespace simtflow {
inline namespace v0 {

/// Facts of a csr_graph, computed when they are asked for. Answers are in dense ids and stay valid until reset(). The
/// first question about a fact writes to the object: threads that share it must ask each question once before.
///
/// Post-dominators and structure are computed with default options: endless loops have an edge to the virtual exit.
/// Unreachable blocks, the empty graph: as for each result.
template <class Shape = csr_graph>
class basic_cfg_facts {
 public:
  constexpr basic_cfg_facts() = default;                              ///< of no graph: reset() comes first
  constexpr explicit basic_cfg_facts(const Shape& g) : graph_(&g) {}  ///< of g, which outlives the facts unchanged
  basic_cfg_facts(const Shape&&) = delete;

  /// Forgets all facts; they are facts of g from now on. Every buffer is kept. O(1).
  constexpr void reset(const Shape& g) {
    graph_ = &g;
    known_ = 0;
  }
  void reset(const Shape&&) = delete;

  /// The graph. \pre there is one.
  [[nodiscard]] constexpr const Shape& graph() const {
    SIMTFLOW_EXPECTS(graph_ != nullptr, "facts are facts of a graph: reset(g) comes first");
    return *graph_;
  }

  /// The dominator tree. Complexity: as for dense::dominator_tree at the first question, then O(1); so below.
  constexpr const dense::basic_dominator_tree<Shape>& dominators() {
    if (is_new(1)) dominators_.recompute(graph());
    return dominators_;
  }
  /// The post-dominator tree.
  constexpr const dense::basic_post_dominator_tree<Shape>& post_dominators() {
    if (is_new(2)) post_dominators_.recompute(graph());
    return post_dominators_;
  }
  /// The loop nesting forest.
  constexpr const dense::basic_loop_forest<Shape>& loops() {
    if (is_new(4)) loops_.recompute(graph());
    return loops_;
  }
  /// The reduction of all structured parts.
  constexpr const dense::basic_structural_reduction<Shape>& structure() {
    if (is_new(8)) structure_.recompute(graph(), {});
    return structure_;
  }

 private:
  // True at the first question about this fact.
  constexpr bool is_new(unsigned fact) {
    if ((known_ & fact) != 0) return false;
    known_ |= fact;
    return true;
  }

  const Shape* graph_ = nullptr;
  unsigned known_ = 0;  // a bit a fact
  dense::basic_dominator_tree<Shape> dominators_;
  dense::basic_post_dominator_tree<Shape> post_dominators_;
  dense::basic_loop_forest<Shape> loops_;
  dense::basic_structural_reduction<Shape> structure_;
};

/// Facts of a csr_graph.
using cfg_facts = basic_cfg_facts<>;

}  // namespace v0
}  // namespace simtflow
