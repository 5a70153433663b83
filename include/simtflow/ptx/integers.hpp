// SPDX-License-Identifier: BSL-1.0
//
// What integer instructions compute, for one lane. Defined for every value: division by zero gives all ones, its
// remainder is the dividend (the manual leaves both open).
//
// Literature: NVIDIA, Parallel Thread Execution ISA, chapters "Integer Arithmetic Instructions", "Extended-Precision
// Integer Arithmetic Instructions", "Logic and Shift Instructions", "Video Instructions".
#pragma once

#include <simtflow/ptx/lanes.hpp>
#include <simtflow/ptx/opcode.hpp>

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
  return static_cast<std::int32_t>(
      std::clamp<std::int64_t>(v, std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()));
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
  const std::uint32_t by = Wrap ? n % 32 : std::min<std::uint32_t>(n, 32);
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
    const bool sign = ((static_cast<U>(a) >> std::min(from + len - 1, top)) & 1U) != 0;
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
        pick = std::max(i, s);
        break;
      case permute_mode::ecr:
        pick = std::min(i, s);
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
inline void prmt_uniform(void* r, const void* a, const void* b, const void* c, const void* mode) {
  std::uint32_t* __restrict out = static_cast<std::uint32_t*>(r);
  const std::uint32_t selectors = permute_selectors(
      *static_cast<const std::uint32_t*>(c), static_cast<permute_mode>(*static_cast<const std::uint32_t*>(mode)));
  for (std::size_t i = 0; i < chunk_lanes; ++i) out[i] = 0;
  for (std::uint32_t n = 0; n < 4; ++n) {
    const std::uint32_t s = (selectors >> (4 * n)) & 15U;
    const std::uint32_t* __restrict from = static_cast<const std::uint32_t*>((s & 4U) != 0 ? b : a);
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
inline void lop3_uniform(void* r, const void* a, const void* b, const void* c, const void* table) {
  std::uint32_t* __restrict out = static_cast<std::uint32_t*>(r);
  const std::uint32_t* __restrict x = static_cast<const std::uint32_t*>(a);
  const std::uint32_t* __restrict y = static_cast<const std::uint32_t*>(b);
  const std::uint32_t* __restrict z = static_cast<const std::uint32_t*>(c);
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

/// What a video instruction does, packed into a word that travels as an operand.
struct video_code {
  enum class what : std::uint8_t { add, sub, average, difference, min, max, shift_left, shift_right };
  enum class merge : std::uint8_t { none, add, min, max };
  what name = what::add;
  merge second = merge::none;  ///< with the third operand
  std::uint8_t lanes = 1;      ///< 1, 2, 4
  bool result_signed = false;
  bool a_signed = false;
  bool b_signed = false;
  bool sat = false;
  bool wrap = false;        ///< shifts: amounts modulo 32
  std::uint8_t a_part = 0;  ///< 0: all of it; 1 to 4: byte 0 to 3; 5, 6: half 0, 1
  std::uint8_t b_part = 0;

  [[nodiscard]] constexpr std::uint32_t word() const {
    return static_cast<std::uint32_t>(name) | (static_cast<std::uint32_t>(second) << 3) |
           (static_cast<std::uint32_t>(lanes) << 5) | (result_signed ? 1U << 8 : 0U) | (a_signed ? 1U << 9 : 0U) |
           (b_signed ? 1U << 10 : 0U) | (sat ? 1U << 11 : 0U) | (wrap ? 1U << 12 : 0U) |
           (static_cast<std::uint32_t>(a_part) << 16) | (static_cast<std::uint32_t>(b_part) << 20);
  }
  [[nodiscard]] static constexpr video_code from(std::uint32_t w) {
    video_code v;
    v.name = static_cast<what>(w & 7U);
    v.second = static_cast<merge>((w >> 3) & 3U);
    v.lanes = static_cast<std::uint8_t>((w >> 5) & 7U);
    v.result_signed = (w >> 8 & 1U) != 0;
    v.a_signed = (w >> 9 & 1U) != 0;
    v.b_signed = (w >> 10 & 1U) != 0;
    v.sat = (w >> 11 & 1U) != 0;
    v.wrap = (w >> 12 & 1U) != 0;
    v.a_part = static_cast<std::uint8_t>((w >> 16) & 15U);
    v.b_part = static_cast<std::uint8_t>((w >> 20) & 15U);
    return v;
  }
};
/// `bits` bits from a place, with or without their sign.
constexpr std::int64_t part_of(std::uint32_t v, std::uint32_t from, std::uint32_t bits, bool is_signed) {
  const std::uint64_t field = (std::uint64_t{v} >> from) & ((std::uint64_t{1} << bits) - 1);
  const std::uint64_t sign = std::uint64_t{1} << (bits - 1);
  return is_signed ? static_cast<std::int64_t>((field ^ sign) - sign) : static_cast<std::int64_t>(field);
}
constexpr std::int64_t chosen_part(std::uint32_t v, std::uint32_t part, bool is_signed) {
  if (part == 0) return part_of(v, 0, 32, is_signed);
  return part < 5 ? part_of(v, 8 * (part - 1), 8, is_signed) : part_of(v, 16 * (part - 5), 16, is_signed);
}
/// Chapters "Scalar Video Instructions" and "SIMD Video Instructions".
constexpr std::uint32_t video(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t code) {
  const video_code v = video_code::from(code);
  const std::uint32_t bits = 32U / v.lanes;
  const std::int64_t most = (std::int64_t{1} << (v.result_signed ? bits - 1 : bits)) - 1;
  const std::int64_t least = v.result_signed ? -most - 1 : 0;
  std::uint32_t r = 0;
  std::int64_t total = 0;
  for (std::uint32_t i = 0; i < v.lanes; ++i) {
    const std::int64_t x = v.lanes == 1 ? chosen_part(a, v.a_part, v.a_signed) : part_of(a, i * bits, bits, v.a_signed);
    const std::int64_t y = v.lanes == 1 ? chosen_part(b, v.b_part, v.b_signed) : part_of(b, i * bits, bits, v.b_signed);
    std::int64_t z = 0;
    switch (v.name) {
      case video_code::what::add:
        z = x + y;
        break;
      case video_code::what::sub:
        z = x - y;
        break;
      case video_code::what::average:
        z = (x + y + (x + y >= 0 ? 1 : 0)) >> 1;
        break;
      case video_code::what::difference:
        z = x < y ? y - x : x - y;
        break;
      case video_code::what::min:
        z = std::min(x, y);
        break;
      case video_code::what::max:
        z = std::max(x, y);
        break;
      case video_code::what::shift_left:
      case video_code::what::shift_right: {
        const auto n = static_cast<std::uint64_t>(y & 0xFFFF'FFFF);
        const std::uint64_t by = v.wrap ? n & 31U : std::min<std::uint64_t>(n, 32);
        const std::int64_t beyond = x == 0 ? 0 : x < 0 ? -(std::int64_t{1} << 62) : std::int64_t{1} << 62;
        if (v.name == video_code::what::shift_right)
          z = x >> by;
        else
          z = by == 32 ? beyond : x * (std::int64_t{1} << by);  // all its low 32 bits are zero
        break;
      }
    }
    if (v.sat) z = std::clamp(z, least, most);
    total += z;
    const std::uint32_t field = bits == 32 ? 0xFFFF'FFFFU : (1U << bits) - 1U;
    r |= (static_cast<std::uint32_t>(static_cast<std::uint64_t>(z)) & field) << (i * bits);
  }
  const std::int64_t before = part_of(c, 0, 32, v.result_signed);
  const std::int64_t alone = part_of(r, 0, 32, v.result_signed);
  switch (v.second) {
    case video_code::merge::none:
      return r;
    case video_code::merge::add:
      return static_cast<std::uint32_t>(static_cast<std::uint64_t>((v.lanes == 1 ? alone : total) + before));
    case video_code::merge::min:
      return static_cast<std::uint32_t>(static_cast<std::uint64_t>(std::min(alone, before)));
    case video_code::merge::max:
      return static_cast<std::uint32_t>(static_cast<std::uint64_t>(std::max(alone, before)));
  }
  return r;
}

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
