// SPDX-License-Identifier: BSL-1.0
//
// Unsigned types for arithmetic modulo 2^n.
#pragma once

#include <cstdint>
#include <type_traits>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

// The type in which arithmetic modulo 2^n has no surprises of promotion and signed overflow.
template <class T>
using wide_unsigned = std::conditional_t<(sizeof(T) < 4), std::uint32_t, std::make_unsigned_t<T>>;
template <class T>
constexpr wide_unsigned<T> u(T v) {
  return static_cast<wide_unsigned<T>>(v);
}
template <class T>
inline constexpr std::uint32_t bits_of = static_cast<std::uint32_t>(8 * sizeof(T));

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
