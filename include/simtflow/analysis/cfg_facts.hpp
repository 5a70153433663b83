// SPDX-License-Identifier: BSL-1.0
//
// The facts of one control-flow graph that several analyses and transformations ask for, each computed at the first
// question and shared from then on: dominators, post-dominators, ends, loops and structure. A function that takes a
// graph computes the facts that it needs; the same function with cfg_facts in place of the graph shares them.
//
//   cfg_facts facts(shape);
//   const block_id join = facts.post_dominators().ipdom(branch);  // computed here
//   const auto flow = find_unstructured(facts);                   // post-dominators are there, the other facts are new
//   const linearization made = linearize(facts);                  // structure is there already
#pragma once

#include <simtflow/analysis/dense/dominators.hpp>
#include <simtflow/analysis/dense/loops.hpp>
#include <simtflow/analysis/dense/post_dominators.hpp>
#include <simtflow/analysis/dense/structure.hpp>
#include <simtflow/analysis/ends.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/argument.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/snapshot.hpp>
#include <simtflow/graph/traits.hpp>
#include <simtflow/graph/views.hpp>

#include <concepts>
#include <type_traits>

namespace simtflow {
inline namespace v0 {

/// Facts of a csr_graph, computed when they are asked for. Answers are in dense ids and stay valid until reset(). The
/// first question about a fact writes to the object. Const facts answer what has been asked before, and never write:
/// threads may share them.
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
  /// The graph has been copied or moved to g: the facts are facts of g and none is forgotten. O(1).
  /// \pre g has the blocks and edges of the graph of the last reset()
  constexpr void relocate(const Shape& g) { graph_ = &g; }
  void relocate(const Shape&&) = delete;

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
  /// The blocks that the entry reaches, and where control ends.
  constexpr const detail::end_index<Shape>& ends() {
    if (is_new(8)) structure_.find_ends(graph(), infinite_loops::virtual_edge);
    return structure_.ends();
  }
  /// The reduction of all structured parts.
  constexpr const dense::basic_structural_reduction<Shape>& structure() {
    (void)ends();
    if (is_new(16)) structure_.update(graph(), {}, {});
    return structure_;
  }

  /// @{
  /// The same of const facts. \pre the fact has been asked for since reset(). O(1).
  [[nodiscard]] constexpr const dense::basic_dominator_tree<Shape>& dominators() const { return known(dominators_, 1); }
  [[nodiscard]] constexpr const dense::basic_post_dominator_tree<Shape>& post_dominators() const {
    return known(post_dominators_, 2);
  }
  [[nodiscard]] constexpr const dense::basic_loop_forest<Shape>& loops() const { return known(loops_, 4); }
  [[nodiscard]] constexpr const detail::end_index<Shape>& ends() const { return known(structure_.ends(), 8); }
  [[nodiscard]] constexpr const dense::basic_structural_reduction<Shape>& structure() const {
    return known(structure_, 16);
  }
  /// @}

 private:
  template <class Fact>
  [[nodiscard]] constexpr const Fact& known(const Fact& fact, unsigned bit) const {
    SIMTFLOW_EXPECTS((known_ & bit) != 0, "const facts answer what has been asked before");
    return fact;
  }
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

/// The argument of a transform: a graph, or cfg_facts of a graph, which then are shared and speak of dense ids.
template <class G>
concept graph_or_facts = flow_graph<graph_t<G>> || std::same_as<std::remove_reference_t<G>, cfg_facts>;

namespace detail {

template <class G>
struct vertex_of : std::type_identity<block_id> {};
template <flow_graph G>
struct vertex_of<G> : std::type_identity<vertex_t<G>> {};
// The facts of a graph, or those that are given.
template <class G>
class facts_in {
 public:
  constexpr explicit facts_in(const graph_t<G>& g) : facts_(shape_.of(g)) {}
  facts_in(const facts_in&) = delete;
  facts_in& operator=(const facts_in&) = delete;
  constexpr cfg_facts& get() { return facts_; }

 private:
  kept_shape<graph_t<G>> shape_;
  cfg_facts facts_;
};
template <class G>
  requires std::same_as<graph_t<G>, cfg_facts>
class facts_in<G> {
 public:
  constexpr explicit facts_in(cfg_facts& facts) : facts_(&facts) {}
  constexpr cfg_facts& get() { return *facts_; }

 private:
  cfg_facts* facts_;
};

// The vertices of a graph or of facts.
template <graph_or_facts G>
using vertex_in = typename vertex_of<graph_t<G>>::type;
template <class G>
constexpr block_id index_in(const G& g, const vertex_in<G>& v) {
  if constexpr (flow_graph<G>)
    return static_cast<block_id>(graph_traits<G>::index(g, v));
  else
    return v;
}

}  // namespace detail

}  // namespace v0
}  // namespace simtflow
