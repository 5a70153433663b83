// SPDX-License-Identifier: BSL-1.0
//
// Half precision: every one of the 65,536 values where there is one operand, edges and random values where there are
// more; against numbers taken apart with ldexp and rounded once with the host's own rounding.
#include "ptx/instruction_check.hpp"

#include <algorithm>
#include <cfenv>
#include <cmath>

using namespace simtflow_tests;

namespace {

template <class H>
struct traits;
template <>
struct traits<f16> {
  using pair = f16x2;
  static constexpr int digits = 11, least = -14;
  static constexpr u32 infinity = 0x7C00;
};
template <>
struct traits<bf16> {
  using pair = bf16x2;
  static constexpr int digits = 8, least = -126;
  static constexpr u32 infinity = 0x7F80;
};

/// The value of a half.
template <class H>
double value(u32 bits) {
  using t = traits<H>;
  const u32 magnitude = bits & 0x7FFFU;
  double v = 0;
  if (magnitude > t::infinity) return std::numeric_limits<double>::quiet_NaN();
  if (magnitude == t::infinity) {
    v = std::numeric_limits<double>::infinity();
  } else {
    const int stored = static_cast<int>(magnitude >> (t::digits - 1));
    const int fraction = static_cast<int>(magnitude & ((1U << (t::digits - 1)) - 1));
    v = stored == 0 ? std::ldexp(fraction, t::least - (t::digits - 1))
                    : std::ldexp(fraction + (1 << (t::digits - 1)), stored - 1 + t::least - (t::digits - 1));
  }
  return (bits & 0x8000U) != 0 ? -v : v;
}
/// The half nearest to a number (or next to it, in the host's direction). `sticky`: the number is a little larger in
/// magnitude than v, which is below the half's last place.
template <class H>
u32 nearest(double v) {
  using t = traits<H>;
  if (std::isnan(v)) return 0x7FFFU;
  const u32 sign = std::signbit(v) ? 0x8000U : 0U;
  if (v == 0) return sign;
  if (std::isinf(v)) return sign | t::infinity;
  const int mode = std::fegetround();
  const int place = std::max(std::ilogb(v), t::least) - (t::digits - 1);
  const double r = std::fabs(std::nearbyint(std::ldexp(v, -place)));  // |v| < 2^digits units
  if (r == 0) return sign;
  const double magnitude = std::ldexp(r, place);
  if (std::ilogb(magnitude) > -t::least + 1) {
    const bool away = mode == FE_TONEAREST || (mode == FE_UPWARD && v > 0) || (mode == FE_DOWNWARD && v < 0);
    return sign | (away ? t::infinity : t::infinity - 1);
  }
  const int e = std::max(std::ilogb(magnitude), t::least);
  const auto units =
      static_cast<u32>(std::ldexp(magnitude, t::digits - 1 - e));  // with the hidden bit, if there is one
  return sign | ((static_cast<u32>(e - t::least) << (t::digits - 1)) + units);
}
/// a * b + c rounded once: the double below it, its last bit set if that was not all.
template <class H>
u32 fused(double a, double b, double c) {
  std::fesetround(FE_TOWARDZERO);
  std::feclearexcept(FE_ALL_EXCEPT);
  volatile double x = a, y = b, z = c;
  volatile double r = std::fma(x, y, z);
  const bool inexact = std::fetestexcept(FE_INEXACT) != 0;
  std::fesetround(FE_TONEAREST);
  double v = r;
  if (inexact) v = std::bit_cast<double>(std::bit_cast<u64>(v) | 1U);
  if (v == 0 && a != 0 && b != 0) v = std::signbit(c) && c == 0 && std::signbit(a * b) ? -0.0 : v;
  if (v == 0 && (a == 0 || b == 0 || c == 0 || r == 0)) v = a * b + c;  // the sign of an exact zero, to nearest
  return nearest<H>(v);
}

template <class H>
u32 same_nan(u32 bits) {
  return (bits & 0x7FFFU) > traits<H>::infinity ? 0x7FFFU : bits;
}

/// All values; in b, c, d random ones.
std::vector<lane_values> all_values() {
  std::vector<lane_values> v;
  u64 state = 1;
  const auto random = [&state] {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return state >> 16;
  };
  for (u64 i = 0; i < 65536; ++i) v.push_back({i | (random() << 16), random(), random(), random()});
  return v;
}

template <class H, class F>
auto on_values(F f) {
  return [f](auto... operands) { return H{static_cast<u16>(nearest<H>(f(value<H>(operands.bits)...)))}; };
}
template <class H, class F>
auto on_pairs(F f) {
  using P = typename traits<H>::pair;
  return [f](auto... p) {
    const u32 low = f((p.bits & 0xFFFFU)...);
    const u32 high = f((p.bits >> 16)...);
    return P{low | (high << 16)};
  };
}

/// Two operands with interesting sums and products: all values against random ones and near ones.
template <class H>
void arithmetic() {
  using P = typename traits<H>::pair;
  const std::string h = std::string(".") + type_name<H>();
  const std::string p = std::string(".") + type_name<P>();
  const auto in = all_values();
  const auto edges = values(std::hash<std::string>{}(h));
  const auto add = [](u32 a, u32 b) { return nearest<H>(value<H>(a) + value<H>(b)); };
  const auto sub = [](u32 a, u32 b) { return nearest<H>(value<H>(a) - value<H>(b)); };
  const auto mul = [](u32 a, u32 b) { return nearest<H>(value<H>(a) * value<H>(b)); };
  const auto fma = [](u32 a, u32 b, u32 c) { return fused<H>(value<H>(a), value<H>(b), value<H>(c)); };
  const auto alone = [](auto f) { return [f](auto... x) { return H{static_cast<u16>(f(u32{x.bits}...))}; }; };
  if constexpr (std::is_same_v<H, f16>) {
    check_on<H, H, H>("add" + h, alone(add), in);
    check_on<H, H, H>("mul" + h, alone(mul), in);
  } else {
    // A sum of doubles may lose bits of bf16: rounded to odd by the fused form.
    check_on<H, H, H>("add" + h, alone([](u32 a, u32 b) { return fused<H>(value<H>(a), 1.0, value<H>(b)); }), in);
    check_on<H, H, H>("mul" + h, alone(mul), in);
  }
  check_on<H, H, H>("sub" + h, alone(sub), edges);
  check_on<H, H, H, H>("fma.rn" + h, alone(fma), in);
  check_on<P, P, P>("add.rn" + p, on_pairs<H>(add), edges);
  check_on<P, P, P>("sub" + p, on_pairs<H>(sub), edges);
  check_on<P, P, P>("mul" + p, on_pairs<H>(mul), edges);
  check_on<P, P, P, P>("fma.rn" + p, on_pairs<H>(fma), edges);
  const auto relu = [=](u32 a, u32 b, u32 c) {
    const u32 v = fma(a, b, c);
    return v == 0x7FFFU ? v : (v & 0x8000U) != 0 ? 0U : v;
  };
  check_on<H, H, H, H>("fma.rn.relu" + h, alone(relu), edges);
  check_on<P, P, P, P>("fma.rn.relu" + p, on_pairs<H>(relu), edges);
  check_on<H, H>("neg" + h, alone([](u32 a) { return a ^ 0x8000U; }), in);
  check_on<P, P>("abs" + p, on_pairs<H>([](u32 a) { return a & 0x7FFFU; }), edges);

  const auto pick = [](bool larger, bool nan_wins) {
    return [=](u32 a, u32 b) {
      const double x = value<H>(a), y = value<H>(b);
      if (std::isnan(x) || std::isnan(y))
        return nan_wins || (std::isnan(x) && std::isnan(y)) ? 0x7FFFU : std::isnan(x) ? b : a;
      if (x == y) return std::signbit(x) != larger ? a : b;
      return (x < y) != larger ? a : b;
    };
  };
  check_on<H, H, H>("min" + h, alone(pick(false, false)), in);
  check_on<H, H, H>("max" + h, alone(pick(true, false)), edges);
  check_on<H, H, H>("max.NaN" + h, alone(pick(true, true)), in);
  check_on<P, P, P>("min.NaN" + p, on_pairs<H>(pick(false, true)), edges);
  check_on<P, P, P>("max" + p, on_pairs<H>(pick(true, false)), edges);
  check_on<P, P, P>("min.xorsign.abs" + p, on_pairs<H>([=](u32 a, u32 b) {
                      return (pick(false, false)(a & 0x7FFFU, b & 0x7FFFU) & 0x7FFFU) | ((a ^ b) & 0x8000U);
                    }),
                    edges);

  // Functions: computed in single precision; the manual allows far more error.
  const auto close = [&](const std::string& opcode, auto exact, double allowed) {
    const auto out = results(opcode, {type_name<H>(), type_name<H>()}, in);
    double worst = 0;
    for (std::size_t i = 0; i < in.size(); ++i) {
      const double want = exact(value<H>(static_cast<u32>(in[i].a & 0xFFFFU)));
      const double got = value<H>(static_cast<u32>(out[i]));
      if (std::isnan(want)) {
        CHECK((out[i] & 0xFFFFU) == 0x7FFFU);
      } else if (nearest<H>(want) != out[i] && std::fabs(want) > std::ldexp(1.0, traits<H>::least)) {
        worst = std::max(worst, std::fabs(got - want) / std::fabs(want));
      }
    }
    CAPTURE(opcode);
    CHECK(worst < allowed);
  };
  const std::string ftz = std::is_same_v<H, bf16> ? ".ftz" : "";
  close(
      "ex2.approx" + ftz + h, [](double x) { return std::exp2(x); }, std::is_same_v<H, f16> ? 0x1p-9 : 0x1p-7);
  close(
      "tanh.approx" + h, [](double x) { return std::tanh(x); }, std::is_same_v<H, f16> ? 0x1p-10 : 0x1p-8);
}

}  // namespace

