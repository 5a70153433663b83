// SPDX-License-Identifier: BSL-1.0
//
// Whether a kernel or a device function makes sense: instructions that exist and are supported, operands that fit them,
// names that are declared, branches that go somewhere, calls that fit their callee. All diagnostics about a function
// come back at once, each with its line and column.
//
// A function that can reach its end without ret or exit is refused, though ptxas takes that end for a ret and the manual
// is silent: no compiler writes it, and in text by hand it is a mistake. An end that nothing reaches is fine (after a
// call of a .noreturn function, for example).
//
// Operand sizes follow the ISA's table "Operand Size Exceeding Instruction-Type Size": a register fits an instruction
// type of its own size if both are integers, both floating point, or one of them is untyped bits; in ld, st and cvt
// only the register may also be wider than the type, if both are integers or one of them is untyped bits.
//
// Literature: NVIDIA, Parallel Thread Execution ISA, sections "Type Checking", "Operand Size Exceeding Instruction-Type
// Size", "Function Declarations and Definitions", "Control Flow Instructions: call".
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/diagnostic.hpp>
#include <simtflow/ptx/text/checked_function.hpp>
#include <simtflow/ptx/text/module.hpp>
#include <simtflow/ptx/text/opcode.hpp>

#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {

/// Verifies one function of a module, kernel or not. A declaration is correct.
/// \returns the function as checked code, which points to m and f; or every diagnostic about it, in textual order.
/// \pre f is a function of m. Complexity: linear in the text of f; with calls, in the text of m.
// In parentheses: AssertMacros.h of macOS has a macro verify(x).
[[nodiscard]] SIMTFLOW_INLINE result<checked_function>(verify)(const module& m, const function& f);
result<checked_function>(verify)(const module&& m, const function& f) = delete;  // the module is kept

/// Every diagnostic about a module: names in initialisers, device functions, kernels. If there are none, verify()
/// accepts each of its functions. An empty module has none. Complexity: linear in the text.
[[nodiscard]] SIMTFLOW_INLINE diagnostics diagnose(const module& m);

namespace detail {

// Every diagnostic about one function, in textual order. Appends its operations to `operations`. A function without a
// body has neither. Linear in the text of the function.
SIMTFLOW_INLINE diagnostics check(const module& m, const function& f, std::vector<operation>& operations);

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

#if !defined(SIMTFLOW_COMPILED)
#include <simtflow/ptx/text/detail/verifier_impl.hpp>
#endif
