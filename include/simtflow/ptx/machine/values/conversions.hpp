// SPDX-License-Identifier: BSL-1.0
//
// Conversions between integers and floating-point numbers of all sizes, for one lane; half.hpp has conversions of
// halves.
//
// Literature: NVIDIA, Parallel Thread Execution ISA, section "cvt".
#pragma once

#include <simtflow/ptx/text/operation.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

template <class D, class S>
constexpr D int_to_int(S v) {
  return static_cast<D>(v);
}
template <class D, class S>
constexpr D int_to_int_sat(S v) {
  constexpr D low = (std::numeric_limits<D>::min)();
  constexpr D high = (std::numeric_limits<D>::max)();
  if constexpr (std::is_signed_v<S>) {
    if (v < 0) {
      if constexpr (std::is_signed_v<D>)
        return static_cast<std::int64_t>(v) < static_cast<std::int64_t>(low) ? low : static_cast<D>(v);
      else
        return 0;
    }
  }
  return static_cast<std::uint64_t>(v) > static_cast<std::uint64_t>(high) ? high : static_cast<D>(v);
}
// cvt.rna.tf32, cvt.rn.tf32, cvt.rz.tf32: a single with 10 bits of fraction.
template <rounding R>
constexpr std::uint32_t to_tf32(std::uint32_t v) {
  const std::uint32_t magnitude = v & 0x7FFF'FFFFU;
  const std::uint32_t half = R == rounding::rna ? 0x1000U : R == rounding::rn ? 0xFFFU + ((v >> 13) & 1U) : 0U;
  const std::uint32_t finite = (magnitude + half) & 0x7FFF'E000U;
  return magnitude > 0x7F80'0000U ? 0x7FFF'FFFFU
                                  : (v & 0x8000'0000U) | (magnitude == 0x7F80'0000U ? magnitude : finite);
}
// .satfinite: the largest tf32 instead of infinity.
constexpr std::uint32_t finite_tf32(std::uint32_t v) {
  return (v & 0x7FFF'FFFFU) == 0x7F80'0000U ? (v & 0x8000'0000U) | 0x7F7F'E000U : v;
}
// .relu: no negative numbers; NaN stays.
constexpr std::uint32_t single_relu(std::uint32_t v) { return (v & 0x8000'0000U) != 0 ? 0U : v; }

template <class D, class S>
inline D int_to_float(S v) {
  return static_cast<D>(v);
}
// In a direction: the magnitude is cut to the precision, and one is added where the direction asks for it.
template <class D, class S, rounding R>
inline D int_to_float_to(S v) {
  constexpr int digits = std::numeric_limits<D>::digits;
  const bool minus = v < 0;
  const auto magnitude = minus ? 0 - static_cast<std::uint64_t>(v) : static_cast<std::uint64_t>(v);
  const int width = static_cast<int>(std::bit_width(magnitude));
  const int cut = width > digits ? width - digits : 0;
  std::uint64_t kept = magnitude >> cut;
  const bool inexact = (kept << cut) != magnitude;
  if (inexact && ((R == rounding::rp && !minus) || (R == rounding::rm && minus))) ++kept;
  const D f = std::ldexp(static_cast<D>(kept), cut);
  return minus ? -f : f;
}
// A floating-point number that is an integer, to an integer type: clamped; the manual's value for NaN.
template <class D, class S>
inline D float_to_int(S v) {
  constexpr D low = (std::numeric_limits<D>::min)();
  constexpr D high = (std::numeric_limits<D>::max)();
  constexpr bool zero_for_nan = sizeof(S) == 4 && sizeof(D) < 8;
  constexpr D of_nan = zero_for_nan ? D{0} : static_cast<D>(std::uint64_t{1} << (8 * sizeof(D) - 1));
  // 2^n is exact in S; high itself may not be.
  constexpr S above = static_cast<S>(std::uint64_t{1} << (8 * sizeof(D) - 1)) * (std::is_signed_v<D> ? S{1} : S{2});
  const D inside = v < above && v > static_cast<S>(low) - S{1} ? static_cast<D>(v) : v > 0 ? high : low;
  return v == v ? inside : of_nan;
}
template <class S, rounding R>
inline S to_integral(S v) {
  if constexpr (R == rounding::rni)
    return std::nearbyint(v);
  else if constexpr (R == rounding::rzi)
    return std::trunc(v);
  else if constexpr (R == rounding::rmi)
    return std::floor(v);
  else
    return std::ceil(v);
}
template <class D, class S, rounding R>
inline D float_to_int_by(S v) {
  return float_to_int<D, S>(to_integral<S, R>(v));
}
inline double widen(float v) { return v; }

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
