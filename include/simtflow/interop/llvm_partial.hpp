// SPDX-License-Identifier: BSL-1.0
//
// Partial linearization applied to LLVM functions (transform/partial_linearization.hpp), LLVM 14 to 23: a step of a
// code generator for SIMD hosts and for machines with masks. The result is scalar code for one lane in which control
// flow is the same for all lanes, so that each instruction can be widened to a vector of lanes.
//
//   masks        i1 values, one for each block in which lanes may be masked off (is_full is false): a lane waits for
//                the block. Blocks in which all lanes are active stay as they are
//   phis         become selects by the masks of the blocks that the values come from, and phis where branches and loops
//                stay. A value of a loop that is used after the loop keeps what it was in the lane's last iteration
//   loads,       go to a spare stack slot in lanes that are masked off: the address is selected. This needs no target's
//   stores,      masked operations, takes every type and atomics, and a code generator sees the mask in the select:
//   atomics      it may write a masked load or store instead. Loads that cannot trap stay as they are
//   divisions    by one in lanes that are masked off
//   calls        of what has effects go to a small function `F.masked.CALLEE`, which takes the mask as its first
//                argument and branches on it: a code generator serializes it, or calls a masked variant. Accesses to
//                other address spaces than the stack's do the same
//   promises     metadata and attributes about values are dropped in masked blocks, as are llvm.assume and lifetimes
//   any          a hook, `i1 any(i1)`: true if the argument is true in a lane. Loops ask it, and branches on which
//                active lanes agree, in blocks with a mask. For one lane alone it is the identity, which makes the
//                result a function that does what it did before
//   branches     that stay have a condition that is the same in all lanes: an answer of the hook, or a condition on
//                which lanes agree
//
// No mask is poison in any lane: conditions of masked blocks are taken by select, never by `and`.
//
// Literature: S. Moll, S. Hack, Partial control-flow linearization (2018); R. Karrenberg, S. Hack, Whole-function
// vectorization (2011). LLVM Language Reference, for poison and convergent.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/diagnostic.hpp>
#include <simtflow/graph/snapshot.hpp>
#include <simtflow/interop/detail/llvm_masked_effects.hpp>
#include <simtflow/interop/detail/llvm_obstacle.hpp>
#include <simtflow/interop/detail/llvm_partial_writer.hpp>
#include <simtflow/interop/llvm.hpp>
#include <simtflow/transform/partial_linearization.hpp>

#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>

#include <cstddef>
#include <string>

namespace simtflow {
inline namespace v0 {

/// How a function is linearized partially.
struct llvm_partial_options {
  /// The hook `i1 any(i1)` of the function's module; null: `simtflow.any`, which is declared if it is not there.
  llvm::Function* any = nullptr;
};

/// Figures of a function that was partially linearized.
struct llvm_partial_report {
  std::size_t removed_branches = 0;  ///< branches that lead to one block now
  std::size_t kept_branches = 0;     ///< branches that stay, because lanes agree; loops are not counted
  std::size_t turns = 0;             ///< blocks that were added to decide whether a loop goes on
  std::size_t masked_blocks = 0;     ///< blocks under a mask
  std::size_t selects = 0;           ///< values that are selected by a mask
  std::size_t masked_accesses = 0;   ///< loads, stores and atomics with a selected address
  std::size_t masked_calls = 0;      ///< calls, and accesses, that were moved to functions of their own
  std::size_t questions = 0;         ///< calls of the hook
};

/// The hook of a module: a declaration `i1 simtflow.any(i1)`, convergent and without effects on memory. O(1).
[[nodiscard]] inline llvm::Function& any_lane_hook(llvm::Module& m) {
  llvm::Function* found = m.getFunction("simtflow.any");
  if (found != nullptr) return *found;
  llvm::Type* one = llvm::Type::getInt1Ty(m.getContext());
  found = llvm::Function::Create(llvm::FunctionType::get(one, {one}, false), llvm::Function::ExternalLinkage,
                                 "simtflow.any", m);
  found->setConvergent();
  found->setDoesNotThrow();
  found->setDoesNotAccessMemory();
  found->setWillReturn();
  return *found;
}

/// Linearizes f partially, as described at the top of this header, in SSA form as before.
/// \param f            the function; it stays as it is if it is refused
/// \param is_divergent `is_divergent(const llvm::BasicBlock*)`: lanes that are together may leave the block by
///                     different edges; asked about blocks with two or more edges
/// \param options      the hook
/// \returns the report; or a diagnostic, if f cannot be rewritten (llvm_rewrite.hpp), has an irreducible loop
///          (fix_irreducible repairs it), or what cannot be under a mask: a convergent call, a stack slot of variable
///          size, a tail call that must stay one.
/// \pre f is valid (llvm::verifyFunction).
/// Complexity: as for partial_linearization and LLVM's promotion of the values that cross blocks.
template <class IsDivergent>
[[nodiscard]] result<llvm_partial_report> linearize_partially(llvm::Function& f, const IsDivergent& is_divergent,
                                                              const llvm_partial_options& options = {}) {
  if (const char* why = detail::llvm_obstacle(f)) return detail::llvm_obstacles(why);
  const llvm_cfg<llvm::Function> cfg(f);
  const auto agrees = [&](const llvm::BasicBlock* b) { return !is_divergent(b); };
  const partial_linearization path(cfg, agrees);
  if (path.refused_loop()) return detail::llvm_obstacles("a loop has several entries; fix_irreducible gives it one");
  for (const block_id b : path.order()) {
    const auto text = path.executes(b);
    if (!text) continue;
    if ((*text)->getTerminatingMustTailCall() != nullptr || (*text)->getTerminatingDeoptimizeCall() != nullptr)
      return detail::llvm_obstacles("it has a tail call that must stay one");
    if (path.is_full(b)) continue;
    for (const llvm::Instruction& i : **text)
      if (const char* what = detail::llvm_masked_effects::obstacle(i)) {
        diagnostics found;
        found.push_back({{}, std::string(what) + " cannot be under a mask"});
        return found;
      }
  }
  llvm::Function& any = options.any != nullptr ? *options.any : any_lane_hook(*f.getParent());
  llvm_partial_report report;
  report.removed_branches = path.num_removed_branches();
  report.kept_branches = path.num_kept_branches();
  for (const block_id b : path.order()) report.turns += path.turns(b) ? 1 : 0;
  detail::llvm_partial_writer writer(f, path, any, agrees);
  writer.write();
  report.masked_blocks = writer.masked_blocks;
  report.selects = writer.selects;
  report.masked_accesses = writer.effects().accesses;
  report.masked_calls = writer.effects().calls;
  report.questions = writer.questions;
  return report;
}

}  // namespace v0
}  // namespace simtflow
