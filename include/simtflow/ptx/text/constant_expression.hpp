// SPDX-License-Identifier: BSL-1.0
//
// Constant expressions: what may stand where PTX wants a number. Integers are signed 64-bit values unless they say U or
// do not fit. An operation is unsigned if one of its operands is; ~ and % are unsigned, a shift keeps the type of its
// left side and takes the amount modulo 64 (as ptxas does; the manual is silent). Floating point is double precision
// and has no bit operations. Operators and their precedence are C's, with the casts (.s64) and (.u64). Evaluated with
// two stacks, without recursion.
//
// Literature: NVIDIA, Parallel Thread Execution ISA, sections "Constant Expressions", "Integer Constant Expression
// Evaluation", "Summary of Constant Expression Evaluation Rules".
#pragma once

#include <simtflow/ptx/text/constant_value.hpp>
#include <simtflow/ptx/text/lexer.hpp>

#include <cstddef>
#include <span>
#include <string_view>

namespace simtflow {
inline namespace v0 {
namespace ptx {

/// A constant expression that was read: its value and the token after it, or what is wrong.
struct constant_result {
  constant_value value;       ///< means something if ok()
  std::size_t next = 0;       ///< the first token after the expression
  std::string_view expected;  ///< what should stand at `next`; empty if nothing is amiss there
  std::string_view problem;   ///< why the expression has no value; empty if it has one
  [[nodiscard]] constexpr bool ok() const { return expected.empty() && problem.empty(); }  ///< it has a value
};

/// Reads the longest constant expression from token `at` on. \pre at < tokens.size(), the last of them `end`.
/// Complexity: linear in the tokens read.
[[nodiscard]] constexpr constant_result read_constant(std::span<const token> tokens, std::size_t at);

/// True if a token can begin a constant expression.
[[nodiscard]] constexpr bool starts_constant(const token& t) {
  return t.kind == token_kind::integer || t.kind == token_kind::single || t.kind == token_kind::real || t.is('-') ||
         t.is('+') || t.is('~') || t.is('(');
}

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

#include <simtflow/ptx/text/detail/constant_reader.hpp>
