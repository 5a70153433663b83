// SPDX-License-Identifier: BSL-1.0
//
// Instructions on singles and doubles, for one lane.
//
//   NaN       a single that is no number is 0x7fffffff, as hardware makes it; a double keeps the payload of the first
//             NaN operand, and without one is 0xfff8000000000000
//   rounding  to nearest is the processor's; directed rounding of singles goes through doubles (exact, or rounded to
//             odd, then narrowed), directed rounding of doubles through integers (soft_float.hpp). The
//             processor's mode is never touched
//   approx    .approx and .full are the C++ library's functions: within the manual's errors, special values as in its
//             tables
//
// Multiplication and addition never meet in one expression, so no compiler contracts them; a fused multiply-add rounds
// once.
//
// Literature: NVIDIA, Parallel Thread Execution ISA, chapter "Floating-Point Instructions". S. Boldo, G. Melquiond:
// Emulation of FMA and Correctly Rounded Sums: Proved Algorithms Using Rounding to Odd (2008). D. E. Knuth, The Art of
// Computer Programming, volume 2, 4.2.2 (the error of a sum).
#pragma once

#include <simtflow/ptx/machine/values/lanes.hpp>
#include <simtflow/ptx/machine/values/soft_float.hpp>
#include <simtflow/ptx/text/opcode.hpp>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

template <class T>
inline constexpr slot<T> sign_bit = slot<T>{1} << (8 * sizeof(T) - 1);
template <class T>
inline constexpr slot<T> quiet_bit = slot<T>{1} << (std::numeric_limits<T>::digits - 2);

