// SPDX-License-Identifier: BSL-1.0
//
// The branch that ends a block of a meld plan, in LLVM: its condition is selected by the side, or forced for threads
// that are only led through.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/interop/detail/llvm_meld_arms.hpp>
#include <simtflow/interop/detail/llvm_meld_places.hpp>
#include <simtflow/interop/detail/llvm_meld_values.hpp>
#include <simtflow/transform/meld_plan.hpp>

#include <llvm/ADT/APInt.h>
#include <llvm/ADT/ArrayRef.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IRBuilder.h>

#include <cstddef>
#include <cstdint>

namespace simtflow {
inline namespace v0 {
namespace detail {

/// The value that makes a branch or a switch take a slot. \pre llvm_melding_model::can_force_branch(). O(cases squared)
inline llvm::Value* llvm_forcing_value(const llvm::Instruction& branch, std::uint32_t slot) {
  const auto* table = llvm::dyn_cast<llvm::SwitchInst>(&branch);
  if (table == nullptr) return llvm::ConstantInt::getBool(branch.getContext(), slot == 0);
  if (slot > 0)
    return llvm::ConstantInt::get(branch.getContext(), (table->case_begin() + (slot - 1))->getCaseValue()->getValue());
  llvm::APInt free(table->getCondition()->getType()->getIntegerBitWidth(), 0);
  const auto is_taken = [&] {
    for (const auto& one : table->cases())
      if (one.getCaseValue()->getValue() == free) return true;
    return false;
  };
  while (is_taken()) ++free;
  return llvm::ConstantInt::get(branch.getContext(), free);
}

/// The condition of the branch that ends a block of several successors. `both`: threads of both sides may be here.
inline llvm::Value* llvm_melded_condition(const llvm_meld_arms& arms, const llvm_meld_places& places,
                                          llvm_meld_values& values, const meld_block& b, bool both) {
  const auto of = [&](block_id own) { return arms.block(own)->getTerminator()->getOperand(0); };
  if (b.ends_as == meld_side::both) {
    if (!b.swapped) return values.choose(of(b.left), of(b.right));
    if (places.same(of(b.left), of(b.right)))
      return values.at.CreateICmpEQ(values.choose(of(b.left), of(b.right)), values.left());
    llvm::Value* turned = values.at.CreateNot(values.get(of(b.right)));
    return values.select(values.get(of(b.left)), turned);
  }
  const bool left = b.ends_as == meld_side::left;
  const llvm::BasicBlock* own = arms.block(left ? b.left : b.right);
  llvm::Value* mine = values.get(own->getTerminator()->getOperand(0));
  if (!both || b.forced == no_outcome) return mine;
  llvm::Value* theirs = llvm_forcing_value(*own->getTerminator(), b.forced);
  return left ? values.select(mine, theirs) : values.select(theirs, mine);
}

/// Writes a branch of the form of an old one: `which` is its condition. A branch of one side keeps its metadata.
inline void llvm_write_branch(llvm::IRBuilder<>& at, const meld_block& b, const llvm::Instruction& form,
                              llvm::Value* which, llvm::ArrayRef<llvm::BasicBlock*> to) {
  llvm::Instruction* made = nullptr;
  if (to.size() == 1) {
    made = at.CreateBr(to[0]);
  } else if (const auto* table = llvm::dyn_cast<llvm::SwitchInst>(&form)) {
    auto* of_many = at.CreateSwitch(which, to[0], table->getNumCases());
    std::size_t k = 1;
    for (const auto& one : table->cases())
      of_many->addCase(llvm::ConstantInt::get(form.getContext(), one.getCaseValue()->getValue()), to[k++]);
    made = of_many;
  } else {
    made = at.CreateCondBr(which, to[0], to[1]);
  }
  if (b.left == no_block || b.right == no_block) made->copyMetadata(form);  // its weights and its loop
}

}  // namespace detail
}  // namespace v0
}  // namespace simtflow
