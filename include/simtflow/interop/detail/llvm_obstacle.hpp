// SPDX-License-Identifier: BSL-1.0
//
// The LLVM functions that no writer of this library can change: exceptions, computed jumps, tokens and blocks with an
// address that is taken tie blocks to each other in ways that a plan does not know. A constant that may trap must not
// be computed before its block; LLVM 15 has no such constants.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/diagnostic.hpp>
#include <simtflow/interop/llvm.hpp>

#include <llvm/Config/llvm-config.h>
#include <llvm/IR/Constant.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

namespace simtflow {
inline namespace v0 {
namespace detail {

/// Says why no plan can be applied to f; null if plans can be. O(instructions).
inline const char* llvm_obstacle(const llvm::Function& f) {
  if (f.isDeclaration()) return "it has no body";
  if (f.callsFunctionThatReturnsTwice()) return "it calls a function that returns twice (setjmp)";
  for (const llvm::BasicBlock& b : f) {
    if (b.isEHPad()) return "it handles exceptions";
    if (b.hasAddressTaken()) return "the address of a block is taken";
    const llvm::Instruction* last = b.getTerminator();
    if (last == nullptr) return "a block has no terminator";
    if (!llvm::isa<detail::llvm_jump, detail::llvm_two_way_branch, llvm::SwitchInst, llvm::ReturnInst,
                   llvm::UnreachableInst>(last))
      return "a block ends with something else than br, switch, ret or unreachable";
    for (const llvm::Instruction& i : b) {
#if LLVM_VERSION_MAJOR < 15
      for (const llvm::Use& u : i.operands())
        if (const auto* value = llvm::dyn_cast<llvm::Constant>(u.get()); value != nullptr && value->canTrap())
          return "it has constants that may trap (a division)";
#endif
      if (i.getType()->isTokenTy()) return "it has tokens, which no stack slot can hold";
      if (const auto* slot = llvm::dyn_cast<llvm::AllocaInst>(&i);
          slot != nullptr && (slot->isUsedWithInAlloca() || slot->isSwiftError()))
        return "it has stack slots of a calling convention (inalloca, swifterror)";
      if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&i);
          call != nullptr && call->getIntrinsicID() == llvm::Intrinsic::localescape)
        return "its stack slots are known to other functions (llvm.localescape)";
    }
  }
  return nullptr;
}

/// The reason as diagnostics: none for null.
inline diagnostics llvm_obstacles(const char* why) {
  diagnostics all;
  if (why != nullptr) all.push_back({{}, why});
  return all;
}

}  // namespace detail
}  // namespace v0
}  // namespace simtflow
