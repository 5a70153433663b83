// SPDX-License-Identifier: BSL-1.0
//
// Instructions on floating-point numbers that choose or change signs instead of computing: minimum, maximum, signs,
// flushing, clamping, tests. For one lane.
//
// Literature: NVIDIA, Parallel Thread Execution ISA, chapter "Floating-Point Instructions".
#pragma once

#include <simtflow/ptx/machine/values/lanes.hpp>
#include <simtflow/ptx/machine/values/nan.hpp>
#include <simtflow/ptx/text/operation.hpp>

#include <cstdint>
#include <limits>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

// The smaller one; a number rather than a NaN; -0 is smaller than +0.
template <class T>
inline T f_min(T a, T b) {
  const slot<T> x = to_slot<T>(a);
  const slot<T> y = to_slot<T>(b);
  slot<T> r = a < b ? x : x | y;
  r = b < a ? y : r;
  r = a == a ? r : y;
  r = b == b ? r : x;
  const slot<T> none = to_slot<T>(passed_nan<T>(a));
  const slot<T> if_b = b == b ? r : none;
  return from_slot<T>(a == a ? r : if_b);
}
template <class T>
inline T f_max(T a, T b) {
  const slot<T> x = to_slot<T>(a);
  const slot<T> y = to_slot<T>(b);
  slot<T> r = a > b ? x : x & y;
  r = b > a ? y : r;
  r = a == a ? r : y;
  r = b == b ? r : x;
  const slot<T> none = to_slot<T>(passed_nan<T>(a));
  const slot<T> if_b = b == b ? r : none;
  return from_slot<T>(a == a ? r : if_b);
}
// NaN if there is one.
template <float (*F)(float, float)>
inline float nan_wins(float a, float b) {
  const float r = F(a, b);
  return ((a == a) & (b == b)) ? r : made_nan<float>();
}
template <class T>
inline T f_neg(T a) {
  return from_slot<T>(to_slot<T>(a) ^ sign_bit<T>);
}
template <class T>
inline T f_abs(T a) {
  return from_slot<T>(to_slot<T>(a) & ~sign_bit<T>);
}
template <class T>
inline T f_copysign(T sign, T value) {
  return from_slot<T>((to_slot<T>(sign) & sign_bit<T>) | (to_slot<T>(value) & ~sign_bit<T>));
}
// The sign of a product.
constexpr std::uint32_t xor_signs(std::uint32_t value, std::uint32_t a, std::uint32_t b) {
  return (value & 0x7FFF'FFFFU) | ((a ^ b) & 0x8000'0000U);
}

// Subnormal to zero of the same sign.
inline std::uint32_t flush(std::uint32_t s) { return (s & 0x7F80'0000U) == 0 ? s & 0x8000'0000U : s; }
// To [0, 1]; NaN to +0.
template <class T>
inline T saturate(T v) {
  return v > T{0} ? (v < T{1} ? v : T{1}) : T{0};
}
template <class T, class C>
inline T select_by_sign(T a, T b, C c) {
  return c >= 0 ? a : b;
}
template <class T, float_test P>
inline bool has_property(T v) {
  const slot<T> magnitude = to_slot<T>(v) & ~sign_bit<T>;
  constexpr slot<T> infinity = to_slot<T>(std::numeric_limits<T>::infinity());
  constexpr slot<T> least = to_slot<T>((std::numeric_limits<T>::min)());
  if constexpr (P == float_test::finite) return magnitude < infinity;
  if constexpr (P == float_test::infinite) return magnitude == infinity;
  if constexpr (P == float_test::number) return magnitude <= infinity;
  if constexpr (P == float_test::notanumber) return magnitude > infinity;
  if constexpr (P == float_test::normal) return (magnitude >= least && magnitude < infinity) || magnitude == 0;
  return magnitude != 0 && magnitude < least;
}

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
