// SPDX-License-Identifier: BSL-1.0
//
// Writes the path of a partial linearization into an LLVM function (llvm_partial.hpp says what the code looks like).
// Values that cross blocks, masks and the result wait in stack slots while blocks are led elsewhere.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/interop/detail/llvm_masked_effects.hpp>
#include <simtflow/interop/detail/llvm_stack_slots.hpp>
#include <simtflow/interop/llvm.hpp>
#include <simtflow/transform/partial_linearization.hpp>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/ValueHandle.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Local.h>

#include <cstddef>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace detail {

class llvm_partial_writer {
 public:
  using path_of = partial_linearization<llvm_cfg<llvm::Function>>;

  // \pre nothing in the function is refused; `agrees(block)` is what the path was made with, `any` is the hook.
  template <class Agrees>
  llvm_partial_writer(llvm::Function& f, const path_of& path, llvm::Function& any, Agrees agrees)
      : function_(f), path_(path), any_(any), effects_(f) {
    const std::size_t n = path.ids().num_blocks();
    code_.assign(n, nullptr);
    mask_slot_.assign(n, nullptr);
    mask_.assign(n, nullptr);
    agrees_.assign(n, 0);
    for (const block_id b : path.order()) {
      if (const auto text = path.executes(b)) {
        code_[b] = *text;
        number_[*text] = b;
        agrees_[b] = (*text)->getTerminator()->getNumSuccessors() < 2 || agrees(*text) ? 1 : 0;
      }
    }
    for (const block_id b : path.order())
      if (const auto header = path.turns(b)) asked_for_.push_back(number_[*header]);
  }

  void write() {
    drop_variable_locations(function_, [](const llvm::DILocalVariable*) { return true; });
    drop_lifetimes();
    llvm::EliminateUnreachableBlocks(function_);
    find_places();
    for (const block_id b : path_.order())
      if (path_.turns(b)) code_[b] = llvm::BasicBlock::Create(function_.getContext(), "turn", &function_);
    for (const block_id b : path_.order())
      if (path_.executes(b) && !path_.is_full(b) && giver(b) == no_block) make_mask_slot(b);
    for (const block_id header : asked_for_) make_mask_slot(header);
    first_into_.assign(code_.size(), {});
    for (const block_id b : path_.order())
      if (path_.executes(b)) first_into_[b] = first_into(code_[b]);
    for (const block_id b : path_.order())
      if (path_.executes(b)) begin(b);
    for (const block_id b : path_.order())
      if (path_.executes(b)) demote_phis(b);
    for (const block_id b : path_.order())
      if (path_.executes(b)) demote_values(b);
    for (const block_id b : path_.order()) end(b);
    tidy();
  }

  [[nodiscard]] const llvm_masked_effects& effects() const { return effects_; }
  std::size_t masked_blocks = 0, questions = 0, selects = 0;

 private:
  // --- slots ---------------------------------------------------------------------------------------------------------

  llvm::AllocaInst* new_slot(llvm::Type* type, const llvm::Twine& name) {
    llvm::IRBuilder<> at(&*function_.getEntryBlock().getFirstInsertionPt());
    slots_.push_back(at.CreateAlloca(type, nullptr, name));
    return slots_.back();
  }
  void make_mask_slot(block_id b) {
    if (mask_slot_[b] != nullptr) return;
    mask_slot_[b] = new_slot(llvm::Type::getInt1Ty(function_.getContext()), code_[b]->getName() + ".mask");
    llvm::IRBuilder<> at(mask_slot_[b]->getNextNode());
    at.CreateStore(at.getFalse(), mask_slot_[b]);
  }
  // Stores a value in active lanes of block b; `always`: other lanes do not need what was there.
  void store(llvm::IRBuilder<>& at, llvm::Value* v, llvm::AllocaInst* slot, block_id b, bool always) {
    if (mask_[b] != nullptr && !always) {
      v = at.CreateSelect(mask_[b], v, at.CreateLoad(slot->getAllocatedType(), slot));
      if (llvm::isa<llvm::SelectInst>(v)) made_.emplace_back(v);
    }
    at.CreateStore(v, slot);
  }

