// SPDX-License-Identifier: BSL-1.0
//
// Instructions on half precision, for one lane: f16 (11 digits, exponents of 5 bits) and bf16 (the upper
// half of a single). A lane holds two of them in a word; instructions on one of them compute both and nobody looks at
// the upper one.
//
// A sum or product of halves, rounded to a single or a double first, is rounded to a half as if at once: the wider
// formats have more than twice the digits. A fused multiply-add is not; it goes through a double rounded to odd.
// NaN is 0x7fff.
//
// Literature: NVIDIA, Parallel Thread Execution ISA, chapter "Half Precision Floating-Point Instructions". S. A.
// Figueroa: When is Double Rounding Innocuous? (1995).
#pragma once

#include <simtflow/ptx/machine/values/conversions.hpp>
#include <simtflow/ptx/machine/values/float_rounding.hpp>
#include <simtflow/ptx/machine/values/rounding_to_odd.hpp>
#include <simtflow/ptx/machine/values/soft_float.hpp>
#include <simtflow/ptx/text/opcode.hpp>

#include <bit>
#include <cstdint>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

/// The two formats: from the low bits of a word to a single, and back to nearest.
struct f16_format {
  static constexpr std::uint32_t infinity = 0x7C00;
  static constexpr std::uint32_t one = 0x3C00;
  static constexpr std::uint32_t least_normal = 0x0400;
  static constexpr const float_format& format = format_f16;

