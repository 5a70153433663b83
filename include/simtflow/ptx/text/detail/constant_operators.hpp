// SPDX-License-Identifier: BSL-1.0
//
// The operators of constant expressions on values.
#pragma once

#include <simtflow/ptx/text/constant_value.hpp>

#include <bit>
#include <cstdint>
#include <string_view>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

/// The operators, ordered so that all from `positive` on are unary.
enum class constant_operator : std::uint8_t {
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

constexpr int precedence(constant_operator o) {
  constexpr std::uint8_t table[] = {0, 1, 1,  2,  3,  4,  5,  6,  7,  7,  8,  8,  8, 8,
                                    9, 9, 10, 10, 11, 11, 11, 12, 12, 12, 12, 12, 12};
  return table[static_cast<std::uint8_t>(o)];
}

constexpr constant_value negated(constant_value v) {
  if (v.kind == constant_value::type::single)
    v.bits ^= 0x8000'0000U;
  else if (v.kind == constant_value::type::real)
    v.bits ^= std::uint64_t{1} << 63;
  else
    v.bits = 0 - v.bits;
  return v;
}

/// The results of operators. It keeps the first problem.
class constant_arithmetic {
 public:
  using enum constant_operator;

  constexpr constant_value unary(constant_operator o, constant_value v) {
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

  constexpr constant_value binary(constant_operator o, constant_value a, constant_value b) {
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

  constexpr constant_value binary_real(constant_operator o, double x, double y) {
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

  /// No value: the problem shows if nothing discards it (a branch of ?: that is not taken).
  constexpr constant_value no_value(std::string_view why) {
    if (problem_.empty()) problem_ = why;
    return {};
  }

  constexpr std::string_view problem() const { return problem_; }

 private:
  using kind = constant_value::type;

  std::string_view problem_;
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
