// SPDX-License-Identifier: BSL-1.0
//
// The record of a function that llvm_check_rewrite.hpp compares with what has been written of it.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/interop/llvm.hpp>

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace detail {

constexpr std::uint32_t no_llvm_record = 0xFFFF'FFFFU;

// A value that an instruction uses: the number of a recorded instruction, or anything else as it is.
struct llvm_recorded_use {
  std::uint32_t made = no_llvm_record;
  const llvm::Value* other = nullptr;
};

struct llvm_delete_value {
  void operator()(llvm::Instruction* i) const { i->deleteValue(); }
};

struct llvm_recorded_instruction {
  std::unique_ptr<llvm::Instruction, llvm_delete_value> like;  // with undefined operands; null: a phi
  block_id block = no_block;
  std::uint32_t first_use = 0, uses = 0;
  bool is_fixed = false;  // a stack slot of the function that exists once
};

struct llvm_recorded_block {
  std::uint32_t first = 0, last = 0;  // instructions but the terminator; those that only debuggers read are left out
  unsigned opcode = 0;                // of the terminator
  llvm_recorded_use condition;        // what a branch tests, or a ret returns
  std::vector<block_id> targets;
  std::vector<const llvm::ConstantInt*> cases;  // of a switch: by slot, from 1 on
};

// Nothing in it refers to the function's instructions or blocks.
class llvm_recorded_code {
 public:
  explicit llvm_recorded_code(const llvm::Function& f) {
    llvm::DenseMap<const llvm::BasicBlock*, block_id> number;
    for (const llvm::BasicBlock& b : f) number[&b] = static_cast<block_id>(number.size());
    llvm::DenseMap<const llvm::Value*, std::uint32_t> made;
    for (const llvm::BasicBlock& b : f)
      for (const llvm::Instruction& i : b)
        if (!i.isTerminator() && !llvm::isa<llvm::DbgInfoIntrinsic>(i))
          made[&i] = static_cast<std::uint32_t>(made.size());
    const auto use_of = [&](const llvm::Value* v) {
      const auto at = made.find(v);
      return at == made.end() ? llvm_recorded_use{no_llvm_record, v} : llvm_recorded_use{at->second, nullptr};
    };
    code.resize(made.size());
    std::uint32_t next = 0;
    for (const llvm::BasicBlock& b : f) {
      llvm_recorded_block& block = blocks.emplace_back();
      block.first = next;
      for (const llvm::Instruction& i : b) {
        if (i.isTerminator() || llvm::isa<llvm::DbgInfoIntrinsic>(i)) continue;
        llvm_recorded_instruction& r = code[next++];
        r.block = number.lookup(&b);
        r.first_use = static_cast<std::uint32_t>(uses.size());
        for (const llvm::Value* v : i.operands()) uses.push_back(use_of(v));
        r.uses = static_cast<std::uint32_t>(uses.size()) - r.first_use;
        if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(&i)) {
          from.resize(uses.size(), no_block);
          for (unsigned k = 0; k < r.uses; ++k) from[r.first_use + k] = number.lookup(phi->getIncomingBlock(k));
          continue;
        }
        const auto* own = llvm::dyn_cast<llvm::AllocaInst>(&i);
        r.is_fixed = own != nullptr && r.block == 0 && llvm::isa<llvm::ConstantInt>(own->getArraySize());
        r.like.reset(i.clone());
        for (llvm::Use& u : r.like->operands())
          if (llvm::Type* type = u->getType(); !type->isMetadataTy() && !type->isTokenTy() && !type->isLabelTy())
            u.set(llvm::UndefValue::get(type));
      }
      block.last = next;
      const llvm::Instruction* last = b.getTerminator();
      if (last == nullptr) continue;
      block.opcode = last->getOpcode();
      for (const llvm::BasicBlock* to : llvm::successors(&b)) block.targets.push_back(number.lookup(to));
      if (const auto* table = llvm::dyn_cast<llvm::SwitchInst>(last)) {
        block.cases.assign(block.targets.size(), nullptr);
        for (const auto& one : table->cases()) block.cases[one.getSuccessorIndex()] = one.getCaseValue();
      }
      if (last->getNumOperands() > 0 && !llvm::isa<llvm::BasicBlock>(tested(*last)))
        block.condition = use_of(tested(*last));
    }
    from.resize(uses.size(), no_block);
  }

  // The value that a terminator tests or returns. \pre it has operands
  static const llvm::Value* tested(const llvm::Instruction& last) {
    if (const auto* branch = llvm::dyn_cast<llvm_two_way_branch>(&last);
        branch != nullptr && last.getNumSuccessors() == 2)
      return branch->getCondition();
    return last.getOperand(0);
  }

  std::vector<llvm_recorded_instruction> code;  // block after block
  std::vector<llvm_recorded_use> uses;
  std::vector<block_id> from;  // by use of a phi: the block that it comes from
  std::vector<llvm_recorded_block> blocks;
};

}  // namespace detail
}  // namespace v0
}  // namespace simtflow
