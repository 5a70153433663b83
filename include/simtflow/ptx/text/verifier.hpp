// SPDX-License-Identifier: BSL-1.0
//
// Checks that a kernel or a device function makes sense: instructions exist and are supported, operands fit them,
// names are declared, branches go somewhere, calls fit their callees. All diagnostics about a function come back at
// once, each with its line and column.
//
// A function that can run off its end without ret or exit is refused, though ptxas takes that end for a ret and the
// manual is silent: no compiler writes it, and in text by hand it is a mistake. An unreachable end is fine, for example
// after a call of a .noreturn function.
//
// The implementation is in detail/: verifier_impl.hpp goes through the instructions, and a checker each looks at
// operands, values and addresses, calls, and the demands of single instructions.
//
// Literature: NVIDIA, Parallel Thread Execution ISA, sections "Type Checking", "Operand Size Exceeding Instruction-Type
// Size", "Function Declarations and Definitions", "Control Flow Instructions: call".
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/diagnostic.hpp>
#include <simtflow/ptx/text/checked_function.hpp>
#include <simtflow/ptx/text/module.hpp>
#include <simtflow/ptx/text/operation.hpp>

#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {

/// Verifies one function of a module, kernel or not. A declaration is correct.
///
///     const auto checked = (ptx::verify)(module, *module.find("kernel"));
///     if (!checked) report(checked.diagnostics());
///
/// \returns the function as checked code, which points to m and f; or every diagnostic about it, in textual order.
/// \pre f is a function of m. Complexity: linear in the text of f; with calls, in the text of m.
/// Errors: one diagnostic for each mistake, with its place in the text, at most max_diagnostics.
/// \snippet reference_ptx_test.cpp verify
// In parentheses: AssertMacros.h of macOS has a macro verify(x).
[[nodiscard]] SIMTFLOW_INLINE result<checked_function>(verify)(const module& m, const function& f);
result<checked_function>(verify)(const module&& m, const function& f) = delete;  // the module is kept

/// Every diagnostic about a module: names in initialisers, device functions, kernels. If there are none, verify()
/// accepts each of its functions. An empty module has none. Complexity: linear in the text.
[[nodiscard]] SIMTFLOW_INLINE diagnostics diagnose(const module& m);

namespace detail {

// Every diagnostic about one function, in textual order. Appends its operations to `operations`. A function without a
// body has neither. Linear in the text of the function.
SIMTFLOW_INLINE diagnostics diagnose_function(const module& m, const function& f, std::vector<operation>& operations);

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

#if !defined(SIMTFLOW_COMPILED)
#include <simtflow/ptx/text/detail/verifier_impl.hpp>
#endif
