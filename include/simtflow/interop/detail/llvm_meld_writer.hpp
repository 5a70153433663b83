// SPDX-License-Identifier: BSL-1.0
//
// Writes a meld plan into an LLVM function; llvm_meld_rewrite.hpp tells what it makes of plans.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/interop/detail/llvm_meld_arms.hpp>
#include <simtflow/interop/detail/llvm_meld_branch.hpp>
#include <simtflow/interop/detail/llvm_meld_instructions.hpp>
#include <simtflow/interop/detail/llvm_meld_places.hpp>
#include <simtflow/interop/detail/llvm_meld_values.hpp>
#include <simtflow/interop/llvm.hpp>
#include <simtflow/transform/meld_plan.hpp>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LLVMContext.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace detail {

/// Writes the blocks of a plan between the branch and the join. `straight(weight, side)`: True if all threads execute a
/// run of that side and weight, where they may.
template <class Model, class Straight>
class llvm_meld_writer {
 public:
  /// All must outlive the writer.
  llvm_meld_writer(llvm::Function& f, const Model& code, const meld_plan& plan, const llvm_meld_arms& arms,
                   const llvm_meld_places& places, llvm_meld_values& values, const Straight& straight)
      : f_(f), code_(code), plan_(plan), arms_(arms), places_(places), values_(values), straight_(straight) {}

  /// Leads the branch through the plan to the join. The arms' blocks are left without predecessors.
  void write() {
    std::vector<std::string> names;
    for (const meld_block& b : plan_.blocks) names.push_back(name_of(b));
    for (llvm::BasicBlock* b : arms_.blocks()) b->setName("");
    for (const std::string& name : names) starts_.push_back(new_block(name));
    llvm::BasicBlock* gate = new_block("");
    values_.begin(gate);
    llvm::SmallVector<llvm_phi_move, 8> left, right;
    arms_.enter(meld_side::left, left);
    arms_.enter(meld_side::right, right);
    move(left, right, true);
    llvm::Instruction* branch = arms_.head()->getTerminator();
    likelihood_ = branch->getMetadata(llvm::LLVMContext::MD_prof);
    values_.at.SetCurrentDebugLocation(branch->getDebugLoc());
    llvm_jump::Create(gate, branch)->setDebugLoc(branch->getDebugLoc());
    branch->eraseFromParent();
    for (std::size_t k = 0; k < plan_.pieces.size();) gate = write_group(k, gate);
    values_.begin(gate);
    for (llvm::PHINode& phi : arms_.join()->phis()) phi.addIncoming(values_.read(places_.target(phi)), gate);
    values_.at.CreateBr(arms_.join());
  }

  /// The blocks that were made.
  [[nodiscard]] const std::vector<llvm::BasicBlock*>& made() const { return made_; }
  /// Gives the names of old instructions to those that do their work now.
  void bequeath() {
    for (llvm::BasicBlock* b : arms_.blocks())
      for (llvm::Instruction& i : *b)
        if (const auto heir = heirs_.find(&i); heir != heirs_.end()) heir->second->takeName(&i);
  }

 private:
  // A block of that name; of none if it is a part of a block without name.
  llvm::BasicBlock* new_block(const std::string& name, const char* part = "") {
    const std::string all = name.empty() ? "" : name + part;
    made_.push_back(llvm::BasicBlock::Create(f_.getContext(), all, &f_, arms_.join()));
    return made_.back();
  }
  [[nodiscard]] std::string name_of(const meld_block& b) const {
    const auto of = [this](block_id own) { return own == no_block ? "" : arms_.block(own)->getName().str(); };
    const std::string left = of(b.left), right = of(b.right);
    return left.empty() || right.empty() ? left + right : left + '_' + right;
  }

  // --- pieces --------------------------------------------------------------------------------------------------------

  // Writes a melded piece, or pieces of the left side and then pieces of the right side, from piece k on, which control
  // enters at `gate`. Returns where control goes on.
  llvm::BasicBlock* write_group(std::size_t& k, llvm::BasicBlock* gate) {
    llvm::BasicBlock* next = new_block("");
    write_group(k, gate, next);
    next->moveBefore(arms_.join());
    return next;
  }
  void write_group(std::size_t& k, llvm::BasicBlock* gate, llvm::BasicBlock* next) {
    values_.begin(gate);
    if (plan_.pieces[k].side == meld_side::both) {
      values_.at.CreateBr(starts_[plan_.pieces[k].first_block]);
      return write_piece(plan_.pieces[k++], next);
    }
    const std::size_t first = k;
    while (is_of(k, meld_side::left)) ++k;
    const std::size_t middle = k;
    while (is_of(k, meld_side::right)) ++k;
    const auto start = [&](std::size_t from, std::size_t to) {
      return from == to ? next : starts_[plan_.pieces[from].first_block];
    };
    part(start(first, middle), start(middle, k));
    for (std::size_t n = first; n < k; ++n) {
      const bool last = n + 1 == middle || n + 1 == k;
      write_piece(plan_.pieces[n], last ? next : starts_[plan_.pieces[n + 1].first_block]);
    }
  }
  [[nodiscard]] bool is_of(std::size_t k, meld_side side) const {
    return k < plan_.pieces.size() && plan_.pieces[k].side == side;
  }
  void write_piece(const meld_piece& p, llvm::BasicBlock* next) {
    for (std::size_t b = p.first_block; b < std::size_t{p.first_block} + p.num_blocks; ++b) {
      starts_[b]->moveBefore(arms_.join());  // in the order of the plan
      values_.begin(starts_[b]);
      write_block(plan_.blocks[b], p.side, next);
    }
  }