TEST_CASE("instructions: f16 arithmetic") { arithmetic<f16>(); }
TEST_CASE("instructions: bf16 arithmetic") { arithmetic<bf16>(); }

TEST_CASE("instructions: f16 with .ftz and .sat") {
  const auto in = all_values();
  const auto flushed = [](double v) { return std::fabs(v) < 0x1p-14 ? std::copysign(0.0, v) : v; };
  const auto flushed_bits = [](u32 v) { return (v & 0x7C00U) == 0 ? v & 0x8000U : v; };
  const auto clamped = [](double v) { return std::isnan(v) || v <= 0 ? 0.0 : std::min(v, 1.0); };
  check_on<f16, f16, f16>(
      "add.ftz.f16",
      [&](f16 a, f16 b) {
        return f16{
            static_cast<u16>(flushed_bits(nearest<f16>(flushed(value<f16>(a.bits)) + flushed(value<f16>(b.bits)))))};
      },
      in);
  check_on<f16, f16, f16>("mul.sat.f16", on_values<f16>([&](double a, double b) { return clamped(a * b); }), in);
  check_on<f16x2, f16x2, f16x2, f16x2>(
      "fma.rn.ftz.sat.f16x2", on_pairs<f16>([&](u32 a, u32 b, u32 c) {
        const u32 r = flushed_bits(fused<f16>(flushed(value<f16>(a)), flushed(value<f16>(b)), flushed(value<f16>(c))));
        return nearest<f16>(clamped(value<f16>(r)));
      }),
      values(3));
}