  void drop_lifetimes() {
    for (llvm::BasicBlock& b : function_)
      for (llvm::Instruction& i : llvm::make_early_inc_range(b))
        if (const auto* known = llvm::dyn_cast<llvm::IntrinsicInst>(&i);
            known != nullptr && known->isLifetimeStartOrEnd())
          i.eraseFromParent();
  }
  void find_places() {
    loops_.recompute(snapshot(llvm_cfg<llvm::Function>(function_)));
    block_id next = 0;
    for (const llvm::BasicBlock& b : function_) place_[&b] = next++;
    next = 0;
    for (const block_id b : path_.order())
      if (path_.executes(b)) order_[code_[b]] = next++;
  }
  [[nodiscard]] bool is_in_loop_of(const llvm::BasicBlock* b, const llvm::BasicBlock* of) const {
    const loop_id l = loops_.innermost(place_.lookup(of));
    return l == no_loop || loops_.contains(l, place_.lookup(b));
  }

  // --- blocks --------------------------------------------------------------------------------------------------------

  // The only predecessor, if it is executed once in each iteration in which b is: its condition is the mask, because
  // the path comes to b from there only, at once or after others.
  [[nodiscard]] block_id giver(block_id b) const {
    const llvm::BasicBlock* from = code_[b]->getUniquePredecessor();
    if (from == nullptr || loops_.innermost(place_.lookup(from)) != loops_.innermost(place_.lookup(code_[b])))
      return no_block;
    return number_.lookup(from);
  }

  // Finds the mask and puts the instructions of the block under it. \pre begin() was called for blocks before
  void begin(block_id b) {
    llvm::BasicBlock& code = *code_[b];
    if (path_.is_full(b) && mask_slot_[b] == nullptr) return;
    llvm::IRBuilder<> at(&*code.getFirstInsertionPt());
    llvm::SmallVector<llvm::Instruction*, 32> text;
    for (llvm::Instruction& i : code) text.push_back(&i);
    if (!path_.is_full(b) && mask_slot_[b] == nullptr) {
      const block_id from = giver(b);
      llvm::Instruction* last = code_[from]->getTerminator();
      llvm::IRBuilder<> there(last);
      llvm::Value* go =
          active(there, condition_of(there, last, [&](unsigned k) { return last->getSuccessor(k) == &code; }), from);
      mask_[b] = go != nullptr ? go : at.getTrue();
      ++masked_blocks;
      for (llvm::Instruction* i : text) effects_.guard(*i, mask_[b]);
      return;
    }
    if (path_.is_full(b)) {
      at.CreateStore(at.getFalse(), mask_slot_[b]);
      return;
    }
    mask_[b] = at.CreateLoad(at.getInt1Ty(), mask_slot_[b], code.getName() + ".on");
    at.CreateStore(at.getFalse(), mask_slot_[b]);
    ++masked_blocks;
    for (llvm::Instruction* i : text) effects_.guard(*i, mask_[b]);
  }

  // The predecessors at which no lane can wait for `to` with a value of a phi: the first one that the path comes to, if
  // it is executed once in each iteration in which `to` is. Ways into a loop and ways back are apart.
  struct first_predecessors {
    const llvm::BasicBlock *in = nullptr, *back = nullptr;
    [[nodiscard]] bool has(const llvm::BasicBlock* b) const { return b == in || b == back; }
  };
  [[nodiscard]] first_predecessors first_into(const llvm::BasicBlock* to) const {
    const loop_id l = loops_.innermost(place_.lookup(to));
    const bool header = l != no_loop && loops_.header(l) == place_.lookup(to);
    first_predecessors first;
    for (const llvm::BasicBlock* p : llvm::predecessors(to)) {
      const bool back = header && loops_.contains(l, place_.lookup(p));
      const llvm::BasicBlock*& kept = back ? first.back : first.in;
      if (kept == nullptr || order_.lookup(p) < order_.lookup(kept)) kept = p;
    }
    const auto once = [&](const llvm::BasicBlock*& b, loop_id in) {
      if (b != nullptr && loops_.innermost(place_.lookup(b)) != in) b = nullptr;
    };
    once(first.in, header ? loops_.parent(l) : l);
    once(first.back, l);
    return first;
  }

