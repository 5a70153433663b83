// SPDX-License-Identifier: BSL-1.0
//
// Products of matrices, D = A B + C, on arrays: rows one after the other.
//
//   integers        exact; then modulo 2^32, or clamped (.satfinite) once at the end
//   single bits     the number of ones in the rows' "and" or "xor"; modulo 2^32
//   f64             d = fma(a, b, d) from d = c on, in the order of k, in the direction of the instruction
//   other numbers   the same in single precision, to nearest: each product is exact, each sum is rounded. A half is
//                   rounded once more at the end. Subnormal numbers count. tf32 ignores the lowest 13 bits
//
// The manual fixes neither the order nor the roundings of floating-point sums, so a GPU may have another result. The
// result here is within (k + 1) 2^-24 of the exact sum, times the sum of the magnitudes, before it becomes a half. A
// GPU that cuts off instead of rounding is within (k + 1) 2^-23.
// NaN are 0x7fffffff, 0x7fff in half precision.
//
// Literature: NVIDIA, Parallel Thread Execution ISA, sections "mma", "wmma.mma", "wgmma.mma_async". M. Fasi, N. J.
// Higham, M. Mikaitis, S. Pranesh: Numerical behavior of NVIDIA tensor cores (2021).
#pragma once

#include <simtflow/ptx/machine/values/float_arithmetic.hpp>
#include <simtflow/ptx/machine/values/float_rounding.hpp>
#include <simtflow/ptx/machine/values/half.hpp>
#include <simtflow/ptx/text/matrix_form.hpp>
#include <simtflow/ptx/text/operation.hpp>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

