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
  /// Which kind of number it is.
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

/// A constant expression that was read: its value and the token behind it, or what is wrong.
struct constant_result {
  constant_value value;       ///< means something if ok()
  std::size_t next = 0;       ///< the first token behind what was read
  std::string_view expected;  ///< what should stand at `next`; empty if nothing is amiss there
  std::string_view problem;   ///< why the expression has no value; empty if it has one
  [[nodiscard]] constexpr bool ok() const { return expected.empty() && problem.empty(); }  ///< it has a value
};

namespace detail {

class constant_reader {
 public:
  constexpr constant_reader(std::span<const token> tokens, std::size_t at) : tokens_(tokens), at_(at) {}

  constexpr constant_result run() {
    if (constant_result r = plain(); r.next != 0) return r;
    do {
      if (!operand()) return {{}, at_, "a constant", {}};
    } while (infix());
    if (reduce_to(open)) return {{}, at_, "')'", {}};
    if (reduce_to(question)) return {{}, at_, "':'", {}};
    if (values_.back().kind == kind::none) return {{}, at_, {}, problem_};
    return {values_.back(), at_, {}, {}};
  }

 private:
  using kind = constant_value::type;
  enum op : std::uint8_t {
    open,
    question,
    colon,
    logical_or,
    logical_and,
    bit_or,
    bit_xor,
    bit_and,
    equal,
    unequal,
    less,
    greater,
    at_most,
    at_least,
    shift_left,
    shift_right,
    plus,
    minus,
    times,
    over,
    modulo,
    positive,
    negative,
    negation,
    complement,
    to_signed,
    to_unsigned,
    no_op
  };
  static constexpr int precedence(op o) {
    constexpr std::uint8_t table[] = {0, 1, 1,  2,  3,  4,  5,  6,  7,  7,  8,  8,  8, 8,
                                      9, 9, 10, 10, 11, 11, 11, 12, 12, 12, 12, 12, 12};
    return table[o];
  }

  constexpr const token& peek(std::size_t ahead = 0) const {
    return tokens_[at_ + ahead < tokens_.size() ? at_ + ahead : tokens_.size() - 1];
  }
  static constexpr constant_value literal(const token& t) {
    if (t.kind == token_kind::single) return {kind::single, t.bits};
    if (t.kind == token_kind::real) return {kind::real, t.bits};
    const bool is_unsigned = t.bits >> 63 != 0 || t.spelling.back() == 'U' || t.spelling.back() == 'u';
    return {is_unsigned ? kind::unsigned_integer : kind::signed_integer, t.bits};
  }
  static constexpr bool is_literal(const token& t) {
    return t.kind == token_kind::integer || t.kind == token_kind::single || t.kind == token_kind::real;
  }

  /// The common case: one literal, perhaps with a minus, and no operator behind it.
  constexpr constant_result plain() {
    const std::size_t sign = peek().is('-') ? 1 : 0;
    const token& t = peek(sign);
    if (!is_literal(t)) return {};
    const token& behind = peek(sign + 1);
    if (!behind.is(',') && !behind.is(';') && !behind.is(']') && !behind.is('}')) return {};
    constant_value v = literal(t);
    if (sign != 0) v = negated(v);
    return {v, at_ + sign + 1, {}, {}};
  }

  static constexpr constant_value negated(constant_value v) {
    if (v.kind == kind::single)
      v.bits ^= 0x8000'0000U;
    else if (v.kind == kind::real)
      v.bits ^= std::uint64_t{1} << 63;
    else
      v.bits = 0 - v.bits;
    return v;
  }