  // --- blocks --------------------------------------------------------------------------------------------------------

  void write_block(const meld_block& b, meld_side side, llvm::BasicBlock* next) {
    const bool both = side == meld_side::both && (b.ends_as == meld_side::both || b.forced != no_outcome ||
                                                  (b.left != no_block && b.right != no_block));
    const std::size_t end = std::size_t{b.first_slot} + b.num_slots;
    for (std::size_t s = b.first_slot; s < end;) {
      const meld_slot& slot = plan_.all_slots[s];
      if (slot.left != no_instruction && slot.right != no_instruction) {
        write_pair(s++);
        continue;
      }
      run left, right;
      for (; s < end && is_alone(s); ++s) {
        const bool on_left = plan_.all_slots[s].left != no_instruction;
        const std::uint32_t i = on_left ? plan_.all_slots[s].left : plan_.all_slots[s].right;
        if (!both || !llvm_is_only_a_hint(code_.instruction(i))) (on_left ? left : right).push_back(i);
      }
      write_gap(left, right, both);
    }
    write_end(b, both, next);
  }
  using run = llvm::SmallVector<std::uint32_t, 8>;  // numbers of instructions

  [[nodiscard]] bool is_alone(std::size_t s) const {
    return plan_.all_slots[s].left == no_instruction || plan_.all_slots[s].right == no_instruction;
  }

  void write_pair(std::size_t s) {
    const llvm::Instruction &x = code_.instruction(plan_.all_slots[s].left),
                            &y = code_.instruction(plan_.all_slots[s].right);
    llvm::Instruction* made = x.clone();
    llvm_promise_less(*made, x, y);
    values_.at.SetCurrentDebugLocation(made->getDebugLoc());
    for (unsigned k = 0; k < made->getNumOperands(); ++k)
      made->setOperand(k, values_.choose(x.getOperand(k), y.getOperand(places_.operand(s, k))));
    values_.at.Insert(made);
    values_.put(places_.of(&x), meld_side::both, made, true);
    heirs_[&x] = made;
  }
  void write_alone(const llvm::Instruction& x, meld_side side, bool others) {
    llvm::Instruction* made = x.clone();
    if (others && llvm::isa<llvm::LoadInst>(x)) made->dropUnknownNonDebugMetadata();
    values_.at.SetCurrentDebugLocation(x.getDebugLoc());
    for (unsigned k = 0; k < made->getNumOperands(); ++k) made->setOperand(k, values_.get(x.getOperand(k)));
    values_.at.Insert(made);
    values_.put(places_.of(&x), side, made, others);
    heirs_[&x] = made;
  }

  // Instructions of one side, and of the other side, between two pairs.
  void write_gap(const run& left, const run& right, bool both) {
    const bool around_left = both && !left.empty() && !straight(left, meld_side::left);
    const bool around_right = both && !right.empty() && !straight(right, meld_side::right);
    if (!around_left)
      for (const std::uint32_t i : left) write_alone(code_.instruction(i), meld_side::left, both);
    if (!around_right)
      for (const std::uint32_t i : right) write_alone(code_.instruction(i), meld_side::right, both);
    if (!around_left && !around_right) return;
    const std::string name = values_.at.GetInsertBlock()->getName().str();
    llvm::BasicBlock *first = around_left ? new_block(name, ".left") : nullptr,
                     *second = around_right ? new_block(name, ".right") : nullptr, *after = new_block(name, ".tail");
    values_.at.SetCurrentDebugLocation(code_.instruction((around_left ? left : right).front()).getDebugLoc());
    part(first != nullptr ? first : after, second != nullptr ? second : after);
    if (first != nullptr) write_run(first, after, left, meld_side::left);
    if (second != nullptr) write_run(second, after, right, meld_side::right);
    values_.join(after);
  }
  // Writes a branch on the side, which is as likely as the branch that is melded.
  void part(llvm::BasicBlock* left, llvm::BasicBlock* right) {
    values_.at.CreateCondBr(values_.left(), left, right)->setMetadata(llvm::LLVMContext::MD_prof, likelihood_);
  }
  void write_run(llvm::BasicBlock* b, llvm::BasicBlock* after, const run& text, meld_side side) {
    const auto start = values_.here();
    values_.at.SetInsertPoint(b);
    for (const std::uint32_t i : text) write_alone(code_.instruction(i), side, false);
    values_.at.CreateBr(after);
    values_.restore(start);
  }
  [[nodiscard]] bool straight(const run& text, meld_side side) const {
    const auto outer = [this](const llvm::Value* v) { return places_.of(v) == llvm_meld_places::none; };
    std::uint64_t weight = 0;
    for (const std::uint32_t i : text) {
      if (!llvm_may_run_for_all(code_.instruction(i), *arms_.head()->getTerminator(), outer)) return false;
      weight += code_.latency(i);
    }
    return straight_(weight, side);
  }