  // Each phi becomes a slot: blocks with an edge here store in it where they end.
  void demote_phis(block_id b) {
    if (code_[b]->phis().empty()) return;
    const first_predecessors first = first_into_[b];
    llvm::DenseMap<const llvm::BasicBlock*, llvm::PHINode*> stored;  // parallel edges bring one value
    for (llvm::Instruction& i : llvm::make_early_inc_range(*code_[b])) {
      auto* phi = llvm::dyn_cast<llvm::PHINode>(&i);
      if (phi == nullptr) break;
      llvm::AllocaInst* slot = new_slot(phi->getType(), phi->getName() + ".slot");
      for (unsigned k = 0; k < phi->getNumIncomingValues(); ++k) {
        llvm::BasicBlock* from = phi->getIncomingBlock(k);
        if (stored[from] == phi) continue;
        stored[from] = phi;
        llvm::IRBuilder<> at(from->getTerminator());
        store(at, phi->getIncomingValue(k), slot, number_[from], first.has(from));
      }
      llvm::IRBuilder<> at(&*code_[b]->getFirstInsertionPt());
      auto* now = at.CreateLoad(phi->getType(), slot);
      now->takeName(phi);
      phi->replaceAllUsesWith(now);
      phi->eraseFromParent();
    }
  }

  // Values that other blocks use go through slots.
  void demote_values(block_id b) {
    llvm::SmallVector<llvm::Instruction*, 32> text;
    for (llvm::Instruction& i : *code_[b])
      if (!llvm::isa<llvm::AllocaInst>(i) || code_[b] != &function_.getEntryBlock()) text.push_back(&i);
    for (llvm::Instruction* i : text) {
      llvm::SmallSetVector<llvm::Instruction*, 8> users;
      bool in_loop = true;
      for (llvm::User* u : i->users()) {
        auto* user = llvm::cast<llvm::Instruction>(u);
        if (user->getParent() == code_[b] || !users.insert(user)) continue;
        in_loop = in_loop && is_in_loop_of(user->getParent(), code_[b]);
      }
      if (users.empty()) continue;
      llvm::AllocaInst* slot = new_slot(i->getType(), i->getName() + ".slot");
      for (llvm::Instruction* user : users) {
        llvm::IRBuilder<> at(user);
        user->replaceUsesOfWith(i, at.CreateLoad(i->getType(), slot));
      }
      llvm::IRBuilder<> at(i->getNextNode());
      store(at, i, slot, b, in_loop);
    }
  }

  // --- ends ----------------------------------------------------------------------------------------------------------

  // A condition in active lanes: false in the others.
  llvm::Value* active(llvm::IRBuilder<>& at, llvm::Value* condition, block_id b) {
    if (mask_[b] == nullptr) return condition;
    if (condition == nullptr) return mask_[b];
    return at.CreateSelect(mask_[b], condition, at.getFalse());
  }
  llvm::Value* any(llvm::IRBuilder<>& at, llvm::Value* v) {
    ++questions;
    return at.CreateCall(&any_, {v});
  }
  // The condition under which the terminator goes along one of the slots; null: always.
  template <class Wanted>
  llvm::Value* condition_of(llvm::IRBuilder<>& at, llvm::Instruction* last, Wanted wanted) {
    const unsigned num_ways = last->getNumSuccessors();
    unsigned count = 0;
    for (unsigned k = 0; k < num_ways; ++k) count += wanted(k) ? 1 : 0;
    if (count == num_ways) return nullptr;
    if (auto* table = llvm::dyn_cast<llvm::SwitchInst>(last)) {
      const bool rest = wanted(0);  // the default: not one of the others
      llvm::Value* one_of = at.getFalse();
      for (const auto& c : table->cases())
        if (wanted(c.getSuccessorIndex()) != rest)
          one_of = at.CreateOr(one_of, at.CreateICmpEQ(table->getCondition(), c.getCaseValue()));
      return rest ? at.CreateNot(one_of) : one_of;
    }
    llvm::Value* condition = llvm::cast<llvm_two_way_branch>(last)->getCondition();
    return wanted(0) ? condition : at.CreateNot(condition);
  }

