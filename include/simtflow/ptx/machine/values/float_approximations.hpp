// SPDX-License-Identifier: BSL-1.0
//
// The .approx and .full instructions, for one lane: the C++ library's functions, within the manual's errors, with
// special values as in its tables.
//
// Literature: NVIDIA, Parallel Thread Execution ISA, chapter "Floating-Point Instructions".
#pragma once

#include <simtflow/ptx/machine/values/nan.hpp>

#include <bit>
#include <cmath>
#include <cstdint>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

// div.approx: as a product with the reciprocal, which is zero for large divisors.
inline float div_approx(float a, float b) {
  const std::uint32_t magnitude = std::bit_cast<std::uint32_t>(b) & 0x7FFF'FFFFU;
  const bool large = magnitude > 0x7E80'0000U && magnitude < 0x7F80'0000U;  // 2^126
  const float zero = std::bit_cast<float>(std::bit_cast<std::uint32_t>(b) & 0x8000'0000U);
  const float r = large ? a * zero : a / b;
  return result_of<float>(r, a);
}
inline float f_rsqrt(float a) {
  const auto r = static_cast<float>(1.0 / std::sqrt(static_cast<double>(a)));
  return result_of<float>(r, a);
}
inline double d_rsqrt(double a) { return result_of<double>(1.0 / std::sqrt(a), a); }
inline float f_ex2(float a) { return result_of<float>(std::exp2(a), a); }
inline float f_lg2(float a) { return result_of<float>(std::log2(a), a); }
inline float f_sin(float a) { return result_of<float>(std::sin(a), a); }
inline float f_cos(float a) { return result_of<float>(std::cos(a), a); }
inline float f_tanh(float a) { return result_of<float>(std::tanh(a), a); }

// The bits that rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64 read and write: the upper 32 bits, subnormal
// numbers as zeros, one NaN.
inline double upper_word(double v) {
  const auto bits = std::bit_cast<std::uint64_t>(v);
  if (!(v == v)) return std::bit_cast<double>(std::uint64_t{0x7FFF'FFFF'0000'0000U});
  if ((bits & 0x7FF0'0000'0000'0000U) == 0) return std::bit_cast<double>(bits & sign_bit<double>);
  return std::bit_cast<double>(bits & 0xFFFF'FFFF'0000'0000U);
}
inline double rcp_gross(double a) { return upper_word(1.0 / upper_word(a)); }
inline double rsqrt_gross(double a) { return upper_word(1.0 / std::sqrt(upper_word(a))); }

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
