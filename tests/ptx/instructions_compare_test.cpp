// SPDX-License-Identifier: BSL-1.0
//
// Comparisons, selections, tests.
#include "ptx/instruction_check.hpp"

#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <limits>

using namespace simtflow_tests;

namespace {
float flushed(float v) { return std::fpclassify(v) == FP_SUBNORMAL ? std::copysign(0.0F, v) : v; }
}  // namespace

namespace {
template <class T, class F>
void comparison(const char* name, F holds) {
  const auto op = [&](const char* stem) { return std::string(stem) + "." + name; };
  check<u32, T, T>(op("set") + ".u32." + type_name<T>(), [=](T a, T b) { return holds(a, b) ? 0xFFFF'FFFFU : 0U; });
  check<float, T, T>(op("set") + ".f32." + type_name<T>(), [=](T a, T b) { return holds(a, b) ? 1.0F : 0.0F; });
}
template <class T>
void ordered() {
  comparison<T>("eq", [](T a, T b) { return a == b; });
  comparison<T>("ne", [](T a, T b) { return a < b || a > b; });
  comparison<T>("lt", [](T a, T b) { return a < b; });
  comparison<T>("le", [](T a, T b) { return a <= b; });
  comparison<T>("gt", [](T a, T b) { return a > b; });
  comparison<T>("ge", [](T a, T b) { return a >= b; });
}
template <class T>
void unordered() {
  const auto nan = [](T a, T b) { return std::isnan(a) || std::isnan(b); };
  comparison<T>("equ", [=](T a, T b) { return nan(a, b) || a == b; });
  comparison<T>("neu", [=](T a, T b) { return nan(a, b) || a != b; });
  comparison<T>("ltu", [=](T a, T b) { return nan(a, b) || a < b; });
  comparison<T>("leu", [=](T a, T b) { return nan(a, b) || a <= b; });
  comparison<T>("gtu", [=](T a, T b) { return nan(a, b) || a > b; });
  comparison<T>("geu", [=](T a, T b) { return nan(a, b) || a >= b; });
  comparison<T>("num", [=](T a, T b) { return !nan(a, b); });
  comparison<T>("nan", nan);
}
}  // namespace

TEST_CASE("instructions: comparisons") {
  ordered<u16>();
  ordered<s16>();
  ordered<u32>();
  ordered<s32>();
  ordered<u64>();
  ordered<s64>();
  ordered<float>();
  ordered<double>();
  unordered<float>();
  unordered<double>();
  comparison<u32>("lo", [](u32 a, u32 b) { return a < b; });
  comparison<u32>("hs", [](u32 a, u32 b) { return a >= b; });
  check<u32, float, float>("set.lt.ftz.u32.f32",
                           [](float a, float b) { return flushed(a) < flushed(b) ? 0xFFFF'FFFFU : 0U; });
}

TEST_CASE("instructions: selection") {
  check<u32, u32, u32, s32>("slct.u32.s32", [](u32 a, u32 b, s32 c) { return c >= 0 ? a : b; });
  check<float, float, float, float>("slct.f32.f32", [](float a, float b, float c) { return c >= 0 ? a : b; });
  check<u64, u64, u64, s32>("slct.u64.s32", [](u64 a, u64 b, s32 c) { return c >= 0 ? a : b; });
}

TEST_CASE("instructions: two predicates of one comparison") {
  const std::string tail = "selp.u32 %x0, 1, 0, %p0; selp.u32 %x1, 2, 0, %p1; or.b32 $r, %x0, %x1;";
  check<u32, s32, s32>("setp.lt.s32 %p0|%p1, $a, $b; " + tail, [](s32 a, s32 b) { return a < b ? 1U : 2U; });
  check<u32, s32, s32, u32>("setp.gt.u32 %p2, $c, 99; setp.eq.or.s32 %p0|%p1, $a, $b, !%p2; " + tail,
                            [](s32 a, s32 b, u32 c) {
                              const bool n = c <= 99;
                              return (a == b || n ? 1U : 0U) | (a != b || n ? 2U : 0U);
                            });
  check<u32, float, float>("setp.gtu.f32 %p0|%p1, $a, $b; " + tail,
                           [](float a, float b) { return !(a <= b) ? 1U : 2U; });
}

TEST_CASE("instructions: properties of numbers") {
  const auto test = [](auto zero, const std::string& property, auto holds) {
    using T = decltype(zero);
    check<u32, T>("testp." + property + "." + type_name<T>() + " %p0, $a; selp.u32 $r, 1, 0, %p0;",
                  [=](T v) { return holds(v) ? 1U : 0U; });
  };
  const auto all = [&](auto zero) {
    using T = decltype(zero);
    test(zero, "finite", [](T v) { return std::isfinite(v); });
    test(zero, "infinite", [](T v) { return std::isinf(v); });
    test(zero, "number", [](T v) { return !std::isnan(v); });
    test(zero, "notanumber", [](T v) { return std::isnan(v); });
    test(zero, "normal", [](T v) { return std::isnormal(v) || v == 0; });
    test(zero, "subnormal", [](T v) { return std::fpclassify(v) == FP_SUBNORMAL; });
  };
  all(0.0F);
  all(0.0);
}