  void end(block_id b) {
    const auto out = path_.successors(b);
    if (const auto header = path_.turns(b)) {
      llvm::IRBuilder<> at(code_[b]);
      llvm::Value* waits = at.CreateLoad(at.getInt1Ty(), mask_slot_[number_[*header]]);
      at.CreateCondBr(any(at, waits), code_[out[0]], out.size() > 1 ? code_[out[1]] : end_block());
      return;
    }
    llvm::Instruction* last = code_[b]->getTerminator();
    llvm::IRBuilder<> at(last);
    if (auto* ret = llvm::dyn_cast<llvm::ReturnInst>(last); ret != nullptr && ret->getReturnValue() != nullptr)
      store(at, ret->getReturnValue(), returned(), b, false);
    set_masks(at, last, b);
    const auto to = [&](std::size_t k) { return code_[out[k]]; };
    switch (path_.end(b)) {
      case linear_end::stop:
        at.CreateBr(end_block());
        break;
      case linear_end::jump:
        at.CreateBr(to(0));
        break;
      case linear_end::repeat: {
        llvm::Value* stays =
            active(at, condition_of(at, last, [&](unsigned k) { return last->getSuccessor(k) == to(0); }), b);
        if (stays == nullptr) {
          at.CreateBr(to(0));
          break;
        }
        if (!path_.is_full(b) || agrees_[b] == 0) stays = any(at, stays);
        at.CreateCondBr(stays, to(0), out.size() > 1 ? to(1) : end_block());
        break;
      }
      case linear_end::branch:
        write_branch(at, last, b);
        return;
    }
    last->eraseFromParent();
  }

  // A branch on which lanes agree.
  void write_branch(llvm::IRBuilder<>& at, llvm::Instruction* last, block_id b) {
    const auto out = path_.successors(b);
    bool one = true;
    for (const block_id s : out) one = one && s == out[0];
    if (one) {
      at.CreateBr(code_[out[0]]);
      last->eraseFromParent();
      return;
    }
    last->setMetadata(llvm::LLVMContext::MD_loop, nullptr);
    if (mask_[b] != nullptr) {
      if (auto* table = llvm::dyn_cast<llvm::SwitchInst>(last)) {  // a number for each slot; 0 is the default
        llvm::Value* slot = at.getInt32(0);
        for (unsigned k = 1; k < out.size(); ++k) {
          llvm::Value* is_case =
              at.CreateICmpEQ(table->getCondition(), (table->case_begin() + (k - 1))->getCaseValue());
          llvm::Value* here = active(at, is_case, b);
          slot = at.CreateSelect(any(at, here), at.getInt32(k), slot);
        }
        auto* made = at.CreateSwitch(slot, code_[out[0]]);
        for (unsigned k = 1; k < out.size(); ++k) made->addCase(at.getInt32(k), code_[out[k]]);
        table->eraseFromParent();
        return;
      }
      auto* branch = llvm::cast<llvm_two_way_branch>(last);
      branch->setCondition(any(at, active(at, branch->getCondition(), b)));
    }
    for (unsigned k = 0; k < out.size(); ++k) last->setSuccessor(k, code_[out[k]]);
  }