  static constexpr float widen(std::uint32_t h) {
    const std::uint32_t magnitude = (h & 0x7FFFU) << 13;
    const std::uint32_t normal = magnitude + 0x3800'0000U;  // exponents move from bias 15 to 127
    // Subnormal: the fraction below 2^-14 less 2^-14, so that no subnormal single is ever computed with.
    const float fraction = std::bit_cast<float>(magnitude + 0x3880'0000U) - 0x1p-14F;
    std::uint32_t r = magnitude < 0x0080'0000U ? std::bit_cast<std::uint32_t>(fraction) : normal;
    r = magnitude >= 0x0F80'0000U ? magnitude + 0x7000'0000U : r;
    return std::bit_cast<float>(r | ((h & 0x8000U) << 16));
  }
  static constexpr std::uint32_t narrow(float v) {
    const auto bits = std::bit_cast<std::uint32_t>(v);
    const std::uint32_t magnitude = bits & 0x7FFF'FFFFU;
    // Small: adding 0.5 puts the last bit of a subnormal half where the sum is rounded.
    const std::uint32_t seen = magnitude < 0x3000'0000U ? 0U : magnitude;  // far below the last bit
    const std::uint32_t subnormal = std::bit_cast<std::uint32_t>(std::bit_cast<float>(seen) + 0.5F) - 0x3F00'0000U;
    const std::uint32_t normal = (magnitude - 0x3800'0000U + 0xFFFU + ((magnitude >> 13) & 1U)) >> 13;
    std::uint32_t r = magnitude < 0x3880'0000U ? subnormal : normal;
    r = magnitude >= 0x4780'0000U ? infinity : r;
    r |= (bits >> 16) & 0x8000U;
    return magnitude > 0x7F80'0000U ? 0x7FFFU : r;
  }
};
struct bf16_format {
  static constexpr std::uint32_t infinity = 0x7F80;
  static constexpr std::uint32_t one = 0x3F80;
  static constexpr std::uint32_t least_normal = 0x0080;
  static constexpr const float_format& format = format_bf16;

  static constexpr float widen(std::uint32_t h) { return std::bit_cast<float>(h << 16); }
  static constexpr std::uint32_t narrow(float v) {
    const auto bits = std::bit_cast<std::uint32_t>(v);
    const std::uint32_t r = (bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16;
    return (bits & 0x7FFF'FFFFU) > 0x7F80'0000U ? 0x7FFFU : r;
  }
};

/// A double to a single that rounds on as the double would have.
inline float single_to_odd(double v) {
  const auto f = static_cast<float>(v);
  const auto back = static_cast<double>(f);
  const auto bits = std::bit_cast<std::uint32_t>(f);
  const bool inexact = (back < v) | (back > v);
  const bool beyond = (bits & 0x7FFF'FFFFU) == 0x7F80'0000U;  // infinity is far above every half: as good
  const std::uint32_t step = (back < v) == ((bits >> 31) == 0) ? 1U : 0xFFFF'FFFFU;
  const bool move = inexact & ((bits & 1U) == 0) & !beyond;
  // From a zero only away.
  return std::bit_cast<float>(move ? ((bits & 0x7FFF'FFFFU) == 0 ? bits + 1U : bits + step) : bits);
}

template <class H, std::uint32_t (*F)(std::uint32_t, std::uint32_t)>
constexpr std::uint32_t both_of(std::uint32_t a, std::uint32_t b) {
  return F(a & 0xFFFFU, b & 0xFFFFU) | (F(a >> 16, b >> 16) << 16);
}

template <class H>
constexpr std::uint32_t one_add(std::uint32_t a, std::uint32_t b) {
  return H::narrow(H::widen(a) + H::widen(b));
}
template <class H>
constexpr std::uint32_t one_mul(std::uint32_t a, std::uint32_t b) {
  if constexpr (std::is_same_v<H, f16_format>)
    return H::narrow(H::widen(a) * H::widen(b));
  else  // the product of two bf16 can be too small for a single
    return H::narrow(single_to_odd(static_cast<double>(H::widen(a)) * static_cast<double>(H::widen(b))));
}
template <class H>
constexpr std::uint32_t one_fma(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  const double p = static_cast<double>(H::widen(a)) * static_cast<double>(H::widen(b));
  return H::narrow(single_to_odd(sum_to_odd(p, static_cast<double>(H::widen(c)))));
}
/// The smaller one; a number rather than a NaN; -0 is smaller than +0.
template <class H, bool Max, bool NanWins>
constexpr std::uint32_t one_min(std::uint32_t a, std::uint32_t b) {
  const bool a_nan = (a & 0x7FFFU) > H::infinity;
  const bool b_nan = (b & 0x7FFFU) > H::infinity;
  // In the order of the numbers: negative ones below, their magnitudes turned round.
  const std::uint32_t x = (a & 0x8000U) != 0 ? 0xFFFFU - a : a | 0x8000U;
  const std::uint32_t y = (b & 0x8000U) != 0 ? 0xFFFFU - b : b | 0x8000U;
  const std::uint32_t value = (x < y) != Max ? a : b;
  const bool none = NanWins ? a_nan | b_nan : a_nan & b_nan;
  return none ? 0x7FFFU : a_nan ? b : b_nan ? a : value;
}

template <class H>
constexpr std::uint32_t half_add(std::uint32_t a, std::uint32_t b) {
  return both_of<H, &one_add<H>>(a, b);
}
template <class H>
constexpr std::uint32_t half_sub(std::uint32_t a, std::uint32_t b) {
  return both_of<H, &one_add<H>>(a, b ^ 0x8000'8000U);
}
template <class H>
constexpr std::uint32_t half_mul(std::uint32_t a, std::uint32_t b) {
  return both_of<H, &one_mul<H>>(a, b);
}
template <class H>
constexpr std::uint32_t half_fma(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  return one_fma<H>(a & 0xFFFFU, b & 0xFFFFU, c & 0xFFFFU) | (one_fma<H>(a >> 16, b >> 16, c >> 16) << 16);
}
template <class H, bool Max, bool NanWins>
constexpr std::uint32_t half_min(std::uint32_t a, std::uint32_t b) {
  return both_of<H, &one_min<H, Max, NanWins>>(a, b);
}
constexpr std::uint32_t half_neg(std::uint32_t a) { return a ^ 0x8000'8000U; }
constexpr std::uint32_t half_abs(std::uint32_t a) { return a & 0x7FFF'7FFFU; }
constexpr std::uint32_t half_xor_signs(std::uint32_t value, std::uint32_t a, std::uint32_t b) {
  return (value & 0x7FFF'7FFFU) | ((a ^ b) & 0x8000'8000U);
}

template <std::uint32_t (*F)(std::uint32_t)>
constexpr std::uint32_t on_both(std::uint32_t a) {
  return F(a & 0xFFFFU) | (F(a >> 16) << 16);
}
/// Subnormal to zero of the same sign.
template <class H>
constexpr std::uint32_t one_flush(std::uint32_t a) {
  return (a & 0x7FFFU) < H::least_normal ? a & 0x8000U : a;
}
/// To [0, 1]; NaN to +0.
template <class H>
constexpr std::uint32_t one_saturate(std::uint32_t a) {
  const std::uint32_t positive = a > 0x7FFFU || a > H::infinity ? 0U : a;
  return positive > H::one ? H::one : positive;
}
/// Negative to +0; one NaN.
template <class H>
constexpr std::uint32_t one_relu(std::uint32_t a) {
  return (a & 0x7FFFU) > H::infinity ? 0x7FFFU : (a & 0x8000U) != 0 ? 0U : a;
}
/// The largest number for infinity.
template <class H>
constexpr std::uint32_t one_finite(std::uint32_t a) {
  return (a & 0x7FFFU) == H::infinity ? a - 1U : a;
}
template <class H>
constexpr std::uint32_t half_flush(std::uint32_t a) {
  return on_both<&one_flush<H>>(a);
}
template <class H>
constexpr std::uint32_t half_saturate(std::uint32_t a) {
  return on_both<&one_saturate<H>>(a);
}
template <class H>
constexpr std::uint32_t half_relu(std::uint32_t a) {
  return on_both<&one_relu<H>>(a);
}
template <class H>
constexpr std::uint32_t half_finite(std::uint32_t a) {
  return on_both<&one_finite<H>>(a);
}

// --- conversions: the low half of a word ---------------------------------------------------------------------------

template <class H, bool High>
constexpr float half_to_float(std::uint32_t a) {
  return H::widen(High ? a >> 16 : a & 0xFFFFU);
}
template <class H>
constexpr std::uint32_t float_to_half(float a) {
  return H::narrow(a);
}
/// In any direction, from any number; the rounding is the last operand.
template <class H>
inline std::uint32_t double_to_half(double a, std::uint32_t how) {
  return static_cast<std::uint32_t>(
      pack_float(unpack_float(std::bit_cast<std::uint64_t>(a), format_f64), H::format, static_cast<rounding>(how)));
}
template <class H, class T>
inline std::uint32_t integer_to_half(T a, std::uint32_t how) {
  const bool minus = a < 0;
  const std::uint64_t magnitude = minus ? 0 - static_cast<std::uint64_t>(a) : static_cast<std::uint64_t>(a);
  return static_cast<std::uint32_t>(pack_float(from_integer(magnitude, minus), H::format, static_cast<rounding>(how)));
}
constexpr std::uint32_t pack_halves(std::uint32_t low, std::uint32_t high) { return (low & 0xFFFFU) | (high << 16); }

/// Two 8-bit numbers of singles, the second one below; .satfinite: no infinities. `Relu`: no negative ones.
template <bool E4M3, bool Relu>
constexpr std::uint32_t one_to_8_bits(float v) {
  constexpr const float_format& f = E4M3 ? format_e4m3 : format_e5m2;
  unpacked_float x = unpack_float(std::bit_cast<std::uint32_t>(v), format_f32);
  if (x.kind == unpacked_float::what::nan) return 0x7F;
  if (Relu && x.minus) return 0;
  const auto bits = static_cast<std::uint32_t>(pack_float(x, f, rounding::rn));
  return (bits & 0x7FU) > f.largest() ? (bits & 0x80U) | static_cast<std::uint32_t>(f.largest()) : bits;
}
template <bool E4M3, bool Relu>
constexpr std::uint32_t to_8_bits(float high, float low) {
  return one_to_8_bits<E4M3, Relu>(low) | (one_to_8_bits<E4M3, Relu>(high) << 8);
}
/// And back to two halves: exact.
template <bool E4M3>
constexpr std::uint32_t from_8_bits(std::uint32_t a) {
  constexpr const float_format& f = E4M3 ? format_e4m3 : format_e5m2;
  const std::uint64_t low = pack_float(unpack_float(a & 0xFFU, f), format_f16, rounding::rn);
  const std::uint64_t high = pack_float(unpack_float((a >> 8) & 0xFFU, f), format_f16, rounding::rn);
  return static_cast<std::uint32_t>(low | (high << 16));
}

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
