// SPDX-License-Identifier: BSL-1.0
//
// Singles and doubles against the host in its own rounding modes.
#include "ptx/instruction_check.hpp"

#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <limits>

using namespace simtflow_tests;

namespace {
template <class T, class F>
T rounded(int mode, F f) {
  std::fesetround(mode);
  volatile T r = f();
  std::fesetround(FE_TONEAREST);
  return r;
}
struct direction {
  const char* name;
  int mode;
};
constexpr direction directions[] = {{"rz", FE_TOWARDZERO}, {"rm", FE_DOWNWARD}, {"rp", FE_UPWARD}};
}  // namespace

namespace {
float flushed(float v) { return std::fpclassify(v) == FP_SUBNORMAL ? std::copysign(0.0F, v) : v; }
}  // namespace

namespace {
/// Singles to the last bit of a NaN.
template <class D, class... S, class F>
void exactly(const std::string& opcode, F reference) {
  if constexpr (std::is_same_v<D, float>)
    check_bits<D, S...>(opcode, reference);
  else
    check<D, S...>(opcode, reference);
}
template <class T>
void float_arithmetic() {
  const auto op = [](const char* stem) { return typed<T>(stem); };
  exactly<T, T, T>(op("add"), [](T a, T b) {
    volatile T r = a;
    r = r + b;
    return T(r);
  });
  exactly<T, T, T>(op("sub.rn"), [](T a, T b) {
    volatile T r = a;
    r = r - b;
    return T(r);
  });
  exactly<T, T, T>(op("mul"), [](T a, T b) {
    volatile T r = a;
    r = r * b;
    return T(r);
  });
  exactly<T, T, T>(op("div.rn"), [](T a, T b) {
    volatile T r = a;
    r = r / b;
    return T(r);
  });
  exactly<T, T, T, T>(op("fma.rn"), [](T a, T b, T c) { return std::fma(a, b, c); });
  exactly<T, T, T, T>(op("mad.rn"), [](T a, T b, T c) { return std::fma(a, b, c); });
  check<T, T>(op("neg"), [](T a) { return std::isnan(a) ? a : std::copysign(a, std::signbit(a) ? T{1} : T{-1}); });
  check<T, T>(op("abs"), [](T a) { return std::fabs(a); });
  exactly<T, T>(op("sqrt.rn"), [](T a) { return std::sqrt(a); });
  exactly<T, T>(op("rcp.rn"), [](T a) { return 1 / a; });
  check<T, T, T>(op("copysign"), [](T a, T b) { return std::isnan(b) ? b : std::copysign(b, a); });
  const auto smaller = [](T a, T b) {
    return std::isnan(a) ? b : std::isnan(b) ? a : a == b ? (std::signbit(a) ? a : b) : a < b ? a : b;
  };
  const auto larger = [](T a, T b) {
    return std::isnan(a) ? b : std::isnan(b) ? a : a == b ? (std::signbit(a) ? b : a) : a < b ? b : a;
  };
  check<T, T, T>(op("min"), smaller);
  check<T, T, T>(op("max"), larger);
}
}  // namespace

TEST_CASE("instructions: single precision") {
  float_arithmetic<float>();
  check_bits<float, float, float, float>("mad.f32", [](float a, float b, float c) { return std::fma(a, b, c); });
  check_bits<float, float, float>("div.approx.f32", [](float a, float b) {
    // Section "div": beyond 2^126 the reciprocal counts as zero.
    const bool beyond = std::fabs(b) > 0x1p126F && !std::isinf(b);
    if (!beyond) return a / b;
    if (std::isinf(a) || std::isnan(a)) return std::numeric_limits<float>::quiet_NaN();
    return std::signbit(a) == std::signbit(b) ? 0.0F : -0.0F;
  });
  check_bits<float, float, float>("div.full.f32", [](float a, float b) { return a / b; });
  check_bits<float, float>("sqrt.approx.f32", [](float a) { return std::sqrt(a); });
  check_bits<float, float>("rcp.approx.f32", [](float a) { return 1 / a; });
}
TEST_CASE("instructions: double precision") { float_arithmetic<double>(); }