  /// Prefix operators and what they stand before.
  constexpr bool operand() {
    while (true) {
      const token& t = peek();
      if (is_literal(t)) {
        values_.push_back(literal(t));
        ++at_;
        return true;
      }
      op o = no_op;
      if (t.is('-')) o = negative;
      if (t.is('+')) o = positive;
      if (t.is('!')) o = negation;
      if (t.is('~')) o = complement;
      if (t.is('(')) {
        o = open;
        if (peek(2).is(')') && peek(1).kind == token_kind::dotted) {
          if (peek(1).spelling == ".s64") o = to_signed;
          if (peek(1).spelling == ".u64") o = to_unsigned;
          if (o != open) at_ += 2;
        }
      }
      if (o == no_op) return false;
      operators_.push_back(o);
      ++at_;
    }
  }

  /// Reduces to the innermost thing that is still open. Returns whether that is `o`.
  constexpr bool reduce_to(op o) {
    while (!operators_.empty() && operators_.back() != open && operators_.back() != question) reduce();
    return !operators_.empty() && operators_.back() == o;
  }

  /// What may follow a value: closing parentheses, then an infix operator. Returns whether a value comes next.
  constexpr bool infix() {
    while (peek().is(')')) {
      if (!reduce_to(open)) return false;
      operators_.pop_back();
      ++at_;
    }
    if (peek().is('?')) {
      while (!operators_.empty() && precedence(operators_.back()) > precedence(question)) reduce();
      operators_.push_back(question);
      ++at_;
      return true;
    }
    if (peek().is(':')) {
      if (!reduce_to(question)) return false;
      operators_.back() = colon;
      ++at_;
      return true;
    }
    std::size_t length = 1;
    const op o = binary(length);
    if (o == no_op) return false;
    while (!operators_.empty() && precedence(operators_.back()) >= precedence(o)) reduce();
    operators_.push_back(o);
    at_ += length;
    return true;
  }

  constexpr op binary(std::size_t& length) const {
    const token& t = peek();
    if (t.is(token_kind::word, "%")) return modulo;
    if (t.kind != token_kind::punctuation) return no_op;
    const token& behind = peek(1);
    const bool touching = behind.kind == token_kind::punctuation && behind.where.line == t.where.line &&
                          behind.where.column == t.where.column + 1;
    const char c = t.spelling.front();
    const char d = touching ? behind.spelling.front() : '\0';
    length = 2;
    if (c == '<' && d == '<') return shift_left;
    if (c == '>' && d == '>') return shift_right;
    if (c == '<' && d == '=') return at_most;
    if (c == '>' && d == '=') return at_least;
    if (c == '=' && d == '=') return equal;
    if (c == '!' && d == '=') return unequal;
    if (c == '&' && d == '&') return logical_and;
    if (c == '|' && d == '|') return logical_or;
    length = 1;
    switch (c) {
      case '+':
        return plus;
      case '-':
        return minus;
      case '*':
        return times;
      case '/':
        return over;
      case '%':
        return modulo;
      case '<':
        return less;
      case '>':
        return greater;
      case '&':
        return bit_and;
      case '^':
        return bit_xor;
      case '|':
        return bit_or;
      default:
        return no_op;
    }
  }

  /// No value: the problem shows if nothing discards it (a branch of ?: that is not taken).
  constexpr constant_value no_value(std::string_view why) {
    if (problem_.empty()) problem_ = why;
    return {};
  }

  constexpr constant_value pop() {
    const constant_value v = values_.back();
    values_.pop_back();
    return v;
  }

  constexpr void reduce() {
    const op o = operators_.back();
    operators_.pop_back();
    const constant_value b = pop();
    if (o >= positive) {
      values_.push_back(unary(o, b));
      return;
    }
    const constant_value a = pop();
    if (o != colon) {
      values_.push_back(binary(o, a, b));
      return;
    }
    const constant_value condition = pop();
    if (!condition.is_integer())
      values_.push_back(condition.kind == kind::none ? condition : no_value("its condition is no integer"));
    else
      values_.push_back(condition.bits != 0 ? a : b);
  }

