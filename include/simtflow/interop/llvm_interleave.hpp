// SPDX-License-Identifier: BSL-1.0
//
// Branch interleaving of LLVM functions. Both arms of a divergent branch are cut where they wait for a load, and
// threads of both arms come together at each cut: one arm's loads are in flight while the other arm runs.
// transform/interleave_order.hpp chooses branches and cuts, transform/interleave_phases.hpp writes the plan.
//
//   const llvm_interleaving made = interleave(f);
//   for (const diagnostic& why : made.obstacles) llvm::errs() << f.getName() << ": " << why.message << "\n";
//
// Passes that move instructions between blocks undo it: run them before. Values that live across a cut become phis.
#pragma once

#include <simtflow/analysis/cfg_facts.hpp>
#include <simtflow/config.hpp>
#include <simtflow/diagnostic.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/snapshot.hpp>
#include <simtflow/interop/llvm.hpp>
#include <simtflow/interop/llvm_branch_facts.hpp>
#include <simtflow/interop/llvm_check_rewrite.hpp>
#include <simtflow/interop/llvm_latencies.hpp>
#include <simtflow/interop/llvm_rewrite.hpp>
#include <simtflow/interop/llvm_timed_code.hpp>
#include <simtflow/transform/check_plan.hpp>
#include <simtflow/transform/interleave_order.hpp>
#include <simtflow/transform/interleave_phases.hpp>
#include <simtflow/transform/plan.hpp>

#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// Options of interleave().
struct llvm_interleave_options {
  interleave_prices prices{};  ///< what cuts cost
  /// True if the plan is checked first (transform/check_plan.hpp), and what was written of it afterwards
  /// (llvm_check_rewrite.hpp).
  bool prove = true;
};

/// The outcome of interleave().
struct llvm_interleaving {
  std::vector<interleaving_choice> branches;  ///< every branch, by blocks of the function as it was
  std::size_t interleaved = 0;                ///< branches with arms that are cut now
  diagnostics obstacles;                      ///< why the function stays as it was; empty if nothing prevented it
  diagnostics faults;                         ///< what was written wrong: a mistake of the writer; f is of no use then
};

/// Interleaves the arms of the branches of f for which the expected time falls, as described at the top of this header.
/// \param f        the function; it stays as it is if no branch pays, or an obstacle prevents it
/// \param options  prices, and whether the plan is proved
/// \param cycles   of its instructions
/// \param branches what is known of its branches, by block; empty: all are divergent, as likely as any
/// \returns what was judged and done. Errors: none but obstacles and faults.
/// \pre f is valid (llvm::verifyFunction). Complexity: as choose_interleavings() and rewrite().
[[nodiscard]] inline llvm_interleaving interleave(llvm::Function& f, const llvm_interleave_options& options = {},
                                                  const llvm_latencies& cycles = {},
                                                  std::vector<llvm_branch_facts> branches = {}) {
  llvm_interleaving out;
  out.obstacles = obstacles_to_rewriting(f);
  if (!out.obstacles.empty()) return out;
  llvm_cfg<llvm::Function> g(f);
  const llvm_timed_code<llvm::Function> code(g, cycles, std::move(branches));
  {
    const csr_graph shape = snapshot(g);
    cfg_facts facts(shape);
    out.branches = choose_interleavings(facts, code, options.prices);
  }
  std::vector<const llvm::BasicBlock*> branch;  // with arms that are cut
  std::vector<std::vector<llvm::Instruction*>> cut[2];
  for (const interleaving_choice& c : out.branches) {
    if (!c.pays()) continue;
    ++out.interleaved;
    branch.push_back(g.block_at(c.branch));
    for (unsigned slot = 0; slot < 2; ++slot) {
      cut[slot].emplace_back();
      for (const phase_begin& p : c.cuts[slot])
        cut[slot].back().push_back(p.block == no_block ? nullptr : &code.instruction(p.instruction));
    }
  }
  if (out.interleaved == 0) return out;
  std::vector<llvm::BasicBlock*> made;  // blocks that were cut off
  for (const auto& arms : cut)
    for (const auto& arm : arms)
      for (llvm::Instruction* i : arm)
        if (i != nullptr && i != i->getParent()->getFirstNonPHIOrDbg())
          made.push_back(llvm::SplitBlock(i->getParent(), i));
  g.renumber();
  const csr_graph shape = snapshot(g);
  cfg_facts facts(shape);
  flow_plan plan(shape);
  for (std::size_t k = 0; k < branch.size(); ++k) {
    const auto b = static_cast<block_id>(g.index(branch[k]));
    std::vector<arm_cut> cuts(cut[0][k].size());
    for (std::size_t n = 0; n < cuts.size(); ++n)
      for (unsigned slot = 0; slot < 2; ++slot) {
        const llvm::Instruction* i = cut[slot][k][n];
        cuts[n].next[slot] =
            i == nullptr ? facts.post_dominators().ipdom(b) : static_cast<block_id>(g.index(i->getParent()));
      }
    interleave_phases(plan, facts, b, std::span<const arm_cut>(cuts));
  }
  std::optional<llvm_code_record> before;
  if (options.prove) before.emplace(f);
  if (options.prove && check_plan(shape, plan))
    out.obstacles.push_back({{}, "the plan that interleaves its branches is wrong"});
  else
    out.obstacles = rewrite(f, plan);
  if (out.obstacles.empty() && options.prove) out.faults = check_rewrite(*before, plan, f);
  if (out.obstacles.empty()) return out;
  out.interleaved = 0;
  for (auto b = made.rbegin(); b != made.rend(); ++b) (void)llvm::MergeBlockIntoPredecessor(*b);
  return out;
}

}  // namespace v0
}  // namespace simtflow