TEST_CASE("instructions: single precision, directed rounding") {
  for (const direction& m : directions) {
    const std::string r = m.name;
    const int mode = m.mode;
    check_bits<float, float, float>("add." + r + ".f32", [mode](float a, float b) {
      volatile float x = a, y = b;
      return rounded<float>(mode, [&] { return x + y; });
    });
    check_bits<float, float, float>("sub." + r + ".f32", [mode](float a, float b) {
      volatile float x = a, y = b;
      return rounded<float>(mode, [&] { return x - y; });
    });
    check_bits<float, float, float>("mul." + r + ".f32", [mode](float a, float b) {
      volatile float x = a, y = b;
      return rounded<float>(mode, [&] { return x * y; });
    });
    check_bits<float, float, float>("div." + r + ".f32", [mode](float a, float b) {
      volatile float x = a, y = b;
      return rounded<float>(mode, [&] { return x / y; });
    });
    check_bits<float, float>("rcp." + r + ".f32", [mode](float a) {
      volatile float x = a, one = 1;
      return rounded<float>(mode, [&] { return one / x; });
    });
    check_bits<float, float>("sqrt." + r + ".f32", [mode](float a) {
      volatile float x = a;
      return rounded<float>(mode, [&] { return std::sqrt(x); });
    });
    check_bits<float, float, float, float>("fma." + r + ".f32", [mode](float a, float b, float c) {
      volatile float x = a, y = b, z = c;
      return rounded<float>(mode, [&] { return std::fma(x, y, z); });
    });
    check_bits<float, s32>("cvt." + r + ".f32.s32", [mode](s32 a) {
      volatile s32 x = a;
      return rounded<float>(mode, [&] { return static_cast<float>(x); });
    });
    check_bits<float, s64>("cvt." + r + ".f32.s64", [mode](s64 a) {
      volatile s64 x = a;
      return rounded<float>(mode, [&] { return static_cast<float>(x); });
    });
    check_bits<float, double>("cvt." + r + ".f32.f64", [mode](double a) {
      volatile double x = a;
      return rounded<float>(mode, [&] { return static_cast<float>(x); });
    });
  }
}

TEST_CASE("instructions: double precision, directed rounding") {
  for (const direction& m : directions) {
    const std::string r = m.name;
    const int mode = m.mode;
    check<double, double, double>("add." + r + ".f64", [mode](double a, double b) {
      volatile double x = a, y = b;
      return rounded<double>(mode, [&] { return x + y; });
    });
    check<double, double, double>("sub." + r + ".f64", [mode](double a, double b) {
      volatile double x = a, y = b;
      return rounded<double>(mode, [&] { return x - y; });
    });
    check<double, double, double>("mul." + r + ".f64", [mode](double a, double b) {
      volatile double x = a, y = b;
      return rounded<double>(mode, [&] { return x * y; });
    });
    check<double, double, double>("div." + r + ".f64", [mode](double a, double b) {
      volatile double x = a, y = b;
      return rounded<double>(mode, [&] { return x / y; });
    });
    check<double, double>("rcp." + r + ".f64", [mode](double a) {
      volatile double x = a, one = 1;
      return rounded<double>(mode, [&] { return one / x; });
    });
    check<double, double>("sqrt." + r + ".f64", [mode](double a) {
      volatile double x = a;
      return rounded<double>(mode, [&] { return std::sqrt(x); });
    });
    check<double, double, double, double>("fma." + r + ".f64", [mode](double a, double b, double c) {
      volatile double x = a, y = b, z = c;
      return rounded<double>(mode, [&] { return std::fma(x, y, z); });
    });
    check<double, s64>("cvt." + r + ".f64.s64", [mode](s64 a) {
      volatile s64 x = a;
      return rounded<double>(mode, [&] { return static_cast<double>(x); });
    });
    check<double, u64>("cvt." + r + ".f64.u64", [mode](u64 a) {
      volatile u64 x = a;
      return rounded<double>(mode, [&] { return static_cast<double>(x); });
    });
  }
}

TEST_CASE("instructions: flushing subnormals and saturation") {
  check_bits<float, float, float>("add.ftz.f32", [](float a, float b) { return flushed(flushed(a) + flushed(b)); });
  check_bits<float, float, float>("mul.ftz.f32", [](float a, float b) { return flushed(flushed(a) * flushed(b)); });
  check_bits<float, float, float, float>("fma.rn.ftz.f32", [](float a, float b, float c) {
    return flushed(std::fma(flushed(a), flushed(b), flushed(c)));
  });
  check<float, float>("abs.ftz.f32", [](float a) { return flushed(std::fabs(a)); });
  check_bits<float, float>("sqrt.rn.ftz.f32", [](float a) { return flushed(std::sqrt(flushed(a))); });
  const auto sat = [](float v) { return std::isnan(v) ? 0.0F : v <= 0 ? 0.0F : v >= 1 ? 1.0F : v; };
  check_bits<float, float, float>("add.sat.f32", [&](float a, float b) { return sat(a + b); });
  check_bits<float, float, float, float>("fma.rn.sat.f32",
                                         [&](float a, float b, float c) { return sat(std::fma(a, b, c)); });
  check_bits<float, float>("cvt.sat.f32.f32", [&](float a) { return sat(a); });
  check<float, float>("cvt.ftz.f32.f32", [&](float a) { return flushed(a); });
  const auto sat64 = [](double v) { return std::isnan(v) || v <= 0 ? 0.0 : std::min(v, 1.0); };
  check<double, double>("cvt.sat.f64.f64", sat64);
  check<double, double>("cvt.rni.sat.f64.f64", [&](double a) { return sat64(std::rint(a)); });
  check<double, float>("cvt.sat.f64.f32", [&](float a) { return sat64(a); });
  check<double, s32>("cvt.rn.sat.f64.s32", [&](s32 a) { return sat64(a); });
}

