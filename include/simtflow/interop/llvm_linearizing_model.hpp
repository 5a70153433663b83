// SPDX-License-Identifier: BSL-1.0
//
// LLVM functions as linearizable_code (transform/linearizable_code.hpp): linearize_where_it_pays() asks it what blocks
// weigh and how their branches behave.
//
//   llvm_cfg g(f);
//   const linearization made = linearize_where_it_pays(g, llvm_linearizing_model(g), {}, llvm_is_convergent{});
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/interop/llvm.hpp>
#include <simtflow/interop/llvm_branch_facts.hpp>
#include <simtflow/interop/llvm_latencies.hpp>
#include <simtflow/transform/branch_likelihood.hpp>

#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/Instructions.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// The weights and branches of a function, by number of its blocks. It keeps nothing of the function.
class llvm_linearizing_model {
 public:
  /// Weighs the blocks of g. Phis, jumps and what is there for debuggers only weigh nothing.
  /// \param g        the function
  /// \param weights  of its instructions
  /// \param branches what is known of its branches, by block; empty: all are divergent, as likely as any
  /// Complexity: linear in the function.
  template <class Function>
  explicit llvm_linearizing_model(const llvm_cfg<Function>& g, const llvm_latencies& weights = {},
                                  std::vector<llvm_branch_facts> branches = {})
      : branches_(std::move(branches)) {
    SIMTFLOW_EXPECTS(branches_.empty() || branches_.size() == g.num_blocks(), "facts for each block, or none");
    weight_.reserve(g.num_blocks());
    for (std::size_t b = 0; b < g.num_blocks(); ++b) {
      std::uint32_t sum = 0;
      for (const llvm::Instruction& i : *g.block_at(b)) {
        const bool is_free = i.isTerminator() ? i.getNumSuccessors() < 2 : llvm::isa<llvm::PHINode>(i);
        if (!is_free && !i.isDebugOrPseudoInst()) sum += weights(i);
      }
      weight_.push_back(sum);
    }
  }

  /// @{
  /// As linearizable_code asks. \pre b is a number of a block. O(1).
  [[nodiscard]] std::uint32_t weight(block_id b) const { return weight_[b]; }
  [[nodiscard]] bool is_divergent(block_id b) const { return branches_.empty() || branches_[b].divergent; }
  [[nodiscard]] branch_likelihood likelihood(block_id b) const {
    return branches_.empty() ? branch_likelihood{} : branches_[b].likelihood;
  }
  [[nodiscard]] double frequency(block_id b) const { return branches_.empty() ? 1.0 : branches_[b].frequency; }
  /// @}

 private:
  std::vector<llvm_branch_facts> branches_;
  std::vector<std::uint32_t> weight_;
};

}  // namespace v0
}  // namespace simtflow
