// SPDX-License-Identifier: BSL-1.0
//
// A copy of an LLVM function, to try something on: same blocks and instructions in the same order, in the same module,
// called by nobody. Locations of variables, for debuggers, are not copied; locations of lines are.
#pragma once

#include <simtflow/config.hpp>

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Constant.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IRBuilder.h>

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
    llvm::DenseMap<const llvm::Value*, llvm::Value*> now;
    for (unsigned k = 0; k < f.arg_size(); ++k) now[f.getArg(k)] = copy_->getArg(k);
    for (llvm::BasicBlock& b : f) {
      llvm::BasicBlock* made = llvm::BasicBlock::Create(f.getContext(), "", copy_);
      now[&b] = made;
      llvm::IRBuilder<> at(made);
      for (llvm::Instruction& i : b)
        if (!llvm::isa<llvm::DbgInfoIntrinsic>(i)) now[&i] = at.Insert(i.clone());
    }
    const auto of = [&now](llvm::Value* v) {
      const auto found = now.find(v);
      return found == now.end() ? v : found->second;
    };
    for (llvm::BasicBlock& b : *copy_)
      for (llvm::Instruction& i : b) {
        for (llvm::Use& used : i.operands())
          if (!llvm::isa<llvm::Constant>(used)) used = of(used);
        if (auto* phi = llvm::dyn_cast<llvm::PHINode>(&i))
          for (unsigned k = 0; k < phi->getNumIncomingValues(); ++k)
            phi->setIncomingBlock(k, llvm::cast<llvm::BasicBlock>(of(phi->getIncomingBlock(k))));
      }
  }
  ~llvm_copied_function() { copy_->eraseFromParent(); }
  llvm_copied_function(const llvm_copied_function&) = delete;
  llvm_copied_function& operator=(const llvm_copied_function&) = delete;

  /// The copy.
  [[nodiscard]] llvm::Function& operator*() const { return *copy_; }
  /// True if f, which may have changed since, has the same blocks with the same operations. O(instructions)
  [[nodiscard]] bool is_copy_of(const llvm::Function& f) const {
    if (f.size() != copy_->size()) return false;
    auto other = copy_->begin();
    for (const llvm::BasicBlock& b : f) {
      auto at = other->begin();
      for (const llvm::Instruction& i : b) {
        if (llvm::isa<llvm::DbgInfoIntrinsic>(i)) continue;
        if (at == other->end() || at->getOpcode() != i.getOpcode() || at->getType() != i.getType()) return false;
        ++at;
      }
      if (at != other->end()) return false;
      ++other;
    }
    return true;
  }

 private:
  llvm::Function* copy_;
};

}  // namespace detail
}  // namespace v0
}  // namespace simtflow