TEST_CASE("instructions: halves to wider numbers, and to integers") {
  const auto in = all_values();
  check_on<float, f16>("cvt.f32.f16", [](f16 a) { return static_cast<float>(value<f16>(a.bits)); },
                       {in.begin(), in.begin() + 31744});
  check<float, f16>("cvt.f32.f16", [](f16 a) { return static_cast<float>(value<f16>(a.bits)); });
  check<double, f16>("cvt.f64.f16", [](f16 a) { return value<f16>(a.bits); });
  check<float, bf16>("cvt.f32.bf16", [](bf16 a) { return static_cast<float>(value<bf16>(a.bits)); });
  check<float, bf16>("cvt.rn.ftz.f32.bf16", [](bf16 a) {
    const float v = static_cast<float>(value<bf16>(a.bits));
    return std::fpclassify(v) == FP_SUBNORMAL ? std::copysign(0.0F, v) : v;
  });
  check<float, f16>("cvt.sat.f32.f16", [](f16 a) {
    const double v = value<f16>(a.bits);
    return std::isnan(v) || v <= 0 ? 0.0F : static_cast<float>(std::min(v, 1.0));
  });
  const auto clamp = [](double v, double low, double high) { return std::isnan(v) ? 0.0 : std::clamp(v, low, high); };
  check_on<s32, f16>(
      "cvt.rni.s32.f16",
      [&](f16 a) { return static_cast<s32>(clamp(std::rint(value<f16>(a.bits)), -0x1p31, 0x1p31 - 1)); }, in);
  check_on<u32, f16>(
      "cvt.rzi.u32.f16", [&](f16 a) { return static_cast<u32>(clamp(std::trunc(value<f16>(a.bits)), 0, 0x1p32 - 1)); },
      in);
  check_on<s16, f16>(
      "cvt.rmi.s16.f16", [&](f16 a) { return static_cast<s16>(clamp(std::floor(value<f16>(a.bits)), -32768, 32767)); },
      in);
  check_on<u8, f16>(
      "cvt.rpi.u8.f16", [&](f16 a) { return static_cast<u8>(clamp(std::ceil(value<f16>(a.bits)), 0, 255)); }, in);
  check_on<f16, f16>("cvt.rni.f16.f16", on_values<f16>([](double v) { return std::rint(v); }), in);
  check_on<f16, f16>("cvt.rmi.f16.f16", on_values<f16>([](double v) { return std::floor(v); }), in);
  check_on<bf16, f16>(
      "cvt.rn.bf16.f16", [](f16 a) { return bf16{static_cast<u16>(nearest<bf16>(value<f16>(a.bits)))}; }, in);
  check_on<f16, bf16>(
      "cvt.rz.f16.bf16",
      [](bf16 a) {
        std::fesetround(FE_TOWARDZERO);
        const u32 r = nearest<f16>(value<bf16>(a.bits));
        std::fesetround(FE_TONEAREST);
        return f16{static_cast<u16>(r)};
      },
      in);
}

