// SPDX-License-Identifier: BSL-1.0
//
// Puts the values that cross (llvm_crossing_values.hpp) into stack slots that they share (llvm_shared_slots.hpp), so
// that the blocks of a function can be led elsewhere and copied.
//
//   a value       is stored after its definition
//   a use         reads what is loaded where its block begins
//   a phi         becomes a load; the blocks before it store the value before their terminators. The value is a select
//                 if another edge of such a block sets another value, or keeps what the slot holds
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/interop/detail/llvm_crossing_values.hpp>
#include <simtflow/interop/detail/llvm_shared_slots.hpp>
#include <simtflow/interop/llvm.hpp>

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IRBuilder.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace detail {

// Does that, once.
class llvm_value_slots {
 public:
  // entry: where the slots are made. New slots are added to `made`.
  llvm_value_slots(llvm_crossing_values& values, llvm::ArrayRef<llvm::BasicBlock*> text, llvm::Instruction* entry,
                   std::vector<llvm::AllocaInst*>& made)
      : all_(values), shared_(values, text.size()), text_(text) {
    llvm::IRBuilder<> at(entry);
    for (llvm::Type* type : shared_.types()) memory_.push_back(at.CreateAlloca(type));
    made.insert(made.end(), memory_.begin(), memory_.end());
    for (std::uint32_t k = 0; k < all_.values().size(); ++k) load_uses(k);
    for (std::uint32_t k = 0; k < all_.values().size(); ++k) store(k);
    for (llvm::BasicBlock* b : text)
      if (b != nullptr) store_on_edges(*b);
    for (const llvm_crossing_value& v : all_.values())
      if (v.is_set_by_edges) replace_phi(v);
  }

 private:
  llvm::AllocaInst* memory(std::uint32_t value) const { return memory_[shared_.slot(value)]; }

  void load_uses(std::uint32_t k) {
    const llvm_crossing_value& v = all_.values()[k];
    for (const block_id b : v.loaded) load_at_[text_[b]] = nullptr;
    llvm::SmallVector<llvm::Use*, 8> uses;
    for (llvm::Use& u : v.value->uses()) uses.push_back(&u);
    for (llvm::Use* u : uses) {
      auto* user = llvm::cast<llvm::Instruction>(u->getUser());
      auto* phi = llvm::dyn_cast<llvm::PHINode>(user);
      const auto at = load_at_.find(phi != nullptr ? phi->getIncomingBlock(*u) : user->getParent());
      if (at == load_at_.end()) continue;
      if (at->second == nullptr) at->second = load(*at->first, memory(k), k);
      u->set(at->second);
    }
    load_at_.clear();
  }
  llvm::LoadInst* load(llvm::BasicBlock& b, llvm::AllocaInst* from, std::uint32_t k) {
    llvm::IRBuilder<> at(&b, b.getFirstInsertionPt());
    llvm::LoadInst* made = at.CreateLoad(from->getAllocatedType(), from);
    loaded_[made] = k;
    return made;
  }
  void store(std::uint32_t k) {
    const llvm_crossing_value& v = all_.values()[k];
    if (v.is_set_by_edges) return;
    llvm::BasicBlock& b = *v.value->getParent();
    const bool is_phi = llvm::isa<llvm::PHINode>(v.value);
    llvm::IRBuilder<> at(&b, is_phi ? b.getFirstInsertionPt() : std::next(v.value->getIterator()));
    at.CreateStore(v.value, memory(k));
  }

  // The value of a slot on an edge: null if nothing reads it there; the mark for `kept` if it is what the slot holds.
  struct edge_value {
    llvm::Value* value = nullptr;
    bool kept = false;
    friend bool operator==(const edge_value& a, const edge_value& b) { return a.value == b.value && a.kept == b.kept; }
  };
  void store_on_edges(llvm::BasicBlock& b) {
    llvm::Instruction* last = b.getTerminator();
    const block_id from = all_.number(&b);
    std::vector<std::uint32_t> set_here;  // those that its edges set
    for (llvm::BasicBlock* to : llvm::successors(&b)) {
      if (!all_.is_entered_anew(all_.number(to))) continue;
      for (llvm::PHINode& phi : to->phis())
        if (const std::uint32_t k = all_.index(&phi); k != shared_.none) set_here.push_back(shared_.slot(k));
    }
    llvm::sort(set_here);
    set_here.erase(std::unique(set_here.begin(), set_here.end()), set_here.end());
    tests_.clear();
    for (const std::uint32_t slot : set_here) {
      const std::uint32_t held = shared_.held(end_of(from), slot);
      std::vector<edge_value> on;
      for (llvm::BasicBlock* to : llvm::successors(&b)) on.push_back(on_edge(b, *to, slot, held));
      write(last, slot, on);
    }
  }
  edge_value on_edge(llvm::BasicBlock& from, llvm::BasicBlock& to, std::uint32_t slot, std::uint32_t held) {
    const std::uint32_t there = shared_.held(begin_of(all_.number(&to)), slot);
    if (there == shared_.none) return {};
    const llvm_crossing_value& v = all_.values()[there];
    if (!v.is_set_by_edges || v.value->getParent() != &to) return {nullptr, true};
    llvm::Value* comes = llvm::cast<llvm::PHINode>(v.value)->getIncomingValueForBlock(&from);
    if (held != shared_.none) {
      if (all_.values()[held].value == comes) return {nullptr, true};
      if (const auto at = loaded_.find(comes); at != loaded_.end() && at->second == held) return {nullptr, true};
    }
    return {comes, false};
  }
  void write(llvm::Instruction* last, std::uint32_t slot, std::vector<edge_value>& on) {
    // An edge that needs nothing gets what another one has.
    const edge_value* some = nullptr;
    for (const edge_value& e : on)
      if (e.kept || e.value != nullptr) {
        some = &e;
        break;
      }
    for (edge_value& e : on)
      if (!e.kept && e.value == nullptr) e = *some;
    llvm::IRBuilder<> at(last);
    llvm::Value* old = nullptr;
    const auto value_of = [&](const edge_value& e) {
      if (!e.kept) return e.value;
      if (old == nullptr) old = at.CreateLoad(memory_[slot]->getAllocatedType(), memory_[slot]);
      return old;
    };
    bool one = true;
    for (const edge_value& e : on) one = one && e == on[0];
    if (one) {
      if (!on[0].kept) at.CreateStore(on[0].value, memory_[slot]);
      return;
    }
    llvm::Value* value = nullptr;
    if (auto* table = llvm::dyn_cast<llvm::SwitchInst>(last)) {
      value = value_of(on[0]);
      for (const auto& one_case : table->cases()) {
        const unsigned k = one_case.getSuccessorIndex();
        if (on[k] == on[0]) continue;
        tests_.resize(on.size(), nullptr);
        if (tests_[k] == nullptr) tests_[k] = at.CreateICmpEQ(table->getCondition(), one_case.getCaseValue());
        value = at.CreateSelect(tests_[k], value_of(on[k]), value);
      }
    } else {
      llvm::Value* taken = value_of(on[0]);
      llvm::Value* other = value_of(on[1]);
      value = at.CreateSelect(llvm::cast<llvm_two_way_branch>(last)->getCondition(), taken, other);
    }
    at.CreateStore(value, memory_[slot]);
  }

  void replace_phi(const llvm_crossing_value& v) {
    auto* phi = llvm::cast<llvm::PHINode>(v.value);
    llvm::AllocaInst* from = memory(all_.index(phi));
    llvm::BasicBlock& b = *phi->getParent();
    llvm::IRBuilder<> at(&b, b.getFirstInsertionPt());
    llvm::LoadInst* made = at.CreateLoad(from->getAllocatedType(), from);
    made->takeName(phi);
    phi->replaceAllUsesWith(made);
    phi->eraseFromParent();
  }

  llvm_crossing_values& all_;
  llvm_shared_slots shared_;
  llvm::ArrayRef<llvm::BasicBlock*> text_;
  std::vector<llvm::AllocaInst*> memory_;                       // by slot
  llvm::DenseMap<const llvm::Value*, std::uint32_t> loaded_;    // the value that a load reads
  llvm::DenseMap<llvm::BasicBlock*, llvm::LoadInst*> load_at_;  // of the value in work
  std::vector<llvm::Value*> tests_;                             // by slot of a switch
};

}  // namespace detail
}  // namespace v0
}  // namespace simtflow
