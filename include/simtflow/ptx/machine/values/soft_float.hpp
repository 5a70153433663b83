// SPDX-License-Identifier: BSL-1.0
//
// Floating-point arithmetic in integers: any binary format, any rounding, never the processor's rounding mode. For what
// the processor has no instruction for: directed rounding of doubles, halves, 8-bit numbers.
//
//   unpacked  a value taken apart: sign, exponent, a fraction of 128 bits; exact, or with everything that did not fit
//             ored into the last bit, which is as good for rounding
//   format    how many bits a packed number has
//
// Every operation here is exact up to that last bit; pack_float() rounds once.
//
// Literature: IEEE Std 754-2019. J. R. Hauser: Berkeley SoftFloat (the jamming shift). J.-M. Muller et al.: Handbook of
// Floating-Point Arithmetic, 2nd edition (2018), chapter 8.
#pragma once

#include <simtflow/ptx/text/opcode.hpp>

#include <bit>
#include <cstdint>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

/// A binary format: digits of the significand (the hidden one included) and the exponent's bias; sign bit in front.
struct float_format {
  int digits;
  int bias;
  /// e4m3 has no infinity and uses its last exponent for numbers, but for one NaN.
  bool finite_only = false;

  [[nodiscard]] constexpr int exponent_bits() const {
    return static_cast<int>(std::bit_width(static_cast<unsigned>(2 * bias + 1)));
  }
  [[nodiscard]] constexpr std::uint64_t sign() const { return std::uint64_t{1} << (digits - 1 + exponent_bits()); }
  [[nodiscard]] constexpr std::uint64_t infinity() const {
    return static_cast<std::uint64_t>(2 * bias + 1) << (digits - 1);
  }
  [[nodiscard]] constexpr std::uint64_t largest() const {
    return finite_only ? infinity() + (std::uint64_t{1} << (digits - 1)) - 2 : infinity() - 1;
  }
};
inline constexpr float_format format_f64{53, 1023};
inline constexpr float_format format_f32{24, 127};
inline constexpr float_format format_f16{11, 15};
inline constexpr float_format format_bf16{8, 127};
inline constexpr float_format format_tf32{11, 127};
inline constexpr float_format format_e5m2{3, 15};
inline constexpr float_format format_e4m3{4, 7, true};

struct unpacked_float {
  enum class what : std::uint8_t { zero, finite, infinite, nan };
  what kind = what::zero;
  bool minus = false;
  int exponent = 0;
  std::uint64_t high = 0;  ///< 1.fraction: its top bit is set if finite
  std::uint64_t low = 0;
};

/// Right by n, what falls out is ored into the last bit.
constexpr void shift_jamming(unpacked_float& x, int n) {
  if (n <= 0) return;
  if (n >= 128) {
    x.low = (x.high | x.low) != 0 ? 1 : 0;
    x.high = 0;
    return;
  }
  if (n >= 64) {
    x.low = x.high | (x.low != 0 ? 1U : 0U);  // the jam of what is far below what follows
    x.high = 0;
    n -= 64;
    if (n == 0) return;
  }
  const bool lost = (x.low << (64 - n)) != 0;
  x.low = (x.low >> n) | (x.high << (64 - n)) | (lost ? 1U : 0U);
  x.high >>= n;
}
/// The top bit to its place.
constexpr void normalize(unpacked_float& x) {
  if ((x.high | x.low) == 0) {
    x.kind = unpacked_float::what::zero;
    return;
  }
  int n = std::countl_zero(x.high);
  if (n == 64) {
    x.high = x.low;
    x.low = 0;
    x.exponent -= 64;
    n = std::countl_zero(x.high);
  }
  if (n == 0) return;
  x.high = (x.high << n) | (x.low >> (64 - n));
  x.low <<= n;
  x.exponent -= n;
}