namespace {
template <class H>
void from_wider() {
  const std::string h = std::string(".") + type_name<H>();
  const struct {
    const char* name;
    int mode;
  } modes[] = {{"rn", FE_TONEAREST}, {"rz", FE_TOWARDZERO}, {"rm", FE_DOWNWARD}, {"rp", FE_UPWARD}};
  // Singles and doubles near halves, half-way between them and beside that.
  std::vector<lane_values> near_single, near_double;
  for (u32 i = 0; i < 65536; i += 8) {
    const u32 j = i + (i / 8) % 8;
    const double v = value<H>(j);
    const double next = value<H>(j + 1);
    const double middle = std::isfinite(next) ? v + (next - v) / 2 : v * 1.001;
    const double at = i % 3 == 0 ? v : middle;
    const int beside = static_cast<int>(i / 8 % 5) - 2;
    float s = static_cast<float>(at);
    double d = at;
    for (int k = 0; k < std::abs(beside); ++k) {
      s = std::nextafter(s, beside < 0 ? -INFINITY : INFINITY);
      d = std::nextafter(d, beside < 0 ? -INFINITY : INFINITY);
    }
    near_single.push_back({std::bit_cast<u32>(s), 0, 0, 0});
    near_double.push_back({std::bit_cast<u64>(d), 0, 0, 0});
  }
  for (const auto& m : modes) {
    const auto rounded = [&m](double v) {
      std::fesetround(m.mode);
      const u32 r = nearest<H>(v);
      std::fesetround(FE_TONEAREST);
      return H{static_cast<u16>(r)};
    };
    const std::string op = std::string("cvt.") + m.name + h;
    check_on<H, float>(
        op + ".f32", [&](float v) { return rounded(v); }, near_single);
    check_on<H, double>(
        op + ".f64", [&](double v) { return rounded(v); }, near_double);
    check_bits<H, float>(op + ".f32", [&](float v) { return rounded(v); });
    check_bits<H, double>(op + ".f64", [&](double v) { return rounded(v); });
    check_bits<H, s16>(op + ".s16", [&](s16 v) { return rounded(v); });
    check_bits<H, u8>(op + ".u8", [&](u8 v) { return rounded(v); });
    check_bits<H, s32>(op + ".s32", [&](s32 v) { return rounded(v); });
    // 53 bits hold every integer that matters: what is below them only says "a little more".
    const auto shortened = [](u64 v) {
      return static_cast<double>((v >> 11 << 11) | ((v & 2047U) != 0 && (v >> 53) != 0 ? 2048U : 0U));
    };
    check_bits<H, u64>(op + ".u64",
                       [&](u64 v) { return rounded(v >> 53 != 0 ? shortened(v) : static_cast<double>(v)); });
  }
  const auto clamped = [](double v) { return std::isnan(v) || v <= 0 ? 0.0 : std::min(v, 1.0); };
  check_bits<H, float>("cvt.rn.relu" + h + ".f32", [](float v) {
    return H{static_cast<u16>(std::isnan(v) ? 0x7FFFU : std::signbit(v) ? 0U : nearest<H>(v))};
  });
  const auto finite = [](u32 bits) { return (bits & 0x7FFFU) == traits<H>::infinity ? bits - 1 : bits; };
  check_bits<H, float>("cvt.rn.satfinite" + h + ".f32",
                       [&](float v) { return H{static_cast<u16>(finite(nearest<H>(v)))}; });
  check_bits<H, float>("cvt.rn.satfinite.relu" + h + ".f32", [&](float v) {
    return H{static_cast<u16>(std::isnan(v) ? 0x7FFFU : std::signbit(v) ? 0U : finite(nearest<H>(v)))};
  });
  if constexpr (std::is_same_v<H, f16>)
    check_bits<H, float>("cvt.rn.sat.f16.f32", [&](float v) { return H{static_cast<u16>(nearest<H>(clamped(v)))}; });
  using P = typename traits<H>::pair;
  check_bits<P, float, float>("cvt.rn." + std::string(type_name<P>()) + ".f32",
                              [](float a, float b) { return P{(nearest<H>(a) << 16) | nearest<H>(b)}; });
  check_bits<P, float, float>("cvt.rz.relu." + std::string(type_name<P>()) + ".f32", [](float a, float b) {
    const auto one = [](float v) {
      std::fesetround(FE_TOWARDZERO);
      const u32 r = std::isnan(v) ? 0x7FFFU : std::signbit(v) ? 0U : nearest<H>(v);
      std::fesetround(FE_TONEAREST);
      return r;
    };
    return P{(one(a) << 16) | one(b)};
  });
}
}  // namespace

