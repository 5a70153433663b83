// SPDX-License-Identifier: BSL-1.0
//
// Instructions on the bits of integers, for one lane: logic, shifts, fields, counts.
//
// Literature: NVIDIA, Parallel Thread Execution ISA, chapters "Logic and Shift Instructions", "Integer Arithmetic
// Instructions".
#pragma once

#include <simtflow/ptx/machine/values/lanes.hpp>
#include <simtflow/ptx/machine/values/modular.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

template <class T>
constexpr T i_not(T a) {
  return static_cast<T>(~u(a));
}
template <class T>
constexpr T i_and(T a, T b) {
  return static_cast<T>(a & b);
}
template <class T>
constexpr T i_or(T a, T b) {
  return static_cast<T>(a | b);
}
template <class T>
constexpr T i_xor(T a, T b) {
  return static_cast<T>(a ^ b);
}
template <class T>
constexpr T i_shl(T a, std::uint32_t n) {
  return n < bits_of<T> ? static_cast<T>(u(a) << n) : T{0};
}
template <class T>
constexpr T i_shr(T a, std::uint32_t n) {
  if constexpr (std::is_signed_v<T>)
    return static_cast<T>(a >> (n < bits_of<T> ? n : bits_of<T> - 1));
  else
    return n < bits_of<T> ? static_cast<T>(a >> n) : T{0};
}
template <bool Left, bool Wrap>
constexpr std::uint32_t funnel(std::uint32_t low, std::uint32_t high, std::uint32_t n) {
  const std::uint32_t by = Wrap ? n % 32 : (std::min<std::uint32_t>)(n, 32);
  const std::uint64_t both = (std::uint64_t{high} << 32) | low;
  return static_cast<std::uint32_t>(Left ? (both << by) >> 32 : both >> by);
}
constexpr std::uint32_t lop3(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t table) {
  std::uint32_t r = 0;
  for (std::uint32_t k = 0; k < 8; ++k)
    if (((table >> k) & 1U) != 0) r |= ((k & 4U) != 0 ? a : ~a) & ((k & 2U) != 0 ? b : ~b) & ((k & 1U) != 0 ? c : ~c);
  return r;
}
// lop3 where all lanes have the same table.
inline void lop3_uniform(void* __restrict r, const void* __restrict a, const void* __restrict b,
                         const void* __restrict c, const void* __restrict table) {
  std::uint32_t* out = static_cast<std::uint32_t*>(r);
  const std::uint32_t* x = static_cast<const std::uint32_t*>(a);
  const std::uint32_t* y = static_cast<const std::uint32_t*>(b);
  const std::uint32_t* z = static_cast<const std::uint32_t*>(c);
  const std::uint32_t t = *static_cast<const std::uint32_t*>(table);
  for (std::size_t i = 0; i < chunk_lanes; ++i) out[i] = 0;
  for (std::uint32_t k = 0; k < 8; ++k) {
    if (((t >> k) & 1U) == 0) continue;
    const std::uint32_t na = (k & 4U) != 0 ? 0U : 0xFFFF'FFFFU;
    const std::uint32_t nb = (k & 2U) != 0 ? 0U : 0xFFFF'FFFFU;
    const std::uint32_t nc = (k & 1U) != 0 ? 0U : 0xFFFF'FFFFU;
    for (std::size_t i = 0; i < chunk_lanes; ++i) out[i] |= (x[i] ^ na) & (y[i] ^ nb) & (z[i] ^ nc);
  }
}
template <class T>
constexpr std::uint32_t i_clz(T a) {
  return static_cast<std::uint32_t>(std::countl_zero(a));
}
// Without the processor's instruction, so that loops of it become vector code.
constexpr std::uint32_t popc32(std::uint32_t a) {
  a -= (a >> 1) & 0x5555'5555U;
  a = (a & 0x3333'3333U) + ((a >> 2) & 0x3333'3333U);
  a = (a + (a >> 4)) & 0x0F0F'0F0FU;
  a += a >> 8;
  return (a + (a >> 16)) & 63U;
}
template <class T>
constexpr std::uint32_t i_popc(T a) {
  return static_cast<std::uint32_t>(std::popcount(a));
}
template <class T>
constexpr T i_brev(T a) {
  T r = 0;
  for (std::uint32_t i = 0; i < bits_of<T>; ++i) r = static_cast<T>((r << 1) | ((a >> i) & 1U));
  return r;
}
template <class T>
constexpr T i_bfe(T a, std::uint32_t begin, std::uint32_t length) {
  using U = std::make_unsigned_t<T>;
  const std::uint32_t from = begin & 0xFFU;
  const std::uint32_t len = length & 0xFFU;
  const std::uint32_t top = bits_of<T> - 1;
  if (len == 0) return 0;
  const U bits = from > top ? U{0} : static_cast<U>(static_cast<U>(a) >> from);
  const U keep = len > top ? static_cast<U>(~U{0}) : static_cast<U>((U{1} << len) - 1);
  if constexpr (std::is_signed_v<T>) {
    const bool sign = ((static_cast<U>(a) >> (std::min)(from + len - 1, top)) & 1U) != 0;
    const std::uint32_t there = from > top ? 0 : top + 1 - from;  // bits of a above the start
    const U own = there > top ? static_cast<U>(~U{0}) : static_cast<U>((U{1} << there) - 1);
    const U field = keep & own;
    return static_cast<T>(sign ? (bits & field) | static_cast<U>(~field) : bits & field);
  }
  return static_cast<T>(bits & keep);
}
template <class T>
constexpr T i_bfi(T a, T b, std::uint32_t begin, std::uint32_t length) {
  const std::uint32_t from = begin & 0xFFU;
  const std::uint32_t len = length & 0xFFU;
  if (from >= bits_of<T> || len == 0) return b;
  const T keep = len >= bits_of<T> ? static_cast<T>(~T{0}) : static_cast<T>((T{1} << len) - 1);
  const T field = static_cast<T>(keep << from);
  return static_cast<T>((b & static_cast<T>(~field)) | (static_cast<T>(a << from) & field));
}
template <class T, bool Amount>
constexpr std::uint32_t i_bfind(T a) {
  using U = std::make_unsigned_t<T>;
  const U v = static_cast<U>(a < 0 ? static_cast<T>(~u(a)) : a);
  if (v == 0) return 0xFFFF'FFFFU;
  const auto at = static_cast<std::uint32_t>(std::bit_width(v) - 1);
  return Amount ? bits_of<T> - 1 - at : at;
}
// `width` ones from bit `start` on. Section "bmsk".
template <bool Wrap>
constexpr std::uint32_t bit_mask(std::uint32_t start, std::uint32_t width) {
  const std::uint32_t from = start & 31U;
  const std::uint32_t to = from + (width & 31U);
  const bool outside = !Wrap && start >= 32;
  const bool to_the_top = to >= 32 || (!Wrap && width >= 32);
  const std::uint32_t above_from = outside ? 0U : 0xFFFF'FFFFU << from;
  const std::uint32_t above_to = to_the_top ? 0U : 0xFFFF'FFFFU << (to & 31U);
  return above_from & ~above_to;
}
// The low `width` bits with their sign. Section "szext".
template <class T, bool Wrap>
constexpr std::uint32_t sign_extend(std::uint32_t a, std::uint32_t width) {
  const std::uint32_t n = width & 31U;
  if (!Wrap && width >= 32) return a;
  const std::uint32_t above = 0xFFFF'FFFFU << n;
  const bool sign = std::is_signed_v<T> && n != 0 && ((a >> ((n - 1) & 31U)) & 1U) != 0;
  return sign ? a | above : a & ~above;
}
// The offset-th set bit from `base` on, up or down. Section "fns".
constexpr std::uint32_t find_nth_set(std::uint32_t mask, std::uint32_t base, std::int32_t offset) {
  constexpr std::uint32_t nowhere = 0xFFFF'FFFFU;
  if (base > 31) return nowhere;
  if (offset == 0) return ((mask >> base) & 1U) != 0 ? base : nowhere;
  std::int64_t left = offset < 0 ? -std::int64_t{offset} : std::int64_t{offset};
  for (std::uint32_t at = base; at < 32; at += offset < 0 ? nowhere : 1U)  // below 0 wraps to the top
    if (((mask >> at) & 1U) != 0 && --left == 0) return at;
  return nowhere;
}

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
