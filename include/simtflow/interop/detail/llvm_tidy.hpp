// SPDX-License-Identifier: BSL-1.0
//
// Tidies blocks that a writer has made: phis and selects that say nothing go, equal selects become one, straight blocks
// are merged and empty ones dropped. No branch becomes a select, and nothing is moved to another place: what has a
// branch around it keeps it.
#pragma once

#include <simtflow/config.hpp>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DepthFirstIterator.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/InstructionSimplify.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/ValueHandle.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Local.h>

#include <tuple>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace detail {

/// Tidies some blocks of a function.
class llvm_tidy {
 public:
  /// \pre the tree is the function's and stays right until tidy_blocks()
  llvm_tidy(llvm::Function& f, const std::vector<llvm::BasicBlock*>& made, const llvm::DominatorTree& tree)
      : f_(f), tree_(tree), made_(made.begin(), made.end()) {
    for (llvm::BasicBlock* b : made) handles_.emplace_back(b);
  }

  /// Drops phis and selects that are other values, and selects that are there already. Selects by `condition` look
  /// through operands that are selects by it. O(instructions), as often as a phi turns out to be another value.
  void tidy_values(const llvm::Value* condition) {
    for (bool again = true; again;) {
      again = false;
      llvm::DenseMap<std::pair<llvm::Value*, llvm::Value*>, llvm::SelectInst*> seen;  // selects by the condition
      for (const llvm::DomTreeNode* node : llvm::depth_first(tree_.getRootNode())) {
        if (made_.count(node->getBlock()) == 0) continue;
        for (llvm::Instruction& i : llvm::make_early_inc_range(*node->getBlock())) {
          auto* choice = llvm::dyn_cast<llvm::SelectInst>(&i);
          if (choice == nullptr && !llvm::isa<llvm::PHINode>(i)) continue;
          if (choice != nullptr && choice->getCondition() == condition) look_through(*choice);
          llvm::Value* is = simplified(i);
          if (is == nullptr && choice != nullptr && choice->getCondition() == condition) is = earlier(seen, *choice);
          if (is == nullptr || is == &i) continue;
          again = again || llvm::isa<llvm::PHINode>(i);
          i.replaceAllUsesWith(is);
          if (is->getName().empty() && !llvm::isa<llvm::Constant>(is)) is->takeName(&i);
          if (choice != nullptr) seen.erase({choice->getTrueValue(), choice->getFalseValue()});
          i.eraseFromParent();
        }
      }
    }
  }

  /// Deletes instructions without effects and uses, then merges and drops blocks. `others`: instructions elsewhere that
  /// may be without uses now.
  void tidy_blocks(llvm::ArrayRef<llvm::WeakTrackingVH> others) {
    for (const llvm::WeakTrackingVH& h : handles_) {
      std::vector<llvm::WeakTrackingVH> all;
      for (llvm::Instruction& i : *llvm::cast<llvm::BasicBlock>(h)) all.emplace_back(&i);
      for (const llvm::WeakTrackingVH& i : all)
        if (auto* phi = llvm::dyn_cast_or_null<llvm::PHINode>(i))
          llvm::RecursivelyDeleteDeadPHINode(phi);
        else if (i != nullptr)
          llvm::RecursivelyDeleteTriviallyDeadInstructions(i);
    }
    for (const llvm::WeakTrackingVH& i : others)
      if (i != nullptr) llvm::RecursivelyDeleteTriviallyDeadInstructions(i);
    for (bool again = true; again;) {
      again = false;
      for (const llvm::WeakTrackingVH& h : handles_)
        if (auto* b = llvm::dyn_cast_or_null<llvm::BasicBlock>(h)) again = merge_or_drop(*b) || again;
    }
  }

 private:
  bool merge_or_drop(llvm::BasicBlock& b) {
    if (llvm::ConstantFoldTerminator(&b)) return true;
    for (llvm::PHINode& phi : llvm::make_early_inc_range(b.phis()))
      if (llvm::Value* is = phi.hasConstantValue(); is != nullptr && is != &phi && !llvm::isa<llvm::Instruction>(is)) {
        phi.replaceAllUsesWith(is);
        phi.eraseFromParent();
      }
    if (llvm::BasicBlock* after = b.getSingleSuccessor(); after != nullptr && after != &b)
      if (after->getSinglePredecessor() == &b && llvm::MergeBlockIntoPredecessor(after)) return true;
    if (llvm::BasicBlock* before = b.getSinglePredecessor(); before != nullptr && before != &b)
      if (before->getSingleSuccessor() == &b && llvm::MergeBlockIntoPredecessor(&b)) return true;
    if (b.getSingleSuccessor() == nullptr || b.getSingleSuccessor() == &b) return false;
    if (&*b.getFirstInsertionPt() != b.getTerminator()) return false;
    std::vector<llvm::BasicBlock*> before(llvm::pred_begin(&b), llvm::pred_end(&b));
    if (before.empty() || !llvm::TryToSimplifyUncondBranchFromEmptyBlock(&b)) return false;
    for (llvm::BasicBlock* p : before) llvm::ConstantFoldTerminator(p);
    return true;
  }

  // select(c, select(c, x, y), z) is select(c, x, z).
  static void look_through(llvm::SelectInst& choice) {
    for (const bool left : {true, false}) {
      for (;;) {
        auto* inner = llvm::dyn_cast<llvm::SelectInst>(left ? choice.getTrueValue() : choice.getFalseValue());
        if (inner == nullptr || inner == &choice || inner->getCondition() != choice.getCondition()) break;
        if (left)
          choice.setTrueValue(inner->getTrueValue());
        else
          choice.setFalseValue(inner->getFalseValue());
      }
    }
  }
  llvm::Value* simplified(llvm::Instruction& i) const {
    const llvm::SimplifyQuery query(f_.getParent()->getDataLayout(), nullptr, &tree_, nullptr, &i);
#if LLVM_VERSION_MAJOR == 14
    return llvm::SimplifyInstruction(&i, query);
#else
    return llvm::simplifyInstruction(&i, query);
#endif
  }
  llvm::Value* earlier(llvm::DenseMap<std::pair<llvm::Value*, llvm::Value*>, llvm::SelectInst*>& seen,
                       llvm::SelectInst& choice) const {
    const auto [at, is_new] = seen.try_emplace({choice.getTrueValue(), choice.getFalseValue()}, &choice);
    if (is_new) return nullptr;
    if (tree_.dominates(at->second, &choice)) return at->second;
    at->second = &choice;
    return nullptr;
  }

  llvm::Function& f_;
  const llvm::DominatorTree& tree_;
  llvm::SmallPtrSet<const llvm::BasicBlock*, 32> made_;
  std::vector<llvm::WeakTrackingVH> handles_;
};

}  // namespace detail
}  // namespace v0
}  // namespace simtflow
