// SPDX-License-Identifier: BSL-1.0
//
// Conversions.
#include "ptx/instruction_check.hpp"

#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <limits>

using namespace simtflow_tests;

namespace {
template <class D, class S>
D clamped(S v) {  // v is integral, infinite or NaN
  if (std::isnan(v)) return sizeof(S) == 4 && sizeof(D) < 8 ? D{0} : static_cast<D>(u64{1} << (8 * sizeof(D) - 1));
  if (v >= std::ldexp(S{1}, 8 * sizeof(D) - (std::is_signed_v<D> ? 1 : 0))) return std::numeric_limits<D>::max();
  if (v < static_cast<S>(std::numeric_limits<D>::min())) return std::numeric_limits<D>::min();
  return static_cast<D>(v);
}
template <class D, class S>
void float_to_int() {
  const std::string tail = std::string(".") + type_name<D>() + "." + type_name<S>();
  check<D, S>("cvt.rzi" + tail, [](S v) { return clamped<D, S>(std::trunc(v)); });
  check<D, S>("cvt.rni" + tail, [](S v) { return clamped<D, S>(std::rint(v)); });
  check<D, S>("cvt.rmi" + tail, [](S v) { return clamped<D, S>(std::floor(v)); });
  check<D, S>("cvt.rpi" + tail, [](S v) { return clamped<D, S>(std::ceil(v)); });
}
template <class D, class S>
void int_to_int() {
  const std::string tail = std::string(".") + type_name<D>() + "." + type_name<S>();
  check<D, S>("cvt" + tail, [](S v) { return static_cast<D>(v); });
  check<D, S>("cvt.sat" + tail, [](S v) {
    return static_cast<D>(
        std::clamp<i128>(i128(v), i128(std::numeric_limits<D>::min()), i128(std::numeric_limits<D>::max())));
  });
}
}  // namespace

TEST_CASE("instructions: conversions") {
  int_to_int<u16, s32>();
  int_to_int<s16, s32>();
  int_to_int<s32, s16>();
  int_to_int<u32, s64>();
  int_to_int<s32, u64>();
  int_to_int<u64, s32>();
  int_to_int<s64, u32>();
  int_to_int<s64, u64>();
  float_to_int<s32, float>();
  float_to_int<u32, float>();
  float_to_int<s16, float>();
  float_to_int<s64, float>();
  float_to_int<u64, float>();
  float_to_int<s32, double>();
  float_to_int<u64, double>();
  check<float, s32>("cvt.rn.f32.s32", [](s32 v) { return static_cast<float>(v); });
  check<float, u32>("cvt.rn.f32.u32", [](u32 v) { return static_cast<float>(v); });
  check<float, u64>("cvt.rn.f32.u64", [](u64 v) { return static_cast<float>(v); });
  check<float, s16>("cvt.rn.f32.s16", [](s16 v) { return static_cast<float>(v); });
  check<double, s64>("cvt.rn.f64.s64", [](s64 v) { return static_cast<double>(v); });
  check<double, float>("cvt.f64.f32", [](float v) { return static_cast<double>(v); });
  check<float, double>("cvt.rn.f32.f64", [](double v) { return static_cast<float>(v); });
  check<float, float>("cvt.rni.f32.f32", [](float v) { return std::rint(v); });
  check<float, float>("cvt.rzi.f32.f32", [](float v) { return std::trunc(v); });
  check<float, float>("cvt.rmi.f32.f32", [](float v) { return std::floor(v); });
  check<float, float>("cvt.rpi.f32.f32", [](float v) { return std::ceil(v); });
}

namespace {
template <class D, class... S>
void from_all_integers() {
  (int_to_int<D, S>(), ...);
}
}  // namespace