/// The NaN that an operation makes of numbers.
template <class T>
constexpr T made_nan() {
  if constexpr (sizeof(T) == 4)
    return std::bit_cast<float>(std::uint32_t{0x7FFF'FFFFU});
  else
    return std::bit_cast<double>(std::uint64_t{0xFFF8'0000'0000'0000U});
}
/// A NaN operand as a result.
template <class T>
constexpr T passed_nan(T v) {
  if constexpr (sizeof(T) == 4)
    return made_nan<float>();
  else
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(v) | quiet_bit<double>);
}
/// A result, with the right NaN in place of the host's.
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

// --- to nearest ----------------------------------------------------------------------------------------------------

template <class T>
inline T raw_add(T a, T b) {
  return a + b;
}
template <class T>
inline T raw_sub(T a, T b) {
  return a - b;
}
template <class T>
inline T raw_mul(T a, T b) {
  return a * b;
}
template <class T>
inline T raw_div(T a, T b) {
  return a / b;
}
template <class T>
inline T f_add(T a, T b) {
  return result_of<T>(a + b, a, b);
}
template <class T>
inline T f_sub(T a, T b) {
  return result_of<T>(a - b, a, b);
}
template <class T>
inline T f_mul(T a, T b) {
  return result_of<T>(a * b, a, b);
}
template <class T>
inline T f_div(T a, T b) {
  return result_of<T>(a / b, a, b);
}
template <class T>
inline T f_rcp(T a) {
  return result_of<T>(T{1} / a, a);
}
template <class T>
inline T f_sqrt(T a) {
  return result_of<T>(std::sqrt(a), a);
}

/// A double that stands for an exact sum s + e: s itself if e is zero, otherwise the neighbour of s with an odd last
/// bit on the side of the exact value. Rounding it to a single, in any direction, gives the exact sum rounded once.
inline double odd(double s, double e) {
  const auto bits = std::bit_cast<std::int64_t>(s);
  const bool inexact = (e > 0) | (e < 0);  // false for the NaN that infinities leave
  const bool away = (e > 0) == (s > 0);
  const std::int64_t step = away ? 1 : -1;
  const std::int64_t even = (bits & 1) - 1;  // all ones if even
  return std::bit_cast<double>(bits + (inexact ? step & even : 0));
}
/// x + y for doubles with a sum that cannot overflow, rounded to odd.
inline double sum_to_odd(double x, double y) {
  const double s = x + y;
  const double back = s - x;
  const double rest = s - back;
  const double e = (x - rest) + (y - back);
  return odd(s, e);
}

/// a * b + c, rounded once. The product of two singles is exact in a double.
inline float fma32(float a, float b, float c) {
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
  return result_of<float>(std::fma(a, b, c), a);
#else
  return result_of<float>(
      static_cast<float>(sum_to_odd(static_cast<double>(a) * static_cast<double>(b), static_cast<double>(c))), a);
#endif
}
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__FMA__)
#define SIMTFLOW_PTX_FMA_AT_RUN_TIME
/// The same on a processor that has the instruction: the same bits, several times faster.
__attribute__((target("avx2,fma"))) inline void fma32_light(void* __restrict r, const void* __restrict a,
                                                            const void* __restrict b, const void* __restrict c,
                                                            const void*) {
  std::uint32_t* out = static_cast<std::uint32_t*>(r);
  const std::uint32_t* x = static_cast<const std::uint32_t*>(a);
  const std::uint32_t* y = static_cast<const std::uint32_t*>(b);
  const std::uint32_t* z = static_cast<const std::uint32_t*>(c);
  std::uint32_t special = 0;
  for (std::size_t i = 0; i < chunk_lanes; ++i) {
    out[i] = std::bit_cast<std::uint32_t>(
        __builtin_fmaf(std::bit_cast<float>(x[i]), std::bit_cast<float>(y[i]), std::bit_cast<float>(z[i])));
    special |= special_bit<float>(out[i]);
  }
  if ((special >> 31) == 0) return;
  for (std::size_t i = 0; i < chunk_lanes; ++i)
    out[i] = special_bit<float>(out[i]) > 0x8000'0000U ? 0x7FFF'FFFFU : out[i];
}
#endif
inline double fma64(double a, double b, double c) {
  const double r = std::fma(a, b, c);
  return r == r ? r : a == a ? result_of<double>(r, b, c) : passed_nan(a);
}
#if defined(SIMTFLOW_PTX_FMA_AT_RUN_TIME)
__attribute__((target("avx2,fma"))) inline void fma64_light(void* __restrict r, const void* __restrict a,
                                                            const void* __restrict b, const void* __restrict c,
                                                            const void*) {
  std::uint64_t* out = static_cast<std::uint64_t*>(r);
  const std::uint64_t* x = static_cast<const std::uint64_t*>(a);
  const std::uint64_t* y = static_cast<const std::uint64_t*>(b);
  const std::uint64_t* z = static_cast<const std::uint64_t*>(c);
  std::uint64_t special = 0;
  for (std::size_t i = 0; i < chunk_lanes; ++i) {
    const double v =
        __builtin_fma(std::bit_cast<double>(x[i]), std::bit_cast<double>(y[i]), std::bit_cast<double>(z[i]));
    out[i] = std::bit_cast<std::uint64_t>(v);
    special |= special_bit<double>(out[i]);
  }
  if ((special >> 63) == 0) return;
  for (std::size_t i = 0; i < chunk_lanes; ++i)
    out[i] = std::bit_cast<std::uint64_t>(
        fma64(std::bit_cast<double>(x[i]), std::bit_cast<double>(y[i]), std::bit_cast<double>(z[i])));
}
#endif

// --- directed rounding ---------------------------------------------------------------------------------------------

/// A double to a single, in a direction; the double is exact or rounded to odd. Out of range is infinity or the
/// largest. No branches: loops of it become vector code.
template <rounding R>
inline float narrow(double v) {
  const auto f = static_cast<float>(v);
  if constexpr (R == rounding::rn || R == rounding::none) {
    return result_of<float>(f, f);
  } else {
    const auto back = static_cast<double>(f);
    const auto bits = std::bit_cast<std::uint32_t>(f);
    const std::uint32_t minus = bits >> 31;  // of v as well
    // One step away from the direction's side: in magnitude, up or down. A zero is only ever left upwards.
    const bool above = back > v;
    const bool below = back < v;
    bool step = false;
    std::uint32_t by = 0;
    if constexpr (R == rounding::rm) {
      step = above;
      by = 2 * minus - 1;
    } else if constexpr (R == rounding::rp) {
      step = below;
      by = 1 - 2 * minus;
    } else {
      step = minus != 0 ? below : above;
      by = 0xFFFF'FFFFU;
    }
    const std::uint32_t moved = bits + (step ? by : 0U);
    return std::bit_cast<float>(v == v ? moved : 0x7FFF'FFFFU);
  }
}
/// The sign of an exact zero sum: minus when rounding down, unless both terms are +0. (The sum of infinities is NaN.)
template <rounding R>
inline float zero_sum(float f, double x, double y) {
  if constexpr (R == rounding::rm) {
    const bool plus = (std::bit_cast<std::uint64_t>(x) | std::bit_cast<std::uint64_t>(y)) == 0;
    const bool cancelled = (f == 0.0F) & (x == -y) & !plus;
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(f) | (cancelled ? 0x8000'0000U : 0U));
  }
  return f;
}

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

// Doubles: the last operand is a rounding.
inline unpacked_float taken_apart(double v) { return unpack_float(std::bit_cast<std::uint64_t>(v), format_f64); }
inline double put_together(const unpacked_float& x, std::uint32_t how) {
  return std::bit_cast<double>(pack_float(x, format_f64, static_cast<rounding>(how)));
}
inline double d_add(double a, double b, std::uint32_t how) {
  return result_of(put_together(float_sum(taken_apart(a), taken_apart(b), static_cast<rounding>(how)), how), a, b);
}
inline double d_sub(double a, double b, std::uint32_t how) {
  return result_of(put_together(float_sum(taken_apart(a), negated(taken_apart(b)), static_cast<rounding>(how)), how), a,
                   b);
}
inline double d_mul(double a, double b, std::uint32_t how) {
  return result_of(put_together(float_product(taken_apart(a), taken_apart(b)), how), a, b);
}
inline double d_fma(double a, double b, double c, std::uint32_t how) {
  const unpacked_float p = float_product(taken_apart(a), taken_apart(b));
  const double r = put_together(float_sum(p, taken_apart(c), static_cast<rounding>(how)), how);
  return r == r ? r : a == a ? result_of(r, b, c) : passed_nan(a);
}
inline double d_div(double a, double b, std::uint32_t how) {
  return result_of(put_together(float_quotient(taken_apart(a), taken_apart(b)), how), a, b);
}
inline double d_rcp(double a, std::uint32_t how) {
  return result_of(put_together(float_quotient(taken_apart(1.0), taken_apart(a)), how), a);
}
inline double d_sqrt(double a, std::uint32_t how) {
  return result_of(put_together(float_root(taken_apart(a)), how), a);
}

// --- minimum, maximum, signs ---------------------------------------------------------------------------------------

/// The smaller one; a number rather than a NaN; -0 is smaller than +0.
template <class T>
inline T f_min(T a, T b) {
  const slot<T> x = to_slot<T>(a);
  const slot<T> y = to_slot<T>(b);
  slot<T> r = a < b ? x : x | y;
  r = b < a ? y : r;
  r = a == a ? r : y;
  r = b == b ? r : x;
  const slot<T> none = to_slot<T>(passed_nan<T>(a));
  const slot<T> if_b = b == b ? r : none;
  return from_slot<T>(a == a ? r : if_b);
}
template <class T>
inline T f_max(T a, T b) {
  const slot<T> x = to_slot<T>(a);
  const slot<T> y = to_slot<T>(b);
  slot<T> r = a > b ? x : x & y;
  r = b > a ? y : r;
  r = a == a ? r : y;
  r = b == b ? r : x;
  const slot<T> none = to_slot<T>(passed_nan<T>(a));
  const slot<T> if_b = b == b ? r : none;
  return from_slot<T>(a == a ? r : if_b);
}
/// NaN if there is one.
template <float (*F)(float, float)>
inline float nan_wins(float a, float b) {
  const float r = F(a, b);
  return ((a == a) & (b == b)) ? r : made_nan<float>();
}
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
/// The sign of a product.
constexpr std::uint32_t xor_signs(std::uint32_t value, std::uint32_t a, std::uint32_t b) {
  return (value & 0x7FFF'FFFFU) | ((a ^ b) & 0x8000'0000U);
}

// --- approximations ------------------------------------------------------------------------------------------------

/// div.approx: as a product with the reciprocal, which is zero for large divisors.
inline float div_approx(float a, float b) {
  const std::uint32_t magnitude = std::bit_cast<std::uint32_t>(b) & 0x7FFF'FFFFU;
  const bool large = magnitude > 0x7E80'0000U && magnitude < 0x7F80'0000U;  // 2^126
  const float zero = std::bit_cast<float>(std::bit_cast<std::uint32_t>(b) & 0x8000'0000U);
  const float r = large ? a * zero : a / b;
  return result_of<float>(r, a);
}
inline float f_rsqrt(float a) {
  const auto r = static_cast<float>(1.0 / std::sqrt(static_cast<double>(a)));
  return result_of<float>(r, a);
}
inline double d_rsqrt(double a) { return result_of<double>(1.0 / std::sqrt(a), a); }
inline float f_ex2(float a) { return result_of<float>(std::exp2(a), a); }
inline float f_lg2(float a) { return result_of<float>(std::log2(a), a); }
inline float f_sin(float a) { return result_of<float>(std::sin(a), a); }
inline float f_cos(float a) { return result_of<float>(std::cos(a), a); }
inline float f_tanh(float a) { return result_of<float>(std::tanh(a), a); }

/// The bits that rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64 read and write: the upper 32 bits, subnormal
/// numbers as zeros, one NaN.
inline double upper_word(double v) {
  const auto bits = std::bit_cast<std::uint64_t>(v);
  if (!(v == v)) return std::bit_cast<double>(std::uint64_t{0x7FFF'FFFF'0000'0000U});
  if ((bits & 0x7FF0'0000'0000'0000U) == 0) return std::bit_cast<double>(bits & sign_bit<double>);
  return std::bit_cast<double>(bits & 0xFFFF'FFFF'0000'0000U);
}
inline double rcp_gross(double a) { return upper_word(1.0 / upper_word(a)); }
inline double rsqrt_gross(double a) { return upper_word(1.0 / std::sqrt(upper_word(a))); }

// --- flushing, clamping, selecting, testing ------------------------------------------------------------------------

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
template <class T, float_test P>
inline bool has_property(T v) {
  const slot<T> magnitude = to_slot<T>(v) & ~sign_bit<T>;
  constexpr slot<T> infinity = to_slot<T>(std::numeric_limits<T>::infinity());
  constexpr slot<T> least = to_slot<T>((std::numeric_limits<T>::min)());
  if constexpr (P == float_test::finite) return magnitude < infinity;
  if constexpr (P == float_test::infinite) return magnitude == infinity;
  if constexpr (P == float_test::number) return magnitude <= infinity;
  if constexpr (P == float_test::notanumber) return magnitude > infinity;
  if constexpr (P == float_test::normal) return (magnitude >= least && magnitude < infinity) || magnitude == 0;
  return magnitude != 0 && magnitude < least;
}

// --- conversions ---------------------------------------------------------------------------------------------------

template <class D, class S>
constexpr D int_to_int(S v) {
  return static_cast<D>(v);
}
template <class D, class S>
constexpr D int_to_int_sat(S v) {
  constexpr D low = (std::numeric_limits<D>::min)();
  constexpr D high = (std::numeric_limits<D>::max)();
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
/// cvt.rna.tf32, cvt.rn.tf32, cvt.rz.tf32: a single with 10 bits of fraction.
template <rounding R>
constexpr std::uint32_t to_tf32(std::uint32_t v) {
  const std::uint32_t magnitude = v & 0x7FFF'FFFFU;
  const std::uint32_t half = R == rounding::rna ? 0x1000U : R == rounding::rn ? 0xFFFU + ((v >> 13) & 1U) : 0U;
  const std::uint32_t finite = (magnitude + half) & 0x7FFF'E000U;
  return magnitude > 0x7F80'0000U ? 0x7FFF'FFFFU
                                  : (v & 0x8000'0000U) | (magnitude == 0x7F80'0000U ? magnitude : finite);
}
/// .satfinite: the largest tf32 instead of infinity.
constexpr std::uint32_t finite_tf32(std::uint32_t v) {
  return (v & 0x7FFF'FFFFU) == 0x7F80'0000U ? (v & 0x8000'0000U) | 0x7F7F'E000U : v;
}
/// .relu: no negative numbers; NaN stays.
constexpr std::uint32_t single_relu(std::uint32_t v) { return (v & 0x8000'0000U) != 0 ? 0U : v; }

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
  constexpr D low = (std::numeric_limits<D>::min)();
  constexpr D high = (std::numeric_limits<D>::max)();
  constexpr bool zero_for_nan = sizeof(S) == 4 && sizeof(D) < 8;
  constexpr D of_nan = zero_for_nan ? D{0} : static_cast<D>(std::uint64_t{1} << (8 * sizeof(D) - 1));
  // 2^n is exact in S; high itself may not be.
  constexpr S above = static_cast<S>(std::uint64_t{1} << (8 * sizeof(D) - 1)) * (std::is_signed_v<D> ? S{1} : S{2});
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

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
