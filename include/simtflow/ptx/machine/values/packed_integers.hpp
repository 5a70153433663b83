// SPDX-License-Identifier: BSL-1.0
//
// Instructions on several integers packed into a word, for one lane: dot products, pairs of 16 bits, cvt.pack.
//
// Literature: NVIDIA, Parallel Thread Execution ISA, chapter "Integer Arithmetic Instructions", section "cvt.pack".
#pragma once

#include <algorithm>
#include <cstdint>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

template <class A, class B>
constexpr std::uint32_t dot4(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  for (std::uint32_t i = 0; i < 32; i += 8)
    c += static_cast<std::uint32_t>(std::int32_t{static_cast<A>(a >> i)} * std::int32_t{static_cast<B>(b >> i)});
  return c;
}
// Two 16-bit numbers of a with two bytes of b, the low or the high ones.
template <class A, class B, bool High>
constexpr std::uint32_t dot2(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  for (std::uint32_t i = 0; i < 2; ++i)
    c += static_cast<std::uint32_t>(std::int32_t{static_cast<A>(a >> (16 * i))} *
                                    std::int32_t{static_cast<B>(b >> (8 * i + (High ? 16 : 0)))});
  return c;
}
// Two 16-bit numbers in a word.
constexpr std::uint32_t add_pairs(std::uint32_t a, std::uint32_t b) {
  return ((a & 0x7FFF'7FFFU) + (b & 0x7FFF'7FFFU)) ^ ((a ^ b) & 0x8000'8000U);
}
template <class T, T (*F)(T, T)>
constexpr std::uint32_t both_halves(std::uint32_t a, std::uint32_t b) {
  const auto low = static_cast<std::uint16_t>(F(static_cast<T>(a), static_cast<T>(b)));
  const auto high = static_cast<std::uint16_t>(F(static_cast<T>(a >> 16), static_cast<T>(b >> 16)));
  return low | (std::uint32_t{high} << 16);
}
template <class T>
constexpr T at_least_zero(T a) {
  return a < 0 ? T{0} : a;
}
constexpr std::uint32_t pairs_at_least_zero(std::uint32_t a) {
  return (a & 0x8000U ? 0U : a & 0xFFFFU) | (a & 0x8000'0000U ? 0U : a & 0xFFFF'0000U);
}
// cvt.pack: a and b clamped to `bits` bits with or without sign, b below a; four times 8 bits push c up.
constexpr std::uint32_t pack_saturated(std::int32_t a, std::int32_t b, std::uint32_t c, std::uint32_t how) {
  const std::uint32_t bits = how & 31U;
  const bool is_signed = (how & 32U) != 0;
  const std::int32_t high = (std::int32_t{1} << (is_signed ? bits - 1 : bits)) - 1;
  const std::int32_t low = is_signed ? -high - 1 : 0;
  const std::uint32_t mask = (1U << bits) - 1U;
  const std::uint32_t x = static_cast<std::uint32_t>(std::clamp(a, low, high)) & mask;
  const std::uint32_t y = static_cast<std::uint32_t>(std::clamp(b, low, high)) & mask;
  return (bits == 16 ? 0U : c << (2 * bits)) | (x << bits) | y;
}

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
