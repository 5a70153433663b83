// SPDX-License-Identifier: BSL-1.0
//
// What instructions compute: for one lane as plain functions, for 32 lanes as loops over them. Registers are arrays of 32
// lanes: 32-bit slots for types up to 32 bits (narrow values in the low bits, readers ignore the rest), 64-bit slots
// above.
//
//   light code  computes all 32 lanes, also those that are switched off, into an array that no operand overlaps; the
//               caller merges it. Everything here is defined for every value, so idle lanes do no harm, and the loops have a
//               fixed length, so compilers make vector code of them.
//   each code   computes the lanes of a mask one by one, for what is slow or has no vector form.
//
// Where PTX leaves a result open it is fixed here: integer division by zero gives all ones, the remainder the dividend;
// .approx and .full are the C++ library's functions; a NaN that arithmetic makes is the host's. Multiplication and addition
// never meet in one expression, so no compiler contracts them; a fused multiply-add rounds once.
//
// Literature: NVIDIA, Parallel Thread Execution ISA, chapter "Instruction Set". S. Boldo, G. Melquiond: Emulation of FMA
// and Correctly Rounded Sums: Proved Algorithms Using Rounding to Odd (2008).
#pragma once

#include <simtflow/ptx/module.hpp>
#include <simtflow/ptx/opcode.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace simtflow {
inline namespace v0 {
namespace ptx {

/// Lanes that are computed together. A warp of another width takes the next multiple.
inline constexpr std::size_t chunk_lanes = 32;

/// Computes 32 lanes of a result from up to four operands. The result overlaps no operand.
using light_code = void (*)(void* result, const void* a, const void* b, const void* c, const void* d);
/// Computes the lanes of a mask. The result may be one of the operands.
using each_code = void (*)(void* result, const void* a, const void* b, const void* c, const void* d,
                           std::uint32_t mask);
/// Compares 32 lanes: one bit each.
using compare_code = std::uint32_t (*)(const void* a, const void* b);

/// How an operation computes: one of the two.
struct lane_code {
  light_code light = nullptr;
  each_code each = nullptr;
};

namespace detail {

template <class T>
using slot = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

template <class T>
constexpr T from_slot(slot<T> s) {
  if constexpr (std::is_floating_point_v<T>)
    return std::bit_cast<T>(s);
  else
    return static_cast<T>(s);
}
template <class T>
constexpr slot<T> to_slot(T v) {
  if constexpr (std::is_floating_point_v<T>)
    return std::bit_cast<slot<T>>(v);
  else
    return static_cast<slot<T>>(static_cast<std::make_unsigned_t<T>>(v));
}

// --- loops over lanes ----------------------------------------------------------------------------------------------

template <auto F>
struct lanes;

template <class D, class A, D (*F)(A)>
struct lanes<F> {
  static void light(void* r, const void* a, const void*, const void*, const void*) {
    slot<D>* __restrict out = static_cast<slot<D>*>(r);
    const slot<A>* __restrict x = static_cast<const slot<A>*>(a);
    for (std::size_t i = 0; i < chunk_lanes; ++i) out[i] = to_slot<D>(F(from_slot<A>(x[i])));
  }
  static void each(void* r, const void* a, const void*, const void*, const void*, std::uint32_t mask) {
    for (; mask != 0; mask &= mask - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(mask));
      static_cast<slot<D>*>(r)[i] = to_slot<D>(F(from_slot<A>(static_cast<const slot<A>*>(a)[i])));
    }
  }
};

template <class D, class A, class B, D (*F)(A, B)>
struct lanes<F> {
  static void light(void* r, const void* a, const void* b, const void*, const void*) {
    slot<D>* __restrict out = static_cast<slot<D>*>(r);
    const slot<A>* __restrict x = static_cast<const slot<A>*>(a);
    const slot<B>* __restrict y = static_cast<const slot<B>*>(b);
    for (std::size_t i = 0; i < chunk_lanes; ++i) out[i] = to_slot<D>(F(from_slot<A>(x[i]), from_slot<B>(y[i])));
  }
  /// The second operand is the same in all lanes: a constant shift amount.
  static void light_uniform(void* r, const void* a, const void* b, const void*, const void*) {
    slot<D>* __restrict out = static_cast<slot<D>*>(r);
    const slot<A>* __restrict x = static_cast<const slot<A>*>(a);
    const B y = from_slot<B>(*static_cast<const slot<B>*>(b));
    for (std::size_t i = 0; i < chunk_lanes; ++i) out[i] = to_slot<D>(F(from_slot<A>(x[i]), y));
  }
  static void each(void* r, const void* a, const void* b, const void*, const void*, std::uint32_t mask) {
    for (; mask != 0; mask &= mask - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(mask));
      static_cast<slot<D>*>(r)[i] = to_slot<D>(
          F(from_slot<A>(static_cast<const slot<A>*>(a)[i]), from_slot<B>(static_cast<const slot<B>*>(b)[i])));
    }
  }
};

template <class D, class A, class B, class C, D (*F)(A, B, C)>
struct lanes<F> {
  static void light(void* r, const void* a, const void* b, const void* c, const void*) {
    slot<D>* __restrict out = static_cast<slot<D>*>(r);
    const slot<A>* __restrict x = static_cast<const slot<A>*>(a);
    const slot<B>* __restrict y = static_cast<const slot<B>*>(b);
    const slot<C>* __restrict z = static_cast<const slot<C>*>(c);
    for (std::size_t i = 0; i < chunk_lanes; ++i)
      out[i] = to_slot<D>(F(from_slot<A>(x[i]), from_slot<B>(y[i]), from_slot<C>(z[i])));
  }
  static void each(void* r, const void* a, const void* b, const void* c, const void*, std::uint32_t mask) {
    for (; mask != 0; mask &= mask - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(mask));
      static_cast<slot<D>*>(r)[i] =
          to_slot<D>(F(from_slot<A>(static_cast<const slot<A>*>(a)[i]), from_slot<B>(static_cast<const slot<B>*>(b)[i]),
                       from_slot<C>(static_cast<const slot<C>*>(c)[i])));
    }
  }
};

