// SPDX-License-Identifier: BSL-1.0
//
// Arithmetic with directed rounding, for one lane. Singles go through doubles (exact, or rounded to odd, then
// narrowed), doubles through integers (soft_float.hpp). The processor's mode is never touched.
//
// Literature: NVIDIA, Parallel Thread Execution ISA, chapter "Floating-Point Instructions".
#pragma once

#include <simtflow/ptx/machine/values/nan.hpp>
#include <simtflow/ptx/machine/values/rounding_to_odd.hpp>
#include <simtflow/ptx/machine/values/soft_float.hpp>
#include <simtflow/ptx/text/operation.hpp>
#include <simtflow/ptx/text/types.hpp>

#include <bit>
#include <cmath>
#include <cstdint>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

// A double to a single, in a direction; the double is exact or rounded to odd. Out of range is infinity or the
// largest. No branches: loops of it become vector code.
template <rounding R>
inline float narrow(double v) {
  const auto f = static_cast<float>(v);
  if constexpr (R == rounding::rn || R == rounding::none) {
    return result_of<float>(f, f);
  } else {
    const auto back = static_cast<double>(f);
    const auto bits = std::bit_cast<std::uint32_t>(f);
    const std::uint32_t minus = bits >> 31;  // of v as well
    // One step away from the direction's side: in magnitude, up or down. A zero is only ever left upwards.
    const bool above = back > v;
    const bool below = back < v;
    bool step = false;
    std::uint32_t by = 0;
    if constexpr (R == rounding::rm) {
      step = above;
      by = 2 * minus - 1;
    } else if constexpr (R == rounding::rp) {
      step = below;
      by = 1 - 2 * minus;
    } else {
      step = minus != 0 ? below : above;
      by = 0xFFFF'FFFFU;
    }
    const std::uint32_t moved = bits + (step ? by : 0U);
    return std::bit_cast<float>(v == v ? moved : 0x7FFF'FFFFU);
  }
}
// The sign of an exact zero sum: minus when rounding down, unless both terms are +0. (The sum of infinities is NaN.)
template <rounding R>
inline float zero_sum(float f, double x, double y) {
  if constexpr (R == rounding::rm) {
    const bool plus = (std::bit_cast<std::uint64_t>(x) | std::bit_cast<std::uint64_t>(y)) == 0;
    const bool cancelled = (f == 0.0F) & (x == -y) & !plus;
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(f) | (cancelled ? 0x8000'0000U : 0U));
  }
  return f;
}

template <rounding R>
inline float add_to(float a, float b) {
  const double x = a;
  const double y = b;
  return zero_sum<R>(narrow<R>(sum_to_odd(x, y)), x, y);
}
template <rounding R>
inline float sub_to(float a, float b) {
  return add_to<R>(a, -b);
}
template <rounding R>
inline float mul_to(float a, float b) {
  return narrow<R>(static_cast<double>(a) * static_cast<double>(b));
}
template <rounding R>
inline float fma_to(float a, float b, float c) {
  const double p = static_cast<double>(a) * static_cast<double>(b);
  return zero_sum<R>(narrow<R>(sum_to_odd(p, static_cast<double>(c))), p, static_cast<double>(c));
}
// A quotient or root of singles that is no single differs from all singles by far more than a double's last bit.
template <rounding R>
inline float div_to(float a, float b) {
  return narrow<R>(static_cast<double>(a) / static_cast<double>(b));
}
template <rounding R>
inline float rcp_to(float a) {
  return div_to<R>(1.0F, a);
}
template <rounding R>
inline float sqrt_to(float a) {
  return narrow<R>(std::sqrt(static_cast<double>(a)));
}

// Doubles: the last operand is a rounding.
inline unpacked_float taken_apart(double v) { return unpack_float(std::bit_cast<std::uint64_t>(v), format_f64); }
inline double put_together(const unpacked_float& x, std::uint32_t how) {
  return std::bit_cast<double>(pack_float(x, format_f64, static_cast<rounding>(how)));
}
inline double d_add(double a, double b, std::uint32_t how) {
  return result_of(put_together(float_sum(taken_apart(a), taken_apart(b), static_cast<rounding>(how)), how), a, b);
}
inline double d_sub(double a, double b, std::uint32_t how) {
  return result_of(put_together(float_sum(taken_apart(a), negated(taken_apart(b)), static_cast<rounding>(how)), how), a,
                   b);
}
inline double d_mul(double a, double b, std::uint32_t how) {
  return result_of(put_together(float_product(taken_apart(a), taken_apart(b)), how), a, b);
}
inline double d_fma(double a, double b, double c, std::uint32_t how) {
  const unpacked_float p = float_product(taken_apart(a), taken_apart(b));
  const double r = put_together(float_sum(p, taken_apart(c), static_cast<rounding>(how)), how);
  return r == r ? r : a == a ? result_of(r, b, c) : passed_nan(a);
}
inline double d_div(double a, double b, std::uint32_t how) {
  return result_of(put_together(float_quotient(taken_apart(a), taken_apart(b)), how), a, b);
}
inline double d_rcp(double a, std::uint32_t how) {
  return result_of(put_together(float_quotient(taken_apart(1.0), taken_apart(a)), how), a);
}
inline double d_sqrt(double a, std::uint32_t how) {
  return result_of(put_together(float_root(taken_apart(a)), how), a);
}

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