namespace {
u64 quieted(double v) { return std::bit_cast<u64>(v) | 0x0008'0000'0000'0000U; }
}  // namespace

TEST_CASE("instructions: doubles keep the payload of the first NaN") {
  const auto of_two = [](auto f) {
    return [f](u64 x, u64 y) {
      const double a = std::bit_cast<double>(x), b = std::bit_cast<double>(y), r = f(a, b);
      return std::isnan(a)   ? quieted(a)
             : std::isnan(b) ? quieted(b)
             : std::isnan(r) ? 0xFFF8'0000'0000'0000U
                             : std::bit_cast<u64>(r);
    };
  };
  const auto bits = [](const char* opcode) {
    return std::string("mov.b64 %fd64, $a; mov.b64 %fc64, $b; ") + opcode +
           ".f64 %fd64, %fd64, %fc64; mov.b64 $r, %fd64;";
  };
  check_bits<u64, u64, u64>(bits("add"), of_two([](double a, double b) { return a + b; }));
  check_bits<u64, u64, u64>(bits("sub"), of_two([](double a, double b) { return a - b; }));
  check_bits<u64, u64, u64>(bits("mul"), of_two([](double a, double b) { return a * b; }));
  check_bits<u64, u64, u64>(bits("div.rn"), of_two([](double a, double b) { return a / b; }));
  check_bits<u64, u64, u64>(bits("add.rz"), of_two([](double a, double b) {
                              volatile double x = a, y = b;
                              return rounded<double>(FE_TOWARDZERO, [&] { return x + y; });
                            }));
}

TEST_CASE("instructions: minimum and maximum with .NaN and .xorsign.abs") {
  const auto smaller = [](float a, float b) {
    return a == b ? (std::signbit(a) ? a : b) : std::isnan(a) ? b : std::isnan(b) || a < b ? a : b;
  };
  const auto larger = [](float a, float b) {
    return a == b ? (std::signbit(a) ? b : a) : std::isnan(a) ? b : std::isnan(b) || a > b ? a : b;
  };
  const auto nan = [](float a, float b) { return std::isnan(a) || std::isnan(b); };
  check_bits<float, float, float>("min.NaN.f32", [&](float a, float b) { return nan(a, b) ? NAN : smaller(a, b); });
  check_bits<float, float, float>("max.NaN.f32", [&](float a, float b) { return nan(a, b) ? NAN : larger(a, b); });
  check_bits<float, float, float>("max.ftz.NaN.f32",
                                  [&](float a, float b) { return nan(a, b) ? NAN : larger(flushed(a), flushed(b)); });
  const auto sign = [](float a, float b, float v) { return std::signbit(a) == std::signbit(b) ? v : -v; };
  check<float, float, float>("min.xorsign.abs.f32",
                             [&](float a, float b) { return sign(a, b, smaller(std::fabs(a), std::fabs(b))); });
  check<float, float, float>("max.NaN.xorsign.abs.f32", [&](float a, float b) {
    return nan(a, b) ? NAN : sign(a, b, larger(std::fabs(a), std::fabs(b)));
  });
}

TEST_CASE("instructions: quotients by large numbers, sums of zeros") {
  const auto bits = [](float v) { return u64{std::bit_cast<u32>(v)}; };
  const auto quotients = results("div.approx.f32", {"f32", "f32", "f32"},
                                 {{bits(3.0F), bits(0x1p126F), 0, 0},
                                  {bits(3.0F), bits(0x1.8p126F), 0, 0},
                                  {bits(-3.0F), bits(0x1.8p127F), 0, 0},
                                  {bits(INFINITY), bits(0x1.8p126F), 0, 0}});
  CHECK(quotients == std::vector<u64>{bits(3.0F / 0x1p126F), 0, 0x8000'0000U, 0x7FFF'FFFFU});
  const std::vector<lane_values> zeros = {{bits(0.0F), bits(0.0F), 0, 0},
                                          {bits(-0.0F), bits(0.0F), 0, 0},
                                          {bits(0.0F), bits(-0.0F), 0, 0},
                                          {bits(1.5F), bits(-1.5F), 0, 0},
                                          {bits(-0.0F), bits(-0.0F), 0, 0}};
  const u64 minus = 0x8000'0000U;
  CHECK(results("add.rm.f32", {"f32", "f32", "f32"}, zeros) == std::vector<u64>{0, minus, minus, minus, minus});
  CHECK(results("add.rp.f32", {"f32", "f32", "f32"}, zeros) == std::vector<u64>{0, 0, 0, 0, minus});
  const u64 inf = bits(INFINITY), nan = 0x7FFF'FFFFU;
  CHECK(results("add.rm.f32", {"f32", "f32", "f32"}, {{inf, inf | minus, 0, 0}}) == std::vector<u64>{nan});
  CHECK(results("sub.rm.f32", {"f32", "f32", "f32"}, {{inf, inf, 0, 0}}) == std::vector<u64>{nan});
  CHECK(results("fma.rm.f32", {"f32", "f32", "f32", "f32"}, {{inf, bits(1.0F), inf | minus, 0}}) ==
        std::vector<u64>{nan});
}