template <class D, class A, class B, class C, class E, D (*F)(A, B, C, E)>
struct lanes<F> {
  static void each(void* r, const void* a, const void* b, const void* c, const void* d, std::uint32_t mask) {
    for (; mask != 0; mask &= mask - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(mask));
      static_cast<slot<D>*>(r)[i] = to_slot<D>(
          F(from_slot<A>(static_cast<const slot<A>*>(a)[i]), from_slot<B>(static_cast<const slot<B>*>(b)[i]),
            from_slot<C>(static_cast<const slot<C>*>(c)[i]), from_slot<E>(static_cast<const slot<E>*>(d)[i])));
    }
  }
};

template <auto F>
constexpr lane_code light() {
  return {&lanes<F>::light, nullptr};
}
template <auto F>
constexpr lane_code each() {
  return {nullptr, &lanes<F>::each};
}

/// Bit i in lane i: turns a mask into lanes and back without variable shifts.
struct lane_bits {
  std::uint32_t at[chunk_lanes];
  constexpr lane_bits() : at() {
    for (std::size_t i = 0; i < chunk_lanes; ++i) at[i] = std::uint32_t{1} << i;
  }
};
alignas(64) inline constexpr lane_bits bit_of_lane{};

template <class T, bool (*F)(T, T)>
std::uint32_t compare_lanes(const void* a, const void* b) {
  const slot<T>* x = static_cast<const slot<T>*>(a);
  const slot<T>* y = static_cast<const slot<T>*>(b);
  std::uint32_t mask = 0;
  for (std::size_t i = 0; i < chunk_lanes; ++i)
    mask |= F(from_slot<T>(x[i]), from_slot<T>(y[i])) ? bit_of_lane.at[i] : 0U;
  return mask;
}

