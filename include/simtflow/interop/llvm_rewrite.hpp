// SPDX-License-Identifier: BSL-1.0
//
// Applies plans (transform/plan.hpp) to LLVM functions: llvm_rewriter is a code_rewriter (transform/rewrite.hpp).
//
//   llvm_cfg cfg(f);
//   const auto flat = linearize(cfg, {}, llvm_is_convergent{});
//   if (const char* why = rewrite(f, flat.plan)) llvm::errs() << f.getName() << " stays as it is: " << why << '\n';
//
// The function is in SSA form before and after. In between every value that another block uses, and every phi, lives in
// a stack slot (LLVM's own DemoteRegToStack and DemotePHIToStack), so that blocks can be led elsewhere and copied without
// a thought for definitions; at the end LLVM's PromoteMemToReg makes values and phis of the slots again.
//
//   variables   slots of 32 bits, hence phis in the end. What an edge sets is set in front of the branch or switch, by
//               selects on its condition if need be, so no edge needs a block of its own: the function's graph is the
//               plan's, but for parallel edges
//   guards      an icmp and a branch; a range of values takes a subtraction first
//   branches    keep their condition. One whose edges lead to one block by now is none any more
//   exit edges  the ret becomes a branch, the value that it returned goes through a slot
//   the entry   LLVM's entry has no predecessors: a new block is put in front of it where the plan leads back to it
//
// Passes that thread jumps (jump-threading, simplifycfg in part) undo what linearization has done: run them before.
// Locations of variables (dbg.value) are dropped, those of lines stay; !llvm.loop goes from branches that change.
//
// Literature: LLVM Language Reference; R. Cytron et al., Efficiently computing static single assignment form and the
// control dependence graph (1991), for what promotion does.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/interop/llvm.hpp>
#include <simtflow/transform/plan.hpp>
#include <simtflow/transform/rewrite.hpp>

#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/IR/Attributes.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// Why no plan can be applied to f, in words; null: one can. Exceptions, computed jumps, tokens and blocks whose address
/// is taken tie blocks to each other in ways that a plan does not know, and so do functions that return twice (setjmp):
/// guard variables would not keep their values. O(instructions).
[[nodiscard]] inline const char* obstacle_to_rewriting(const llvm::Function& f) {
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

/// Why this plan cannot be applied to f, in words; null: it can. Also what stands in the way of any plan.
/// O(instructions + blocks of the plan).
/// \pre the plan was made for llvm_cfg(f) as f is now
[[nodiscard]] inline const char* obstacle_to_rewriting(const llvm::Function& f, const flow_plan& plan) {
  if (const char* why = obstacle_to_rewriting(f)) return why;
  std::vector<const llvm::BasicBlock*> blocks;
  for (const llvm::BasicBlock& b : f) blocks.push_back(&b);
  SIMTFLOW_EXPECTS(plan.num_originals() == blocks.size(), "a plan is applied to the code that it was made for");
  for (block_id b = 0; b < plan.num_blocks(); ++b) {
    const plan_block& what = plan[b];
    if (what.role != plan_role::original && what.role != plan_role::copy) continue;
    const llvm::BasicBlock& text = *blocks[what.executes];
    if (what.exit_edge &&
        (text.getTerminatingMustTailCall() != nullptr || text.getTerminatingDeoptimizeCall() != nullptr))
      return "a tail call that must stay one would get an exit edge";
    if (what.role == plan_role::original) continue;
    for (const llvm::Instruction& i : text)
      if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&i); call != nullptr && call->cannotDuplicate())
        return "a call that must not be duplicated would be copied";
  }
  return nullptr;
}

/// Rewrites one function: a code_rewriter whose blocks are numbered as they are made. From the constructor to finish()
/// the function is in no state for anybody else.
class llvm_rewriter {
 public:
  using block = std::uint32_t;  ///< a number

  /// Takes f out of SSA form.
  /// \pre obstacle_to_rewriting(f, plan) is null for the plan that is going to be applied
  explicit llvm_rewriter(llvm::Function& f) : function_(f), number_(llvm::Type::getInt32Ty(f.getContext())) {
    for (llvm::BasicBlock& b : f) text_.push_back(&b);
    llvm::EliminateUnreachableBlocks(f);  // no plan asks for them
    start_ = llvm::BasicBlock::Create(f.getContext(), "start", &f, text_[0]);
    last_of_start_ = detail::llvm_jump::Create(text_[0], start_);
    demote();
  }

  /// As transform/rewrite.hpp says of a code_rewriter, here and below.
  block original(block_id b) { return add(kind::text, text_[b]); }
  /// A clone of the block.
  block copy(block_id b) {
    llvm::ValueToValueMapTy values;
    llvm::BasicBlock* made = llvm::CloneBasicBlock(text_[b], values, ".copy", &function_);
    for (llvm::Instruction& i : *made)  // what other blocks compute is in slots
      llvm::RemapInstruction(&i, values, llvm::RF_NoModuleLevelChanges | llvm::RF_IgnoreMissingLocals);
    made->getTerminator()->setMetadata(llvm::LLVMContext::MD_loop, nullptr);
    return add(kind::text, made);
  }
  /// A block that loads, compares and branches.
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
  /// A block with a branch.
  block empty() {
    llvm::BasicBlock* made = new_block("join");
    llvm::IRBuilder<>(made).CreateBr(made);
    return add(kind::text, made);
  }
  /// A block that returns what the ret of an exit edge would have.
  block end() { return add(kind::end, new_block("end")); }