constexpr unpacked_float unpack_float(std::uint64_t bits, const float_format& f) {
  unpacked_float x;
  x.minus = (bits & f.sign()) != 0;
  const std::uint64_t magnitude = bits & (f.sign() - 1);
  const int stored = static_cast<int>(magnitude >> (f.digits - 1));
  const std::uint64_t fraction = magnitude & ((std::uint64_t{1} << (f.digits - 1)) - 1);
  if (f.finite_only ? magnitude == f.sign() - 1 : magnitude > f.infinity()) {
    x.kind = unpacked_float::what::nan;
  } else if (!f.finite_only && magnitude == f.infinity()) {
    x.kind = unpacked_float::what::infinite;
  } else if (magnitude != 0) {
    x.kind = unpacked_float::what::finite;
    x.exponent = (stored == 0 ? 1 : stored) - f.bias;
    x.high = (stored == 0 ? fraction : fraction | (std::uint64_t{1} << (f.digits - 1))) << (64 - f.digits);
    normalize(x);
  }
  return x;
}
constexpr unpacked_float from_integer(std::uint64_t magnitude, bool minus) {
  unpacked_float x;
  x.kind = unpacked_float::what::finite;
  x.minus = minus;
  x.exponent = 63;
  x.high = magnitude;
  normalize(x);
  if (x.kind == unpacked_float::what::zero) x.minus = false;
  return x;
}

/// Rounds to a format. NaN is a zero sign, then all ones.
constexpr std::uint64_t pack_float(unpacked_float x, const float_format& f, rounding how) {
  const std::uint64_t sign = x.minus ? f.sign() : 0;
  if (x.kind == unpacked_float::what::nan) return f.sign() - 1;
  if (x.kind == unpacked_float::what::zero) return sign;
  const bool away = how == rounding::rp ? !x.minus : how == rounding::rm ? x.minus : false;  // from zero if inexact
  const bool nearest = how == rounding::none || how == rounding::rn || how == rounding::rna;
  const std::uint64_t beyond = f.finite_only ? f.sign() - 1 : f.infinity();
  if (x.kind == unpacked_float::what::infinite) return sign | beyond;
  const int least = 1 - f.bias;
  int stored = x.exponent + f.bias;
  if (x.exponent < least) {
    shift_jamming(x, least - x.exponent);
    stored = 1;  // the leading bit may come out as zero, which makes it 0 below
  }
  const std::uint64_t kept = x.high >> (64 - f.digits);
  const std::uint64_t rest = x.high << f.digits;
  const std::uint64_t half = std::uint64_t{1} << 63;
  const bool inexact = (rest | x.low) != 0;
  bool up = inexact && away;
  if (nearest) {
    const bool tie = rest == half && x.low == 0;
    up = rest >= half && (!tie || how == rounding::rna || (kept & 1U) != 0);
  }
  const std::uint64_t hidden = std::uint64_t{1} << (f.digits - 1);
  // A carry out of the fraction raises the exponent, a subnormal one becomes normal: one addition does both.
  const std::uint64_t packed = (static_cast<std::uint64_t>(stored) << (f.digits - 1)) + kept - hidden + (up ? 1U : 0U);
  if (x.exponent + f.bias > 2 * f.bias + 1 || packed > f.largest())
    return sign | (nearest || away ? beyond : f.largest());
  return sign | packed;
}

constexpr unpacked_float negated(unpacked_float x) {
  x.minus = !x.minus;
  return x;
}
constexpr unpacked_float make_nan() {
  unpacked_float x;
  x.kind = unpacked_float::what::nan;
  return x;
}

/// The sum. A zero that is the sum of something is negative if it is rounded down. \pre fractions of at most 106 bits.
constexpr unpacked_float float_sum(unpacked_float a, unpacked_float b, rounding how) {
  using what = unpacked_float::what;
  if (a.kind == what::nan || b.kind == what::nan) return make_nan();
  if (a.kind == what::infinite || b.kind == what::infinite) {
    if (a.kind == b.kind && a.minus != b.minus) return make_nan();
    return a.kind == what::infinite ? a : b;
  }
  if (a.kind == what::zero && b.kind == what::zero) {
    a.minus = a.minus == b.minus ? a.minus : how == rounding::rm;
    return a;
  }
  if (a.kind == what::zero) return b;
  if (b.kind == what::zero) return a;
  if (a.exponent < b.exponent) {
    const unpacked_float t = a;
    a = b;
    b = t;
  }
  const int distance = a.exponent - b.exponent;
  shift_jamming(a, 2);
  shift_jamming(b, 2 + distance);
  if (a.minus == b.minus) {
    a.low += b.low;
    a.high += b.high + (a.low < b.low ? 1U : 0U);
  } else {
    const bool less = a.high < b.high || (a.high == b.high && a.low < b.low);
    const unpacked_float& big = less ? b : a;
    const unpacked_float& lesser = less ? a : b;
    const std::uint64_t low = big.low - lesser.low;
    const std::uint64_t high = big.high - lesser.high - (big.low < lesser.low ? 1U : 0U);
    a.minus = big.minus;
    a.low = low;
    a.high = high;
  }
  a.exponent += 2;
  normalize(a);
  if (a.kind == what::zero) a.minus = how == rounding::rm;
  return a;
}

