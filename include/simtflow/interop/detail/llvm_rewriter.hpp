// SPDX-License-Identifier: BSL-1.0
//
// A code_rewriter (transform/rewrite.hpp) for LLVM functions; llvm_rewrite.hpp tells what it makes of plans.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/interop/detail/llvm_crossing_values.hpp>
#include <simtflow/interop/detail/llvm_stack_slots.hpp>
#include <simtflow/interop/detail/llvm_value_slots.hpp>
#include <simtflow/interop/llvm.hpp>
#include <simtflow/transform/plan.hpp>
#include <simtflow/transform/rewrite.hpp>

#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/IR/Attributes.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace detail {

// Rewrites one function: a code_rewriter that numbers blocks as they are made. From the constructor to finish()
// the function is in no state for anybody else.
class llvm_rewriter {
 public:
  using block = std::uint32_t;  // a number

  // Takes the values of f that the plan parts from their uses out of SSA form.
  // \pre obstacles_to_rewriting(f, plan) is empty; the plan is the one that is going to be applied
  llvm_rewriter(llvm::Function& f, const flow_plan& plan)
      : function_(f), number_(llvm::Type::getInt32Ty(f.getContext())) {
    for (llvm::BasicBlock& b : f) text_.push_back(&b);
    llvm::EliminateUnreachableBlocks(f);  // no plan asks for them
    auto left = f.begin();
    for (llvm::BasicBlock*& b : text_)
      if (left != f.end() && b == &*left)
        ++left;
      else
        b = nullptr;
    demote(plan);
  }

  // As transform/rewrite.hpp says of a code_rewriter, here and below.
  block original(block_id b) { return add(kind::text, text_[b]); }
  // A clone of the block.
  block copy(block_id b) {
    llvm::ValueToValueMapTy values;
    llvm::BasicBlock* made = llvm::CloneBasicBlock(text_[b], values, ".copy", &function_);
    for (llvm::Instruction& i : *made)  // what other blocks compute is in slots
      llvm::RemapInstruction(&i, values, llvm::RF_NoModuleLevelChanges | llvm::RF_IgnoreMissingLocals);
    made->getTerminator()->setMetadata(llvm::LLVMContext::MD_loop, nullptr);
    return add(kind::text, made);
  }
  // A block that loads, compares and branches.
  block guard(std::uint32_t variable, std::uint32_t low, std::uint32_t high) {
    llvm::BasicBlock* made = new_block("guard");
    llvm::IRBuilder<> at(made);
    llvm::Value* value = at.CreateLoad(number_, variables_[variable]);
    llvm::Value* pass = nullptr;
    if (low == high) {
      pass = at.CreateICmpEQ(value, at.getInt32(low));
    } else if (low == 0) {
      pass = at.CreateICmpULE(value, at.getInt32(high));
    } else if (high == 0xFFFF'FFFFU) {
      pass = at.CreateICmpUGE(value, at.getInt32(low));
    } else {
      pass = at.CreateICmpULE(at.CreateSub(value, at.getInt32(low)), at.getInt32(high - low));
    }
    at.CreateCondBr(pass, made, made);
    return add(kind::text, made);
  }
  // A block with a branch.
  block empty() {
    llvm::BasicBlock* made = new_block("join");
    llvm::IRBuilder<>(made).CreateBr(made);
    return add(kind::text, made);
  }
  // A block that returns what the ret of an exit edge would have.
  block end() { return add(kind::end, new_block("end")); }

  // A slot, with 0 in it if `zero`.
  void declare(std::uint32_t variable, bool zero) {
    if (variables_.size() <= variable) variables_.resize(variable + 1, nullptr);
    llvm::IRBuilder<> at(last_of_start_);
    variables_[variable] = at.CreateAlloca(number_);
    slots_.push_back(variables_[variable]);
    if (zero) at.CreateStore(at.getInt32(0), variables_[variable]);
  }

  // Remembers the edge; finish() writes it.
  void connect(block from, std::uint32_t slot, block to, std::span<const plan_assignment> sets) {
    node& n = nodes_[from];
    if (slot == 0) n.first_edge = edges_.size();
    SIMTFLOW_EXPECTS(n.first_edge + slot == edges_.size(), "edges come block after block, slot after slot");
    ++n.edges;
    edges_.push_back({nodes_[to].code, std::vector<plan_assignment>(sets.begin(), sets.end())});
  }
  // The beginning of the function.
  void enter(block b) { entry_ = nodes_[b].code; }

