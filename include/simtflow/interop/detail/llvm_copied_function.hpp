// SPDX-License-Identifier: BSL-1.0
//
// A copy of an LLVM function, to try something on: same blocks and instructions in the same order, in the same module,
// called by nobody. Locations of variables, for debuggers, are not copied; locations of lines are.
#pragma once

#include <simtflow/config.hpp>

#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

namespace simtflow {
inline namespace v0 {
namespace detail {

class llvm_copied_function {
 public:
  /// \pre f has a body. O(instructions)
  explicit llvm_copied_function(llvm::Function& f)
      : copy_(llvm::Function::Create(f.getFunctionType(), llvm::GlobalValue::InternalLinkage, f.getAddressSpace(), "",
                                     f.getParent())) {
    copy_->setAttributes(f.getAttributes());
    copy_->setCallingConv(f.getCallingConv());
    llvm::ValueToValueMapTy now;
    for (unsigned k = 0; k < f.arg_size(); ++k) now_[f.getArg(k)] = copy_->getArg(k);
    for (llvm::BasicBlock& b : f) {
      llvm::BasicBlock* made = llvm::BasicBlock::Create(f.getContext(), "", copy_);
      now_[&b] = made;
      llvm::IRBuilder<> at(made);
      for (llvm::Instruction& i : b)
        if (!llvm::isa<llvm::DbgInfoIntrinsic>(i)) now_[&i] = at.Insert(i.clone());
    }
    for (llvm::BasicBlock& b : *copy_)
      for (llvm::Instruction& i : b)
        llvm::RemapInstruction(&i, now_, llvm::RF_NoModuleLevelChanges | llvm::RF_IgnoreMissingLocals);
  }
  ~llvm_copied_function() { copy_->eraseFromParent(); }
  llvm_copied_function(const llvm_copied_function&) = delete;
  llvm_copied_function& operator=(const llvm_copied_function&) = delete;

  /// The copy.
  [[nodiscard]] llvm::Function& operator*() const { return *copy_; }
  /// The counterpart in the copy of a value of the function; null if it is there no more. O(1)
  [[nodiscard]] llvm::Value* of(llvm::Value* v) const {
    const auto found = now_.find(v);
    return found == now_.end() ? v : static_cast<llvm::Value*>(found->second);
  }

 private:
  llvm::ValueToValueMapTy now_;
  llvm::Function* copy_;
};

}  // namespace detail
}  // namespace v0
}  // namespace simtflow