/// Element e of a register as a single. \pre the type is one that singles hold.
constexpr float matrix_single(matrix_element type, std::uint32_t word, std::uint32_t e) {
  switch (type) {
    case matrix_element::f16:
      return f16_format::widen((word >> (16 * e)) & 0xFFFFU);
    case matrix_element::bf16:
      return bf16_format::widen((word >> (16 * e)) & 0xFFFFU);
    case matrix_element::e5m2:
      return f16_format::widen(((word >> (8 * e)) & 0xFFU) << 8);
    case matrix_element::e4m3: {
      const std::uint32_t b = (word >> (8 * e)) & 0xFFU;
      const std::uint32_t magnitude = b & 0x7FU;
      const float size = magnitude == 0x7F   ? std::numeric_limits<float>::quiet_NaN()
                         : magnitude < 0x08U ? static_cast<float>(magnitude) * 0x1p-9F
                                             : std::bit_cast<float>((magnitude << 20) + 0x3C00'0000U);
      return (b & 0x80U) != 0 ? -size : size;
    }
    case matrix_element::tf32: {
      const bool nan = (word & 0x7FFF'FFFFU) > 0x7F80'0000U;
      return std::bit_cast<float>(nan ? 0x7FFF'FFFFU : word & 0xFFFF'E000U);
    }
    default:
      return std::bit_cast<float>(word);
  }
}

/// Element e of a register as an integer.
constexpr std::int32_t matrix_integer(matrix_element type, std::uint32_t word, std::uint32_t e) {
  switch (type) {
    case matrix_element::s8:
      return static_cast<std::int8_t>((word >> (8 * e)) & 0xFFU);
    case matrix_element::u8:
      return static_cast<std::int32_t>((word >> (8 * e)) & 0xFFU);
    case matrix_element::s4:
      return static_cast<std::int32_t>(((word >> (4 * e)) & 0xFU) ^ 8U) - 8;
    case matrix_element::u4:
      return static_cast<std::int32_t>((word >> (4 * e)) & 0xFU);
    default:
      return std::bit_cast<std::int32_t>(word);
  }
}

/// The sides of a product.
struct matrix_sides {
  std::uint32_t m, n, k;
};

/// True if each product of a factor of `a` and one of `b` is a single: it has no bit below the last one of a subnormal
/// single, and is no overflow. \pre the numbers have at most 11 digits.
inline bool products_are_singles(const float* a, std::size_t na, const float* b, std::size_t nb) {
  struct range {
    std::uint32_t least = 255, most = 0;
  };
  const auto exponents = [](const float* x, std::size_t n) {
    range r;
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint32_t magnitude = std::bit_cast<std::uint32_t>(x[i]) & 0x7FFF'FFFFU;
      const std::uint32_t exponent = magnitude >> 23;
      if (magnitude == 0 || exponent == 255) continue;
      if (exponent < r.least) r.least = exponent;
      if (exponent > r.most) r.most = exponent;
    }
    return r;
  };
  const range x = exponents(a, na);
  const range y = exponents(b, nb);
  return x.least != 0 && y.least != 0 && x.least + y.least >= 125 && x.most + y.most <= 380;
}

/// sum += a b in single precision; see the top of this header.
inline void multiply_singles(const matrix_sides& s, const float* __restrict a, const float* __restrict b,
                             float* __restrict sum) {
  const bool exact = products_are_singles(a, std::size_t{s.m} * s.k, b, std::size_t{s.k} * s.n);
  for (std::uint32_t i = 0; i < s.m; ++i)
    for (std::uint32_t k = 0; k < s.k; ++k) {
      const float x = a[i * s.k + k];
      const float* const y = b + std::size_t{k} * s.n;
      float* const to = sum + std::size_t{i} * s.n;
      if (exact)
        for (std::uint32_t j = 0; j < s.n; ++j) to[j] += x * y[j];
      else
        for (std::uint32_t j = 0; j < s.n; ++j) to[j] = std::fma(x, y[j], to[j]);
    }
}

/// sum += a b in double precision.
inline void multiply_doubles(const matrix_sides& s, const double* a, const double* b, double* sum, rounding how) {
  const bool nearest = how == rounding::none || how == rounding::rn;
  for (std::uint32_t i = 0; i < s.m; ++i)
    for (std::uint32_t k = 0; k < s.k; ++k)
      for (std::uint32_t j = 0; j < s.n; ++j) {
        double& to = sum[i * s.n + j];
        const double x = a[i * s.k + k];
        const double y = b[k * s.n + j];
        to = nearest ? fma64(x, y, to) : d_fma(x, y, to, static_cast<std::uint32_t>(how));
      }
}

/// sum = a b, exact: at most 256 products of at most 16 bits.
inline void multiply_integers(const matrix_sides& s, const std::int32_t* __restrict a, const std::int32_t* __restrict b,
                              std::int32_t* __restrict sum) {
  for (std::uint32_t i = 0; i < s.m; ++i) {
    std::int32_t* const to = sum + std::size_t{i} * s.n;
    for (std::uint32_t j = 0; j < s.n; ++j) to[j] = 0;
    for (std::uint32_t k = 0; k < s.k; ++k) {
      const std::int32_t x = a[i * s.k + k];
      const std::int32_t* const y = b + std::size_t{k} * s.n;
      for (std::uint32_t j = 0; j < s.n; ++j) to[j] += x * y[j];
    }
  }
}
/// The same for words of 32 single bits: k counts words.
inline void multiply_bits(const matrix_sides& s, const std::int32_t* a, const std::int32_t* b, std::int32_t* sum,
                          bool conjunction) {
  for (std::uint32_t i = 0; i < s.m; ++i)
    for (std::uint32_t j = 0; j < s.n; ++j) {
      std::int32_t ones = 0;
      for (std::uint32_t k = 0; k < s.k; ++k) {
        const auto x = std::bit_cast<std::uint32_t>(a[i * s.k + k]);
        const auto y = std::bit_cast<std::uint32_t>(b[k * s.n + j]);
        ones += std::popcount(conjunction ? x & y : x ^ y);
      }
      sum[i * s.n + j] = ones;
    }
}

/// c + product, modulo 2^32 or clamped.
constexpr std::uint32_t integer_sum(std::int32_t c, std::int32_t product, bool clamps) {
  const std::int64_t sum = std::int64_t{c} + product;
  constexpr std::int64_t least = (std::numeric_limits<std::int32_t>::min)();
  constexpr std::int64_t most = (std::numeric_limits<std::int32_t>::max)();
  return static_cast<std::uint32_t>(!clamps ? sum : sum < least ? least : sum > most ? most : sum);
}

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
