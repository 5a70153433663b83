// SPDX-License-Identifier: BSL-1.0
//
// Makes instructions of an LLVM function safe for lanes that are masked off (llvm_partial.hpp says how).
#pragma once

#include <simtflow/config.hpp>

#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

namespace simtflow {
inline namespace v0 {
namespace detail {

class llvm_masked_effects {
 public:
  // The place of masked accesses is a slot at the beginning of `f`.
  explicit llvm_masked_effects(llvm::Function& f) : function_(f), layout_(f.getParent()->getDataLayout()) {}

  // Why the instruction cannot be executed under a mask; null if it can.
  static const char* obstacle(const llvm::Instruction& i) {
    if (llvm::isa<llvm::AllocaInst>(i)) return "a stack slot that is not made at the beginning";
    if (llvm::isa<llvm::VAArgInst>(i)) return "va_arg";
    const auto* call = llvm::dyn_cast<llvm::CallInst>(&i);
    if (call == nullptr) return nullptr;
    if (call->isMustTailCall()) return "a tail call that must stay one";
    if (call->isConvergent()) return "an operation that the same threads must execute together";
    const auto* known = llvm::dyn_cast<llvm::IntrinsicInst>(call);
    if (known != nullptr &&
        (known->getIntrinsicID() == llvm::Intrinsic::stacksave ||
         known->getIntrinsicID() == llvm::Intrinsic::stackrestore ||
         known->getIntrinsicID() == llvm::Intrinsic::vastart || known->getIntrinsicID() == llvm::Intrinsic::vaend))
      return "an operation on the stack or on the arguments";
    return nullptr;
  }

  // Puts the instruction under the mask; it may be replaced. \pre obstacle(i) is null
  void guard(llvm::Instruction& i, llvm::Value* mask) {
    if (i.isTerminator() || llvm::isa<llvm::PHINode>(i)) return;
    if (const auto* known = llvm::dyn_cast<llvm::IntrinsicInst>(&i);
        known != nullptr && known->isAssumeLikeIntrinsic()) {
      if (i.getType()->isVoidTy() && !llvm::isa<llvm::DbgInfoIntrinsic>(i)) i.eraseFromParent();
      return;
    }
    if (!llvm::isa<llvm::CallInst>(i) || llvm::isSafeToSpeculativelyExecute(&i)) drop_promises(i);
    if (llvm::isSafeToSpeculativelyExecute(&i)) return;
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&i))
      return guard_access(i, load->getPointerOperandIndex(), i.getType(), load->getAlign(), mask);
    if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&i))
      return guard_access(i, store->getPointerOperandIndex(), store->getValueOperand()->getType(), store->getAlign(),
                          mask);
    if (auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&i))
      return guard_access(i, update->getPointerOperandIndex(), i.getType(), update->getAlign(), mask);
    if (auto* swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&i))
      return guard_access(i, swap->getPointerOperandIndex(), swap->getCompareOperand()->getType(), swap->getAlign(),
                          mask);
    if (llvm::isa<llvm::FenceInst>(i)) return;
    if (i.isIntDivRem()) {  // the divisor is one in other lanes
      llvm::Value* divisor = i.getOperand(1);
      i.setOperand(1, llvm::IRBuilder<>(&i).CreateSelect(mask, divisor, llvm::ConstantInt::get(divisor->getType(), 1)));
      ++divisions;
      return;
    }
    move_out(i, mask);
  }

  std::size_t accesses = 0, divisions = 0, calls = 0;  // under a mask

 private:
  // Promises about the result would be broken in lanes that are masked off.
  static void drop_promises(llvm::Instruction& i) {
#if LLVM_VERSION_MAJOR >= 17
    i.dropUBImplyingAttrsAndUnknownMetadata();
#else
    i.dropUndefImplyingAttrsAndUnknownMetadata();
#endif
  }

  // Other lanes access a slot that nobody reads.
  void guard_access(llvm::Instruction& i, unsigned operand, llvm::Type* type, llvm::Align align, llvm::Value* mask) {
    llvm::Value* place = i.getOperand(operand);
    const llvm::TypeSize size = layout_.getTypeStoreSize(type);
    if (size.isScalable() || place->getType()->getPointerAddressSpace() != layout_.getAllocaAddrSpace())
      return move_out(i, mask);
#if LLVM_VERSION_MAJOR >= 15
    const std::uint64_t bytes = size.getFixedValue();
#else
    const std::uint64_t bytes = size.getFixedSize();
#endif
    ++accesses;
    llvm::AllocaInst* spare = spare_slot(bytes, align);
    llvm::IRBuilder<> at(&i);
    i.setOperand(operand, at.CreateSelect(mask, place, at.CreatePointerCast(spare, place->getType())));
  }
  // One slot for each power of two bytes.
  llvm::AllocaInst* spare_slot(std::uint64_t bytes, llvm::Align align) {
    std::size_t k = 0;
    while ((std::uint64_t{1} << k) < bytes) ++k;
    while (spare_.size() <= k) spare_.push_back(nullptr);
    if (spare_[k] == nullptr) {
      llvm::IRBuilder<> at(&*function_.getEntryBlock().getFirstInsertionPt());
      spare_[k] = at.CreateAlloca(llvm::ArrayType::get(at.getInt8Ty(), std::uint64_t{1} << k), nullptr, "masked.off");
    }
    spare_[k]->setAlignment((std::max)(spare_[k]->getAlign(), align));
    return spare_[k];
  }

  // The instruction moves to a function of its own, which executes it if the mask, its first argument, is set.
  void move_out(llvm::Instruction& i, llvm::Value* mask) {
    ++calls;
    llvm::LLVMContext& context = function_.getContext();
    llvm::SmallVector<unsigned, 8> operands;
    llvm::SmallVector<llvm::Type*, 8> types{llvm::Type::getInt1Ty(context)};
    llvm::SmallVector<llvm::Value*, 8> given{mask};
    for (unsigned k = 0; k < i.getNumOperands(); ++k) {
      llvm::Value* v = i.getOperand(k);
      if (!llvm::isa<llvm::Instruction, llvm::Argument>(v)) continue;
      operands.push_back(k);
      types.push_back(v->getType());
      given.push_back(v);
    }
    std::string name = (function_.getName() + ".masked").str();
    if (const auto* call = llvm::dyn_cast<llvm::CallInst>(&i); call != nullptr && call->getCalledFunction() != nullptr)
      name += ("." + call->getCalledFunction()->getName()).str();
    auto* made = llvm::Function::Create(llvm::FunctionType::get(i.getType(), types, false),
                                        llvm::Function::InternalLinkage, name, function_.getParent());
    made->addFnAttr(llvm::Attribute::NoInline);
    auto* start = llvm::BasicBlock::Create(context, "", made);
    auto* on = llvm::BasicBlock::Create(context, "on", made);
    auto* off = llvm::BasicBlock::Create(context, "off", made);
    llvm::IRBuilder<>(start).CreateCondBr(made->getArg(0), on, off);
    llvm::Instruction* moved = i.clone();
    moved->setDebugLoc({});
    for (unsigned k = 0; k < operands.size(); ++k) moved->setOperand(operands[k], made->getArg(k + 1));
    llvm::IRBuilder<> when_on(on), when_off(off), here(&i);
    when_on.Insert(moved);
    llvm::CallInst* call = here.CreateCall(made, given);
    if (i.getType()->isVoidTy()) {
      when_on.CreateRetVoid();
      when_off.CreateRetVoid();
    } else {
      when_on.CreateRet(moved);
      when_off.CreateRet(llvm::Constant::getNullValue(i.getType()));
      i.replaceAllUsesWith(call);
      call->takeName(&i);
    }
    i.eraseFromParent();
  }

  llvm::Function& function_;
  const llvm::DataLayout& layout_;
  llvm::SmallVector<llvm::AllocaInst*, 8> spare_;  // by power of two
};

}  // namespace detail
}  // namespace v0
}  // namespace simtflow