  // --- edges ---------------------------------------------------------------------------------------------------------

  // Sets the phis of both sides, all at once.
  void move(const llvm::SmallVectorImpl<llvm_phi_move>& left, const llvm::SmallVectorImpl<llvm_phi_move>& right,
            bool both) {
    struct change {
      std::uint32_t place;
      meld_side side;
      llvm::Value* value;
    };
    llvm::SmallVector<change, 8> all;
    llvm::SmallDenseMap<std::uint32_t, llvm::Value*, 8> on_right;  // by place
    for (const llvm_phi_move& m : right) on_right[places_.target(*m.phi)] = m.value;
    for (const llvm_phi_move& m : left) {
      const std::uint32_t p = places_.target(*m.phi);
      const auto other = on_right.find(p);
      if (other == on_right.end())
        all.push_back({p, meld_side::left, values_.get(m.value)});
      else
        all.push_back({p, meld_side::both, values_.choose(m.value, other->second)});
    }
    for (const llvm_phi_move& m : left) on_right.erase(places_.target(*m.phi));
    for (const llvm_phi_move& m : right)
      if (on_right.count(places_.target(*m.phi)) != 0)
        all.push_back({places_.target(*m.phi), meld_side::right, values_.get(m.value)});
    for (const change& c : all) values_.put(c.place, c.side, c.value, both);
  }

  // Writes what ends a block: its branch, and what phis become before it or on its edges.
  void write_end(const meld_block& b, bool both, llvm::BasicBlock* next) {
    const llvm::BasicBlock *left = arms_.block(b.left), *right = arms_.block(b.right);
    const bool of_left = b.ends_as != meld_side::right, of_right = b.ends_as != meld_side::left;
    llvm::Value* which = b.num_successors > 1 ? llvm_melded_condition(arms_, places_, values_, b, both) : nullptr;
    llvm::SmallVector<llvm_phi_move, 8> moves[2];
    for (const meld_side side : {meld_side::left, meld_side::right})
      if (llvm_meld_arms::is_guest(b, side)) arms_.leave(b, side, 0, moves[side == meld_side::left ? 0 : 1]);
    move(moves[0], moves[1], both);
    const llvm::Instruction* x = of_left ? left->getTerminator() : right->getTerminator();
    const llvm::Instruction* y = of_right ? right->getTerminator() : left->getTerminator();
    const llvm::DebugLoc where = llvm::DILocation::getMergedLocation(x->getDebugLoc(), y->getDebugLoc());
    values_.at.SetCurrentDebugLocation(where);
    llvm::BasicBlock* from = values_.at.GetInsertBlock();
    llvm::SmallVector<llvm::BasicBlock*, 4> to;
    const auto start = values_.here();
    for (std::uint32_t slot = 0; slot < b.num_successors; ++slot) {
      const std::uint32_t goes = plan_.successors[b.first_successor + slot];
      llvm::BasicBlock* target = goes == piece_end ? next : starts_[goes];
      moves[0].clear();
      moves[1].clear();
      if (of_left) arms_.leave(b, meld_side::left, slot, moves[0]);
      if (of_right) arms_.leave(b, meld_side::right, slot, moves[1]);
      to.push_back(target);
      if (moves[0].empty() && moves[1].empty()) continue;
      if (b.num_successors > 1) {
        to.back() = new_block(from->getName().str(), ".edge");
        values_.at.SetInsertPoint(to.back());
      }
      move(moves[0], moves[1], both);
      if (b.num_successors > 1) {
        values_.at.CreateBr(target);
        values_.restore(start);
        values_.at.SetInsertPoint(from);
      }
    }
    llvm_write_branch(values_.at, b, *x, which, to);
  }

  llvm::Function& f_;
  const Model& code_;
  const meld_plan& plan_;
  const llvm_meld_arms& arms_;
  const llvm_meld_places& places_;
  llvm_meld_values& values_;
  const Straight& straight_;
  llvm::MDNode* likelihood_ = nullptr;  // weights of the branch that is melded, if it has any
  std::vector<llvm::BasicBlock*> starts_, made_;
  llvm::DenseMap<const llvm::Instruction*, llvm::Instruction*> heirs_;  // by old instruction
};

}  // namespace detail
}  // namespace v0
}  // namespace simtflow
