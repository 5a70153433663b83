// SPDX-License-Identifier: BSL-1.0
//
// Arithmetic on singles and doubles for one lane, rounded to nearest: the processor's rounding, and its mode is never
// touched. Multiplication and addition never meet in one expression, so no compiler contracts them; a fused
// multiply-add rounds once.
//
// Literature: NVIDIA, Parallel Thread Execution ISA, chapter "Floating-Point Instructions".
#pragma once

#include <simtflow/ptx/machine/values/lanes.hpp>
#include <simtflow/ptx/machine/values/nan.hpp>
#include <simtflow/ptx/machine/values/rounding_to_odd.hpp>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

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

// a * b + c, rounded once. The product of two singles is exact in a double.
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
// The same on a processor that has the instruction: the same bits, several times faster.
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

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
