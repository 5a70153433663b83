// SPDX-License-Identifier: BSL-1.0
//
// The places in which values of the arms live while a meld plan is written. A place holds one value of the left side,
// one of the right side, or one of each: a thread is of one side, so that two values never meet in a place. Two values
// that stand in one place need no select where melded code uses them.
//
//   pairs    the results of two instructions that become one have one place
//   others   values of both sides that are operands of one melded instruction, or of one branch, or go into one phi,
//            get one place: those that meet most often first. One of them may come from outside of the arms; the place
//            holds it from the beginning
//   order    the operands of a commutative instruction are exchanged for the right side if more of them agree then
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/interop/detail/llvm_meld_arms.hpp>
#include <simtflow/interop/llvm_melding.hpp>
#include <simtflow/transform/meld_plan.hpp>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace detail {

/// The places of the values of two arms.
class llvm_meld_places {
 public:
  /// No place: the value stands outside of the arms.
  static constexpr std::uint32_t none = 0xFFFF'FFFFU;
  /// A place and its values.
  struct place {
    llvm::Type* type;
    bool left, right;      // holds a value of that side
    llvm::Value* outside;  // the value of one side if it comes from outside of the arms
  };

  /// \pre the code is the plan's, the plan belongs to the arms. O(n log n) in the instructions of the arms.
  template <class Model>
  llvm_meld_places(const llvm_meld_arms& arms, const Model& code, const meld_plan& plan) {
    for (const llvm::PHINode& phi : arms.join()->phis()) {
      target_[&phi] = static_cast<std::uint32_t>(places_.size());
      places_.push_back({phi.getType(), true, true, nullptr});
    }
    for (const meld_slot& s : plan.all_slots) {
      if (s.left == no_instruction || s.right == no_instruction) continue;
      const llvm::Instruction &x = code.instruction(s.left), &y = code.instruction(s.right);
      const std::uint32_t p = add(x, true, true);
      if (p != none) number_[&y] = p;
    }
    add_alone(arms, code, plan);
    exchanged_.assign(plan.all_slots.size(), false);
    for (std::size_t k = 0; k < plan.all_slots.size(); ++k) {
      const meld_slot& s = plan.all_slots[k];
      if (s.left == no_instruction || s.right == no_instruction) continue;
      const llvm::Instruction &x = code.instruction(s.left), &y = code.instruction(s.right);
      exchanged_[k] = wants_exchange(x, y);
      for (unsigned n = 0; n < x.getNumOperands(); ++n) meet(x.getOperand(n), y.getOperand(operand(k, n)));
    }
    for (const meld_block& b : plan.blocks) meet_conditions(arms, b);
    join_met();
    // Phis that share a place now let the values that they take meet.
    for (unsigned round = 0; round < 3; ++round) {
      for (const meld_block& b : plan.blocks) meet_moves(arms, b);
      if (!join_met()) break;
    }
  }

  /// The place of a value, or none.
  [[nodiscard]] std::uint32_t of(const llvm::Value* v) const {
    const auto found = number_.find(v);
    return found == number_.end() ? none : found->second;
  }
  /// The place of the next value of a phi, of the arms or of the join. The phi of the join itself is a value outside of
  /// the arms: in a loop they may use it.
  [[nodiscard]] std::uint32_t target(const llvm::PHINode& phi) const {
    const auto found = target_.find(&phi);
    return found == target_.end() ? of(&phi) : found->second;
  }
  /// How many places there are. Some are unused.
  [[nodiscard]] std::size_t size() const { return places_.size(); }
  /// The place of a number. \pre p < size()
  [[nodiscard]] const place& operator[](std::uint32_t p) const { return places_[p]; }
  /// True if a left and a right value are one value, whoever looks.
  [[nodiscard]] bool same(const llvm::Value* x, const llvm::Value* y) const { return x == y || shared(x, y) != none; }
  /// The place in which a left and a right value stand, or none.
  [[nodiscard]] std::uint32_t shared(const llvm::Value* x, const llvm::Value* y) const {
    const std::uint32_t p = of(x), q = of(y);
    if (p == q) return p;
    if (p == none && places_[q].outside == x) return q;
    return q == none && places_[p].outside == y ? p : none;
  }
  /// The operand of the right instruction that belongs to operand n of the left one in slot k of the plan.
  [[nodiscard]] unsigned operand(std::size_t k, unsigned n) const { return n < 2 && exchanged_[k] ? 1 - n : n; }

 private:
  using two_values = std::pair<llvm::Value*, llvm::Value*>;