  // Writes the edges, takes away what is not wanted any more, and brings the function back into SSA form. Nothing else
  // may be called any more.
  void finish() {
    for (const node& n : nodes_) {
      if (n.what == kind::end)
        write_end(n.code);
      else if (n.edges > 0)
        write_edges(n);
    }
    last_of_start_->setSuccessor(0, entry_);
    trim_phis();
    llvm::EliminateUnreachableBlocks(function_);
    if (entry_->hasNPredecessors(1)) start_->takeName(entry_);
    (void)llvm::MergeBlockIntoPredecessor(entry_);
    llvm::DominatorTree tree(function_);
    promote_slots(slots_, tree);
  }

 private:
  enum class kind : unsigned char { text, end };
  struct node {
    kind what;
    llvm::BasicBlock* code;
    std::size_t first_edge = 0, edges = 0;
  };
  struct edge {
    llvm::BasicBlock* to;
    std::vector<plan_assignment> sets;
  };

  block add(kind what, llvm::BasicBlock* code) {
    nodes_.push_back({what, code});
    return static_cast<block>(nodes_.size() - 1);
  }
  llvm::BasicBlock* new_block(const char* name) {
    return llvm::BasicBlock::Create(function_.getContext(), name, &function_);
  }

  // --- out of SSA form -----------------------------------------------------------------------------------------------

  void demote(const flow_plan& plan) {
    drop_variable_locations(function_, [](const llvm::DILocalVariable*) { return true; });
    llvm_crossing_values values(function_, text_, plan);
    start_ = llvm::BasicBlock::Create(function_.getContext(), "start", &function_, text_[0]);
    last_of_start_ = llvm_jump::Create(text_[0], start_);
    for (llvm::Instruction& i : llvm::make_early_inc_range(*text_[0]))
      if (values.is_fixed(i)) i.moveBefore(*start_, last_of_start_->getIterator());
    (void)llvm_value_slots(values, text_, last_of_start_, slots_);
    for (llvm::BasicBlock* b : text_)
      if (b != nullptr && !b->phis().empty()) with_phis_.push_back(b);
  }
  // Phis stay in blocks that are entered by the edges that were there before, though perhaps by fewer.
  void trim_phis() {
    for (llvm::BasicBlock* b : with_phis_) {
      for (llvm::PHINode& phi : b->phis()) {
        llvm::SmallVector<std::pair<llvm::BasicBlock*, llvm::Value*>, 8> in;
        for (llvm::BasicBlock* from : llvm::predecessors(b)) in.emplace_back(from, phi.getIncomingValueForBlock(from));
        while (phi.getNumIncomingValues() > in.size()) phi.removeIncomingValue(phi.getNumIncomingValues() - 1, false);
        for (unsigned k = 0; k < in.size(); ++k) {
          phi.setIncomingBlock(k, in[k].first);
          phi.setIncomingValue(k, in[k].second);
        }
      }
    }
  }

  // --- edges ---------------------------------------------------------------------------------------------------------

  static const plan_assignment* find(const std::vector<plan_assignment>& list, std::uint32_t variable) {
    for (const plan_assignment& a : list)
      if (a.variable == variable) return &a;
    return nullptr;
  }
  void set(llvm::IRBuilder<>& at, const std::vector<plan_assignment>& sets) {
    for (const plan_assignment& a : sets) at.CreateStore(at.getInt32(a.value), variables_[a.variable]);
  }
  // Writes what the two edges of a branch set, before it.
  void set_two(llvm::IRBuilder<>& at, llvm::Value* condition, const edge& taken, const edge& other) {
    const auto choose = [&](std::uint32_t variable, const plan_assignment* a, const plan_assignment* b) {
      llvm::Value* old = a == nullptr || b == nullptr ? at.CreateLoad(number_, variables_[variable]) : nullptr;
      llvm::Value* left = a != nullptr ? at.getInt32(a->value) : old;
      llvm::Value* right = b != nullptr ? at.getInt32(b->value) : old;
      at.CreateStore(left == right ? left : at.CreateSelect(condition, left, right), variables_[variable]);
    };
    for (const plan_assignment& a : taken.sets) choose(a.variable, &a, find(other.sets, a.variable));
    for (const plan_assignment& b : other.sets)
      if (find(taken.sets, b.variable) == nullptr) choose(b.variable, nullptr, &b);
  }

