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

#include <simtflow/ptx/text/lexer.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {

/// A constant: a signed or unsigned integer, an IEEE single that was written as one (0f...), a double.
struct constant_value {
  /// The kind of number.
  enum class type : std::uint8_t { none, signed_integer, unsigned_integer, single, real };
  type kind = type::none;  ///< none: not a number
  std::uint64_t bits = 0;  ///< of the integer, of the IEEE single, of the IEEE double

  /// Signed or unsigned.
  [[nodiscard]] constexpr bool is_integer() const {
    return kind == type::signed_integer || kind == type::unsigned_integer;
  }
  /// As a double; integers by their value.
  [[nodiscard]] constexpr double number() const {
    switch (kind) {
      case type::signed_integer:
        return static_cast<double>(static_cast<std::int64_t>(bits));
      case type::unsigned_integer:
        return static_cast<double>(bits);
      case type::single:
        return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
      default:
        return std::bit_cast<double>(bits);
    }
  }
};

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
