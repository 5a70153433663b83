// SPDX-License-Identifier: BSL-1.0
//
// Questions of the plugin to LLVM, about a function and its target.
#pragma once

#include <simtflow/interop/llvm_branch_facts.hpp>
#include <simtflow/interop/llvm_latencies.hpp>

#include <llvm/Analysis/BlockFrequencyInfo.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#if LLVM_VERSION_MAJOR >= 17
#include <llvm/Analysis/UniformityAnalysis.h>
#else
#include <llvm/Analysis/DivergenceAnalysis.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/Dominators.h>
#endif

#include <cstddef>
#include <optional>
#include <vector>

namespace plugin {

using namespace simtflow;

// LLVM's analysis of divergent branches. If the target has no divergence, all branches count as divergent: the code may
// be for a SIMT machine that LLVM does not know.
class branch_uniformity {
 public:
  branch_uniformity(llvm::Function& f, llvm::FunctionAnalysisManager& known) {
    const llvm::TargetTransformInfo& target = known.getResult<llvm::TargetIRAnalysis>(f);
#if LLVM_VERSION_MAJOR >= 17
    if (target.hasBranchDivergence(&f)) info_ = &known.getResult<llvm::UniformityInfoAnalysis>(f);
#else
    if (!target.hasBranchDivergence()) return;
    info_.emplace(f, known.getResult<llvm::DominatorTreeAnalysis>(f),
                  known.getResult<llvm::PostDominatorTreeAnalysis>(f), known.getResult<llvm::LoopAnalysis>(f), target,
                  false);
#endif
  }

  // True if the branch that ends the block is divergent.
  bool is_divergent(const llvm::BasicBlock& b) const {
    if (!info_) return true;
#if LLVM_VERSION_MAJOR >= 17
    return info_->hasDivergentTerminator(b);
#else
    const llvm::Instruction& last = *b.getTerminator();
    for (const llvm::Use& used : last.operands())
      if (!llvm::isa<llvm::BasicBlock>(used) && info_->isDivergentUse(used)) return true;
    return info_->isDivergent(last);
#endif
  }
  // The same as a predicate that refers to this.
  auto predicate() const {
    return [this](const llvm::BasicBlock* b) { return is_divergent(*b); };
  }

 private:
#if LLVM_VERSION_MAJOR >= 17
  llvm::UniformityInfo* info_ = nullptr;
#else
  std::optional<llvm::DivergenceInfo> info_;
#endif
};

// The facts about the branches of a function as it is now: divergent or not, likelihoods by !prof, frequencies by
// LLVM's estimate, which !prof enters also. Who asks again has changed the function.
inline auto asks_llvm(llvm::FunctionAnalysisManager& known) {
  return [&known, asked = static_cast<llvm::Function*>(nullptr)](llvm::Function& f) mutable {
    if (asked == &f) known.invalidate(f, llvm::PreservedAnalyses::none());
    asked = &f;
    const branch_uniformity threads(f, known);
    auto facts = branch_facts(f, [&](const llvm::BasicBlock& b) { return threads.is_divergent(b); });
    const llvm::BlockFrequencyInfo& often = known.getResult<llvm::BlockFrequencyAnalysis>(f);
    std::size_t k = 0;
    for (const llvm::BasicBlock& b : f)
      facts[k++].frequency = static_cast<double>(often.getBlockFreq(&b).getFrequency());
    return facts;
  };
}

// Casts and addresses that the target executes as a part of other instructions. LLVM's cost model knows no latencies of
// GPUs, and takes shared memory to be as slow as any: all other weights come from llvm_latencies.
inline auto free_on(const llvm::TargetTransformInfo& target) {
  return [&target](const llvm::Instruction& i) {
    return (llvm::isa<llvm::CastInst>(i) || llvm::isa<llvm::GetElementPtrInst>(i)) &&
           target.getInstructionCost(&i, llvm::TargetTransformInfo::TCK_SizeAndLatency) == 0;
  };
}

// True if f is a kernel for NVPTX: by its calling convention, or by the module's metadata, which name functions.
inline bool is_nvptx_kernel(const llvm::Function& f) {
  if (f.getCallingConv() == llvm::CallingConv::PTX_Kernel) return true;
  const llvm::NamedMDNode* named = f.getParent()->getNamedMetadata("nvvm.annotations");
  for (unsigned k = 0; named != nullptr && k < named->getNumOperands(); ++k) {
    const llvm::MDNode& entry = *named->getOperand(k);
    if (entry.getNumOperands() < 2 || llvm::mdconst::dyn_extract_or_null<llvm::Function>(entry.getOperand(0)) != &f)
      continue;
    for (unsigned n = 1; n < entry.getNumOperands(); n += 2)
      if (const auto* what = llvm::dyn_cast_or_null<llvm::MDString>(entry.getOperand(n));
          what != nullptr && what->getString() == "kernel")
        return true;
  }
  return false;
}

}  // namespace plugin