  void write_edges(const node& n) {
    llvm::Instruction* last = n.code->getTerminator();
    const std::span<const edge> out = std::span<const edge>(edges_).subspan(n.first_edge, n.edges);
    llvm::IRBuilder<> at(last);
    if (last->getNumSuccessors() == 0) {  // the exit edge of a ret; no thread gets to the edge of an unreachable
      if (const auto* ret = llvm::dyn_cast<llvm::ReturnInst>(last); ret != nullptr && ret->getReturnValue() != nullptr)
        at.CreateStore(ret->getReturnValue(), returned());
      set(at, out[0].sets);
      return lead(last, out[0].to);
    }
    SIMTFLOW_EXPECTS(last->getNumSuccessors() == out.size(), "every outcome of a branch has an edge");
    if (auto* table = llvm::dyn_cast<llvm::SwitchInst>(last))
      set_of_switch(at, *table, out);
    else if (out.size() == 2)
      set_two(at, llvm::cast<llvm_two_way_branch>(last)->getCondition(), out[0], out[1]);
    else
      set(at, out[0].sets);
    bool one = true;
    for (const edge& e : out) one = one && e.to == out[0].to;
    if (one && out.size() > 1) return lead(last, out[0].to);
    for (unsigned k = 0; k < out.size(); ++k) {
      if (last->getSuccessor(k) == out[k].to) continue;
      last->setSuccessor(k, out[k].to);
      last->setMetadata(llvm::LLVMContext::MD_loop, nullptr);
    }
  }
  static void lead(llvm::Instruction* last, llvm::BasicBlock* to) {
    llvm::IRBuilder<>(last).CreateBr(to);
    last->eraseFromParent();
  }

  // Writes what the edges of a switch set, before it: what the default sets, then what each case sets instead.
  void set_of_switch(llvm::IRBuilder<>& at, llvm::SwitchInst& table, std::span<const edge> out) {
    std::vector<std::uint32_t> set_here;
    for (const edge& e : out)
      for (const plan_assignment& a : e.sets) set_here.push_back(a.variable);
    llvm::sort(set_here);
    set_here.erase(std::unique(set_here.begin(), set_here.end()), set_here.end());
    std::vector<llvm::Value*> test(out.size(), nullptr);
    for (const std::uint32_t variable : set_here) {
      llvm::Value* old = nullptr;
      const auto value_on = [&](const edge& e) -> llvm::Value* {
        if (const plan_assignment* a = find(e.sets, variable)) return at.getInt32(a->value);
        if (old == nullptr) old = at.CreateLoad(number_, variables_[variable]);
        return old;
      };
      llvm::Value* value = value_on(out[0]);
      llvm::Value* const otherwise = value;
      for (const auto& one : table.cases()) {
        const unsigned slot = one.getSuccessorIndex();
        llvm::Value* here = value_on(out[slot]);
        if (here == otherwise) continue;
        if (test[slot] == nullptr) test[slot] = at.CreateICmpEQ(table.getCondition(), one.getCaseValue());
        value = at.CreateSelect(test[slot], here, value);
      }
      at.CreateStore(value, variables_[variable]);
    }
  }

  llvm::AllocaInst* returned() {
    if (returned_ == nullptr) {
      returned_ = llvm::IRBuilder<>(last_of_start_).CreateAlloca(function_.getReturnType());
      slots_.push_back(returned_);
    }
    return returned_;
  }
  void write_end(llvm::BasicBlock* code) {
    llvm::IRBuilder<> at(code);
    if (function_.getReturnType()->isVoidTy())
      at.CreateRetVoid();
    else
      at.CreateRet(at.CreateLoad(function_.getReturnType(), returned()));
  }

  llvm::Function& function_;
  llvm::Type* number_;
  std::vector<llvm::BasicBlock*> text_;  // by block of the graph; null: the entry did not reach it
  std::vector<llvm::BasicBlock*> with_phis_;
  llvm::BasicBlock* start_ = nullptr;  // slots, and zeros of variables
  llvm_jump* last_of_start_ = nullptr;
  llvm::BasicBlock* entry_ = nullptr;
  std::vector<llvm::AllocaInst*> slots_;
  std::vector<llvm::AllocaInst*> variables_;  // by variable
  llvm::AllocaInst* returned_ = nullptr;
  std::vector<node> nodes_;
  std::vector<edge> edges_;
};

}  // namespace detail
}  // namespace v0
}  // namespace simtflow
