// SPDX-License-Identifier: BSL-1.0
//
// Structures a graph by copying blocks (known as STRUCT): no variable decides where acyclic control goes, at the price
// of code that may grow exponentially. Three steps; each leaves already structured code unchanged:
//
//   backward copy   A loop with several entries keeps one of them. The blocks of the loop that can be reached from the
//                   others without passing it are copied in front of the loop, and what came in there enters the copy.
//                   The entry kept is the one for which the copy is smallest.
//   cut             A loop is *in order* if all ways out leave from one block, its test, and every iteration passes the
//                   test (while, do-while and loops tested in the middle). Another one gets a new test at its end: ways
//                   back and ways out set a variable and go there, and after it a hub (hub.hpp) tells the ways out.
//   forward copy    Every branch with arms that meet before its immediate post-dominator gets arms of its own: blocks
//                   up to there are copied, whole inner loops among them, once for each path that leads to them.
//
// Convergent operations: a barrier, a vote or a shuffle in two places is two of them, and threads that come to one
// place each no longer come together. If a convergent block would have to be copied, nothing is done, and the report
// says which blocks these are.
//
// The graph must not grow beyond a number of blocks that the caller sets; otherwise nothing is done and the report says
// where it would have. The cost of the forward copy is known beforehand and exactly, in linear time: let every node
// cost
//
//   cost(b) = 1 + sum over the arms a of b, each counted once, of (sum of cost over the ipdom chain from a to ipdom(b))
//
// in the graph without ways back; then the result has the sum of cost over the chain from the entry.
//
// Literature: F. Zhang, E. D'Hollander, Using hammock graphs to structure programs (2004), for the three steps; H. Wu
// et al., Characterization and transformation of unstructured control flow in GPU applications (2011); L. Carter, J.
// Ferrante, C. Thomborson, Folklore confirmed: reducible flow graphs are exponentially larger (2003).
#pragma once

#include <simtflow/analysis/vertex_map.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/snapshot.hpp>
#include <simtflow/graph/traits.hpp>
#include <simtflow/transform/copy_report.hpp>
#include <simtflow/transform/detail/convergent.hpp>
#include <simtflow/transform/detail/copy_structurer.hpp>
#include <simtflow/transform/plan.hpp>

#include <concepts>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// Structures a plan by copies, in place, or leaves it as it is if that takes more blocks than allowed. Afterwards it
/// is_structured (structure.hpp), and every block does what it did: a structured plan is not changed.
///
/// `convergent(b)` says which blocks of the plan must not be copied; see the top of this header. Nothing is done if
/// such a block would have to be copied, or if a loop that needs a new test has one in the closed set around it: the
/// new test is a hub (hub.hpp).
///
/// Unreachable blocks are left alone; an empty plan fits. Complexity: a step that does not fit is detected before it
/// begins, in near-linear time in the plan at that point; the forward copy is linear in its result. Backward copies
/// take rounds, each near-linear; at worst there are as many rounds as irreducible loops are nested. No recursion.
template <std::same_as<flow_plan> Plan, class Convergent = detail::nothing_convergent>
constexpr copy_report structure_by_copies(Plan& plan, const copy_options& options = {}, Convergent convergent = {}) {
  const std::vector<unsigned char> table = detail::block_table(plan, convergent);
  return detail::copy_structurer<Plan>().apply(plan, options, std::span<const unsigned char>(table));
}

/// A plan and how it came about.
struct copied_plan {
  flow_plan plan;      ///< applies to the graph that was asked about
  copy_report report;  ///< what was done, or why nothing was
};

/// The same for any graph: the plan that structures it, or that changes nothing if that cannot be done. `convergent`
/// is asked about vertices. Unreachable blocks are left alone; the plan of an empty graph is empty.
/// \pre check_adapter<G>() holds; the plan keeps nothing of g. Complexity: as for a plan, above.
/// Errors: none; the report says why nothing was done.
/// \snippet reference_test.cpp structure_by_copies
template <flow_graph G, class Convergent = detail::nothing_convergent>
  requires(!std::same_as<G, flow_plan>)
[[nodiscard]] constexpr copied_plan structure_by_copies(const G& g, const copy_options& options = {},
                                                        Convergent convergent = {}) {
  detail::kept_shape<G> shape;
  const std::vector<unsigned char> table = detail::block_table(g, convergent);
  copied_plan made{flow_plan(shape.of(g)), {}};
  made.report = detail::copy_structurer<>().apply(made.plan, options, std::span<const unsigned char>(table));
  return made;
}

}  // namespace v0
}  // namespace simtflow