  constexpr constant_value unary(op o, constant_value v) {
    if (v.kind == kind::none) return v;
    if (o == positive) return v;
    if (o == negative) return negated(v);
    if (!v.is_integer()) return no_value("floating point has no such operator");
    switch (o) {
      case negation:
        return {kind::signed_integer, v.bits == 0 ? 1U : 0U};
      case complement:
        return {kind::unsigned_integer, ~v.bits};
      case to_signed:
        return {kind::signed_integer, v.bits};
      default:
        return {kind::unsigned_integer, v.bits};
    }
  }

  constexpr constant_value binary(op o, constant_value a, constant_value b) {
    if (a.kind == kind::none || b.kind == kind::none) return {};
    if (!a.is_integer() || !b.is_integer()) return binary_real(o, a.number(), b.number());
    const bool is_unsigned = a.kind == kind::unsigned_integer || b.kind == kind::unsigned_integer;
    const kind common = is_unsigned ? kind::unsigned_integer : kind::signed_integer;
    const std::uint64_t x = a.bits;
    const std::uint64_t y = b.bits;
    const auto sx = static_cast<std::int64_t>(x);
    const auto sy = static_cast<std::int64_t>(y);
    const auto truth = [](bool t) { return constant_value{kind::signed_integer, t ? 1U : 0U}; };
    const bool before = is_unsigned ? x < y : sx < sy;
    switch (o) {
      case logical_or:
        return truth(x != 0 || y != 0);
      case logical_and:
        return truth(x != 0 && y != 0);
      case bit_or:
        return {common, x | y};
      case bit_xor:
        return {common, x ^ y};
      case bit_and:
        return {common, x & y};
      case equal:
        return truth(x == y);
      case unequal:
        return truth(x != y);
      case less:
        return truth(before);
      case at_least:
        return truth(!before);
      case greater:
        return truth(!before && x != y);
      case at_most:
        return truth(before || x == y);
      case shift_left:
        return {a.kind, x << (y & 63)};
      case shift_right:
        return {a.kind, a.kind == kind::signed_integer ? static_cast<std::uint64_t>(sx >> (y & 63)) : x >> (y & 63)};
      case plus:
        return {common, x + y};
      case minus:
        return {common, x - y};
      case times:
        return {common, x * y};
      default:
        break;
    }
    if (y == 0) return no_value("it divides by zero");
    if (o == modulo) return {kind::unsigned_integer, x % y};
    if (is_unsigned) return {common, x / y};
    return {common, sy == -1 ? 0 - x : static_cast<std::uint64_t>(sx / sy)};  // -1: also of the smallest integer
  }

  constexpr constant_value binary_real(op o, double x, double y) {
    const auto truth = [](bool t) { return constant_value{kind::signed_integer, t ? 1U : 0U}; };
    const auto real = [](double v) { return constant_value{kind::real, std::bit_cast<std::uint64_t>(v)}; };
    switch (o) {
      case plus:
        return real(x + y);
      case minus:
        return real(x - y);
      case times:
        return real(x * y);
      case over:
        if (y == 0) return no_value("it divides by zero");
        return real(x / y);
      case equal:
        return truth(x == y);
      case unequal:
        return truth(x != y);
      case less:
        return truth(x < y);
      case greater:
        return truth(x > y);
      case at_most:
        return truth(x <= y);
      case at_least:
        return truth(x >= y);
      default:
        return no_value("floating point has no such operator");
    }
  }

  std::span<const token> tokens_;
  std::size_t at_;
  std::string_view problem_;
  std::vector<op> operators_;
  std::vector<constant_value> values_;
};

}  // namespace detail

/// Reads the longest constant expression from token `at` on. \pre at < tokens.size(), the last of them `end`.
/// Complexity: linear in the tokens read.
[[nodiscard]] constexpr constant_result read_constant(std::span<const token> tokens, std::size_t at) {
  return detail::constant_reader(tokens, at).run();
}

/// Whether a token can begin a constant expression.
[[nodiscard]] constexpr bool starts_constant(const token& t) {
  return t.kind == token_kind::integer || t.kind == token_kind::single || t.kind == token_kind::real || t.is('-') ||
         t.is('+') || t.is('~') || t.is('(');
}

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
