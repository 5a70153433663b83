// SPDX-License-Identifier: BSL-1.0
//
// The values of an LLVM function that cannot stay in SSA form while a plan (transform/plan.hpp) is applied.
//
// A lane executes the same blocks in the same order as before. So a use stays right if the block of the definition
// dominates the block of the use in the plan also, and neither has a second place there that the definition does not
// reach. All other uses *cross*: they take the value from a stack slot, loaded where their block begins. A phi stays if
// its block is entered by the same edges as before; else it is a slot that each of those edges sets.
//
// A slot is in use at *points*, the beginnings and ends of blocks, in the function as it was: from the definition, or
// the edge that sets it, to the last block that loads it.
//
// Literature: B. Boissinot et al., Revisiting out-of-SSA translation for correctness, code quality, and efficiency
// (2009), for phis as values that edges set.
#pragma once

#include <simtflow/analysis/dominators.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/snapshot.hpp>
#include <simtflow/transform/plan.hpp>

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Instructions.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace detail {

// The beginning and the end of a block as points.
constexpr std::uint32_t begin_of(block_id b) { return 2 * b; }
constexpr std::uint32_t end_of(block_id b) { return 2 * b + 1; }

// A value that needs a slot.
struct llvm_crossing_value {
  llvm::Instruction* value = nullptr;  // the definition
  block_id block = no_block;           // its block
  bool is_set_by_edges = false;        // a phi that does not stay
  std::vector<block_id> loaded;        // blocks with uses that cross
  std::vector<std::uint32_t> points;   // where the slot is in use, each once
};

// Finds them, in the order of the function's blocks.
class llvm_crossing_values {
 public:
  // text: the blocks of f as the plan numbers them, null for those that the entry did not reach. \pre they are gone
  llvm_crossing_values(llvm::Function& f, llvm::ArrayRef<llvm::BasicBlock*> text, const flow_plan& plan)
      : text_(text), plan_(plan), tree_(dominators(snapshot(plan))) {
    for (block_id b = 0; b < text.size(); ++b)
      if (text[b] != nullptr) number_[text[b]] = b;
    find_places();
    find_entered_anew();
    for (auto* marks : {&begin_seen_, &end_seen_, &loaded_in_}) marks->assign(text.size(), 0);
    for (llvm::BasicBlock& b : f) visit(b, number_.lookup(&b));
  }

  [[nodiscard]] std::vector<llvm_crossing_value>& values() { return values_; }
  // The index of a value among values(); none for others.
  static constexpr std::uint32_t none = 0xFFFF'FFFFU;
  [[nodiscard]] std::uint32_t index(const llvm::Value* v) const {
    const auto at = index_.find(v);
    return at == index_.end() ? none : at->second;
  }
  // The number of a block.
  [[nodiscard]] block_id number(const llvm::BasicBlock* b) const { return number_.lookup(b); }
  // True if the phis of a block become slots.
  [[nodiscard]] bool is_entered_anew(block_id b) const { return entered_anew_[b] != 0; }

  // A stack slot of the function that exists once, whatever path is taken.
  [[nodiscard]] bool is_fixed(const llvm::Instruction& i) const {
    const auto* own = llvm::dyn_cast<llvm::AllocaInst>(&i);
    return own != nullptr && own->getParent() == text_[0] && llvm::isa<llvm::ConstantInt>(own->getArraySize());
  }

 private:
  void find_places() {
    place_.assign(text_.size(), no_block);
    next_place_.assign(plan_.num_blocks(), no_block);
    for (block_id q = static_cast<block_id>(plan_.num_blocks()); q-- > 0;) {
      if (!tree_.is_reachable(q) || plan_[q].executes == no_block || !is_text(q)) continue;
      next_place_[q] = place_[plan_[q].executes];
      place_[plan_[q].executes] = q;
    }
  }
  [[nodiscard]] bool is_text(block_id q) const {
    return plan_[q].role == plan_role::original || plan_[q].role == plan_role::copy;
  }
  // The block is executed where it stands and nowhere else.
  [[nodiscard]] bool stays(block_id b) const {
    const block_id q = place_[b];
    return q != no_block && next_place_[q] == no_block && plan_[q].role == plan_role::original;
  }
  // The blocks that are entered by other edges than before.
  void find_entered_anew() {
    entered_anew_.assign(text_.size(), 0);
    for (block_id b = 0; b < text_.size(); ++b) entered_anew_[b] = stays(b) ? 0 : 1;
    for (block_id q = 0; q < plan_.num_blocks(); ++q) {
      if (!tree_.is_reachable(q)) continue;
      std::size_t slot = 0;
      for (const block_id to : plan_.successors(q)) {
        const std::size_t k = slot++;
        if (!is_text(to)) continue;
        const bool same =
            plan_[q].role == plan_role::original && k < plan_.num_outcomes(q) &&
            text_[q]->getTerminator()->getSuccessor(static_cast<unsigned>(k)) == text_[plan_[to].executes];
        if (!same) entered_anew_[plan_[to].executes] = 1;
      }
    }
    if (is_text(plan_.entry())) entered_anew_[plan_[plan_.entry()].executes] = 1;
  }

  // A use in block `to` may name a definition in block `from`.
  [[nodiscard]] bool reaches(block_id from, block_id to) const {
    if (place_[to] == no_block) return true;  // it goes
    if (!stays(from)) return false;
    for (block_id q = place_[to]; q != no_block; q = next_place_[q])
      if (!tree_.dominates(place_[from], q)) return false;
    return true;
  }

  void visit(llvm::BasicBlock& b, block_id at) {
    for (llvm::Instruction& i : b) {
      ++mark_;
      llvm_crossing_value made{&i, at, llvm::isa<llvm::PHINode>(i) && entered_anew_[at] != 0, {}, {}};
      if (!is_fixed(i)) {
        for (const llvm::Use& u : i.uses()) {
          const auto* user = llvm::cast<llvm::Instruction>(u.getUser());
          const auto* phi = llvm::dyn_cast<llvm::PHINode>(user);
          const block_id to = number_.lookup(phi != nullptr ? phi->getIncomingBlock(u) : user->getParent());
          if (to == at || reaches(at, to)) continue;
          if (loaded_in_[to] != mark_) made.loaded.push_back(to);
          loaded_in_[to] = mark_;
        }
      }
      if (!made.is_set_by_edges && made.loaded.empty()) continue;
      find_points(made);
      index_[&i] = static_cast<std::uint32_t>(values_.size());
      values_.push_back(std::move(made));
    }
  }
  // Backward from the loads to the definition.
  void find_points(llvm_crossing_value& v) {
    ++mark_;
    if (llvm::isa<llvm::PHINode>(v.value)) mark_begin(v, v.block);
    for (const block_id b : v.loaded)
      if (mark_begin(v, b)) work_.push_back(b);
    while (!work_.empty()) {
      const block_id b = work_.back();
      work_.pop_back();
      for (const llvm::BasicBlock* before : llvm::predecessors(text_[b])) {
        const block_id p = number_.lookup(before);
        if (end_seen_[p] != mark_) v.points.push_back(end_of(p));
        end_seen_[p] = mark_;
        if (p != v.block && mark_begin(v, p)) work_.push_back(p);
      }
    }
  }
  bool mark_begin(llvm_crossing_value& v, block_id b) {
    if (begin_seen_[b] == mark_) return false;
    begin_seen_[b] = mark_;
    v.points.push_back(begin_of(b));
    return true;
  }

  llvm::ArrayRef<llvm::BasicBlock*> text_;
  const flow_plan& plan_;
  dominator_tree<csr_graph> tree_;
  llvm::DenseMap<const llvm::BasicBlock*, block_id> number_;
  std::vector<block_id> place_, next_place_;  // the places in the plan where a block is executed, as a list
  std::vector<unsigned char> entered_anew_;   // by block
  std::vector<llvm_crossing_value> values_;
  llvm::DenseMap<const llvm::Value*, std::uint32_t> index_;
  std::vector<std::uint32_t> begin_seen_, end_seen_, loaded_in_;  // by block: the mark of the last value
  std::uint32_t mark_ = 0;
  std::vector<block_id> work_;
};

}  // namespace detail
}  // namespace v0
}  // namespace simtflow
