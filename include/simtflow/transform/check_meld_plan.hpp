// SPDX-License-Identifier: BSL-1.0
//
// Does a plan to meld the arms of a branch (meld_plan.hpp) do what both arms did? check_meld_plan() decides it in
// linear time; it knows nothing of the planner.
//
// The idea: take away the other side, and the plan must be the arm as it stood. Threads of one side walk through their
// projection of the plan and through the arm at once. At each block of the plan they have one place in the arm: the
// instruction that must come next. The block must begin there, execute what stands there in order, and end where its
// part ends. Outcome k of a branch then leads to the place where outcome k of the arm's branch leads; forced threads
// keep their place. At the end of the last piece the place must be the join.
//
// Both projections being right, these remain: pieces, blocks, slots and successors cover what they should, every block
// stands once, what became one may become one, and nothing enters or leaves the arms anywhere else.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/transform/detail/meld_plan_checker.hpp>
#include <simtflow/transform/meld_plan.hpp>
#include <simtflow/transform/meld_plan_fault.hpp>
#include <simtflow/transform/meldable_code.hpp>

#include <optional>

namespace simtflow {
inline namespace v0 {

/// Decides if a plan does what both arms of its branch did, and keeps the invariants at the top of meld_plan.hpp.
/// Figures (weights, profit, savings) are not looked at.
/// \pre slot k of a block of g is outcome k of its branch; the code belongs to g
/// \returns what is wrong, for threads of a side with the way of one of them; nullopt if the plan is proved.
/// Complexity: linear in the plan, the arms and the number of blocks of g. No recursion.
template <meldable_code M>
[[nodiscard]] constexpr std::optional<meld_plan_fault> check_meld_plan(const csr_graph& g, const M& code,
                                                                       const meld_plan& plan) {
  detail::meld_plan_checker<M> checker(g, code, plan);
  return checker.find_fault();
}

}  // namespace v0
}  // namespace simtflow
