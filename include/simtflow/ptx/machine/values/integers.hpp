// SPDX-License-Identifier: BSL-1.0
//
// Integer instructions, for one lane. Defined for every value: division by zero gives all ones, its
// remainder is the dividend (the manual leaves both open).
//
// Literature: NVIDIA, Parallel Thread Execution ISA, chapters "Integer Arithmetic Instructions", "Extended-Precision
// Integer Arithmetic Instructions", "Logic and Shift Instructions".
#pragma once

#include <simtflow/ptx/machine/values/lanes.hpp>
#include <simtflow/ptx/text/opcode.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

/// Arithmetic modulo 2^n without the surprises of promotion and signed overflow.
template <class T>
using wide_unsigned = std::conditional_t<(sizeof(T) < 4), std::uint32_t, std::make_unsigned_t<T>>;
template <class T>
constexpr wide_unsigned<T> u(T v) {
  return static_cast<wide_unsigned<T>>(v);
}
template <class T>
inline constexpr std::uint32_t bits_of = static_cast<std::uint32_t>(8 * sizeof(T));

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
constexpr T i_not(T a) {
  return static_cast<T>(~u(a));
}
template <class T>
constexpr T i_cnot(T a) {
  return a == 0 ? T{1} : T{0};
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
template <class T>
constexpr T i_min(T a, T b) {
  return b < a ? b : a;
}
template <class T>
constexpr T i_max(T a, T b) {
  return a < b ? b : a;
}
template <class T>
constexpr std::uint32_t i_clz(T a) {
  return static_cast<std::uint32_t>(std::countl_zero(a));
}
/// Without the processor's instruction, so that loops of it become vector code.
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
/// prmt: the mode is a permute_mode.
constexpr std::uint32_t prmt(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t mode) {
  const std::uint64_t both = (std::uint64_t{b} << 32) | a;
  const std::uint32_t s = c & 3U;
  std::uint32_t r = 0;
  for (std::uint32_t i = 0; i < 4; ++i) {
    std::uint32_t pick = 0;
    bool sign = false;
    switch (static_cast<permute_mode>(mode)) {
      case permute_mode::none:
        pick = (c >> (4 * i)) & 7U;
        sign = ((c >> (4 * i)) & 8U) != 0;
        break;
      case permute_mode::f4e:
        pick = s + i;
        break;
      case permute_mode::b4e:
        pick = (s + 8 - i) & 7U;
        break;
      case permute_mode::rc8:
        pick = s;
        break;
      case permute_mode::ecl:
        pick = (std::max)(i, s);
        break;
      case permute_mode::ecr:
        pick = (std::min)(i, s);
        break;
      case permute_mode::rc16:
        pick = ((s & 1U) << 1) + (i & 1U);
        break;
    }
    auto byte = static_cast<std::uint32_t>((both >> (8 * pick)) & 0xFFU);
    if (sign) byte = (byte & 0x80U) != 0 ? 0xFFU : 0U;
    r |= byte << (8 * i);
  }
  return r;
}
/// Selectors that do in prmt's general mode what c does in another one.
constexpr std::uint32_t permute_selectors(std::uint32_t c, permute_mode mode) {
  std::uint32_t r = 0;
  for (std::uint32_t i = 0; i < 4; ++i) {
    // A byte that holds its own number says where it came from.
    const std::uint32_t low = 0x0302'0100U;
    const std::uint32_t high = 0x0706'0504U;
    r |= ((prmt(low, high, c, static_cast<std::uint32_t>(mode)) >> (8 * i)) & 7U) << (4 * i);
  }
  return mode == permute_mode::none ? c & 0xFFFFU : r;
}
/// prmt where all lanes have the same selectors.
inline void prmt_uniform(void* __restrict r, const void* __restrict a, const void* __restrict b,
                         const void* __restrict c, const void* __restrict mode) {
  std::uint32_t* out = static_cast<std::uint32_t*>(r);
  const std::uint32_t selectors = permute_selectors(
      *static_cast<const std::uint32_t*>(c), static_cast<permute_mode>(*static_cast<const std::uint32_t*>(mode)));
  for (std::size_t i = 0; i < chunk_lanes; ++i) out[i] = 0;
  for (std::uint32_t n = 0; n < 4; ++n) {
    const std::uint32_t s = (selectors >> (4 * n)) & 15U;
    const std::uint32_t* from = static_cast<const std::uint32_t*>((s & 4U) != 0 ? b : a);
    const std::uint32_t up = 24 - 8 * (s & 3U);
    const std::uint32_t down = 24 - 8 * n;
    if ((s & 8U) != 0)  // the byte's sign
      for (std::size_t i = 0; i < chunk_lanes; ++i)
        out[i] |= (static_cast<std::uint32_t>(static_cast<std::int32_t>(from[i] << up) >> 31) & 0xFF00'0000U) >> down;
    else
      for (std::size_t i = 0; i < chunk_lanes; ++i) out[i] |= ((from[i] << up) & 0xFF00'0000U) >> down;
  }
}
/// lop3 where all lanes have the same table.
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
/// `width` ones from bit `start` on. Section "bmsk".
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
/// The low `width` bits with their sign. Section "szext".
template <class T, bool Wrap>
constexpr std::uint32_t sign_extend(std::uint32_t a, std::uint32_t width) {
  const std::uint32_t n = width & 31U;
  if (!Wrap && width >= 32) return a;
  const std::uint32_t above = 0xFFFF'FFFFU << n;
  const bool sign = std::is_signed_v<T> && n != 0 && ((a >> ((n - 1) & 31U)) & 1U) != 0;
  return sign ? a | above : a & ~above;
}
/// The address in the thread block of that rank. A cluster is one thread block, of rank 0; addresses of other ranks are
/// outside all memory. Section "mapa".
template <class T>
constexpr T address_in_cluster(T address, std::uint32_t rank) {
  return rank == 0 ? address : static_cast<T>(~T{0});
}
/// The rank of the thread block that an address belongs to. Section "getctarank".
template <class T>
constexpr std::uint32_t rank_in_cluster(T) {
  return 0;
}
/// The offset-th set bit from `base` on, up or down. Section "fns".
constexpr std::uint32_t find_nth_set(std::uint32_t mask, std::uint32_t base, std::int32_t offset) {
  constexpr std::uint32_t nowhere = 0xFFFF'FFFFU;
  if (base > 31) return nowhere;
  if (offset == 0) return ((mask >> base) & 1U) != 0 ? base : nowhere;
  std::int64_t left = offset < 0 ? -std::int64_t{offset} : std::int64_t{offset};
  for (std::uint32_t at = base; at < 32; at += offset < 0 ? nowhere : 1U)  // below 0 wraps to the top
    if (((mask >> at) & 1U) != 0 && --left == 0) return at;
  return nowhere;
}
template <class A, class B>
constexpr std::uint32_t dot4(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  for (std::uint32_t i = 0; i < 32; i += 8)
    c += static_cast<std::uint32_t>(std::int32_t{static_cast<A>(a >> i)} * std::int32_t{static_cast<B>(b >> i)});
  return c;
}
/// Two 16-bit numbers of a with two bytes of b, the low or the high ones.
template <class A, class B, bool High>
constexpr std::uint32_t dot2(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  for (std::uint32_t i = 0; i < 2; ++i)
    c += static_cast<std::uint32_t>(std::int32_t{static_cast<A>(a >> (16 * i))} *
                                    std::int32_t{static_cast<B>(b >> (8 * i + (High ? 16 : 0)))});
  return c;
}
/// Two 16-bit numbers in a word.
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

// --- carries -------------------------------------------------------------------------------------------------------

template <class T>
constexpr carried<T> add_carry(T a, T b, T, bool carry) {
  const T sum = static_cast<T>(a + b);
  const T all = static_cast<T>(sum + (carry ? 1U : 0U));
  return {all, (sum < a) || (all < sum)};
}
/// The carry of a difference is its borrow.
template <class T>
constexpr carried<T> sub_carry(T a, T b, T, bool borrow) {
  const T rest = static_cast<T>(a - b);
  return {static_cast<T>(rest - (borrow ? 1U : 0U)), (a < b) || ((a == b) && borrow)};
}
template <class T>
constexpr carried<T> mad_lo_carry(T a, T b, T c, bool carry) {
  return add_carry<T>(static_cast<T>(a * b), c, T{0}, carry);
}
/// Signed: only the product differs.
template <class T, bool Signed>
constexpr carried<T> mad_hi_carry(T a, T b, T c, bool carry) {
  using S = std::conditional_t<Signed, std::make_signed_t<T>, T>;
  return add_carry<T>(static_cast<T>(mul_hi<S>(static_cast<S>(a), static_cast<S>(b))), c, T{0}, carry);
}

// --- numbers packed into words -------------------------------------------------------------------------------------

/// cvt.pack: a and b clamped to `bits` bits with or without sign, b below a; four times 8 bits push c up.
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
