// SPDX-License-Identifier: BSL-1.0
//
// Applies meld plans (transform/meld_plan.hpp) to LLVM functions, LLVM 14 to 23.
//
//   llvm_cfg cfg(f);
//   const llvm_melding_model code(cfg);
//   const meld_search found = find_meld(snapshot(cfg), code);
//   if (found.found)
//     for (const diagnostic& why : rewrite(f, code, found.plan)) llvm::errs() << why.message << "\n";
//
// The function is in SSA form and valid before and after. Between the branch and the join all blocks are new; the rest
// of the function stays as it is.
//
//   values        of the arms wait in stack slots and become values and phis again at the end (LLVM's own promotion). A
//                 pair has one slot. Two values of different sides that meet as operands have one slot as well: a phi
//                 of both instead of two phis and a select. For threads of the other side a value is poison
//   selects       by the branch's condition, frozen if it might be undefined: one for the same two values, none for
//                 operands that are the same. Commutative operands are exchanged for one side if more agree then; bases
//                 of addresses are selected rather than addresses; 1 and 0 need no select but a zext
//   promises      a pair promises what both did: flags, metadata, alignment and place in the text are merged
//   runs          instructions of one side alone get a branch around them, or are executed by all threads
//                 (llvm_meld_code_options). Effects, and instructions that might trap, always get the branch
//   branches      of a pair select their condition; threads that are only led through bring a constant
//   clean-up      merges straight blocks and drops empty ones. No branch becomes a select; no code is hoisted or sunk
//
// Regions need not be simplified before (Definition 4 of the paper): a piece of a plan ends at the block that
// post-dominates it, however many edges lead there, and phis take their values edge by edge.
//
// Passes that turn branches into selects (simplifycfg, instcombine in part) undo the branches around runs.
// Locations of variables that the arms name (dbg.value) are dropped; locations of lines are merged.
//
// Literature: C. Saumya, K. Sundararajah, M. Kulkarni, DARM: control-flow melding for SIMT thread divergence reduction
// (2022), sections IV-D to IV-F. LLVM Language Reference, for poison, undef and freeze.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/diagnostic.hpp>
#include <simtflow/interop/detail/llvm_meld_arms.hpp>
#include <simtflow/interop/detail/llvm_meld_instructions.hpp>
#include <simtflow/interop/detail/llvm_meld_places.hpp>
#include <simtflow/interop/detail/llvm_meld_values.hpp>
#include <simtflow/interop/detail/llvm_meld_writer.hpp>
#include <simtflow/interop/detail/llvm_obstacle.hpp>
#include <simtflow/interop/detail/llvm_stack_slots.hpp>
#include <simtflow/interop/detail/llvm_tidy.hpp>
#include <simtflow/interop/llvm_melding.hpp>
#include <simtflow/transform/meld_options.hpp>
#include <simtflow/transform/meld_plan.hpp>
#include <simtflow/transform/meldable_code.hpp>

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <cstdint>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// How a plan is written into an LLVM function.
struct llvm_meld_code_options {
  meld_unpredication unpredicate = meld_unpredication::automatic;  ///< which runs get a branch
  std::uint32_t predication_cost = 3;                              ///< automatic: the weight of a branch around a run
  std::uint32_t divergence_cost = 3;  ///< automatic: what the branch weighs more if the threads of a warp part there
};

/// Says why no plan can be applied to f; empty if plans can be applied: exceptions, tokens, computed jumps, blocks with
/// an address that is taken, calls that return twice. Complexity: O(instructions).
[[nodiscard]] inline diagnostics obstacles_to_melding(const llvm::Function& f) {
  return detail::llvm_obstacles(detail::llvm_obstacle(f));
}

namespace detail {

/// Says why the arms of a plan stay as they are; null if the plan can be applied.
inline const char* llvm_obstacle(const llvm_meld_arms& arms) {
  for (const llvm::BasicBlock* b : arms.blocks())
    for (const llvm::Instruction& i : *b)
      if (const char* why = llvm_obstacle_in_arm(i)) return why;
  return nullptr;
}

}  // namespace detail

/// Rewrites f as the plan describes. Returns why f was left as it was; empty if it was rewritten.
/// \pre f is valid (llvm::verifyFunction); the code is made of f, and the plan of the code, as f is now. The code is of
/// no use afterwards.
/// Complexity: O(n log n) in the instructions of the arms, and LLVM's promotion of their values.
template <class Function>
[[nodiscard]] diagnostics rewrite(llvm::Function& f, const llvm_melding_model<Function>& code, const meld_plan& plan,
                                  const llvm_meld_code_options& options = {}) {
  SIMTFLOW_EXPECTS(&code.cfg().function() == &f, "a plan is applied to the code that it was made for");
  if (const char* why = detail::llvm_obstacle(f)) return detail::llvm_obstacles(why);
  const detail::llvm_meld_arms arms(f, plan);
  if (const char* why = detail::llvm_obstacle(arms)) return detail::llvm_obstacles(why);
  llvm::EliminateUnreachableBlocks(f);  // no plan has them, but they could lead into an arm
  const llvm::SmallPtrSet<const llvm::DILocalVariable*, 8> named = detail::variables_named_in(arms.blocks());
  detail::drop_variable_locations(f, [&](const llvm::DILocalVariable* v) { return named.count(v) != 0; });

  const branch_likelihood share = likelihood_of(code, plan.branch);
  const auto straight = [&](std::uint64_t weight, meld_side side) {
    if (options.unpredicate != meld_unpredication::automatic) return options.unpredicate == meld_unpredication::never;
    const double idle = side == meld_side::left ? share.all_second() : share.all_first();
    return idle * static_cast<double>(weight) <= options.predication_cost + share.parted * options.divergence_cost;
  };

  llvm::Instruction* branch = arms.head()->getTerminator();
  llvm::Value* left = llvm::cast<detail::llvm_two_way_branch>(branch)->getCondition();
  // The branch itself may be why it is defined: LLVM lets no program branch on anything else.
  if (!llvm::isGuaranteedNotToBeUndefOrPoison(left, nullptr, branch))
    left = llvm::IRBuilder<>(branch).CreateFreeze(left, left->hasName() ? left->getName() + ".frozen" : "");
  const detail::llvm_meld_places places(arms, code, plan);
  detail::llvm_meld_values values(f, arms, places, left);
  detail::llvm_meld_writer writer(f, code, plan, arms, places, values, straight);
  writer.write();
  writer.bequeath();
  llvm::DeleteDeadBlocks(arms.blocks(), nullptr, true);

  std::vector<llvm::WeakTrackingVH> unused(values.unused.begin(), values.unused.end());
  llvm::DominatorTree tree(f);
  values.promote(arms.head(), tree);
  detail::llvm_tidy tidy(f, writer.made(), tree);
  tidy.tidy_values(left);
  tidy.tidy_blocks(unused);
  return {};
}

}  // namespace v0
}  // namespace simtflow
