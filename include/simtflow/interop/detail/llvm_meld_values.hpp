// SPDX-License-Identifier: BSL-1.0
//
// Values of the arms while a meld plan is written: read from their places, selected where the sides differ, and put
// into their places again.
//
//   selects    one for the same two values in a straight stretch of code. Two addresses of one shape that differ in the
//              base become one: the base is selected, if nothing but the arms wants the addresses
//   places     are stack slots until promote() makes values and phis of them. A place holds poison when the arms begin,
//              or a value from outside, so that no value of an earlier iteration seems to be used
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/interop/detail/llvm_meld_places.hpp>
#include <simtflow/interop/detail/llvm_stack_slots.hpp>
#include <simtflow/transform/meld_plan.hpp>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Operator.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace detail {

/// Reads, selects and writes values of the arms at one point of the code after the other.
class llvm_meld_values {
 public:
  /// `left` is the condition that holds for threads of the left side. The places must outlive this.
  llvm_meld_values(llvm::Function& f, const llvm_meld_arms& arms, const llvm_meld_places& places, llvm::Value* left)
      : at(f.getContext()),
        places_(places),
        left_(left),
        known_(places.size(), nullptr),
        slots_(places.size(), nullptr) {
    old_.insert(arms.blocks().begin(), arms.blocks().end());
    llvm::BasicBlock& entry = f.getEntryBlock();
    llvm::IRBuilder<> start(&entry, entry.getFirstInsertionPt());
    for (std::uint32_t p = 0; p < places.size(); ++p)
      if (places[p].left || places[p].right) slots_[p] = start.CreateAlloca(places[p].type);
  }

  llvm::IRBuilder<> at;  ///< where code is written

  /// The condition of the left side.
  [[nodiscard]] llvm::Value* left() const { return left_; }

  /// Goes on at the end of a block to which nothing of what was read before is known.
  void begin(llvm::BasicBlock* b) {
    at.SetInsertPoint(b);
    for (const std::uint32_t p : touched_) known_[p] = nullptr;
    touched_.clear();
    selects_.clear();
    changes_.clear();
    new_selects_.clear();
    disturbed_.clear();
  }
  /// The knowledge at a point.
  struct mark {
    std::size_t changes, selects;
  };
  /// Marks what is known here, before code is written to which only this point leads.
  [[nodiscard]] mark here() const { return {changes_.size(), new_selects_.size()}; }
  /// Knows again what was known at the mark, and nothing else.
  void restore(mark m) {
    for (; changes_.size() > m.changes; changes_.pop_back()) {
      known_[changes_.back().first] = changes_.back().second;
      disturbed_.push_back(changes_.back().first);
    }
    for (; new_selects_.size() > m.selects; new_selects_.pop_back()) selects_.erase(new_selects_.back());
  }
  /// Goes on at the end of a block where all that was written since the last begin() or join() meets.
  void join(llvm::BasicBlock* b) {
    at.SetInsertPoint(b);
    for (const std::uint32_t p : disturbed_) know(p, nullptr);
    disturbed_.clear();
  }

  /// A value as a thread of its side sees it here.
  llvm::Value* get(llvm::Value* v) {
    const std::uint32_t p = places_.of(v);
    return p == llvm_meld_places::none ? v : read(p);
  }
  /// Reads a place.
  llvm::Value* read(std::uint32_t p) {
    if (known_[p] == nullptr) know(p, at.CreateLoad(places_[p].type, slots_[p]));
    return known_[p];
  }
  /// For threads of the left side x, for the others y: values of the code as it was.
  llvm::Value* choose(llvm::Value* x, llvm::Value* y) {
    if (x == y) return get(x);
    if (const std::uint32_t p = places_.shared(x, y); p != llvm_meld_places::none) return read(p);
    if (llvm::Value* address = choose_address(x, y)) return address;
    return select(get(x), get(y));
  }
  /// The same for values of the new code.
  llvm::Value* select(llvm::Value* x, llvm::Value* y) {
    if (x == y) return x;
    const auto [found, is_new] = selects_.try_emplace(std::pair(x, y), nullptr);
    if (is_new) {
      found->second = fold(x, y);
      new_selects_.emplace_back(x, y);
    }
    return found->second;
  }

  /// Puts v into a place, for the threads of a side. `others`: threads of the other side may be here as well.
  void put(std::uint32_t p, meld_side side, llvm::Value* v, bool others) {
    if (p == llvm_meld_places::none) return;
    if (others && side == meld_side::left && places_[p].right) v = select(v, read(p));
    if (others && side == meld_side::right && places_[p].left) v = select(read(p), v);
    at.CreateStore(v, slots_[p]);
    know(p, v);
  }

  /// Makes values and phis of places. `head` ends before anything is put into them.
  void promote(llvm::BasicBlock* head, llvm::DominatorTree& tree) {
    std::vector<llvm::AllocaInst*> all;
    llvm::IRBuilder<> start(head->getTerminator());
    for (std::uint32_t p = 0; p < slots_.size(); ++p) {
      llvm::AllocaInst* slot = slots_[p];
      if (slot == nullptr) continue;
      bool is_read = false;
      for (const llvm::User* u : slot->users()) is_read = is_read || llvm::isa<llvm::LoadInst>(u);
      if (is_read) {
        llvm::Value* first = places_[p].outside;
        start.CreateStore(first != nullptr ? first : llvm::PoisonValue::get(slot->getAllocatedType()), slot);
        all.push_back(slot);
        continue;
      }
      while (!slot->use_empty()) llvm::cast<llvm::Instruction>(slot->user_back())->eraseFromParent();
      slot->eraseFromParent();
    }
    promote_slots(all, tree);
  }
  /// Outer values that selects of operands may have left without a use.
  std::vector<llvm::Instruction*> unused;

