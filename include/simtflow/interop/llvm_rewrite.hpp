// SPDX-License-Identifier: BSL-1.0
//
// Applies plans (transform/plan.hpp) to LLVM functions.
//
//   llvm_cfg cfg(f);
//   const auto flat = linearize(cfg, {}, llvm_is_convergent{});
//   for (const diagnostic& why : rewrite(f, flat.plan)) llvm::errs() << f.getName() << ": " << why.message << "\n";
//
// The function is in SSA form before and after. A value keeps its uses if its block still dominates theirs, and a phi
// stays if its block is entered by the same edges. Only the other values live in stack slots in between, so that blocks
// can be led elsewhere and copied; at the end LLVM's PromoteMemToReg makes values and phis of the slots again. Values
// that are never live at once share a slot, and so share the phis at the guards.
//
//   variables   slots of 32 bits, hence phis in the end. Values that an edge sets are set before the branch or switch,
//               by selects on its condition if need be. No edge needs a block of its own: the function's graph is the
//               plan's, except for parallel edges
//   guards      an icmp and a branch; a range of values takes a subtraction first
//   branches    keep their condition. A branch with edges that all lead to the same block now becomes a jump
//   exit edges  the ret becomes a branch, the value that it returned goes through a slot
//   the entry   LLVM's entry has no predecessors: a new block is put in front of it where the plan leads back to it
//
// Passes that thread jumps (jump-threading, simplifycfg in part) undo what linearization has done: run them before.
// Locations of variables (dbg.value) are dropped, locations of lines stay; !llvm.loop goes from branches that change.
//
// Literature: LLVM Language Reference; R. Cytron et al., Efficiently computing static single assignment form and the
// control dependence graph (1991), for what promotion does; detail/llvm_crossing_values.hpp and
// detail/llvm_shared_slots.hpp say which values get slots.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/diagnostic.hpp>
#include <simtflow/interop/detail/llvm_obstacle.hpp>
#include <simtflow/interop/detail/llvm_rewriter.hpp>
#include <simtflow/interop/llvm.hpp>
#include <simtflow/transform/plan.hpp>
#include <simtflow/transform/rewrite.hpp>

#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <vector>

namespace simtflow {
inline namespace v0 {

namespace detail {

inline const char* llvm_obstacle(const llvm::Function& f, const flow_plan& plan) {
  if (const char* why = llvm_obstacle(f)) return why;
  std::vector<const llvm::BasicBlock*> blocks;
  for (const llvm::BasicBlock& b : f) blocks.push_back(&b);
  SIMTFLOW_EXPECTS(plan.num_originals() == blocks.size(), "a plan is applied to the code that it was made for");
  for (block_id b = 0; b < plan.num_blocks(); ++b) {
    const plan_block& what = plan[b];
    if (what.role != plan_role::original && what.role != plan_role::copy) continue;
    const llvm::BasicBlock& text = *blocks[what.executes];
    if (what.exit_edge &&
        (text.getTerminatingMustTailCall() != nullptr || text.getTerminatingDeoptimizeCall() != nullptr))
      return "a tail call that must stay one would get an exit edge";
    if (what.role == plan_role::original) continue;
    for (const llvm::Instruction& i : text)
      if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&i); call != nullptr && call->cannotDuplicate())
        return "a call that must not be duplicated would be copied";
  }
  return nullptr;
}

}  // namespace detail

/// Says why no plan can be applied to f; empty if plans can be applied. Exceptions, computed jumps, tokens and blocks
/// with an address that is taken tie blocks to each other in ways that a plan does not know. Functions that return
/// twice (setjmp) would lose the values of guard variables. Complexity: O(instructions).
[[nodiscard]] inline diagnostics obstacles_to_rewriting(const llvm::Function& f) {
  return detail::llvm_obstacles(detail::llvm_obstacle(f));
}

/// Says why this plan cannot be applied to f, or why no plan can; empty if it can be applied.
/// \pre the plan was made for llvm_cfg(f) as f is now
/// Complexity: O(instructions + blocks of the plan).
[[nodiscard]] inline diagnostics obstacles_to_rewriting(const llvm::Function& f, const flow_plan& plan) {
  return detail::llvm_obstacles(detail::llvm_obstacle(f, plan));
}

/// Rewrites f as the plan describes, in SSA form as before. Returns why f was left as it was; empty if it was
/// rewritten. A plan without blocks changes nothing.
/// \pre the plan was made for llvm_cfg(f) as f is now; f is valid (llvm::verifyFunction)
/// Complexity: as apply() and LLVM's promotion of the values that get slots, plus the blocks in which each is live.
[[nodiscard]] inline diagnostics rewrite(llvm::Function& f, const flow_plan& plan) {
  if (plan.num_blocks() == 0) return {};
  if (const char* why = detail::llvm_obstacle(f, plan)) return detail::llvm_obstacles(why);
  detail::llvm_rewriter code(f, plan);
  apply(plan, code);
  code.finish();
  return {};
}

}  // namespace v0
}  // namespace simtflow
