// SPDX-License-Identifier: BSL-1.0
//
// The NaN of a result: a single that is no number is 0x7fffffff, as hardware makes it. A double keeps the payload of
// the first NaN operand, and without one is 0xfff8000000000000.
//
// Literature: NVIDIA, Parallel Thread Execution ISA, chapter "Floating-Point Instructions".
#pragma once

#include <simtflow/ptx/machine/values/lanes.hpp>

#include <bit>
#include <cstdint>
#include <limits>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

template <class T>
inline constexpr slot<T> sign_bit = slot<T>{1} << (8 * sizeof(T) - 1);
template <class T>
inline constexpr slot<T> quiet_bit = slot<T>{1} << (std::numeric_limits<T>::digits - 2);

// The NaN that an operation makes of numbers.
template <class T>
constexpr T made_nan() {
  if constexpr (sizeof(T) == 4)
    return std::bit_cast<float>(std::uint32_t{0x7FFF'FFFFU});
  else
    return std::bit_cast<double>(std::uint64_t{0xFFF8'0000'0000'0000U});
}
// A NaN operand as a result.
template <class T>
constexpr T passed_nan(T v) {
  if constexpr (sizeof(T) == 4)
    return made_nan<float>();
  else
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(v) | quiet_bit<double>);
}
// A result, with the right NaN in place of the host's.
template <class T>
constexpr T result_of(T r, T a) {
  if constexpr (sizeof(T) == 4) return r == r ? r : made_nan<T>();
  const T instead = a == a ? made_nan<T>() : passed_nan(a);
  return r == r ? r : instead;
}
template <class T>
constexpr T result_of(T r, T a, T b) {
  if constexpr (sizeof(T) == 4) return r == r ? r : made_nan<T>();
  const T second = b == b ? made_nan<T>() : passed_nan(b);
  const T instead = a == a ? second : passed_nan(a);
  return r == r ? r : instead;
}

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
