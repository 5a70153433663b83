// SPDX-License-Identifier: BSL-1.0
//
// A module back to PTX text. Parsing the text gives the module again, except for positions, if all names in it are
// known; ptxas takes it wherever it takes the text that the module came from. Comments, attributes other than .managed,
// debug sections and each .pragma but "nounroll" after a label are gone. An instruction that a transform made has no
// place in a source of its own: it stands under the .loc of the instruction before.
//
// Prototypes of all functions come first, then variables, bodies of functions, kernels. Registers are declared in
// ranges where that is possible: ".reg .b32 %r<17>;".
//
// Literature: NVIDIA, Parallel Thread Execution ISA, chapters "Syntax", "Directives".
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/ptx/text/module.hpp>

#include <string>

namespace simtflow {
inline namespace v0 {
namespace ptx {

/// Writes a module as text.
///
///     std::fputs(ptx::print(module).c_str(), stdout);
///
/// \pre m came from parse(), or is as if: indices are in range, the items of a function name its labels, variables and
/// scopes in the order of the text. Complexity: linear in the module.
/// Errors: none; every module that parse() returns can be printed.
/// \snippet reference_ptx_test.cpp print
[[nodiscard]] SIMTFLOW_INLINE std::string print(const module& m);

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

#if !defined(SIMTFLOW_COMPILED)
#include <simtflow/ptx/text/detail/printer_impl.hpp>
#endif