TEST_CASE("instructions: conversions between all integers") {
  from_all_integers<u8, s8, u16, s16, u32, s32, u64, s64>();
  from_all_integers<s8, u8, u16, s16, u32, s32, u64, s64>();
  from_all_integers<u16, u8, s8, s16, u32, u64, s64>();
  from_all_integers<s16, u8, s8, u16, u32, u64, s64>();
  from_all_integers<u32, u8, s8, u16, s16, s32, u64, s64>();
  from_all_integers<s32, u8, s8, u16, u32, u64, s64>();
  from_all_integers<u64, u8, s8, u16, s16, u32, s64>();
  from_all_integers<s64, u8, s8, u16, s16, s32, u64>();
}

TEST_CASE("instructions: conversions of floating point to the other integers") {
  float_to_int<u8, float>();
  float_to_int<s8, double>();
  float_to_int<u16, double>();
  float_to_int<s16, double>();
  float_to_int<u32, double>();
  float_to_int<s64, double>();
  // NaN is zero unless 64 bits are involved.
  CHECK(results("cvt.rzi.s32.f32", {"s32", "f32"}, {{0x7FC0'0000U, 0, 0, 0}})[0] == 0);
  CHECK(results("cvt.rzi.s64.f32", {"s64", "f32"}, {{0x7FC0'0000U, 0, 0, 0}})[0] == 0x8000'0000'0000'0000U);
  CHECK(results("cvt.rzi.u64.f32", {"u64", "f32"}, {{0x7FC0'0000U, 0, 0, 0}})[0] == 0x8000'0000'0000'0000U);
  CHECK(results("cvt.rzi.s32.f64", {"s32", "f64"}, {{0x7FF8'0000'0000'0000U, 0, 0, 0}})[0] == 0x8000'0000U);
  CHECK(results("cvt.rzi.u32.f64", {"u32", "f64"}, {{0x7FF8'0000'0000'0000U, 0, 0, 0}})[0] == 0x8000'0000U);
}

TEST_CASE("instructions: narrow results in wide registers") {
  check<u64, u32>("cvt.s8.u32 $r, $a;", [](u32 a) { return static_cast<u64>(s64{static_cast<s8>(a)}); });
  check<u32, u64>("cvt.u16.u64 $r, $a;", [](u64 a) { return static_cast<u32>(a & 0xFFFFU); });
  check<u32, u64>("cvt.s32.s8 $r, $a;", [](u64 a) { return static_cast<u32>(s32{static_cast<s8>(a)}); });
  check<u64, float>("cvt.rzi.s16.f32 $r, $a;",
                    [](float a) { return static_cast<u64>(s64{clamped<s16>(std::trunc(a))}); });
}

TEST_CASE("instructions: tf32") {
  // Rounded in double precision to 11 digits of the single's exponent.
  const auto cut = [](float v, int mode, bool away) -> u32 {
    if (std::isnan(v)) return 0x7FFF'FFFFU;
    if (std::isinf(v) || v == 0) return std::bit_cast<u32>(v);
    const int place = std::max(std::ilogb(v), -126) - 10;
    double units = std::ldexp(static_cast<double>(v), -place);
    if (away) {
      units = std::copysign(std::floor(std::fabs(units) + 0.5), v);
    } else {
      std::fesetround(mode);
      volatile double u = units;
      units = std::nearbyint(u);
      std::fesetround(FE_TONEAREST);
    }
    return std::bit_cast<u32>(std::copysign(static_cast<float>(std::ldexp(units, place)), v));
  };
  check_bits<u32, float>("cvt.rna.tf32.f32", [&](float v) { return cut(v, 0, true); });
  check_bits<u32, float>("cvt.rn.tf32.f32", [&](float v) { return cut(v, FE_TONEAREST, false); });
  check_bits<u32, float>("cvt.rz.tf32.f32", [&](float v) { return cut(v, FE_TOWARDZERO, false); });
  check_bits<u32, float>("cvt.rn.relu.tf32.f32", [&](float v) {
    return std::isnan(v) ? 0x7FFF'FFFFU : std::signbit(v) ? 0U : cut(v, FE_TONEAREST, false);
  });
  check_bits<u32, float>("cvt.rna.satfinite.tf32.f32", [&](float v) {
    const u32 r = cut(v, 0, true);
    return (r & 0x7FFF'FFFFU) == 0x7F80'0000U ? (r & 0x8000'0000U) | 0x7F7F'E000U : r;
  });
}

namespace {
/// The numbers of an 8-bit format, by its definition.
double small_value(u32 bits, int digits, int bias, bool e4m3) {
  const int stored = static_cast<int>((bits & 0x7FU) >> (digits - 1));
  const int fraction = static_cast<int>(bits & ((1U << (digits - 1)) - 1));
  const int top = 2 * bias + 1;
  double v = stored == 0 ? std::ldexp(fraction, 1 - bias - (digits - 1))
                         : std::ldexp(fraction + (1 << (digits - 1)), stored - bias - (digits - 1));
  if (e4m3 ? (bits & 0x7FU) == 0x7FU : stored == top && fraction != 0) v = std::numeric_limits<double>::quiet_NaN();
  if (!e4m3 && stored == top && fraction == 0) v = std::numeric_limits<double>::infinity();
  return (bits & 0x80U) != 0 ? -v : v;
}
/// The nearest of all finite ones, the even one of two.
u32 small_nearest(float v, int digits, int bias, bool e4m3) {
  if (std::isnan(v)) return 0x7FU;
  u32 best = 0;
  double distance = std::numeric_limits<double>::infinity();
  const double magnitude = std::min(std::fabs(static_cast<double>(v)), 1e6);
  for (u32 i = 0; i < 0x7FU; ++i) {
    const double w = small_value(i, digits, bias, e4m3);
    if (!std::isfinite(w)) continue;
    const double d = std::fabs(w - magnitude);
    if (d < distance || (d == distance && i % 2 == 0)) {
      best = i;
      distance = d;
    }
  }
  return best | (std::signbit(v) ? 0x80U : 0U);
}
}  // namespace

TEST_CASE("instructions: 8-bit floating point") {
  const auto pair = [](int digits, int bias, bool e4m3) {
    return [=](float a, float b) {
      return static_cast<u16>((small_nearest(a, digits, bias, e4m3) << 8) | small_nearest(b, digits, bias, e4m3));
    };
  };
  check_bits<u16, float, float>("cvt.rn.satfinite.e4m3x2.f32", pair(4, 7, true));
  check_bits<u16, float, float>("cvt.rn.satfinite.e5m2x2.f32", pair(3, 15, false));
  check_bits<u16, float, float>("cvt.rn.satfinite.relu.e4m3x2.f32", [&](float a, float b) {
    return pair(4, 7, true)(std::signbit(a) && !std::isnan(a) ? 0.0F : a, std::signbit(b) && !std::isnan(b) ? 0.0F : b);
  });
  std::vector<lane_values> in;
  for (u32 i = 0; i < 256; ++i) in.push_back({i | ((255 - i) << 8), 0, 0, 0});
  for (const bool e4m3 : {true, false}) {
    const auto out = results(e4m3 ? "cvt.rn.f16x2.e4m3x2" : "cvt.rn.f16x2.e5m2x2", {"u32", "u16"}, in);
    // Back through f16x2 gives the same bits, but for NaN and infinities.
    std::vector<lane_values> halves;
    for (const u64 v : out) halves.push_back({v, 0, 0, 0});
    const auto back =
        results(e4m3 ? "cvt.rn.satfinite.e4m3x2.f16x2" : "cvt.rn.satfinite.e5m2x2.f16x2", {"u16", "u32"}, halves);
    for (u32 i = 0; i < 256; ++i) {
      const double v = small_value(i, e4m3 ? 4 : 3, e4m3 ? 7 : 15, e4m3);
      CAPTURE(i);
      if (std::isnan(v))
        CHECK((back[i] & 0xFFU) == 0x7FU);
      else if (std::isinf(v))
        CHECK((back[i] & 0x7FU) == 0x7BU);
      else
        CHECK((back[i] & 0xFFU) == i);
    }
    CHECK((out[e4m3 ? 0x38 : 0x3C] & 0xFFFFU) == 0x3C00U);
  }
}
