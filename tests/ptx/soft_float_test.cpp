// SPDX-License-Identifier: BSL-1.0
//
// Floating-point arithmetic in integers, against the host in its four rounding modes; fused multiply-adds of the other
// headers as well.
#include "ptx/support.hpp"
#include <simtflow/ptx/machine/values/float_arithmetic.hpp>
#include <simtflow/ptx/machine/values/half.hpp>
#include <simtflow/ptx/machine/values/soft_float.hpp>

#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <limits>

using namespace simtflow;
using namespace simtflow::ptx::detail;
using ptx::rounding;
using simtflow_tests::random_bits;

namespace {

struct direction {
  rounding how;
  int mode;
};
constexpr direction directions[] = {{rounding::rn, FE_TONEAREST},
                                    {rounding::rz, FE_TOWARDZERO},
                                    {rounding::rm, FE_DOWNWARD},
                                    {rounding::rp, FE_UPWARD}};

/// Doubles of all sizes, many close to each other, to powers of two, to the ends of the range.
double pick(random_bits& random) {
  const std::uint64_t bits = random();
  constexpr double edges[] = {0.0,
                              -0.0,
                              1,
                              -1,
                              1.5,
                              std::numeric_limits<double>::infinity(),
                              -std::numeric_limits<double>::infinity(),
                              std::numeric_limits<double>::quiet_NaN(),
                              std::numeric_limits<double>::max(),
                              4.9e-324,
                              2.2250738585072014e-308};
  switch (random() % 6) {
    case 0:
      return std::bit_cast<double>(bits);
    case 1:
      return std::bit_cast<double>((bits & 0x800F'FFFF'FFFF'FFFFU) | ((1022 + random() % 4) << 52));
    case 2:
      return std::bit_cast<double>(bits & 0x801F'FFFF'FFFF'FFFFU);
    case 3:
      return edges[bits % std::size(edges)];
    case 4:
      return static_cast<double>(static_cast<std::int64_t>(bits) >> (random() % 64));
    default:
      return std::bit_cast<double>((bits & 0x800F'FFFF'FFFF'FFFFU) | ((2044 + random() % 3) << 52));
  }
}
std::uint64_t bits(double v) { return std::isnan(v) ? 0x7FFF'FFFF'FFFF'FFFFU : std::bit_cast<std::uint64_t>(v); }
unpacked_float taken(double v) { return unpack_float(std::bit_cast<std::uint64_t>(v), format_f64); }

}  // namespace

TEST_CASE("soft float: doubles in every direction") {
  random_bits random{2026};
  std::uint32_t wrong = 0;
  for (int n = 0; n < 200000 && wrong < 5; ++n) {
    volatile double a = pick(random), b = pick(random), c = pick(random);
    const int op = static_cast<int>(random() % 6);
    if (op < 2 && random() % 3 == 0) b = -std::nextafter(a, random() % 2 == 0 ? 1e308 : -1e308);
    if (op == 4 && random() % 2 == 0 && std::isfinite(a * b)) c = -(a * b);
    const direction& d = directions[random() % 4];
    volatile double expected = 0;
    std::fesetround(d.mode);
    switch (op) {
      case 0:
        expected = a + b;
        break;
      case 1:
        expected = a - b;
        break;
      case 2:
        expected = a * b;
        break;
      case 3:
        expected = a / b;
        break;
      case 4:
        expected = std::fma(a, b, c);
        break;
      default:
        expected = std::sqrt(a);
        break;
    }
    volatile float narrow_expected = static_cast<float>(a);
    std::fesetround(FE_TONEAREST);
    const unpacked_float x = taken(a), y = taken(b), z = taken(c);
    const unpacked_float r = op == 0   ? float_sum(x, y, d.how)
                             : op == 1 ? float_sum(x, negated(y), d.how)
                             : op == 2 ? float_product(x, y)
                             : op == 3 ? float_quotient(x, y)
                             : op == 4 ? float_sum(float_product(x, y), z, d.how)
                                       : float_root(x);
    const std::uint64_t got = pack_float(r, format_f64, d.how);
    if (got != bits(expected)) {
      ++wrong;
      FAIL_CHECK("operation " << op << " mode " << d.mode << " of " << a << ", " << b << ", " << c << ": expected "
                              << bits(expected) << ", got " << got);
    }
    const auto single = static_cast<std::uint32_t>(pack_float(x, format_f32, d.how));
    const float f = narrow_expected;
    if (single != (std::isnan(f) ? 0x7FFF'FFFFU : std::bit_cast<std::uint32_t>(f))) {
      ++wrong;
      FAIL_CHECK("to a single, mode " << d.mode << ": " << a);
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("soft float: constant expressions, ties away, other formats") {
  constexpr auto third =
      pack_float(float_quotient(from_integer(1, false), from_integer(3, false)), format_f64, rounding::rn);
  static_assert(third == 0x3FD5'5555'5555'5555U);
  static_assert(pack_float(float_root(from_integer(2, false)), format_f32, rounding::rn) == 0x3FB5'04F3U);
  static_assert(pack_float(from_integer(2049, false), format_f16, rounding::rn) == 0x6800U);
  static_assert(pack_float(from_integer(2049, false), format_f16, rounding::rna) == 0x6801U);
  static_assert(pack_float(from_integer(65519, true), format_f16, rounding::rn) == 0xFBFFU);
  static_assert(pack_float(from_integer(65520, true), format_f16, rounding::rn) == 0xFC00U);
  static_assert(pack_float(from_integer(100000, true), format_f16, rounding::rp) == 0xFBFFU);
  static_assert(pack_float(from_integer(0, true), format_f16, rounding::rn) == 0);
  static_assert(format_e4m3.largest() == 0x7EU);
  static_assert(pack_float(from_integer(448, false), format_e4m3, rounding::rn) == 0x7EU);
  static_assert(pack_float(from_integer(1, true), format_e5m2, rounding::rn) == 0xBCU);
  CHECK(third != 0);
}

TEST_CASE("soft float: fused multiply-add of singles without the processor's own") {
  random_bits random{5};
  std::uint32_t wrong = 0;
  for (int n = 0; n < 200000; ++n) {
    const auto a = static_cast<float>(pick(random)), b = static_cast<float>(pick(random));
    auto c = static_cast<float>(pick(random));
    if (random() % 2 == 0) c = -(a * b);
    const float want = std::fma(a, b, c);
    const std::uint32_t expected = std::isnan(want) ? 0x7FFF'FFFFU : std::bit_cast<std::uint32_t>(want);
    wrong += std::bit_cast<std::uint32_t>(fma32(a, b, c)) != expected ? 1U : 0U;
  }
  CHECK(wrong == 0);
}