// --- integers ------------------------------------------------------------------------------------------------------

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
template <permute_mode Mode>
constexpr std::uint32_t prmt(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  const std::uint64_t both = (std::uint64_t{b} << 32) | a;
  std::uint32_t r = 0;
  for (std::uint32_t i = 0; i < 4; ++i) {
    const std::uint32_t s = c & 3U;
    std::uint32_t pick = 0;
    bool sign = false;
    switch (Mode) {
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

// --- floating point ------------------------------------------------------------------------------------------------

/// A double that stands for an exact sum s + e: s itself if e is zero, otherwise the neighbour of s with an odd last bit
/// on the side of the exact value. Rounding it to a single, in any direction, gives the exact sum rounded once.
inline double odd(double s, double e) {
  const auto bits = std::bit_cast<std::int64_t>(s);
  const bool inexact = (e > 0) | (e < 0);  // false for the NaN that infinities leave
  const bool away = (e > 0) == (s > 0);
  const std::int64_t step = away ? 1 : -1;
  const std::int64_t even = (bits & 1) - 1;  // all ones if even
  return std::bit_cast<double>(bits + (inexact ? step & even : 0));
}
/// x + y for doubles whose sum cannot overflow, rounded to odd (Knuth's exact error of a sum).
inline double sum_to_odd(double x, double y) {
  const double s = x + y;
  const double back = s - x;
  const double rest = s - back;
  const double e = (x - rest) + (y - back);
  return odd(s, e);
}

/// A double to a single, in a direction; the double is exact or rounded to odd. Out of range is infinity or the largest.
template <rounding R>
inline float narrow(double v) {
  const auto f = static_cast<float>(v);
  if constexpr (R == rounding::rn || R == rounding::none) {
    return f;
  } else {
    if (!(f == f) || static_cast<double>(f) == v) return f;
    const bool above = static_cast<double>(f) > v;
    const bool want_below = R == rounding::rm || (R == rounding::rz && v > 0);
    if (above == want_below) {
      const auto bits = std::bit_cast<std::uint32_t>(f);
      // Neighbour towards minus infinity (want_below) or plus infinity; +-0 included.
      if (f == 0)
        return want_below ? -std::numeric_limits<float>::denorm_min() : std::numeric_limits<float>::denorm_min();
      return std::bit_cast<float>((f > 0) == want_below ? bits - 1 : bits + 1);
    }
    return f;
  }
}
/// The sign of an exact zero sum: minus when rounding down, unless both terms are +0.
template <rounding R>
inline float zero_sum(float f, double x, double y) {
  if constexpr (R == rounding::rm)
    if (f == 0 && x == -y && !(x == 0 && !std::signbit(x) && !std::signbit(y))) return -0.0F;
  return f;
}

template <class T>
inline T f_add(T a, T b) {
  return a + b;
}
template <class T>
inline T f_sub(T a, T b) {
  return a - b;
}
template <class T>
inline T f_mul(T a, T b) {
  return a * b;
}
template <class T>
inline T f_div(T a, T b) {
  return a / b;
}
template <class T>
inline T f_rcp(T a) {
  return T{1} / a;
}
template <class T>
inline T f_sqrt(T a) {
  return std::sqrt(a);
}
inline float rsqrt32(float a) { return static_cast<float>(1.0 / std::sqrt(static_cast<double>(a))); }
inline double rsqrt64(double a) { return 1.0 / std::sqrt(a); }

/// a * b + c, rounded once. The product of two singles is exact in a double.
inline float fma32(float a, float b, float c) {
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
  return __builtin_fmaf(a, b, c);
#else
  return static_cast<float>(sum_to_odd(static_cast<double>(a) * static_cast<double>(b), static_cast<double>(c)));
#endif
}
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__FMA__)
#define SIMTFLOW_PTX_FMA_AT_RUN_TIME
/// The same on a processor that has the instruction: the same bits, several times faster.
__attribute__((target("avx2,fma"))) inline void fma32_light(void* r, const void* a, const void* b, const void* c,
                                                            const void*) {
  std::uint32_t* __restrict out = static_cast<std::uint32_t*>(r);
  const std::uint32_t* __restrict x = static_cast<const std::uint32_t*>(a);
  const std::uint32_t* __restrict y = static_cast<const std::uint32_t*>(b);
  const std::uint32_t* __restrict z = static_cast<const std::uint32_t*>(c);
  for (std::size_t i = 0; i < chunk_lanes; ++i)
    out[i] = std::bit_cast<std::uint32_t>(
        __builtin_fmaf(std::bit_cast<float>(x[i]), std::bit_cast<float>(y[i]), std::bit_cast<float>(z[i])));
}
#endif
inline double fma64(double a, double b, double c) { return std::fma(a, b, c); }

template <rounding R>
inline float add_to(float a, float b) {
  const double x = a;
  const double y = b;
  return zero_sum<R>(narrow<R>(sum_to_odd(x, y)), x, y);
}
template <rounding R>
inline float sub_to(float a, float b) {
  return add_to<R>(a, -b);
}
template <rounding R>
inline float mul_to(float a, float b) {
  return narrow<R>(static_cast<double>(a) * static_cast<double>(b));
}
template <rounding R>
inline float fma_to(float a, float b, float c) {
  const double p = static_cast<double>(a) * static_cast<double>(b);
  return zero_sum<R>(narrow<R>(sum_to_odd(p, static_cast<double>(c))), p, static_cast<double>(c));
}
// A quotient or root of singles that is no single differs from all singles by far more than a double's last bit.
template <rounding R>
inline float div_to(float a, float b) {
  return narrow<R>(static_cast<double>(a) / static_cast<double>(b));
}
template <rounding R>
inline float rcp_to(float a) {
  return div_to<R>(1.0F, a);
}
template <rounding R>
inline float sqrt_to(float a) {
  return narrow<R>(std::sqrt(static_cast<double>(a)));
}

template <class T>
inline T canonical_nan() {
  if constexpr (sizeof(T) == 4)
    return std::bit_cast<float>(std::uint32_t{0x7FFF'FFFFU});
  else
    return std::bit_cast<double>(std::uint64_t{0x7FFF'FFFF'FFFF'FFFFU});
}
/// The smaller one; a number rather than a NaN; -0 is smaller than +0.
template <class T>
inline T f_min(T a, T b) {
  const slot<T> both = to_slot<T>(a) | to_slot<T>(b);
  const T number = a < b ? a : b < a ? b : from_slot<T>(both);
  const T rest = a == a ? a : b == b ? b : canonical_nan<T>();
  return ((a == a) & (b == b)) ? number : rest;
}
template <class T>
inline T f_max(T a, T b) {
  const slot<T> both = to_slot<T>(a) & to_slot<T>(b);
  const T number = a < b ? b : b < a ? a : from_slot<T>(both);
  const T rest = a == a ? a : b == b ? b : canonical_nan<T>();
  return ((a == a) & (b == b)) ? number : rest;
}
template <class T>
inline constexpr slot<T> sign_bit = slot<T>{1} << (8 * sizeof(T) - 1);
template <class T>
inline T f_neg(T a) {
  return from_slot<T>(to_slot<T>(a) ^ sign_bit<T>);
}
template <class T>
inline T f_abs(T a) {
  return from_slot<T>(to_slot<T>(a) & ~sign_bit<T>);
}
template <class T>
inline T f_copysign(T sign, T value) {
  return from_slot<T>((to_slot<T>(sign) & sign_bit<T>) | (to_slot<T>(value) & ~sign_bit<T>));
}
inline float f_ex2(float a) { return std::exp2(a); }
inline float f_lg2(float a) { return std::log2(a); }
inline float f_sin(float a) { return std::sin(a); }
inline float f_cos(float a) { return std::cos(a); }
inline float f_tanh(float a) { return std::tanh(a); }

/// Subnormal to zero of the same sign.
inline std::uint32_t flush(std::uint32_t s) { return (s & 0x7F80'0000U) == 0 ? s & 0x8000'0000U : s; }
/// To [0, 1]; NaN to +0.
template <class T>
inline T saturate(T v) {
  return v > T{0} ? (v < T{1} ? v : T{1}) : T{0};
}

template <class T, class C>
inline T select_by_sign(T a, T b, C c) {
  return c >= 0 ? a : b;
}

// --- conversions ---------------------------------------------------------------------------------------------------

template <class D, class S>
constexpr D int_to_int(S v) {
  return static_cast<D>(v);
}
template <class D, class S>
constexpr D int_to_int_sat(S v) {
  constexpr D low = std::numeric_limits<D>::min();
  constexpr D high = std::numeric_limits<D>::max();
  if constexpr (std::is_signed_v<S>) {
    if (v < 0) {
      if constexpr (std::is_signed_v<D>)
        return static_cast<std::int64_t>(v) < static_cast<std::int64_t>(low) ? low : static_cast<D>(v);
      else
        return 0;
    }
  }
  return static_cast<std::uint64_t>(v) > static_cast<std::uint64_t>(high) ? high : static_cast<D>(v);
}
template <class D, class S>
inline D int_to_float(S v) {
  return static_cast<D>(v);
}
/// In a direction: the magnitude is cut to the precision, and one is added where the direction asks for it.
template <class D, class S, rounding R>
inline D int_to_float_to(S v) {
  constexpr int digits = std::numeric_limits<D>::digits;
  const bool minus = v < 0;
  const auto magnitude = minus ? 0 - static_cast<std::uint64_t>(v) : static_cast<std::uint64_t>(v);
  const int width = static_cast<int>(std::bit_width(magnitude));
  const int cut = width > digits ? width - digits : 0;
  std::uint64_t kept = magnitude >> cut;
  const bool inexact = (kept << cut) != magnitude;
  if (inexact && ((R == rounding::rp && !minus) || (R == rounding::rm && minus))) ++kept;
  const D f = std::ldexp(static_cast<D>(kept), cut);
  return minus ? -f : f;
}
/// A floating-point number that is an integer, to an integer type: clamped; the manual's value for NaN.
template <class D, class S>
inline D float_to_int(S v) {
  constexpr D low = std::numeric_limits<D>::min();
  constexpr D high = std::numeric_limits<D>::max();
  constexpr bool zero_for_nan = sizeof(S) == 4 && sizeof(D) < 8;
  constexpr D of_nan = zero_for_nan ? D{0} : static_cast<D>(std::uint64_t{1} << (bits_of<D> - 1));
  // 2^n is exact in S; high itself may not be.
  constexpr S above = static_cast<S>(std::uint64_t{1} << (bits_of<D> - 1)) * (std::is_signed_v<D> ? S{1} : S{2});
  const D inside = v < above && v > static_cast<S>(low) - S{1} ? static_cast<D>(v) : v > 0 ? high : low;
  return v == v ? inside : of_nan;
}
template <class S, rounding R>
inline S to_integral(S v) {
  if constexpr (R == rounding::rni)
    return std::nearbyint(v);
  else if constexpr (R == rounding::rzi)
    return std::trunc(v);
  else if constexpr (R == rounding::rmi)
    return std::floor(v);
  else
    return std::ceil(v);
}
template <class D, class S, rounding R>
inline D float_to_int_by(S v) {
  return float_to_int<D, S>(to_integral<S, R>(v));
}
template <rounding R>
inline float narrow_to(double v) {
  return narrow<R>(v);
}
inline double widen(float v) { return v; }

// --- comparisons ---------------------------------------------------------------------------------------------------

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

// --- choosing code -------------------------------------------------------------------------------------------------

// Calls v.operator()<T>() for the C++ type of an integer type; bits count as unsigned.
template <class V>
lane_code for_int(scalar_type t, V v) {
  switch (t) {
    case scalar_type::b8:
    case scalar_type::u8:
      return v.template operator()<std::uint8_t>();
    case scalar_type::s8:
      return v.template operator()<std::int8_t>();
    case scalar_type::b16:
    case scalar_type::u16:
      return v.template operator()<std::uint16_t>();
    case scalar_type::s16:
      return v.template operator()<std::int16_t>();
    case scalar_type::b32:
    case scalar_type::u32:
      return v.template operator()<std::uint32_t>();
    case scalar_type::s32:
      return v.template operator()<std::int32_t>();
    case scalar_type::b64:
    case scalar_type::u64:
      return v.template operator()<std::uint64_t>();
    case scalar_type::s64:
      return v.template operator()<std::int64_t>();
    default:
      return {};
  }
}
template <class V>
lane_code for_bits(scalar_type t, V v) {
  switch (info(t).size) {
    case 2:
      return v.template operator()<std::uint16_t>();
    case 4:
      return v.template operator()<std::uint32_t>();
    case 8:
      return v.template operator()<std::uint64_t>();
    default:
      return {};
  }
}
template <class V>
lane_code for_float(scalar_type t, V v) {
  if (t == scalar_type::f32) return v.template operator()<float>();
  if (t == scalar_type::f64) return v.template operator()<double>();
  return {};
}

template <class T, comparison C>
constexpr compare_code compare_for() {
  return &compare_lanes<T, &compare<T, C>>;
}
template <class T>
compare_code compare_typed(comparison c) {
  switch (c) {
    case comparison::eq:
      return compare_for<T, comparison::eq>();
    case comparison::ne:
      return compare_for<T, comparison::ne>();
    case comparison::lt:
    case comparison::lo:
      return compare_for<T, comparison::lt>();
    case comparison::le:
    case comparison::ls:
      return compare_for<T, comparison::le>();
    case comparison::gt:
    case comparison::hi:
      return compare_for<T, comparison::gt>();
    case comparison::ge:
    case comparison::hs:
      return compare_for<T, comparison::ge>();
    default:
      break;
  }
  if constexpr (std::is_floating_point_v<T>) {
    switch (c) {
      case comparison::equ:
        return compare_for<T, comparison::equ>();
      case comparison::neu:
        return compare_for<T, comparison::neu>();
      case comparison::ltu:
        return compare_for<T, comparison::ltu>();
      case comparison::leu:
        return compare_for<T, comparison::leu>();
      case comparison::gtu:
        return compare_for<T, comparison::gtu>();
      case comparison::geu:
        return compare_for<T, comparison::geu>();
      case comparison::num:
        return compare_for<T, comparison::num>();
      case comparison::nan:
        return compare_for<T, comparison::nan>();
      default:
        break;
    }
  }
  return nullptr;
}
inline compare_code compare_of(scalar_type t, comparison c) {
  switch (t) {
    case scalar_type::b16:
    case scalar_type::u16:
      return compare_typed<std::uint16_t>(c);
    case scalar_type::s16:
      return compare_typed<std::int16_t>(c);
    case scalar_type::b32:
    case scalar_type::u32:
      return compare_typed<std::uint32_t>(c);
    case scalar_type::s32:
      return compare_typed<std::int32_t>(c);
    case scalar_type::b64:
    case scalar_type::u64:
      return compare_typed<std::uint64_t>(c);
    case scalar_type::s64:
      return compare_typed<std::int64_t>(c);
    case scalar_type::f32:
      return compare_typed<float>(c);
    case scalar_type::f64:
      return compare_typed<double>(c);
    default:
      return nullptr;
  }
}

template <class D, class S>
lane_code convert_numbers(const operation& o) {
  constexpr bool to_float = std::is_floating_point_v<D>;
  constexpr bool from_float = std::is_floating_point_v<S>;
  if constexpr (!to_float && !from_float) {
    return o.sat ? light<&int_to_int_sat<D, S>>() : light<&int_to_int<D, S>>();
  } else if constexpr (to_float && !from_float) {
    switch (o.round) {
      case rounding::rz:
        return each<&int_to_float_to<D, S, rounding::rz>>();
      case rounding::rm:
        return each<&int_to_float_to<D, S, rounding::rm>>();
      case rounding::rp:
        return each<&int_to_float_to<D, S, rounding::rp>>();
      default:
        return sizeof(S) == 8 ? each<&int_to_float<D, S>>() : light<&int_to_float<D, S>>();
    }
  } else if constexpr (!to_float) {
    switch (o.round) {
      case rounding::rni:
        return each<&float_to_int_by<D, S, rounding::rni>>();
      case rounding::rmi:
        return each<&float_to_int_by<D, S, rounding::rmi>>();
      case rounding::rpi:
        return each<&float_to_int_by<D, S, rounding::rpi>>();
      default:
        return sizeof(D) == 8 ? each<&float_to_int<D, S>>() : light<&float_to_int<D, S>>();
    }
  } else if constexpr (sizeof(D) == sizeof(S)) {
    switch (o.round) {
      case rounding::rni:
        return each<&to_integral<D, rounding::rni>>();
      case rounding::rzi:
        return each<&to_integral<D, rounding::rzi>>();
      case rounding::rmi:
        return each<&to_integral<D, rounding::rmi>>();
      case rounding::rpi:
        return each<&to_integral<D, rounding::rpi>>();
      default:
        return {};  // a copy; the caller makes one
    }
  } else if constexpr (sizeof(D) == 8) {
    return light<&widen>();
  } else {
    switch (o.round) {
      case rounding::rz:
        return each<&narrow_to<rounding::rz>>();
      case rounding::rm:
        return each<&narrow_to<rounding::rm>>();
      case rounding::rp:
        return each<&narrow_to<rounding::rp>>();
      default:
        return light<&narrow_to<rounding::rn>>();
    }
  }
}

/// The code of cvt; none if it is a plain copy.
inline lane_code convert_code(const operation& o) {
  const auto from = [&]<class D>() -> lane_code {
    const auto to = [&]<class S>() -> lane_code { return convert_numbers<D, S>(o); };
    return info(o.source).kind == type_class::floating ? for_float(o.source, to) : for_int(o.source, to);
  };
  return info(o.type).kind == type_class::floating ? for_float(o.type, from) : for_int(o.type, from);
}

template <rounding R>
lane_code directed_code(mnemonic m) {
  switch (m) {
    case mnemonic::add:
      return each<&add_to<R>>();
    case mnemonic::sub:
      return each<&sub_to<R>>();
    case mnemonic::mul:
      return each<&mul_to<R>>();
    case mnemonic::mad:
    case mnemonic::fma:
      return each<&fma_to<R>>();
    case mnemonic::div:
      return each<&div_to<R>>();
    case mnemonic::rcp:
      return each<&rcp_to<R>>();
    case mnemonic::sqrt:
      return each<&sqrt_to<R>>();
    default:
      return {};
  }
}

/// fma.rn.f32 for the processor at hand.
inline lane_code fma32_code() {
#if defined(SIMTFLOW_PTX_FMA_AT_RUN_TIME)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return {&fma32_light, nullptr};
#endif
  return light<&fma32>();
}

inline lane_code float_code(const operation& o) {
  if (o.type == scalar_type::f32) {
    if (o.round == rounding::rz) return directed_code<rounding::rz>(o.name);
    if (o.round == rounding::rm) return directed_code<rounding::rm>(o.name);
    if (o.round == rounding::rp) return directed_code<rounding::rp>(o.name);
  }
  return for_float(o.type, [&]<class T>() -> lane_code {
    switch (o.name) {
      case mnemonic::add:
        return light<&f_add<T>>();
      case mnemonic::sub:
        return light<&f_sub<T>>();
      case mnemonic::mul:
        return light<&f_mul<T>>();
      case mnemonic::div:
        return light<&f_div<T>>();
      case mnemonic::min:
        return light<&f_min<T>>();
      case mnemonic::max:
        return light<&f_max<T>>();
      case mnemonic::neg:
        return light<&f_neg<T>>();
      case mnemonic::abs:
        return light<&f_abs<T>>();
      case mnemonic::copysign:
        return light<&f_copysign<T>>();
      case mnemonic::rcp:
        return light<&f_rcp<T>>();
      case mnemonic::sqrt:
        return each<&f_sqrt<T>>();
      default:
        break;
    }
    if constexpr (sizeof(T) == 4) {
      switch (o.name) {
        case mnemonic::mad:
        case mnemonic::fma:
          return fma32_code();
        case mnemonic::rsqrt:
          return each<&rsqrt32>();
        case mnemonic::ex2:
          return each<&f_ex2>();
        case mnemonic::lg2:
          return each<&f_lg2>();
        case mnemonic::sin:
          return each<&f_sin>();
        case mnemonic::cos:
          return each<&f_cos>();
        case mnemonic::tanh:
          return each<&f_tanh>();
        default:
          return {};
      }
    } else {
      if (o.name == mnemonic::mad || o.name == mnemonic::fma) return each<&fma64>();
      if (o.name == mnemonic::rsqrt) return each<&rsqrt64>();
      return {};
    }
  });
}

template <class T>
lane_code int_code_of(const operation& o) {
  switch (o.name) {
    case mnemonic::add:
      return light<&i_add<T>>();
    case mnemonic::sub:
      return light<&i_sub<T>>();
    case mnemonic::mul:
      if (o.part == product_part::lo) return light<&i_mul<T>>();
      if (o.part == product_part::hi) return light<&mul_hi<T>>();
      if constexpr (sizeof(T) == 2 || sizeof(T) == 4) return light<&mul_wide<T>>();
      return {};
    case mnemonic::mad:
      if (o.part == product_part::lo) return light<&i_mad<T>>();
      if (o.part == product_part::hi) return light<&mad_hi<T>>();
      if constexpr (sizeof(T) == 2 || sizeof(T) == 4) return light<&mad_wide<T>>();
      return {};
    case mnemonic::sad:
      return light<&i_sad<T>>();
    case mnemonic::div:
      return each<&i_div<T>>();
    case mnemonic::rem:
      return each<&i_rem<T>>();
    case mnemonic::min:
      return light<&i_min<T>>();
    case mnemonic::max:
      return light<&i_max<T>>();
    default:
      break;
  }
  if constexpr (std::is_signed_v<T>) {
    if (o.name == mnemonic::neg) return light<&i_neg<T>>();
    if (o.name == mnemonic::abs) return light<&i_abs<T>>();
  }
  if constexpr (sizeof(T) == 4 || sizeof(T) == 8) {
    if (o.name == mnemonic::bfe) return each<&i_bfe<T>>();
    if (o.name == mnemonic::bfind) return o.shift_amount ? each<&i_bfind<T, true>>() : each<&i_bfind<T, false>>();
  }
  if constexpr (sizeof(T) == 4) {
    if (o.name == mnemonic::mul24) return o.part == product_part::lo ? light<&mul24_lo<T>>() : light<&mul24_hi<T>>();
    if (o.name == mnemonic::mad24) return o.part == product_part::lo ? light<&mad24_lo<T>>() : light<&mad24_hi<T>>();
  }
  return {};
}

inline lane_code integer_code(const operation& o) {
  if (o.sat) {
    switch (o.name) {
      case mnemonic::add:
        return light<&add_sat>();
      case mnemonic::sub:
        return light<&sub_sat>();
      case mnemonic::mad:
        return light<&mad_hi_sat>();
      case mnemonic::mad24:
        return light<&mad24_hi_sat>();
      default:
        return {};
    }
  }
  switch (o.type) {
    case scalar_type::u16:
      return int_code_of<std::uint16_t>(o);
    case scalar_type::s16:
      return int_code_of<std::int16_t>(o);
    case scalar_type::u32:
      return int_code_of<std::uint32_t>(o);
    case scalar_type::s32:
      return int_code_of<std::int32_t>(o);
    case scalar_type::u64:
      return int_code_of<std::uint64_t>(o);
    case scalar_type::s64:
      return int_code_of<std::int64_t>(o);
    default:
      return {};
  }
}

template <bool Uniform>
lane_code shift_code(const operation& o) {
  if (o.name == mnemonic::shr && info(o.type).kind == type_class::signed_integer) {
    switch (o.type) {
      case scalar_type::s16:
        return Uniform ? lane_code{&lanes<&i_shr<std::int16_t>>::light_uniform, nullptr}
                       : light<&i_shr<std::int16_t>>();
      case scalar_type::s32:
        return Uniform ? lane_code{&lanes<&i_shr<std::int32_t>>::light_uniform, nullptr}
                       : light<&i_shr<std::int32_t>>();
      default:
        return Uniform ? lane_code{&lanes<&i_shr<std::int64_t>>::light_uniform, nullptr}
                       : light<&i_shr<std::int64_t>>();
    }
  }
  return for_bits(o.type, [&]<class T>() -> lane_code {
    if (o.name == mnemonic::shl)
      return Uniform ? lane_code{&lanes<&i_shl<T>>::light_uniform, nullptr} : light<&i_shl<T>>();
    return Uniform ? lane_code{&lanes<&i_shr<T>>::light_uniform, nullptr} : light<&i_shr<T>>();
  });
}

inline lane_code permute_code(permute_mode m) {
  switch (m) {
    case permute_mode::none:
      return each<&prmt<permute_mode::none>>();
    case permute_mode::f4e:
      return each<&prmt<permute_mode::f4e>>();
    case permute_mode::b4e:
      return each<&prmt<permute_mode::b4e>>();
    case permute_mode::rc8:
      return each<&prmt<permute_mode::rc8>>();
    case permute_mode::ecl:
      return each<&prmt<permute_mode::ecl>>();
    case permute_mode::ecr:
      return each<&prmt<permute_mode::ecr>>();
    case permute_mode::rc16:
      return each<&prmt<permute_mode::rc16>>();
  }
  return {};
}

}  // namespace detail

/// The code of an operation on values (not memory, control flow, predicates); none if there is no such operation.
/// `uniform`: the second operand is the same in all lanes.
[[nodiscard]] inline lane_code code_of(const operation& o, bool uniform = false) {
  using namespace detail;  // NOLINT: the functions above
  switch (o.name) {
    case mnemonic::not_:
      return for_bits(o.type, []<class T>() { return light<&i_not<T>>(); });
    case mnemonic::cnot:
      return for_bits(o.type, []<class T>() { return light<&i_cnot<T>>(); });
    case mnemonic::and_:
      return for_bits(o.type, []<class T>() { return light<&i_and<T>>(); });
    case mnemonic::or_:
      return for_bits(o.type, []<class T>() { return light<&i_or<T>>(); });
    case mnemonic::xor_:
      return for_bits(o.type, []<class T>() { return light<&i_xor<T>>(); });
    case mnemonic::shl:
    case mnemonic::shr:
      return uniform ? shift_code<true>(o) : shift_code<false>(o);
    case mnemonic::shf:
      if (o.left) return o.wrap ? light<&funnel<true, true>>() : light<&funnel<true, false>>();
      return o.wrap ? light<&funnel<false, true>>() : light<&funnel<false, false>>();
    case mnemonic::lop3:
      return each<&lop3>();
    case mnemonic::slct:
      return for_bits(o.type, [&]<class T>() {
        return o.source == scalar_type::f32 ? light<&select_by_sign<T, float>>()
                                            : light<&select_by_sign<T, std::int32_t>>();
      });
    case mnemonic::cvt:
      return convert_code(o);
    case mnemonic::clz:
      return info(o.type).size == 4 ? each<&i_clz<std::uint32_t>>() : each<&i_clz<std::uint64_t>>();
    case mnemonic::popc:
      return info(o.type).size == 4 ? each<&i_popc<std::uint32_t>>() : each<&i_popc<std::uint64_t>>();
    case mnemonic::brev:
      return info(o.type).size == 4 ? each<&i_brev<std::uint32_t>>() : each<&i_brev<std::uint64_t>>();
    case mnemonic::bfi:
      return info(o.type).size == 4 ? each<&i_bfi<std::uint32_t>>() : each<&i_bfi<std::uint64_t>>();
    case mnemonic::prmt:
      return permute_code(o.permute);
    default:
      return info(o.type).kind == type_class::floating ? float_code(o) : integer_code(o);
  }
}

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

#undef SIMTFLOW_PTX_FMA_AT_RUN_TIME
