// SPDX-License-Identifier: BSL-1.0
//
// Is the LLVM code written of a plan what the plan says? check_plan.hpp proves a plan; this proves the function that
// rewrite() (llvm_rewrite.hpp) has made of it, without the rewriter.
//
//   const llvm_code_record before(f);
//   if (rewrite(f, plan).empty())
//     for (const diagnostic& fault : check_rewrite(before, plan, f)) llvm::errs() << fault.message << "\n";
//
// The idea: a block of the plan and the block of code where it stands are a pair. The entry of the plan and the
// beginning of the function are one. In each pair the code must do what the block says, and then each edge of the block
// and the block of code that it leads to are a pair again.
//
//   blocks     the recorded instructions in order: opcode, type, flags, constants and callee; then only selects and
//              compares
//   branches   the recorded terminator with its case values, or a jump if all edges lead to one block
//   guards     a compare of 32 bits that holds for the range of the guard
//   exits      a ret where threads end, and none where they take an exit edge
//
// A use of a value of the same block is local. Any other value is followed backward, through phis and selects:
//
//   variables  to the edges that set them, where the value must be the constant, and to the beginning, where it is zero
//   results    from the ret of an end to the exit edges, where the value must be the one that the block returned
//   values     to the definition, along edges of lanes that go on to the block of the use. A lane takes no other path
//              if the plan is proved: values that share a slot are told apart. A phi is the value of the recorded edge;
//              an undefined value may have become any other one
//
// Values are followed along at most 100,000 edges of a function, since at guards each is followed once for every block
// that lanes go to. Larger functions have values that are not looked at; all else is always proved.
//
// The proof holds for a plan that check_plan() has proved. Names, metadata and locations for debuggers are not
// compared.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/diagnostic.hpp>
#include <simtflow/interop/detail/llvm_recorded_code.hpp>
#include <simtflow/interop/detail/llvm_rewrite_checker.hpp>
#include <simtflow/transform/plan.hpp>

#include <llvm/IR/Function.h>

namespace simtflow {
inline namespace v0 {

/// A function as it was before it is rewritten. It refers to no instruction and no block of the function, but to its
/// arguments, constants, globals and types.
class llvm_code_record {
 public:
  /// Takes the record of f.
  /// \param f the function, valid (llvm::verifyFunction); its module and context outlive the record
  /// Complexity: O(instructions), and a copy of each.
  explicit llvm_code_record(const llvm::Function& f) : code_(f) {}

  /// The record itself, for check_rewrite().
  [[nodiscard]] const detail::llvm_recorded_code& code() const { return code_; }

 private:
  detail::llvm_recorded_code code_;
};

/// Decides if `after` is the code of a plan.
/// \param before the function that the plan was made for
/// \param plan   a plan that check_plan() has proved for the graph of that function
/// \param after  the same function after rewrite(), or a valid function of the same form in the same module with the
///               same arguments
/// \returns one diagnostic with the block of the plan where the code is something else; empty: the code is proved.
/// Complexity: linear in code and plan, and for each variable the blocks in which it is live; for values a constant
/// number of edges, as said above. No recursion. Errors: none but the diagnostic.
[[nodiscard]] inline diagnostics check_rewrite(const llvm_code_record& before, const flow_plan& plan,
                                               const llvm::Function& after) {
  SIMTFLOW_EXPECTS(plan.num_blocks() == 0 || plan.num_originals() == before.code().blocks.size(),
                   "code is checked against the plan that it was made of");
  if (plan.num_blocks() == 0) return {};
  return detail::llvm_rewrite_checker(before.code(), plan, after).check_all();
}

}  // namespace v0
}  // namespace simtflow
