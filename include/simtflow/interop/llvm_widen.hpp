// SPDX-License-Identifier: BSL-1.0
//
// Widens partially linearized LLVM functions (llvm_partial.hpp) to W lanes, lane by lane: each instruction becomes W
// instructions, one for each lane, and control flow stays what it is. That is the plainest code for a host with masks;
// LLVM's SLP vectorizer, or a code generator in this place, makes vectors of it. It also is a test of what the linear
// code promises, because all lanes really take one path.
//
//   arguments   of F.wide are pointers to W values each, in the order of the parameters; the last one, if F returns
//               something, points to W results
//   the hook    any(x) becomes x of lane 0 or x of lane 1 or ...; all lanes have the answer
//   branches    take the condition of lane 0. `agreement`, if it is given, is an i1 variable that becomes true if lanes
//               disagreed at a branch: then the branch was not uniform
//   globals     are shared by all lanes. Stack slots are each lane's own
#pragma once

#include <simtflow/config.hpp>

#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

#include <memory>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {

namespace detail {

inline llvm::Type* pointer_to(llvm::Type* type) {
#if LLVM_VERSION_MAJOR >= 17
  return llvm::PointerType::getUnqual(type->getContext());
#else
  return llvm::PointerType::getUnqual(type);
#endif
}

}  // namespace detail

/// Makes the function F.wide of a partially linearized function, for some lanes, as described at the top of this
/// header. `F.masked.*` functions are called once for each lane.
/// \param f         a function that linearize_partially() has written; it stays as it is
/// \param any       its hook
/// \param lanes     how many, at least one
/// \param agreement a variable of type i1 of the module; null: nothing is checked
/// \param globals   `globals(variable, lane)`: the variable that a lane has instead of one of the module, or null
/// Complexity: lanes times instructions. Debug information is dropped.
template <class Globals>
llvm::Function& widen(llvm::Function& f, const llvm::Function& any, unsigned lanes, llvm::GlobalVariable* agreement,
                      const Globals& globals) {
  SIMTFLOW_EXPECTS(lanes > 0 && !f.isDeclaration(), "a function with a body is widened to at least one lane");
  llvm::LLVMContext& context = f.getContext();
  llvm::SmallVector<llvm::Type*, 8> types;
  for (const llvm::Argument& a : f.args()) types.push_back(detail::pointer_to(a.getType()));
  const bool returns = !f.getReturnType()->isVoidTy();
  if (returns) types.push_back(detail::pointer_to(f.getReturnType()));
  auto* wide = llvm::Function::Create(llvm::FunctionType::get(llvm::Type::getVoidTy(context), types, false),
                                      llvm::Function::ExternalLinkage, f.getName() + ".wide", f.getParent());
  std::vector<std::unique_ptr<llvm::ValueToValueMapTy>> now;  // by lane
  for (unsigned l = 0; l < lanes; ++l) now.push_back(std::make_unique<llvm::ValueToValueMapTy>());
  for (llvm::GlobalVariable& g : f.getParent()->globals())
    for (unsigned l = 0; l < lanes; ++l)
      if (llvm::Value* own = globals(g, l)) (*now[l])[&g] = own;
  for (llvm::BasicBlock& b : f) {
    auto* made = llvm::BasicBlock::Create(context, b.getName(), wide);
    for (auto& map : now) (*map)[&b] = made;
  }
  const auto block = [&](const llvm::BasicBlock* b) { return llvm::cast<llvm::BasicBlock>((*now[0])[b]); };

  llvm::IRBuilder<> at(block(&f.getEntryBlock()));
  const auto place = [&](llvm::Value* base, llvm::Type* type, unsigned l) {
    return at.CreateGEP(type, base, at.getInt64(l));
  };
  for (llvm::Argument& a : f.args())
    for (unsigned l = 0; l < lanes; ++l)
      (*now[l])[&a] = at.CreateLoad(a.getType(), place(wide->getArg(a.getArgNo()), a.getType(), l));

  const auto flags = llvm::RF_NoModuleLevelChanges | llvm::RF_IgnoreMissingLocals;
  const auto value = [&](llvm::Value* v, unsigned l) { return llvm::MapValue(v, *now[l], flags); };
  std::vector<std::pair<llvm::Instruction*, unsigned>> made;  // operands are mapped when all values are there
  llvm::SmallVector<std::pair<llvm::CallInst*, llvm::Value*>, 8> answers;
  for (llvm::BasicBlock& b : f) {
    for (llvm::Instruction& i : b) {
      if (llvm::isa<llvm::DbgInfoIntrinsic>(i) || i.isTerminator()) continue;
      if (auto* call = llvm::dyn_cast<llvm::CallInst>(&i); call != nullptr && call->getCalledFunction() == &any) {
        at.SetInsertPoint(block(&b));
        llvm::Value* one_of = at.getFalse();  // its operands come below
        for (unsigned l = 0; l < lanes; ++l) {
          auto* step = llvm::BinaryOperator::CreateOr(one_of, one_of);
          at.Insert(step);
          one_of = step;
        }
        for (auto& map : now) (*map)[&i] = one_of;
        answers.emplace_back(call, one_of);
        continue;
      }
      for (unsigned l = 0; l < lanes; ++l) {
        llvm::Instruction* copy = i.clone();
        copy->setDebugLoc({});
        at.SetInsertPoint(block(&b));
        at.Insert(copy);
        (*now[l])[&i] = copy;
        made.emplace_back(copy, l);
      }
    }
  }
  for (const auto& [i, l] : made) llvm::RemapInstruction(i, *now[l], flags);
  for (const auto& [call, last] : answers) {
    auto* step = llvm::cast<llvm::BinaryOperator>(last);
    for (unsigned l = lanes; l-- > 0;) {
      step->setOperand(1, value(call->getArgOperand(0), l));
      if (l > 0) step = llvm::cast<llvm::BinaryOperator>(step->getOperand(0));
    }
  }
  for (llvm::BasicBlock& b : f) {
    at.SetInsertPoint(block(&b));
    llvm::Instruction* last = b.getTerminator();
    if (auto* ret = llvm::dyn_cast<llvm::ReturnInst>(last)) {
      for (unsigned l = 0; returns && l < lanes; ++l)
        at.CreateStore(value(ret->getReturnValue(), l),
                       place(wide->getArg(static_cast<unsigned>(f.arg_size())), f.getReturnType(), l));
      at.CreateRetVoid();
      continue;
    }
    llvm::Value* condition = nullptr;
    if (last->getNumSuccessors() > 1) condition = last->getOperand(0);
    if (condition != nullptr && agreement != nullptr) {
      llvm::Value* apart = at.CreateLoad(at.getInt1Ty(), agreement);
      for (unsigned l = 1; l < lanes; ++l)
        apart = at.CreateOr(apart, at.CreateICmpNE(value(condition, 0), value(condition, l)));
      at.CreateStore(apart, agreement);
    }
    llvm::Instruction* copy = last->clone();
    copy->setDebugLoc({});
    at.Insert(copy);
    llvm::RemapInstruction(copy, *now[0], flags);
  }
  return *wide;
}

/// The same with shared globals and without a check. \param f, any, lanes as above
inline llvm::Function& widen(llvm::Function& f, const llvm::Function& any, unsigned lanes) {
  return widen(f, any, lanes, nullptr, [](const llvm::GlobalVariable&, unsigned) -> llvm::Value* { return nullptr; });
}

}  // namespace v0
}  // namespace simtflow
