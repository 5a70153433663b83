// SPDX-License-Identifier: BSL-1.0
//
// Register pressure of an LLVM function: how many values are live at a time. Registers of 32 bits are the unit, as on
// PTX (ptx/transform/register_pressure.hpp); values of type i1 are predicates and are counted apart.
//
//   value   an argument, or the result of an instruction. Constants, globals and static allocas are none: their
//           addresses are known
//   live    from its definition to its last use, over all ways between. A phi uses its operands at the end of the
//           predecessors, and its result begins at the beginning of its block, with the results of the other phis
//   units   the bits of the type by the data layout, rounded up to 32; of a vector of i1 each element is a predicate
//
// The maximum is the maximum, over all instructions, of the values that are live before it, and of the values that are
// live after it or that it defines. Code generation adds and removes values, so this compares functions; it is no
// prediction.
//
// Literature: B. Boissinot, F. Brandner, A. Darte, B. Dupont de Dinechin, F. Rastello, A non-iterative data-flow
// algorithm for computing liveness sets in strict SSA programs (2011), for the walk from each use.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/interop/detail/llvm_live_values.hpp>

#include <llvm/IR/Function.h>
#include <llvm/IR/Instruction.h>

#include <cstdint>

namespace simtflow {
inline namespace v0 {

/// The live values of a function. Unreachable blocks have none. \see ptx::register_pressure
struct llvm_register_pressure {
  std::uint32_t live = 0;                            ///< most live values, in registers of 32 bits
  const llvm::Instruction* live_at = nullptr;        ///< the first instruction where it is reached; null: nothing lives
  std::uint32_t predicates = 0;                      ///< most live predicates
  const llvm::Instruction* predicates_at = nullptr;  ///< likewise
  std::uint32_t narrow = 0;                          ///< most live values of at most 32 bits, predicates left out
  std::uint32_t wide = 0;                            ///< most live values of 33 to 64 bits
  std::uint32_t wider = 0;                           ///< most live values of more bits
};

/// Counts the live values of a function.
/// \param f the function, in SSA form (verifyFunction() finds nothing wrong); a declaration has no values
/// \returns the maxima, each with its first instruction in the order of the function.
/// Complexity: for each value the blocks where it is live, with their edges; no recursion.
[[nodiscard]] inline llvm_register_pressure register_pressure_of(const llvm::Function& f) {
  llvm_register_pressure out;
  const auto higher = [](std::uint32_t count, std::uint32_t& most) {
    const bool is = count > most;
    if (is) most = count;
    return is;
  };
  detail::llvm_live_values(f).for_each_place([&](const llvm::Instruction& at, const detail::llvm_live_count& c) {
    if (higher(c.units, out.live)) out.live_at = &at;
    if (higher(c.predicates, out.predicates)) out.predicates_at = &at;
    higher(c.narrow, out.narrow);
    higher(c.wide, out.wide);
    higher(c.wider, out.wider);
  });
  return out;
}

}  // namespace v0
}  // namespace simtflow
