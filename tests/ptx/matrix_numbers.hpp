// SPDX-License-Identifier: BSL-1.0
//
// The elements of matrices as numbers, by the definitions of their formats.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

namespace simtflow_tests {

/// The bits of an element.
inline int bits_of_type(const std::string& type) {
  if (type == "f64") return 64;
  if (type == "f32" || type == "s32" || type == "tf32") return 32;
  if (type == "f16" || type == "bf16") return 16;
  return type == "b1" ? 1 : type == "s4" || type == "u4" ? 4 : 8;
}
/// A number of few bits, by its definition.
inline double small_float(std::uint64_t v, int exponent_bits, int fraction_bits, bool infinities) {
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const auto fraction = static_cast<double>(v & ((1U << fraction_bits) - 1));
  const int exponent = static_cast<int>(v >> fraction_bits) & ((1 << exponent_bits) - 1);
  const bool minus = (v >> (fraction_bits + exponent_bits) & 1U) != 0;
  double size = exponent == 0 ? std::ldexp(fraction, 1 - bias - fraction_bits)
                              : std::ldexp(fraction + (1 << fraction_bits), exponent - bias - fraction_bits);
  if (exponent == (1 << exponent_bits) - 1) {
    if (infinities)
      size = fraction == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
    else if (fraction == (1 << fraction_bits) - 1)
      size = std::numeric_limits<double>::quiet_NaN();
  }
  return minus ? -size : size;
}
inline double number(const std::string& type, std::uint64_t v) {
  if (type == "f64") return std::bit_cast<double>(v);
  if (type == "f32") return std::bit_cast<float>(static_cast<std::uint32_t>(v));
  if (type == "f16") return small_float(v, 5, 10, true);
  if (type == "bf16") return small_float(v, 8, 7, true);
  if (type == "e5m2") return small_float(v, 5, 2, true);
  if (type == "e4m3") return small_float(v, 4, 3, false);
  if (type == "tf32") {
    const auto single = std::bit_cast<float>(static_cast<std::uint32_t>(v));
    return std::isnan(single) ? single : small_float(v >> 13, 8, 10, true);
  }
  const int width = bits_of_type(type);
  const auto whole = static_cast<std::int64_t>(v);
  return static_cast<double>(type[0] == 's' && (v >> (width - 1)) != 0 ? whole - (std::int64_t{1} << width) : whole);
}
/// A single to the nearest half.
inline std::uint32_t half_of(float v) {
  if (std::isnan(v)) return 0x7FFF;
  const std::uint32_t sign = std::signbit(v) ? 0x8000 : 0;
  const double size = std::fabs(static_cast<double>(v));
  if (size >= 65520) return sign | 0x7C00;
  if (size == 0) return sign;
  const int exponent = std::max(std::ilogb(size), -14);
  const auto steps = static_cast<std::uint32_t>(std::nearbyint(std::ldexp(size, 10 - exponent)));  // may carry
  return sign | (static_cast<std::uint32_t>(exponent + 14) * 1024 + steps);
}

}  // namespace simtflow_tests
