// SPDX-License-Identifier: BSL-1.0
//
// The arms of a branch in an LLVM function, while a meld plan is written: their blocks, and which values phis take on
// the edges of the plan.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/transform/meld_plan.hpp>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace detail {

/// A phi and the value that it takes on an edge.
struct llvm_phi_move {
  llvm::PHINode* phi;
  llvm::Value* value;
};

/// The blocks of both arms.
class llvm_meld_arms {
 public:
  /// \pre the plan was made for f as it is now, and unreachable blocks lead into no arm. O(blocks of f).
  llvm_meld_arms(llvm::Function& f, const meld_plan& plan) {
    for (llvm::BasicBlock& b : f) blocks_.push_back(&b);
    head_ = blocks_[plan.branch];
    join_ = blocks_[plan.join];
    for (const meld_block& b : plan.blocks)
      for (const block_id own : {b.left, b.right})
        if (own != no_block) planned_.insert(blocks_[own]);
    llvm::SmallPtrSet<const llvm::BasicBlock*, 16> seen;
    const auto add = [&](llvm::BasicBlock* b) {
      if (b != join_ && seen.insert(b).second) old_.push_back(b);
    };
    for (llvm::BasicBlock* s : llvm::successors(head_)) add(s);
    for (std::size_t k = 0; k < old_.size(); ++k)
      for (llvm::BasicBlock* s : llvm::successors(old_[k])) add(s);
  }

  /// The block with the branch.
  [[nodiscard]] llvm::BasicBlock* head() const { return head_; }
  /// The block in which the arms meet.
  [[nodiscard]] llvm::BasicBlock* join() const { return join_; }
  /// The block of a number; null for no_block.
  [[nodiscard]] llvm::BasicBlock* block(block_id b) const { return b == no_block ? nullptr : blocks_[b]; }
  /// The blocks of both arms.
  [[nodiscard]] const std::vector<llvm::BasicBlock*>& blocks() const { return old_; }

  /// Adds what phis become for a side on the first edge of its arm.
  void enter(meld_side side, llvm::SmallVectorImpl<llvm_phi_move>& out) const {
    follow(head_, head_->getTerminator()->getSuccessor(side == meld_side::left ? 0 : 1), out);
  }
  /// True if the branch of the side's own block is not the branch that ends b: the side is only led through.
  [[nodiscard]] static bool is_guest(const meld_block& b, meld_side side) {
    return b.ends_as != meld_side::both && b.ends_as != side;
  }
  /// Adds what phis become for a side that leaves block b of the plan by a slot; nothing if its own block is not there
  /// or goes on in another block of the plan.
  void leave(const meld_block& b, meld_side side, std::uint32_t slot, llvm::SmallVectorImpl<llvm_phi_move>& out) const {
    const bool left = side == meld_side::left;
    llvm::BasicBlock* from = block(left ? b.left : b.right);
    if (from == nullptr || !(left ? b.left_ends : b.right_ends)) return;
    const unsigned own = is_guest(b, side) ? 0 : !left && b.swapped ? 1 - slot : slot;
    follow(from, from->getTerminator()->getSuccessor(own), out);
  }

 private:
  // Phis along the edge, and along edges through blocks that are in no piece: these have nothing but phis and a jump.
  void follow(llvm::BasicBlock* from, llvm::BasicBlock* to, llvm::SmallVectorImpl<llvm_phi_move>& out) const {
    llvm::SmallDenseMap<const llvm::Value*, llvm::Value*, 8> passed;  // phis of the blocks on the way
    for (;;) {
      const std::size_t first = out.size();
      for (llvm::PHINode& phi : to->phis()) {
        llvm::Value* v = phi.getIncomingValueForBlock(from);
        const auto known = passed.find(v);
        out.push_back({&phi, known == passed.end() ? v : known->second});
      }
      if (to == join_ || planned_.count(to) != 0) return;
      for (std::size_t k = first; k < out.size(); ++k) passed[out[k].phi] = out[k].value;
      from = to;
      to = to->getTerminator()->getSuccessor(0);
    }
  }

  llvm::BasicBlock *head_ = nullptr, *join_ = nullptr;
  std::vector<llvm::BasicBlock*> blocks_;  // by number
  std::vector<llvm::BasicBlock*> old_;
  llvm::SmallPtrSet<const llvm::BasicBlock*, 16> planned_;
};

}  // namespace detail
}  // namespace v0
}  // namespace simtflow