  // Lanes that are active wait for the block to which they go.
  void set_masks(llvm::IRBuilder<>& at, llvm::Instruction* last, block_id b) {
    const auto wait = [&](llvm::BasicBlock* to, llvm::Value* condition) {
      llvm::AllocaInst* slot = mask_slot_[number_[to]];
      if (slot == nullptr) return;
      llvm::Value* go = active(at, condition, b);
      if (go == nullptr) go = at.getTrue();
      if (!first_into_[number_[to]].has(code_[b])) go = at.CreateOr(at.CreateLoad(at.getInt1Ty(), slot), go);
      at.CreateStore(go, slot);
    };
    auto* table = llvm::dyn_cast<llvm::SwitchInst>(last);
    if (table == nullptr) {
      const unsigned num_ways = last->getNumSuccessors();
      for (unsigned k = 0; k < num_ways; ++k) {
        llvm::BasicBlock* to = last->getSuccessor(k);
        if (k == 1 && to == last->getSuccessor(0)) continue;
        wait(to, condition_of(at, last, [&](unsigned j) { return last->getSuccessor(j) == to; }));
      }
      return;
    }
    llvm::MapVector<llvm::BasicBlock*, llvm::Value*> by_target;  // by the cases that lead there, but for the default's
    llvm::Value* rest = at.getTrue();
    for (const auto& c : table->cases()) {
      if (c.getCaseSuccessor() == table->getDefaultDest()) continue;
      llvm::Value* here = at.CreateICmpEQ(table->getCondition(), c.getCaseValue());
      llvm::Value*& known = by_target[c.getCaseSuccessor()];
      known = known == nullptr ? here : at.CreateOr(known, here);
      rest = at.CreateAnd(rest, at.CreateNot(here));
    }
    for (const auto& [to, condition] : by_target) wait(to, condition);
    wait(table->getDefaultDest(), rest);
  }

  llvm::AllocaInst* returned() {
    if (returned_ == nullptr) returned_ = new_slot(function_.getReturnType(), "returned");
    return returned_;
  }
  llvm::BasicBlock* end_block() {
    if (end_ != nullptr) return end_;
    end_ = llvm::BasicBlock::Create(function_.getContext(), "end", &function_);
    llvm::IRBuilder<> at(end_);
    if (function_.getReturnType()->isVoidTy())
      at.CreateRetVoid();
    else
      at.CreateRet(at.CreateLoad(function_.getReturnType(), returned()));
    return end_;
  }

  // --- SSA form ------------------------------------------------------------------------------------------------------

  void tidy() {
    llvm::EliminateUnreachableBlocks(function_);
    for (const block_id b : path_.order()) (void)llvm::MergeBlockIntoPredecessor(code_[b]);  // each moves once
    if (end_ != nullptr) (void)llvm::MergeBlockIntoPredecessor(end_);
    llvm::DominatorTree tree(function_);
    promote_slots(slots_, tree);  // its search for joins is slow in long rows of blocks
    // In lanes that are masked off nobody needs a value that has not been set.
    for (const llvm::WeakTrackingVH& v : made_) {
      auto* select = llvm::dyn_cast_or_null<llvm::SelectInst>(static_cast<llvm::Value*>(v));
      if (select == nullptr) continue;
      if (!llvm::isa<llvm::UndefValue>(select->getFalseValue()) && select->getFalseValue() != select->getTrueValue()) {
        ++selects;
        continue;
      }
      select->replaceAllUsesWith(select->getTrueValue());
      select->eraseFromParent();
    }
  }

  llvm::Function& function_;
  const path_of& path_;
  llvm::Function& any_;
  llvm_masked_effects effects_;
  dense::loop_forest loops_;                                  // of the function as it was
  llvm::DenseMap<const llvm::BasicBlock*, block_id> place_;   // number for loops_
  llvm::DenseMap<const llvm::BasicBlock*, block_id> order_;   // in which the path comes to them, without ways back
  llvm::DenseMap<const llvm::BasicBlock*, block_id> number_;  // number in the path
  std::vector<llvm::BasicBlock*> code_;                       // by block of the path, here and below
  std::vector<llvm::AllocaInst*> mask_slot_;                  // null: the block needs no mask
  std::vector<llvm::Value*> mask_;                            // null: all lanes are active
  std::vector<unsigned char> agrees_;
  std::vector<first_predecessors> first_into_;
  std::vector<block_id> asked_for_;  // headers of loops with a turn
  std::vector<llvm::AllocaInst*> slots_;
  std::vector<llvm::WeakTrackingVH> made_;  // selects for values of masked blocks
  llvm::AllocaInst* returned_ = nullptr;
  llvm::BasicBlock* end_ = nullptr;
};

}  // namespace detail
}  // namespace v0
}  // namespace simtflow
