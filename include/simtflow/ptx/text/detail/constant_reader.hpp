// SPDX-License-Identifier: BSL-1.0
//
// The reader of constant expressions: two stacks, operators and values, and no recursion.
#pragma once

#include <simtflow/ptx/text/constant_expression.hpp>
#include <simtflow/ptx/text/detail/constant_operators.hpp>
#include <simtflow/ptx/text/lexer.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {
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
    if (values_.back().kind == kind::none) return {{}, at_, {}, arithmetic_.problem()};
    return {values_.back(), at_, {}, {}};
  }

 private:
  using kind = constant_value::type;
  using op = constant_operator;
  using enum constant_operator;

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

  /// The common case: one literal, perhaps with a minus, and no operator after it.
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

  /// Reads prefix operators and their operand. False if there is none.
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

  /// Reduces to the innermost thing that is still open. True if that is `o`.
  constexpr bool reduce_to(op o) {
    while (!operators_.empty() && operators_.back() != open && operators_.back() != question) reduce();
    return !operators_.empty() && operators_.back() == o;
  }

  /// Reads closing parentheses, then an infix operator. True if a value comes next.
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
      values_.push_back(arithmetic_.unary(o, b));
      return;
    }
    const constant_value a = pop();
    if (o != colon) {
      values_.push_back(arithmetic_.binary(o, a, b));
      return;
    }
    const constant_value condition = pop();
    if (!condition.is_integer())
      values_.push_back(condition.kind == kind::none ? condition : arithmetic_.no_value("its condition is no integer"));
    else
      values_.push_back(condition.bits != 0 ? a : b);
  }

  std::span<const token> tokens_;
  std::size_t at_;
  constant_arithmetic arithmetic_;
  std::vector<op> operators_;
  std::vector<constant_value> values_;
};

}  // namespace detail

constexpr constant_result read_constant(std::span<const token> tokens, std::size_t at) {
  return detail::constant_reader(tokens, at).run();
}

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
