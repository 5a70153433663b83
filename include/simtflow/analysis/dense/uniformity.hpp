// SPDX-License-Identifier: BSL-1.0
//
// Uniformity in dense ids. analysis/uniformity.hpp tells what it means.
#pragma once

#include <simtflow/analysis/def_use_program.hpp>
#include <simtflow/analysis/dense/loops.hpp>
#include <simtflow/analysis/detail/divergence_solver.hpp>
#include <simtflow/analysis/detail/join_search.hpp>
#include <simtflow/analysis/detail/program_uses.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>

#include <cstdint>

namespace simtflow {
inline namespace v0 {

/// Why a value or branch is divergent: the reason that was found first.
enum class divergence_cause : unsigned char {
  none,     ///< it is uniform
  source,   ///< the program says so
  operand,  ///< it is computed from, or a branch chooses by, a divergent value
  join,     ///< a phi: the value that it takes depends on the way from a divergent branch
  left,     ///< a value that is used after a loop which threads leave in different iterations
  entered   ///< in an irreducible loop which threads enter at different blocks
};

/// The name of a cause: "operand".
[[nodiscard]] constexpr const char* to_string(divergence_cause value) {
  switch (value) {
    case divergence_cause::none:
      return "none";
    case divergence_cause::source:
      return "source";
    case divergence_cause::operand:
      return "operand";
    case divergence_cause::join:
      return "join";
    case divergence_cause::left:
      return "left";
    case divergence_cause::entered:
      return "entered";
  }
  return "";
}

/// One step of a reason. The value or branch that it names has a reason of its own, unless it is a source.
struct divergence_reason {
  divergence_cause cause = divergence_cause::none;  ///< none: the value or branch is uniform
  value_id value = no_value;                        ///< operand: the operand
  block_id branch = no_block;                       ///< join, left, entered: the divergent branch, by dense id
  loop_id loop = no_loop;                           ///< left, entered: the loop

  friend constexpr bool operator==(const divergence_reason&, const divergence_reason&) = default;
};

namespace dense {

/// The analysis, with dense ids of blocks in and out. A question about a block, value or loop that is not in the graph
/// or program of the result is a contract violation. Every question is O(1) unless it says otherwise; const questions
/// never write.
template <class Shape = csr_graph>
class basic_uniformity_analysis {
 public:
  /// Analyses p on g and reuses every buffer. `index` maps the program's vertices to block ids, `vertex` maps block ids
  /// to vertices. \pre and complexity: as for simtflow::uniformity_analysis.
  template <class P, class Index, class Vertex>
  constexpr void recompute(const Shape& g, const P& p, Index index, Vertex vertex) {
    found_.set_graph(g);
    update(p, index, vertex);
  }
  /// The same with the loops of the graph, which are copied: threads may share them.
  template <class P, class Index, class Vertex>
  constexpr void recompute(const Shape& g, const basic_loop_forest<Shape>& loops, const P& p, Index index,
                           Vertex vertex) {
    found_.set_graph(g, loops);
    update(p, index, vertex);
  }
  /// Analyses another program, or this one with other sources, on the graph of the last time.
  template <class P, class Index, class Vertex>
  constexpr void update(const P& p, Index index, Vertex vertex) {
    found_.solve(p, index, vertex);
  }

  /// The number of values of the program that was analysed last.
  [[nodiscard]] constexpr std::uint32_t num_values() const { return found_.program().num_values; }
  /// The loops of the graph.
  [[nodiscard]] constexpr const basic_loop_forest<Shape>& loops() const { return found_.loops(); }
  /// Calls f(block) once for every join of a branch if it is divergent. Complexity: as branch_joins::of.
  template <class F>
  constexpr void for_each_join(block_id branch, F f) const {
    if (!is_divergent_branch(branch)) return;
    detail::join_search<Shape> search;
    search.run(found_.iterations(), branch);
    search.for_each_block(found_.iterations(), branch, f);
  }
  /// True if threads that are together where v is computed may have different values.
  [[nodiscard]] constexpr bool is_divergent(value_id v) const { return found_.divergent[checked(v)] != 0; }
  /// True if threads that are together in b may leave it by different edges to different successors.
  [[nodiscard]] constexpr bool is_divergent_branch(block_id b) const {
    SIMTFLOW_EXPECTS(b < found_.program().num_blocks,
                     "a question about a block that is not in the graph of this result");
    return found_.divergent[num_values() + b] != 0;
  }
  /// True if threads that are together in b may see different values of v. \pre the block of v dominates b.
  [[nodiscard]] constexpr bool is_divergent_at(value_id v, block_id b) const {
    if (is_divergent(v)) return true;
    const loop_id l = loops().innermost(found_.program().block[index_of(v)]);
    const loop_id apart = l == no_loop ? no_loop : found_.nearest[l];
    return apart != no_loop && !loops().contains(apart, b);
  }
  /// The block in which v is computed.
  [[nodiscard]] constexpr block_id block_of(value_id v) const { return found_.program().block[checked(v)]; }
  /// The reason why v is divergent that was found first.
  [[nodiscard]] constexpr divergence_reason why(value_id v) const { return reason(checked(v)); }
  /// The reason why the branch of b is divergent.
  [[nodiscard]] constexpr divergence_reason why_branch(block_id b) const {
    return is_divergent_branch(b) ? reason(num_values() + b) : divergence_reason{};
  }
  /// The first branch that makes threads leave l apart; no_block if they do not.
  [[nodiscard]] constexpr block_id left_by(loop_id l) const { return found_.left_by[known(l)]; }
  /// True if threads may leave l in different iterations.
  [[nodiscard]] constexpr bool is_left_apart(loop_id l) const { return (found_.apart[known(l)] & solver::left) != 0; }
  /// True if threads may enter l, which is irreducible, at different blocks.
  [[nodiscard]] constexpr bool is_entered_apart(loop_id l) const {
    return (found_.apart[known(l)] & solver::entered) != 0;
  }

 private:
  using item = detail::program_uses::item;
  using solver = detail::divergence_solver<Shape>;

  [[nodiscard]] constexpr item checked(value_id v) const {
    SIMTFLOW_EXPECTS(index_of(v) < num_values(), "a question about a value that is not in the program of this result");
    return index_of(v);
  }
  [[nodiscard]] constexpr loop_id known(loop_id l) const {
    SIMTFLOW_EXPECTS(index_of(l) < found_.apart.size(),
                     "a question about a loop that is not in the graph of this result");
    return l;
  }
  [[nodiscard]] constexpr divergence_reason reason(item i) const {
    divergence_reason why{static_cast<divergence_cause>(found_.divergent[i])};
    if (found_.divergent[i] == solver::by_operand) why.value = value_id{found_.cause[i]};
    if (found_.divergent[i] == solver::by_join) why.branch = found_.cause[i];
    if (found_.divergent[i] == solver::by_left || found_.divergent[i] == solver::by_entered) {
      why.loop = loop_id{found_.cause[i]};
      why.branch = found_.divergent[i] == solver::by_left ? found_.left_by[why.loop] : found_.entered_by[why.loop];
    }
    return why;
  }

  solver found_;
};

/// Over a csr_graph.
using uniformity_analysis = basic_uniformity_analysis<>;

}  // namespace dense
}  // namespace v0
}  // namespace simtflow
