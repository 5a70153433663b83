// SPDX-License-Identifier: BSL-1.0
//
// One instruction of LLVM instead of two: it promises what both promise. Instructions that threads of the other side
// may execute as well. Instructions that no arm may have.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/interop/llvm.hpp>
#include <simtflow/transform/meld_plan.hpp>

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/IR/Attributes.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/Transforms/Utils/Local.h>

#include <algorithm>

namespace simtflow {
inline namespace v0 {
namespace detail {

/// Makes `made`, which executes as x, promise no more than y does as well: flags that both have, the most general
/// metadata, the smaller alignment, a place in the text that both share. \pre made is a copy of x, and x and y are of
/// one class (llvm_melding_model)
inline void llvm_promise_less(llvm::Instruction& made, const llvm::Instruction& x, const llvm::Instruction& y) {
  made.andIRFlags(&y);
  llvm::combineMetadataForCSE(&made, &y, true);
  if (!x.hasMetadata(llvm::LLVMContext::MD_invariant_group) || !y.hasMetadata(llvm::LLVMContext::MD_invariant_group))
    made.setMetadata(llvm::LLVMContext::MD_invariant_group, nullptr);
  if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&made))
    load->setAlignment((std::min)(load->getAlign(), llvm::cast<llvm::LoadInst>(y).getAlign()));
  if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&made))
    store->setAlignment((std::min)(store->getAlign(), llvm::cast<llvm::StoreInst>(y).getAlign()));
  made.applyMergedLocation(x.getDebugLoc(), y.getDebugLoc());
}

/// True if threads of the other side may execute i as well, whatever its operands hold for them: it has no effects and
/// cannot trap. Loads, divisions and calls depend on operands; `outer(v)` is true for operands that are the same value
/// before the arms, and `before` is the branch before the arms. O(operands)
template <class Outer>
[[nodiscard]] bool llvm_may_run_for_all(const llvm::Instruction& i, const llvm::Instruction& before,
                                        const Outer& outer) {
  if (!llvm::isSafeToSpeculativelyExecute(&i, &before)) return false;
  if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&i)) {
    for (unsigned k = 0; k < call->arg_size(); ++k)
      if (call->paramHasAttr(k, llvm::Attribute::NoUndef)) return false;
  } else if (i.isIntDivRem()) {
    const auto* by = llvm::dyn_cast<llvm::ConstantInt>(i.getOperand(1));
    if (by != nullptr && !by->isMinusOne()) return true;
  } else if (!llvm::isa<llvm::LoadInst>(i)) {
    return true;
  }
  for (const llvm::Value* v : i.operand_values())
    if (!outer(v)) return false;
  return true;
}

/// True if code is as right without i: it only tells LLVM something about values. O(1)
[[nodiscard]] inline bool llvm_is_only_a_hint(const llvm::Instruction& i) {
  const auto* known = llvm::dyn_cast<llvm::IntrinsicInst>(&i);
  if (known == nullptr) return false;
  const llvm::Intrinsic::ID id = known->getIntrinsicID();
  return id == llvm::Intrinsic::assume || id == llvm::Intrinsic::experimental_noalias_scope_decl;
}

/// Says why an instruction can be in no arm that is melded; null if it can. O(operands)
[[nodiscard]] inline const char* llvm_obstacle_in_arm(const llvm::Instruction& i) {
  if (i.getType()->isTokenTy()) return "an arm has tokens, which no stack slot can hold";
#if LLVM_VERSION_MAJOR >= 16
  if (i.getType()->isTargetExtTy()) return "an arm has values of a type that no stack slot can hold";
#endif
  if (i.getType()->isX86_AMXTy()) return "an arm has values of a type that no stack slot can hold";
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&i);
  if (call == nullptr) return nullptr;
  if (call->isConvergent()) return "an arm has code that the same threads must run together (a convergent call)";
  if (call->isMustTailCall()) return "an arm has a tail call that must stay one";
  return nullptr;
}

}  // namespace detail
}  // namespace v0
}  // namespace simtflow