  std::uint32_t add(const llvm::Instruction& i, bool left, bool right) {
    if (i.getType()->isVoidTy()) return none;
    const auto p = static_cast<std::uint32_t>(places_.size());
    places_.push_back({i.getType(), left, right, nullptr});
    number_[&i] = p;
    return p;
  }
  // Gives places to phis and to instructions of one side.
  template <class Model>
  void add_alone(const llvm_meld_arms& arms, const Model& code, const meld_plan& plan) {
    for (const meld_slot& s : plan.all_slots)
      if ((s.left == no_instruction) != (s.right == no_instruction))
        add(code.instruction(s.left != no_instruction ? s.left : s.right), s.left != no_instruction,
            s.right != no_instruction);
    llvm::SmallPtrSet<const llvm::BasicBlock*, 16> left;
    std::vector<llvm::BasicBlock*> work{arms.head()->getTerminator()->getSuccessor(0)};
    while (!work.empty()) {
      llvm::BasicBlock* b = work.back();
      work.pop_back();
      if (b == arms.join() || !left.insert(b).second) continue;
      for (llvm::BasicBlock* s : llvm::successors(b)) work.push_back(s);
    }
    for (llvm::BasicBlock* b : arms.blocks())
      for (llvm::PHINode& phi : b->phis()) add(phi, left.count(b) != 0, left.count(b) == 0);
  }

  [[nodiscard]] bool wants_exchange(const llvm::Instruction& x, const llvm::Instruction& y) const {
    if (!llvm_is_commutative(x) || x.getOperand(0)->getType() != x.getOperand(1)->getType()) return false;
    const auto agree = [&](unsigned a, unsigned b) { return same(x.getOperand(a), y.getOperand(b)) ? 1 : 0; };
    return agree(0, 1) + agree(1, 0) > agree(0, 0) + agree(1, 1);
  }

  // --- values that meet ----------------------------------------------------------------------------------------------

  // True if the value stands alone in its place, and may share it. Stack slots stay apart: their lifetimes name them.
  [[nodiscard]] bool is_free(const llvm::Value* v, bool left) const {
    const std::uint32_t p = of(v);
    return p != none && places_[p].left == left && places_[p].right != left && !llvm::isa<llvm::AllocaInst>(v);
  }
  [[nodiscard]] bool can_share(const llvm::Value* x, const llvm::Value* y) const {
    if (of(x) == none) return is_free(y, false);
    return is_free(x, true) && (of(y) == none || is_free(y, false));
  }
  void meet(llvm::Value* x, llvm::Value* y) {
    if (x == y || x->getType() != y->getType() || !can_share(x, y)) return;
    const auto [at, is_new] = times_.try_emplace(two_values(x, y), met_.size());
    if (is_new) met_.push_back({{x, y}, 0});
    ++met_[at->second].second;
  }
  void meet_conditions(const llvm_meld_arms& arms, const meld_block& b) {
    if (b.num_successors > 1 && b.ends_as == meld_side::both)
      meet(arms.block(b.left)->getTerminator()->getOperand(0), arms.block(b.right)->getTerminator()->getOperand(0));
    meet_moves(arms, b);
  }
  void meet_moves(const llvm_meld_arms& arms, const meld_block& b) {
    llvm::SmallVector<llvm_phi_move, 8> left, right;
    for (std::uint32_t slot = 0; slot < b.num_successors; ++slot) {
      left.clear();
      right.clear();
      arms.leave(b, meld_side::left, slot, left);
      arms.leave(b, meld_side::right, slot, right);
      for (const llvm_phi_move& x : left)
        for (const llvm_phi_move& y : right)
          if (target(*x.phi) == target(*y.phi)) meet(x.value, y.value);
    }
  }
  // Gives one place to values that have met. Returns whether there were any.
  bool join_met() {
    const auto from_outside = [this](const two_values& v) { return of(v.first) == none || of(v.second) == none; };
    std::stable_sort(met_.begin(), met_.end(), [&](const auto& a, const auto& b) {
      return a.second != b.second ? a.second > b.second : from_outside(a.first) < from_outside(b.first);
    });
    bool any = false;
    for (const auto& [both, count] : met_) {
      if (!can_share(both.first, both.second)) continue;
      any = true;
      const std::uint32_t p = of(both.first), q = of(both.second);
      place& common = places_[p != none ? p : q];
      common.left = common.right = true;
      if (p == none || q == none) {
        common.outside = p == none ? both.first : both.second;
      } else {
        places_[q] = {common.type, false, false, nullptr};
        number_[both.second] = p;
      }
    }
    met_.clear();
    times_.clear();
    return any;
  }

  std::vector<place> places_;
  llvm::DenseMap<const llvm::Value*, std::uint32_t> number_;
  llvm::DenseMap<const llvm::PHINode*, std::uint32_t> target_;  // by phi of the join
  std::vector<bool> exchanged_;                                 // by slot of the plan
  std::vector<std::pair<two_values, std::size_t>> met_;
  llvm::DenseMap<two_values, std::size_t> times_;
};

}  // namespace detail
}  // namespace v0
}  // namespace simtflow
