// SPDX-License-Identifier: BSL-1.0
//
// LLVM functions as interleavable_code (transform/interleaving_choice.hpp): when results of instructions are there.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/interop/llvm.hpp>
#include <simtflow/interop/llvm_branch_facts.hpp>
#include <simtflow/interop/llvm_latencies.hpp>
#include <simtflow/transform/branch_likelihood.hpp>

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Instructions.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// A function as interleavable_code (transform/interleaving_choice.hpp): each instruction but phis and what is there
/// for debuggers has a number, and its result is the register of that number.
template <class Function>
class llvm_timed_code {
 public:
  /// Numbers the instructions of g.
  /// \param g        the function; it and the numbers of its blocks stay as they are while the code is in use
  /// \param cycles   from the issue of an instruction until its result can be used
  /// \param branches what is known of its branches, by block; empty: all are divergent, as likely as any
  /// Complexity: linear in the function.
  explicit llvm_timed_code(const llvm_cfg<Function>& g, const llvm_latencies& cycles = {},
                           std::vector<llvm_branch_facts> branches = {})
      : branches_(std::move(branches)) {
    SIMTFLOW_EXPECTS(branches_.empty() || branches_.size() == g.num_blocks(), "facts for each block, or none");
    begin_.push_back(0);
    for (std::size_t b = 0; b < g.num_blocks(); ++b) {
      bool waits = false;
      for (llvm::Instruction& i : *g.block_at(b)) {
        if (llvm::isa<llvm::PHINode>(i) || i.isDebugOrPseudoInst()) continue;
        number_[&i] = static_cast<std::uint32_t>(text_.size());
        text_.push_back(&i);
        delay_.push_back(cycles(i));
        waits = waits || llvm_may_wait(i);
      }
      begin_.push_back(static_cast<std::uint32_t>(text_.size()));
      waits_.push_back(waits ? 1 : 0);
      convergent_.push_back(llvm_is_convergent{}(g.block_at(b)) ? 1 : 0);
    }
  }
  llvm_timed_code(const llvm_cfg<Function>&&, const llvm_latencies& = {},
                  std::vector<llvm_branch_facts> = {}) = delete;  // g is kept

  /// @{
  /// As latency_code and interleavable_code ask. O(1), or O(operands).
  [[nodiscard]] std::uint32_t first(block_id b) const { return begin_[b]; }
  [[nodiscard]] std::uint32_t last(block_id b) const { return begin_[b + std::size_t{1}]; }
  [[nodiscard]] std::uint32_t delay(std::uint32_t i) const { return delay_[i]; }
  [[nodiscard]] std::size_t num_registers() const { return text_.size(); }
  template <class F>
  void for_each_read(std::uint32_t i, F&& f) const {
    for (const llvm::Value* v : text_[i]->operands())
      if (const auto at = number_.find(v); at != number_.end()) f(at->second);
  }
  template <class F>
  void for_each_write(std::uint32_t i, F&& f) const {
    if (!text_[i]->getType()->isVoidTy()) f(i);
  }
  [[nodiscard]] bool is_cuttable(std::uint32_t i) const {
    return !text_[i]->isTerminator() || text_[i]->getParent()->getTerminatingMustTailCall() == nullptr;
  }
  [[nodiscard]] bool is_convergent_block(block_id b) const { return convergent_[b] != 0; }
  [[nodiscard]] bool waits(block_id b) const { return waits_[b] != 0; }
  [[nodiscard]] bool is_divergent(block_id b) const { return branches_.empty() || branches_[b].divergent; }
  [[nodiscard]] branch_likelihood likelihood(block_id b) const {
    return branches_.empty() ? branch_likelihood{} : branches_[b].likelihood;
  }
  [[nodiscard]] double frequency(block_id b) const { return branches_.empty() ? 1.0 : branches_[b].frequency; }
  /// @}
  /// The instruction of a number. \pre i < num_registers(). O(1).
  [[nodiscard]] llvm::Instruction& instruction(std::uint32_t i) const { return *text_[i]; }

 private:
  std::vector<llvm_branch_facts> branches_;
  std::vector<std::uint32_t> begin_, delay_;
  std::vector<llvm::Instruction*> text_;
  std::vector<unsigned char> waits_, convergent_;  // by block
  llvm::DenseMap<const llvm::Value*, std::uint32_t> number_;
};

}  // namespace v0
}  // namespace simtflow
