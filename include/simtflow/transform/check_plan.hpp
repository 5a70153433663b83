// SPDX-License-Identifier: BSL-1.0
//
// Does a plan do what its graph did? check_plan() decides it for every thread and every outcome of every branch, in
// near-linear time; it knows nothing of the transform that made the plan. Each thread must execute the blocks of its
// path through the graph, in their order, nothing lost and nothing doubled, and end where its path ends.
//
// The idea: at every point of the plan a thread has one block of the graph that it must execute next, its *target*; no
// block means that it must end. The outcome of the last block of the graph decides the target. Guards, empty blocks and
// the values of variables decide where the thread goes. Both follow from the block of the plan that was executed last,
// the values that it had there, and the outcome. So these triples are the states of the product of plan and graph, and
// each is decided by one walk to the next block of the graph:
//
//   executes   an original or a copy must execute the target. Slot k then makes target k of the graph's block the new
//              target, and a thread that would end in the block must be able to end, there or along the exit edge
//   ends       an end must be the target
//   repeats    a thread that comes back with the same values, and has executed nothing, comes back forever: it is lost
//
// A state has the values that a later guard may see. Plans of this library set all of them between two blocks of the
// graph, so there is one state for each block. Rows of guards are passed in one step each (detail/first_guard.hpp).
//
// The check is exact for one thread. It does not ask which threads meet: transforms promise that for convergent blocks
// by themselves (linearize.hpp).
//
// Literature: A. Pnueli, M. Siegel, E. Singerman, Translation validation (1998); G. Necula, Translation validation for
// an optimizing compiler (2000).
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/snapshot.hpp>
#include <simtflow/graph/traits.hpp>
#include <simtflow/transform/detail/plan_checker.hpp>
#include <simtflow/transform/plan.hpp>
#include <simtflow/transform/plan_fault.hpp>

#include <optional>

namespace simtflow {
inline namespace v0 {

/// Decides if a plan does what its graph did; see the top of this header.
///
/// A plan without blocks changes nothing, as for apply() (rewrite.hpp). Blocks that no thread can come to are not
/// looked at: unreachable ones, and blocks after a guard that lets no thread pass.
/// \pre check_adapter<G>() holds
/// \returns a way of one thread through the plan that goes wrong, with the fewest blocks of the graph; nullopt if the
/// plan is proved.
/// Complexity: for b blocks and e edges of the plan O((b + e) log b), for each edge of a block of the graph the rows of
/// guards on the way to the next one (few but where rows are nested deeply: with guard_optimization::o4 hundreds for
/// 100,000 blocks), and for each variable the blocks in which it is live. Plans in which values stay live
/// across blocks of the graph have a state for each combination of them; plan_fault_kind::undecided after about 2^28
/// steps. No recursion.
template <flow_graph G>
[[nodiscard]] constexpr std::optional<plan_fault> check_plan(const G& g, const flow_plan& plan) {
  if (plan.num_blocks() == 0) return std::nullopt;
  detail::kept_shape<G> shape;
  detail::plan_checker<> checker(shape.of(g), plan);
  return checker.find_fault();
}

}  // namespace v0
}  // namespace simtflow
