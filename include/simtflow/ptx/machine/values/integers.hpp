// SPDX-License-Identifier: BSL-1.0
//
// Integer arithmetic for one lane. Every operation is defined for every value. A division by zero gives all ones, and
// its remainder is the dividend (the manual leaves both open). bits.hpp has logic and shifts.
//
// Literature: NVIDIA, Parallel Thread Execution ISA, chapter "Integer Arithmetic Instructions".
#pragma once

#include <simtflow/ptx/machine/values/modular.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

template <class T>
constexpr T i_add(T a, T b) {
  return static_cast<T>(u(a) + u(b));
}
template <class T>
constexpr T i_sub(T a, T b) {
  return static_cast<T>(u(a) - u(b));
}
template <class T>
constexpr T i_mul(T a, T b) {
  return static_cast<T>(u(a) * u(b));
}
template <class T>
constexpr T i_mad(T a, T b, T c) {
  return static_cast<T>(u(a) * u(b) + u(c));
}
constexpr std::int32_t clamp32(std::int64_t v) {
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(v, (std::numeric_limits<std::int32_t>::min)(),
                                                            (std::numeric_limits<std::int32_t>::max)()));
}
constexpr std::int32_t add_sat(std::int32_t a, std::int32_t b) { return clamp32(std::int64_t{a} + b); }
constexpr std::int32_t sub_sat(std::int32_t a, std::int32_t b) { return clamp32(std::int64_t{a} - b); }

template <class T>
using double_width =
    std::conditional_t<std::is_signed_v<T>, std::conditional_t<sizeof(T) == 2, std::int32_t, std::int64_t>,
                       std::conditional_t<sizeof(T) == 2, std::uint32_t, std::uint64_t>>;

template <class T>
constexpr T mul_hi(T a, T b) {
  if constexpr (sizeof(T) < 8) {
    const double_width<T> p =
        static_cast<double_width<T>>(static_cast<double_width<T>>(a) * static_cast<double_width<T>>(b));
    return static_cast<T>(p >> bits_of<T>);
  } else {
    const auto x = static_cast<std::uint64_t>(a);
    const auto y = static_cast<std::uint64_t>(b);
    const std::uint64_t xl = x & 0xFFFF'FFFFU, xh = x >> 32, yl = y & 0xFFFF'FFFFU, yh = y >> 32;
    const std::uint64_t mid = xh * yl + ((xl * yl) >> 32);
    const std::uint64_t low = (mid & 0xFFFF'FFFFU) + xl * yh;
    std::uint64_t high = xh * yh + (mid >> 32) + (low >> 32);
    if constexpr (std::is_signed_v<T>) {
      high -= a < 0 ? y : 0;
      high -= b < 0 ? x : 0;
    }
    return static_cast<T>(high);
  }
}
template <class T>
constexpr T mad_hi(T a, T b, T c) {
  return i_add<T>(mul_hi<T>(a, b), c);
}
constexpr std::int32_t mad_hi_sat(std::int32_t a, std::int32_t b, std::int32_t c) {
  return add_sat(mul_hi<std::int32_t>(a, b), c);
}
template <class T>
constexpr double_width<T> mul_wide(T a, T b) {
  return static_cast<double_width<T>>(static_cast<double_width<T>>(a) * static_cast<double_width<T>>(b));
}
template <class T>
constexpr double_width<T> mad_wide(T a, T b, double_width<T> c) {
  return i_add<double_width<T>>(mul_wide<T>(a, b), c);
}
template <class T>
constexpr std::int64_t low24(T v) {
  if constexpr (std::is_signed_v<T>)
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(v) << 8) >> 8;
  else
    return static_cast<std::int64_t>(v & 0xFF'FFFFU);
}
template <class T>
constexpr T mul24_lo(T a, T b) {
  return static_cast<T>(low24(a) * low24(b));
}
template <class T>
constexpr T mul24_hi(T a, T b) {
  return static_cast<T>((low24(a) * low24(b)) >> 16);
}
template <class T>
constexpr T mad24_lo(T a, T b, T c) {
  return i_add<T>(mul24_lo<T>(a, b), c);
}
template <class T>
constexpr T mad24_hi(T a, T b, T c) {
  return i_add<T>(mul24_hi<T>(a, b), c);
}
constexpr std::int32_t mad24_hi_sat(std::int32_t a, std::int32_t b, std::int32_t c) {
  return add_sat(mul24_hi<std::int32_t>(a, b), c);
}
template <class T>
constexpr T i_sad(T a, T b, T c) {
  return static_cast<T>(u(c) + (a < b ? u(b) - u(a) : u(a) - u(b)));
}
template <class T>
constexpr T i_div(T a, T b) {
  if (b == 0) return static_cast<T>(~wide_unsigned<T>{0});
  if constexpr (std::is_signed_v<T>)
    if (b == -1) return static_cast<T>(0 - u(a));
  return static_cast<T>(a / b);
}
template <class T>
constexpr T i_rem(T a, T b) {
  if (b == 0) return a;
  if constexpr (std::is_signed_v<T>)
    if (b == -1) return 0;
  return static_cast<T>(a % b);
}
template <class T>
constexpr T i_neg(T a) {
  return static_cast<T>(0 - u(a));
}
template <class T>
constexpr T i_abs(T a) {
  return a < 0 ? static_cast<T>(0 - u(a)) : a;
}
template <class T>
constexpr T i_cnot(T a) {
  return a == 0 ? T{1} : T{0};
}
template <class T>
constexpr T i_min(T a, T b) {
  return b < a ? b : a;
}
template <class T>
constexpr T i_max(T a, T b) {
  return a < b ? b : a;
}

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