  /// A slot, with 0 in it if `zero`.
  void declare(std::uint32_t variable, bool zero) {
    if (variables_.size() <= variable) variables_.resize(variable + 1, nullptr);
    llvm::IRBuilder<> at(last_of_start_);
    variables_[variable] = at.CreateAlloca(number_);
    slots_.push_back(variables_[variable]);
    if (zero) at.CreateStore(at.getInt32(0), variables_[variable]);
  }

  /// Remembers the edge; finish() writes it.
  void connect(block from, std::uint32_t slot, block to, std::span<const plan_assignment> sets) {
    node& n = nodes_[from];
    if (slot == 0) n.first_edge = edges_.size();
    SIMTFLOW_EXPECTS(n.first_edge + slot == edges_.size(), "edges come block after block, slot after slot");
    ++n.edges;
    edges_.push_back({nodes_[to].code, std::vector<plan_assignment>(sets.begin(), sets.end())});
  }
  /// Where the function begins.
  void enter(block b) { entry_ = nodes_[b].code; }

  /// Writes the edges, takes away what is not wanted any more, and brings the function back into SSA form. Nothing else
  /// may be called any more.
  void finish() {
    for (const node& n : nodes_) {
      if (n.what == kind::end)
        write_end(n.code);
      else if (n.edges > 0)
        write_edges(n);
    }
    last_of_start_->setSuccessor(0, entry_);
    llvm::EliminateUnreachableBlocks(function_);
    if (entry_->hasNPredecessors(1)) start_->takeName(entry_);
    (void)llvm::MergeBlockIntoPredecessor(entry_);
    std::vector<llvm::AllocaInst*> stack_slots;
    for (llvm::AllocaInst* s : slots_) {
      SIMTFLOW_EXPECTS(llvm::isAllocaPromotable(s), "a slot of the rewriter is loaded and stored only");
      stack_slots.push_back(s);
    }
    llvm::DominatorTree tree(function_);
    if (!stack_slots.empty()) llvm::PromoteMemToReg(stack_slots, tree);
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

  void demote() {
    drop_variable_locations();
    std::vector<llvm::Instruction*> values;
    std::vector<llvm::PHINode*> phis;
    std::vector<llvm::AllocaInst*> fixed;
    for (llvm::BasicBlock& b : function_) {
      for (llvm::Instruction& i : b) {
        if (auto* own = llvm::dyn_cast<llvm::AllocaInst>(&i); own != nullptr && is_fixed(*own))
          fixed.push_back(own);
        else if (is_used_elsewhere(i))
          values.push_back(&i);
        if (auto* phi = llvm::dyn_cast<llvm::PHINode>(&i)) phis.push_back(phi);
      }
    }
    for (llvm::AllocaInst* own : fixed) own->moveBefore(*start_, last_of_start_->getIterator());
    for (llvm::Instruction* i : values) keep(llvm::DemoteRegToStack(*i));
    for (llvm::PHINode* phi : phis) keep(llvm::DemotePHIToStack(phi));
  }
  void keep(llvm::AllocaInst* slot) {
    if (slot != nullptr) slots_.push_back(slot);
  }
  /// A stack slot of the function that exists once, whatever path is taken.
  bool is_fixed(const llvm::AllocaInst& own) const {
    return own.getParent() == text_[0] && llvm::isa<llvm::ConstantInt>(own.getArraySize());
  }
  static bool is_used_elsewhere(const llvm::Instruction& i) {
    for (const llvm::User* u : i.users()) {
      const auto* user = llvm::cast<llvm::Instruction>(u);
      if (user->getParent() != i.getParent() || llvm::isa<llvm::PHINode>(user)) return true;
    }
    return false;
  }
  void drop_variable_locations() {
    for (llvm::BasicBlock& b : function_) {
      for (llvm::Instruction& i : llvm::make_early_inc_range(b)) {
        if (auto* place = llvm::dyn_cast<llvm::DbgVariableIntrinsic>(&i);
            place != nullptr && !llvm::isa<llvm::DbgDeclareInst>(place))
          place->eraseFromParent();
#if LLVM_VERSION_MAJOR >= 19
        else
          for (llvm::DbgVariableRecord& r : llvm::make_early_inc_range(llvm::filterDbgVars(i.getDbgRecordRange())))
            if (!r.isDbgDeclare()) r.eraseFromParent();
#endif
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
  /// What the two edges of a branch set, in front of it.
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
      set_two(at, llvm::cast<detail::llvm_two_way_branch>(last)->getCondition(), out[0], out[1]);
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

  /// What the edges of a switch set, in front of it: what the default sets, then what each case sets instead.
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
  std::vector<llvm::BasicBlock*> text_;  // by block of the graph
  llvm::BasicBlock* start_ = nullptr;    // slots, and zeros of variables
  detail::llvm_jump* last_of_start_ = nullptr;
  llvm::BasicBlock* entry_ = nullptr;
  std::vector<llvm::AllocaInst*> slots_;
  std::vector<llvm::AllocaInst*> variables_;  // by variable
  llvm::AllocaInst* returned_ = nullptr;
  std::vector<node> nodes_;
  std::vector<edge> edges_;
};

/// Makes f what the plan says, in SSA form as before. Returns why f was left as it was, in words; null: it is done. A plan
/// without blocks changes nothing.
/// \pre the plan was made for llvm_cfg(f) as f is now; f is valid (llvm::verifyFunction)
/// Complexity: that of apply() and of LLVM's demotion and promotion of the values that blocks hand on.
[[nodiscard]] inline const char* rewrite(llvm::Function& f, const flow_plan& plan) {
  if (plan.num_blocks() == 0) return nullptr;
  if (const char* why = obstacle_to_rewriting(f, plan)) return why;
  llvm_rewriter code(f);
  apply(plan, code);
  code.finish();
  return nullptr;
}

}  // namespace v0
}  // namespace simtflow
