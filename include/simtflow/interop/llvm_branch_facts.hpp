// SPDX-License-Identifier: BSL-1.0
//
// Facts about the branches of an LLVM function for melding and linearization: which are divergent, how likely warps
// diverge at them, and how often their blocks are executed.
//
// LLVM's profiles (!prof branch_weights) count threads, not warps: w0 and w1 of them took slot 0 and slot 1. How many
// warps diverged does not follow. The estimate stands between two extremes. If the threads of a warp always agree, the
// share x = w0 / (w0 + w1) of warps takes slot 0 and none diverges. If each of n threads decides for itself, x^n of the
// warps take slot 0 and (1 - x)^n take slot 1. The likelihood is the mean of both: for x = 0.5 the default of
// branch_likelihood, and next to nothing diverges as x comes close to 0 or 1.
//
// Literature: LLVM Branch Weight Metadata.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/transform/branch_likelihood.hpp>

#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Metadata.h>

#include <cstdint>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// Facts about the branch that ends a block.
struct llvm_branch_facts {
  bool divergent = true;           ///< false: the threads of a warp always agree at it
  branch_likelihood likelihood{};  ///< how often they disagree
  double frequency = 1;            ///< how often the block is executed; only ratios within a function count
};

/// The likelihood for a branch at which `first` threads took slot 0 and `second` threads took slot 1, in warps of
/// `warp_width` threads, as estimated at the top of this header. The default if nothing was counted. O(warp_width)
[[nodiscard]] constexpr branch_likelihood likelihood_of_threads(std::uint64_t first, std::uint64_t second,
                                                                unsigned warp_width = 32) {
  branch_likelihood out;
  const double all = static_cast<double>(first) + static_cast<double>(second);
  if (!(all > 0)) return out;
  const double x = static_cast<double>(first) / all, y = static_cast<double>(second) / all;
  double all_first = 1, all_second = 1;
  for (unsigned k = 0; k < warp_width; ++k) {
    all_first *= x;
    all_second *= y;
  }
  all_first = (x + all_first) / 2;
  all_second = (y + all_second) / 2;
  out.parted = 1 - all_first - all_second > 0 ? 1 - all_first - all_second : 0;
  out.first = all_first / (all_first + all_second);
  return out;
}

/// The likelihood of the branch that ends a block by its !prof metadata; the default if it has none, or not two slots.
/// O(1).
[[nodiscard]] inline branch_likelihood likelihood_of_profile(const llvm::BasicBlock& b) {
  const llvm::Instruction* last = b.getTerminator();
  if (last == nullptr || last->getNumSuccessors() != 2) return {};
  const llvm::MDNode* counted = last->getMetadata(llvm::LLVMContext::MD_prof);
  if (counted == nullptr || counted->getNumOperands() < 3) return {};
  const auto* kind = llvm::dyn_cast<llvm::MDString>(counted->getOperand(0));
  if (kind == nullptr || kind->getString() != "branch_weights") return {};
  // From LLVM 19 on a second string may say that the weights come from llvm.expect.
  const unsigned at = counted->getNumOperands() - 2;
  const auto* first = llvm::mdconst::dyn_extract<llvm::ConstantInt>(counted->getOperand(at));
  const auto* second = llvm::mdconst::dyn_extract<llvm::ConstantInt>(counted->getOperand(at + 1));
  if (first == nullptr || second == nullptr) return {};
  return likelihood_of_threads(first->getZExtValue(), second->getZExtValue());
}

/// The facts about the branches of a function, by block in the order of the function, from their !prof metadata.
/// `is_divergent(block)` tells divergent branches from others; branches on constants never are. O(blocks)
template <class IsDivergent>
[[nodiscard]] std::vector<llvm_branch_facts> branch_facts(const llvm::Function& f, const IsDivergent& is_divergent) {
  std::vector<llvm_branch_facts> out;
  for (const llvm::BasicBlock& b : f) out.push_back({is_divergent(b), likelihood_of_profile(b), 1});
  return out;
}

}  // namespace v0
}  // namespace simtflow