TEST_CASE("instructions: numbers to f16") { from_wider<f16>(); }
TEST_CASE("instructions: numbers to bf16") { from_wider<bf16>(); }

namespace {
template <class H>
void comparisons() {
  using P = typename traits<H>::pair;
  const std::string h = std::string(".") + type_name<H>();
  const std::string p = std::string(".") + type_name<P>();
  const u32 one = nearest<H>(1.0);
  const auto less = [](u32 a, u32 b) { return value<H>(a) < value<H>(b); };
  const auto unequal = [](u32 a, u32 b) { return !(value<H>(a) == value<H>(b)); };
  check_on<u32, H, H>(
      "setp.lt" + h + " %p0, $a, $b; selp.u32 $r, 1, 0, %p0;", [&](H a, H b) { return less(a.bits, b.bits) ? 1U : 0U; },
      all_values());
  check<u32, P, P>(
      "setp.neu" + p + " %p0|%p1, $a, $b; selp.u32 %x0, 1, 0, %p0; selp.u32 %x1, 2, 0, %p1; add.u32 $r, %x0, %x1;",
      [&](P a, P b) {
        return (unequal(a.bits & 0xFFFFU, b.bits & 0xFFFFU) ? 1U : 0U) +
               (unequal(a.bits >> 16, b.bits >> 16) ? 2U : 0U);
      });
  // Both results over operands of their own, combined with a predicate that is overwritten.
  check<u32, P, P, u32>(
      "setp.gt.u32 %p0, $c, 1000; setp.lt.and" + p +
          " %p0|%p1, $a, $b, %p0; selp.u32 %x0, 1, 0, %p0; selp.u32 %x1, 2, 0, %p1; add.u32 $r, %x0, %x1;",
      [&](P a, P b, u32 c) {
        if (c <= 1000) return 0U;
        return (less(a.bits & 0xFFFFU, b.bits & 0xFFFFU) ? 1U : 0U) + (less(a.bits >> 16, b.bits >> 16) ? 2U : 0U);
      });
  check<H, H, H>("set.lt" + h + h, [&](H a, H b) { return H{static_cast<u16>(less(a.bits, b.bits) ? one : 0)}; });
  check<u16, H, H>("set.lt.u16" + h, [&](H a, H b) { return less(a.bits, b.bits) ? 0xFFFFU : 0U; });
  check<u32, H, H>("set.neu.u32" + h, [&](H a, H b) { return unequal(a.bits, b.bits) ? 0xFFFF'FFFFU : 0U; });
  check<P, P, P>("set.lt" + p + p, [&](P a, P b) {
    return P{(less(a.bits & 0xFFFFU, b.bits & 0xFFFFU) ? one : 0) |
             ((less(a.bits >> 16, b.bits >> 16) ? one : 0) << 16)};
  });
  check<u32, P, P>("set.neu.u32" + p, [&](P a, P b) {
    return (unequal(a.bits & 0xFFFFU, b.bits & 0xFFFFU) ? 0xFFFFU : 0U) |
           (unequal(a.bits >> 16, b.bits >> 16) ? 0xFFFF'0000U : 0U);
  });
}
}  // namespace

TEST_CASE("instructions: two predicates under a guard that is one of them") {
  // Lanes: the low halves less, the high halves less, both, none; the guard holds.
  const std::vector<lane_values> in = {{0x0000'0000U, 0x0000'3C00U, 0, 0},
                                       {0x0000'0000U, 0x3C00'0000U, 0, 0},
                                       {0x0000'0000U, 0x3C00'3C00U, 0, 0},
                                       {0x3C00'3C00U, 0x0000'0000U, 0, 0}};
  const std::string tail = "selp.u32 %x0, 1, 0, %p0; selp.u32 %x1, 2, 0, %p1; add.u32 $r, %x0, %x1;";
  CHECK(results("setp.eq.u32 %p0, $a, $a; setp.ne.u32 %p1, $a, $a; @%p0 setp.lt.f16x2 %p0|%p1, $a, $b; " + tail,
                {"u32", "u32", "u32"}, in) == std::vector<u64>{1, 2, 3, 0});
  CHECK(results("setp.eq.u32 %p1, $a, $a; setp.ne.u32 %p0, $a, $a; @%p1 setp.lt.f16x2 %p0|%p1, $a, $b; " + tail,
                {"u32", "u32", "u32"}, in) == std::vector<u64>{1, 2, 3, 0});
}

TEST_CASE("instructions: halves compared") {
  comparisons<f16>();
  comparisons<bf16>();
  const auto flushed = [](u32 v) { return value<f16>((v & 0x7C00U) == 0 ? v & 0x8000U : v); };
  check_on<u32, f16, f16>(
      "set.gt.ftz.u32.f16", [&](f16 a, f16 b) { return flushed(a.bits) > flushed(b.bits) ? 0xFFFF'FFFFU : 0U; },
      all_values());
}