 private:
  void know(std::uint32_t p, llvm::Value* v) {
    changes_.emplace_back(p, known_[p]);
    touched_.push_back(p);
    known_[p] = v;
  }

  // A select, or something cheaper.
  llvm::Value* fold(llvm::Value* x, llvm::Value* y) {
    if (x->getType()->isIntegerTy()) {
      const auto *a = llvm::dyn_cast<llvm::ConstantInt>(x), *b = llvm::dyn_cast<llvm::ConstantInt>(y);
      if (a != nullptr && b != nullptr) {
        if (a->isOne() && b->isZero()) return at.CreateZExt(left_, x->getType());
        if (a->isZero() && b->isOne()) return at.CreateZExt(not_left(), x->getType());
        if (a->isMinusOne() && b->isZero()) return at.CreateSExt(left_, x->getType());
        if (a->isZero() && b->isMinusOne()) return at.CreateSExt(not_left(), x->getType());
      }
    }
    return at.CreateSelect(left_, x, y);
  }
  llvm::Value* not_left() { return at.CreateNot(left_); }

  // --- addresses -----------------------------------------------------------------------------------------------------

  // The operation of an address that is computed outside of the arms, and is wanted in them alone; or null.
  [[nodiscard]] const llvm::User* address(const llvm::Value* v) const {
    const auto* user = llvm::dyn_cast<llvm::User>(v);
    if (user == nullptr || !v->getType()->isPointerTy()) return nullptr;
    if (const auto* known = llvm::dyn_cast<llvm::ConstantExpr>(v))
      return is_address(known->getOpcode()) ? user : nullptr;
    const auto* made = llvm::dyn_cast<llvm::Instruction>(v);
    if (made == nullptr || !is_address(made->getOpcode()) || places_.of(v) != llvm_meld_places::none) return nullptr;
    for (const llvm::User* u : v->users()) {
      const llvm::BasicBlock* b = llvm::cast<llvm::Instruction>(u)->getParent();  // null: the one that is being made
      if (b != nullptr && old_.count(b) == 0) return nullptr;
    }
    return user;
  }
  static bool is_address(unsigned opcode) {
    return opcode == llvm::Instruction::GetElementPtr || opcode == llvm::Instruction::AddrSpaceCast ||
           opcode == llvm::Instruction::BitCast;
  }
  static bool same_shape(const llvm::User* x, const llvm::User* y) {
    if (llvm::Operator::getOpcode(x) != llvm::Operator::getOpcode(y) || x->getType() != y->getType()) return false;
    const auto *a = llvm::dyn_cast<llvm::GEPOperator>(x), *b = llvm::dyn_cast<llvm::GEPOperator>(y);
    return a == nullptr || (a->getSourceElementType() == b->getSourceElementType());
  }

  // One address of a selected base; null if the addresses differ in more than the base.
  llvm::Value* choose_address(llvm::Value* x, llvm::Value* y) {
    const llvm::User *a = address(x), *b = address(y);
    if (a == nullptr || b == nullptr || !same_shape(a, b) || a->getNumOperands() != b->getNumOperands()) return nullptr;
    if (a->getOperand(0)->getType() != b->getOperand(0)->getType()) return nullptr;
    for (unsigned k = 1; k < a->getNumOperands(); ++k)
      if (a->getOperand(k) != b->getOperand(k)) return nullptr;
    const auto [found, is_new] = selects_.try_emplace(std::pair(x, y), nullptr);
    if (!is_new) return found->second;
    llvm::Value* base = choose(a->getOperand(0), b->getOperand(0));
    llvm::Instruction* made = copy_of(x);
    llvm::Instruction* other = copy_of(y);
    made->andIRFlags(other);
    other->deleteValue();
    made->setOperand(0, base);
    at.Insert(made);
    for (llvm::Value* v : {x, y})
      if (auto* outer = llvm::dyn_cast<llvm::Instruction>(v)) unused.push_back(outer);
    selects_[std::pair(x, y)] = made;  // the table may have grown
    new_selects_.emplace_back(x, y);
    return made;
  }
  static llvm::Instruction* copy_of(llvm::Value* v) {
    if (auto* known = llvm::dyn_cast<llvm::ConstantExpr>(v)) return known->getAsInstruction();
    llvm::Instruction* made = llvm::cast<llvm::Instruction>(v)->clone();
    made->dropUnknownNonDebugMetadata();
    return made;
  }

  const llvm_meld_places& places_;
  llvm::Value* left_;
  llvm::SmallPtrSet<const llvm::BasicBlock*, 16> old_;
  std::vector<llvm::Value*> known_;  // by place: what stands in it, if that is known here
  std::vector<llvm::AllocaInst*> slots_;
  std::vector<std::uint32_t> touched_, disturbed_;
  llvm::DenseMap<std::pair<llvm::Value*, llvm::Value*>, llvm::Value*> selects_;
  std::vector<std::pair<std::uint32_t, llvm::Value*>> changes_;  // the place, what was known before
  std::vector<std::pair<llvm::Value*, llvm::Value*>> new_selects_;
};

}  // namespace detail
}  // namespace v0
}  // namespace simtflow
