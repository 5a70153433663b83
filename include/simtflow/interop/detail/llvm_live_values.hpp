// SPDX-License-Identifier: BSL-1.0
//
// The values of an LLVM function that are live at each instruction, counted.
#pragma once

#include <simtflow/config.hpp>

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Argument.h>
#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace detail {

// Live values: in 32-bit registers, predicates, and numbers of values by their bits.
struct llvm_live_count {
  std::uint32_t units = 0, predicates = 0, narrow = 0, wide = 0, wider = 0;

  llvm_live_count& operator+=(const llvm_live_count& o) {
    units += o.units, predicates += o.predicates, narrow += o.narrow, wide += o.wide, wider += o.wider;
    return *this;
  }
  llvm_live_count& operator-=(const llvm_live_count& o) {
    units -= o.units, predicates -= o.predicates, narrow -= o.narrow, wide -= o.wide, wider -= o.wider;
    return *this;
  }
};

class llvm_live_values {
 public:
  explicit llvm_live_values(const llvm::Function& f) : f_(f) {
    if (f.isDeclaration()) return;
    number_blocks();
    for (const llvm::Argument& a : f.args()) add_value(a, &f.getEntryBlock());
    for (const std::uint32_t b : order_)
      for (const llvm::Instruction& i : *blocks_[b].block) add_value(i, blocks_[b].block);
  }

  // Calls `see(instruction, count)` for each instruction of a block that can be reached, first to last: with what is
  // live before it, and then with what is live after it or defined by it. Phis are one place, the first of them.
  template <class See>
  void for_each_place(const See& see) {
    std::vector<llvm_live_count> before, after;
    std::vector<std::uint32_t> counted(values_.size(), no_number);  // by value: the block that counts it now
    for (const std::uint32_t b : order_) {
      llvm_live_count now;
      const auto add = [&](const llvm::Value* v) {
        const auto found = number_.find(v);
        if (found == number_.end() || counted[found->second] == b) return;
        counted[found->second] = b;
        now += values_[found->second];
      };
      for (const std::uint32_t v : blocks_[b].live_out) {
        counted[v] = b;
        now += values_[v];
      }
      const llvm::BasicBlock& block = *blocks_[b].block;
      before.clear();
      after.clear();
      for (auto i = block.rbegin(); i != block.rend() && !llvm::isa<llvm::PHINode>(*i); ++i) {
        add(&*i);
        after.push_back(now);
        if (const auto found = number_.find(&*i); found != number_.end()) {
          counted[found->second] = no_number;
          now -= values_[found->second];
        }
        for (const llvm::Value* operand : i->operand_values()) add(operand);
        before.push_back(now);
      }
      for (const llvm::PHINode& phi : block.phis()) add(&phi);
      if (llvm::isa<llvm::PHINode>(block.front())) see(block.front(), now);
      auto at = block.end();
      std::advance(at, -static_cast<std::ptrdiff_t>(before.size()));
      for (std::size_t k = before.size(); k-- > 0; ++at) {
        see(*at, before[k]);
        see(*at, after[k]);
      }
    }
  }

 private:
  static constexpr std::uint32_t no_number = 0xFFFF'FFFFU;
  struct block_values {
    const llvm::BasicBlock* block;
    std::vector<std::uint32_t> live_out = {};
    std::uint32_t in_of = no_number, out_of = no_number;  // the value that was found live there last
  };

  // The blocks that the entry reaches, in the order of the function.
  void number_blocks() {
    std::vector<const llvm::BasicBlock*> work{&f_.getEntryBlock()};
    llvm::DenseMap<const llvm::BasicBlock*, char> reached;
    reached[work.back()] = 1;
    while (!work.empty()) {
      const llvm::BasicBlock* b = work.back();
      work.pop_back();
      for (const llvm::BasicBlock* s : llvm::successors(b))
        if (reached.insert({s, 1}).second) work.push_back(s);
    }
    for (const llvm::BasicBlock& b : f_) {
      if (reached.count(&b) == 0) continue;
      order_.push_back(static_cast<std::uint32_t>(blocks_.size()));
      block_number_[&b] = order_.back();
      blocks_.push_back({&b});
    }
  }

  // Numbers a value and finds the blocks that it is live at the end of. It is defined in `home`.
  void add_value(const llvm::Value& v, const llvm::BasicBlock* home) {
    const llvm_live_count size = size_of(v);
    if (size.units == 0 && size.predicates == 0) return;
    const auto n = static_cast<std::uint32_t>(values_.size());
    number_[&v] = n;
    values_.push_back(size);
    for (const llvm::Use& use : v.uses()) {
      const auto* user = llvm::dyn_cast<llvm::Instruction>(use.getUser());
      if (user == nullptr) continue;
      if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(user))
        live_out(n, phi->getIncomingBlock(use), home);
      else if (user->getParent() != home)
        live_in(n, user->getParent());
      while (!work_.empty()) {
        const std::uint32_t b = work_.back();
        work_.pop_back();
        for (const llvm::BasicBlock* p : llvm::predecessors(blocks_[b].block)) live_out(n, p, home);
      }
    }
  }
  void live_in(std::uint32_t v, const llvm::BasicBlock* at) {
    const auto b = block_number_.find(at);
    if (b == block_number_.end() || blocks_[b->second].in_of == v) return;
    blocks_[b->second].in_of = v;
    work_.push_back(b->second);
  }
  void live_out(std::uint32_t v, const llvm::BasicBlock* at, const llvm::BasicBlock* home) {
    const auto b = block_number_.find(at);
    if (b == block_number_.end() || blocks_[b->second].out_of == v) return;
    blocks_[b->second].out_of = v;
    blocks_[b->second].live_out.push_back(v);
    if (at != home) live_in(v, at);
  }

  [[nodiscard]] llvm_live_count size_of(const llvm::Value& v) const {
    llvm_live_count out;
    llvm::Type* type = v.getType();
    const auto* alloca = llvm::dyn_cast<llvm::AllocaInst>(&v);
    if (!type->isSized() || (alloca != nullptr && alloca->isStaticAlloca())) return out;
    if (type->isIntOrIntVectorTy(1)) {
      const auto* vector = llvm::dyn_cast<llvm::VectorType>(type);
      out.predicates = vector == nullptr ? 1 : static_cast<std::uint32_t>(vector->getElementCount().getKnownMinValue());
      return out;
    }
    const std::uint64_t bits = f_.getParent()->getDataLayout().getTypeSizeInBits(type).getKnownMinValue();
    if (bits == 0) return out;
    out.units = static_cast<std::uint32_t>(std::min<std::uint64_t>((bits + 31) / 32, no_number / 2));
    (bits <= 32 ? out.narrow : bits <= 64 ? out.wide : out.wider) = 1;
    return out;
  }

  const llvm::Function& f_;
  std::vector<block_values> blocks_;  // that the entry reaches
  std::vector<std::uint32_t> order_;  // their numbers
  llvm::DenseMap<const llvm::BasicBlock*, std::uint32_t> block_number_;
  std::vector<llvm_live_count> values_;
  llvm::DenseMap<const llvm::Value*, std::uint32_t> number_;
  std::vector<std::uint32_t> work_;
};

}  // namespace detail
}  // namespace v0
}  // namespace simtflow
