// SPDX-License-Identifier: BSL-1.0
//
// Addition, subtraction and multiplication with a carry in and out, for one lane.
//
// Literature: NVIDIA, Parallel Thread Execution ISA, chapter "Extended-Precision Integer Arithmetic Instructions".
#pragma once

#include <simtflow/ptx/machine/values/integers.hpp>
#include <simtflow/ptx/machine/values/lanes.hpp>

#include <type_traits>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

template <class T>
constexpr carried<T> add_carry(T a, T b, T, bool carry) {
  const T sum = static_cast<T>(a + b);
  const T all = static_cast<T>(sum + (carry ? 1U : 0U));
  return {all, (sum < a) || (all < sum)};
}
// The carry of a difference is its borrow.
template <class T>
constexpr carried<T> sub_carry(T a, T b, T, bool borrow) {
  const T rest = static_cast<T>(a - b);
  return {static_cast<T>(rest - (borrow ? 1U : 0U)), (a < b) || ((a == b) && borrow)};
}
template <class T>
constexpr carried<T> mad_lo_carry(T a, T b, T c, bool carry) {
  return add_carry<T>(static_cast<T>(a * b), c, T{0}, carry);
}
// Signed and unsigned: only the product differs.
template <class T, bool Signed>
constexpr carried<T> mad_hi_carry(T a, T b, T c, bool carry) {
  using S = std::conditional_t<Signed, std::make_signed_t<T>, T>;
  return add_carry<T>(static_cast<T>(mul_hi<S>(static_cast<S>(a), static_cast<S>(b))), c, T{0}, carry);
}

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
