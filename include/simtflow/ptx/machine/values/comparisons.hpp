// SPDX-License-Identifier: BSL-1.0
//
// Comparisons of integers and of floating-point numbers, ordered and unordered, for one lane.
//
// Literature: NVIDIA, Parallel Thread Execution ISA, section "Comparison and Selection Instructions".
#pragma once

#include <simtflow/ptx/text/operation.hpp>

#include <type_traits>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

template <class T, comparison C>
constexpr bool compare(T a, T b) {
  constexpr bool unordered = C >= comparison::equ && C <= comparison::geu;
  if constexpr (std::is_floating_point_v<T>) {
    const bool nan = !(a == a) | !(b == b);
    if constexpr (C == comparison::num) return !nan;
    if constexpr (C == comparison::nan) return nan;
    if constexpr (C == comparison::ne) return !nan & (a != b);
    if constexpr (C == comparison::neu) return nan | (a != b);
    bool r = false;
    if constexpr (C == comparison::eq || C == comparison::equ) r = a == b;
    if constexpr (C == comparison::lt || C == comparison::ltu) r = a < b;
    if constexpr (C == comparison::le || C == comparison::leu) r = a <= b;
    if constexpr (C == comparison::gt || C == comparison::gtu) r = a > b;
    if constexpr (C == comparison::ge || C == comparison::geu) r = a >= b;
    return unordered ? r | nan : r;
  } else {
    if constexpr (C == comparison::eq) return a == b;
    if constexpr (C == comparison::ne) return a != b;
    if constexpr (C == comparison::lt || C == comparison::lo) return a < b;
    if constexpr (C == comparison::le || C == comparison::ls) return a <= b;
    if constexpr (C == comparison::gt || C == comparison::hi) return a > b;
    if constexpr (C == comparison::ge || C == comparison::hs) return a >= b;
    return false;
  }
}

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
