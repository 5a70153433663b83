// SPDX-License-Identifier: BSL-1.0
//
// Operations of LLVM instructions as melding compares them; llvm_melding.hpp tells what a class of instructions is.
#pragma once

#include <simtflow/config.hpp>

#include <llvm/ADT/Hashing.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/Local.h>

#include <cstddef>
#include <iterator>

namespace simtflow {
inline namespace v0 {
namespace detail {

/// True if operand k must be the same in two instructions that become one. O(1).
inline bool llvm_must_stay(const llvm::Instruction& i, unsigned k) {
  const llvm::Value* x = i.getOperand(k);
  const llvm::Type* type = x->getType();
  if (type->isTokenTy() || type->isMetadataTy() || type->isLabelTy() || type->isX86_AMXTy() || x->isSwiftError())
    return true;
  if (const auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(&i))  // LLVM is stricter than need be
    return k > 0 && std::next(llvm::gep_type_begin(address), k - 1).isStruct();
  return !llvm::canReplaceOperandWithVariable(&i, k);
}

/// A hash that all instructions of one class have. O(operands).
inline std::size_t llvm_operation_hash(const llvm::Instruction& i) {
  llvm::hash_code h = llvm::hash_combine(i.getOpcode(), i.getType(), i.getNumOperands());
  for (unsigned k = 0; k < i.getNumOperands(); ++k) {
    h = llvm::hash_combine(h, i.getOperand(k)->getType());
    if (llvm_must_stay(i, k)) h = llvm::hash_combine(h, i.getOperand(k));
  }
  if (const auto* compare = llvm::dyn_cast<llvm::CmpInst>(&i))
    h = llvm::hash_combine(h, static_cast<unsigned>(compare->getPredicate()));
  if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&i)) h = llvm::hash_combine(h, call->getCalledOperand());
  return h;
}

/// True if two instructions are of one class. This is an equivalence, since whether an operand must stay follows from
/// the operation and the operand. O(operands).
inline bool llvm_same_operation(const llvm::Instruction& a, const llvm::Instruction& b) {
  if (!a.isSameOperationAs(&b, llvm::Instruction::CompareIgnoringAlignment)) return false;
  if (const auto* x = llvm::dyn_cast<llvm::GetElementPtrInst>(&a);
      x != nullptr && x->getSourceElementType() != llvm::cast<llvm::GetElementPtrInst>(b).getSourceElementType())
    return false;
  if (const auto* x = llvm::dyn_cast<llvm::CallBase>(&a)) {
    const auto& y = llvm::cast<llvm::CallBase>(b);
    if (x->getCalledOperand() != y.getCalledOperand() || x->getFunctionType() != y.getFunctionType()) return false;
  }
  for (unsigned k = 0; k < a.getNumOperands(); ++k)
    if (a.getOperand(k) != b.getOperand(k) && (llvm_must_stay(a, k) || llvm_must_stay(b, k))) return false;
  return true;
}

}  // namespace detail
}  // namespace v0
}  // namespace simtflow
