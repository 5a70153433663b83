// SPDX-License-Identifier: BSL-1.0
//
// PTX text to a module. The parser reads every age of PTX: parameters in parentheses or in the body, in .param space or
// in registers, prototypes that end without a semicolon, .loc lines, debug sections, nested scopes with registers and
// labels of their own. It takes any bytes and never stops at the first diagnostic: text that it cannot read becomes a
// diagnostic, and reading goes on after the statement. The verifier decides whether an instruction
// exists and fits its operands.
//
// Nothing here recurses on the text; braces nest at most 64 deep.
//
// The implementation is in detail/, a header for each part of the language. parser_impl.hpp reads the directives of a
// module; function_reader, declaration_reader and the readers below them share a parser_context.
//
// Literature: NVIDIA, Parallel Thread Execution ISA, chapters "Syntax", "State Spaces, Types, and Variables",
// "Instruction Operands", "Abstracting the ABI", "Directives".
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/diagnostic.hpp>
#include <simtflow/ptx/text/module.hpp>

#include <string_view>

namespace simtflow {
inline namespace v0 {
namespace ptx {

/// Reads a module.
///
///     const auto m = ptx::parse(text);
///     for (const diagnostic& d : m.diagnostics()) std::fprintf(stderr, "%s\n", to_string(d).c_str());
///     if (m) use(*m);
///
/// \returns the module; or, if anything is wrong with the text, every diagnostic about it in the order of the text, at
/// most max_diagnostics. A text without `.version` has a diagnostic, so an empty text is no module.
/// \pre none: any bytes are text. Complexity: linear in the text, times the nesting of scopes.
/// Errors: one diagnostic for each mistake, with its place in the text; the parser goes on after the mistake.
/// \snippet reference_ptx_test.cpp parse
[[nodiscard]] SIMTFLOW_INLINE result<module> parse(std::string_view text);

namespace detail {

/// A module as far as its text can be read, and the diagnostics about the rest.
struct module_text {
  ptx::module module;
  simtflow::diagnostics diagnostics;
};

/// Reads as much of a module as can be read.
[[nodiscard]] SIMTFLOW_INLINE module_text read_module(std::string_view text);

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

#if !defined(SIMTFLOW_COMPILED)
#include <simtflow/ptx/text/detail/parser_impl.hpp>
#endif
