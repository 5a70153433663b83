// SPDX-License-Identifier: BSL-1.0
//
// Values of an LLVM function that wait in stack slots while its blocks are led elsewhere: LLVM's promotion makes values
// and phis of them again. The debugger's locations of variables name values that are no more, and are dropped before.
#pragma once

#include <simtflow/config.hpp>

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

namespace simtflow {
inline namespace v0 {
namespace detail {

/// Drops the locations of variables (dbg.value), which would go on telling an old value, if drop(variable). Those that
/// are declared stay.
template <class Drop>
void drop_variable_locations(llvm::Function& f, const Drop& drop) {
  for (llvm::BasicBlock& b : f) {
    for (llvm::Instruction& i : llvm::make_early_inc_range(b)) {
      if (auto* place = llvm::dyn_cast<llvm::DbgVariableIntrinsic>(&i);
          place != nullptr && !llvm::isa<llvm::DbgDeclareInst>(place)) {
        if (drop(place->getVariable())) place->eraseFromParent();
        continue;
      }
#if LLVM_VERSION_MAJOR >= 19
      for (llvm::DbgVariableRecord& r : llvm::make_early_inc_range(llvm::filterDbgVars(i.getDbgRecordRange())))
        if (!r.isDbgDeclare() && drop(r.getVariable())) r.eraseFromParent();
#endif
    }
  }
}

/// The variables with a location (dbg.value) in one of the blocks.
inline llvm::SmallPtrSet<const llvm::DILocalVariable*, 8> variables_named_in(llvm::ArrayRef<llvm::BasicBlock*> blocks) {
  llvm::SmallPtrSet<const llvm::DILocalVariable*, 8> all;
  for (llvm::BasicBlock* b : blocks)
    for (llvm::Instruction& i : *b) {
      if (const auto* place = llvm::dyn_cast<llvm::DbgVariableIntrinsic>(&i)) all.insert(place->getVariable());
#if LLVM_VERSION_MAJOR >= 19
      for (const llvm::DbgVariableRecord& r : llvm::filterDbgVars(i.getDbgRecordRange())) all.insert(r.getVariable());
#endif
    }
  return all;
}

/// Makes values and phis of slots. \pre the slots are loaded and stored only; the tree is the function's
inline void promote_slots(llvm::ArrayRef<llvm::AllocaInst*> all, llvm::DominatorTree& tree) {
  for (const llvm::AllocaInst* s : all)
    SIMTFLOW_EXPECTS(llvm::isAllocaPromotable(s), "a slot of the rewriter is loaded and stored only");
  if (!all.empty()) llvm::PromoteMemToReg(all, tree);
}

}  // namespace detail
}  // namespace v0
}  // namespace simtflow