/// 64 x 64 bits.
constexpr void multiply_words(std::uint64_t x, std::uint64_t y, std::uint64_t& high, std::uint64_t& low) {
  const std::uint64_t xl = x & 0xFFFF'FFFFU, xh = x >> 32, yl = y & 0xFFFF'FFFFU, yh = y >> 32;
  const std::uint64_t mid = xh * yl + ((xl * yl) >> 32);
  const std::uint64_t mid2 = (mid & 0xFFFF'FFFFU) + xl * yh;
  high = xh * yh + (mid >> 32) + (mid2 >> 32);
  low = x * y;
}

/// The product. \pre fractions of at most 64 bits.
constexpr unpacked_float float_product(unpacked_float a, const unpacked_float& b) {
  using what = unpacked_float::what;
  const bool minus = a.minus != b.minus;
  if (a.kind == what::nan || b.kind == what::nan) return make_nan();
  if (a.kind == what::infinite || b.kind == what::infinite) {
    if (a.kind == what::zero || b.kind == what::zero) return make_nan();
    a.kind = what::infinite;
  } else if (a.kind == what::zero || b.kind == what::zero) {
    a.kind = what::zero;
  } else {
    multiply_words(a.high, b.high, a.high, a.low);
    a.exponent += b.exponent + 1;
    normalize(a);
  }
  a.minus = minus;
  return a;
}

/// The quotient, one bit at a time. \pre fractions of at most 63 bits.
constexpr unpacked_float float_quotient(unpacked_float a, const unpacked_float& b) {
  using what = unpacked_float::what;
  const bool minus = a.minus != b.minus;
  if (a.kind == what::nan || b.kind == what::nan || (a.kind == b.kind && a.kind != what::finite)) return make_nan();
  if (a.kind == what::infinite || b.kind == what::zero) {
    a.kind = what::infinite;
  } else if (a.kind == what::zero || b.kind == what::infinite) {
    a.kind = what::zero;
  } else {
    std::uint64_t rest = a.high >> 1;
    const std::uint64_t divisor = b.high >> 1;
    std::uint64_t q = 0;
    for (int i = 0; i < 64; ++i) {
      q <<= 1;
      if (rest >= divisor) {
        rest -= divisor;
        q |= 1U;
      }
      rest <<= 1;
    }
    a.high = q;
    a.low = rest != 0 ? 1 : 0;
    a.exponent -= b.exponent;
    normalize(a);
  }
  a.minus = minus;
  return a;
}

/// The square root, one digit at a time. \pre a fraction of at most 53 bits.
constexpr unpacked_float float_root(unpacked_float a) {
  using what = unpacked_float::what;
  if (a.kind == what::nan || a.kind == what::zero) return a;
  if (a.minus) return make_nan();
  if (a.kind == what::infinite) return a;
  const bool odd = (a.exponent & 1) != 0;
  std::uint64_t digits = odd ? a.high : a.high >> 1;  // two a step, from the top: value in [1, 4) times 2^62
  std::uint64_t root = 0;
  std::uint64_t rest = 0;
  for (int i = 0; i < 60; ++i) {
    rest = (rest << 2) | (digits >> 62);
    digits <<= 2;
    root <<= 1;
    const std::uint64_t trial = (root << 1) | 1U;
    if (rest >= trial) {
      rest -= trial;
      root |= 1U;
    }
  }
  a.exponent = (a.exponent - (odd ? 1 : 0)) / 2;
  a.high = root << 4;
  a.low = rest != 0 ? 1 : 0;
  return a;
}

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
