// SPDX-License-Identifier: BSL-1.0
//
// Approximations: within the errors that the manual gives, special values as in its tables.
#include "ptx/instruction_check.hpp"

#include <cmath>

using namespace simtflow_tests;

namespace {

constexpr float inf = std::numeric_limits<float>::infinity();
const float not_a_number = std::numeric_limits<float>::quiet_NaN();

u64 bits_of(float v) { return std::bit_cast<u32>(v); }

/// 4096 singles of a range, evenly in their exponents and fractions; both signs if asked.
std::vector<lane_values> singles(float low, float high, bool both_signs) {
  std::vector<lane_values> v;
  const u32 first = std::bit_cast<u32>(low);
  const u32 last = std::bit_cast<u32>(high);
  for (u32 i = 0; i < 4096; ++i) {
    const auto at = static_cast<u32>(first + (u64{last - first} * i) / 4095);
    v.push_back({at | (both_signs && i % 2 == 1 ? 0x8000'0000U : 0U), 0, 0, 0});
  }
  return v;
}

enum class measure { relative, absolute };

/// The largest error over a range, in powers of two: log2.
template <class F>
double error(const std::string& opcode, F exact, const std::vector<lane_values>& in, measure how) {
  const std::vector<u64> out = results(opcode, {"f32", "f32"}, in);
  long double worst = 0;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const long double x = as<float>(in[i].a);
    const long double want = exact(x);
    const long double got = as<float>(out[i]);
    const long double e = std::fabs(got - want) / (how == measure::relative ? std::fabs(want) : 1.0L);
    if (!(e <= worst)) worst = e;
  }
  return static_cast<double>(std::log2(worst));
}

/// One operand, one result.
void special(const std::string& opcode, const std::vector<std::pair<float, float>>& table) {
  std::vector<lane_values> in;
  for (const auto& [x, y] : table) in.push_back({bits_of(x), 0, 0, 0});
  const std::vector<u64> out = results(opcode, {"f32", "f32"}, in);
  for (std::size_t i = 0; i < table.size(); ++i) {
    CAPTURE(opcode);
    CAPTURE(table[i].first);
    CHECK(out[i] == raw<float>(table[i].second));
  }
}

}  // namespace

TEST_CASE("instructions: errors of approximations") {
  const auto all = singles(0x1p-126F, 0x1p126F, true);
  const auto positive = singles(0x1p-126F, 0x1.fffffep127F, false);
  CHECK(error(
            "rcp.approx.f32", [](long double x) { return 1 / x; }, all, measure::relative) <= -23);
  CHECK(error(
            "sqrt.approx.f32", [](long double x) { return std::sqrt(x); }, positive, measure::relative) <= -23);
  CHECK(error(
            "rsqrt.approx.f32", [](long double x) { return 1 / std::sqrt(x); }, positive, measure::relative) <= -22.9);
  CHECK(error(
            "ex2.approx.f32", [](long double x) { return std::exp2(x); }, singles(0x1p-20F, 120.0F, true),
            measure::relative) <= -22.5);
  CHECK(error(
            "lg2.approx.f32", [](long double x) { return std::log2(x); }, singles(0.5F, 2.0F, false),
            measure::absolute) <= -22);
  CHECK(error(
            "lg2.approx.f32", [](long double x) { return std::log2(x); }, singles(2.0F, 0x1.fffffep127F, false),
            measure::relative) <= -22);
  CHECK(error(
            "lg2.approx.f32", [](long double x) { return std::log2(x); }, singles(0x1p-126F, 0.5F, false),
            measure::relative) <= -22);
  CHECK(error(
            "sin.approx.f32", [](long double x) { return std::sin(x); }, singles(0x1p-30F, 6.2831853F, true),
            measure::absolute) <= -20.5);
  CHECK(error(
            "cos.approx.f32", [](long double x) { return std::cos(x); }, singles(0x1p-30F, 6.2831853F, true),
            measure::absolute) <= -20.5);
  CHECK(error(
            "tanh.approx.f32", [](long double x) { return std::tanh(x); }, singles(0x1p-126F, 0x1p100F, true),
            measure::relative) <= -11);
}

TEST_CASE("instructions: special values of approximations") {
  const float sub = 0x1p-140F;
  special("rcp.approx.f32",
          {{-inf, -0.0F}, {-0.0F, -inf}, {0.0F, inf}, {inf, 0.0F}, {not_a_number, not_a_number}, {sub, inf}});
  special("rcp.approx.ftz.f32", {{-sub, -inf}, {sub, inf}, {0x1p127F, 0.0F}, {-inf, -0.0F}});
  special("sqrt.approx.f32", {{-inf, not_a_number},
                              {-1.0F, not_a_number},
                              {-0.0F, -0.0F},
                              {0.0F, 0.0F},
                              {inf, inf},
                              {not_a_number, not_a_number},
                              {sub, 0x1p-70F}});
  special("sqrt.approx.ftz.f32", {{sub, 0.0F}, {-sub, -0.0F}});
  special("rsqrt.approx.f32", {{-inf, not_a_number},
                               {-1.0F, not_a_number},
                               {-0.0F, -inf},
                               {0.0F, inf},
                               {inf, 0.0F},
                               {not_a_number, not_a_number},
                               {sub, 0x1p70F}});
  special("rsqrt.approx.ftz.f32", {{sub, inf}, {-sub, -inf}});
  special("ex2.approx.f32", {{-inf, 0.0F},
                             {-0.0F, 1.0F},
                             {0.0F, 1.0F},
                             {inf, inf},
                             {not_a_number, not_a_number},
                             {sub, 1.0F},
                             {128.0F, inf},
                             {-149.0F, 0x1p-149F},
                             {-200.0F, 0.0F}});
  special("ex2.approx.ftz.f32", {{-130.0F, 0.0F}, {sub, 1.0F}});
  special("lg2.approx.f32", {{-inf, not_a_number},
                             {-1.0F, not_a_number},
                             {-0.0F, -inf},
                             {0.0F, -inf},
                             {inf, inf},
                             {not_a_number, not_a_number},
                             {sub, -140.0F},
                             {1.0F, 0.0F}});
  special("lg2.approx.ftz.f32", {{sub, -inf}, {-sub, -inf}});
  special("sin.approx.f32",
          {{-inf, not_a_number}, {-0.0F, -0.0F}, {0.0F, 0.0F}, {inf, not_a_number}, {not_a_number, not_a_number}});
  special("sin.approx.ftz.f32", {{sub, 0.0F}, {-sub, -0.0F}});
  special("cos.approx.f32", {{-inf, not_a_number},
                             {-0.0F, 1.0F},
                             {0.0F, 1.0F},
                             {inf, not_a_number},
                             {not_a_number, not_a_number},
                             {sub, 1.0F}});
  special("tanh.approx.f32",
          {{-inf, -1.0F}, {-0.0F, -0.0F}, {0.0F, 0.0F}, {inf, 1.0F}, {not_a_number, not_a_number}, {sub, sub}});
}

TEST_CASE("instructions: approximations of doubles") {
  const auto of = [](double v) { return std::bit_cast<u64>(v); };
  std::vector<lane_values> in;
  for (u64 i = 0; i < 512; ++i) in.push_back({of(0.001 * 1.03 * static_cast<double>(i * i + 1) / 7.0), 0, 0, 0});
  const auto out = results("rsqrt.approx.f64", {"f64", "f64"}, in);
  const auto gross = results("rsqrt.approx.ftz.f64", {"f64", "f64"}, in);
  const auto inverse = results("rcp.approx.ftz.f64", {"f64", "f64"}, in);
  for (std::size_t i = 0; i < in.size(); ++i) {
    const long double x = as<double>(in[i].a);
    CHECK(std::fabs(as<double>(out[i]) * std::sqrt(x) - 1) < 0x1p-51L);
    CHECK(std::fabs(as<double>(gross[i]) * std::sqrt(x) - 1) < 0x1p-19L);
    CHECK(std::fabs(as<double>(inverse[i]) * x - 1) < 0x1p-19L);
    CHECK((inverse[i] & 0xFFFF'FFFFU) == 0);
  }
  const double infinity = std::numeric_limits<double>::infinity();
  const auto at = results("rcp.approx.ftz.f64", {"f64", "f64"},
                          {{of(0.0), 0, 0, 0}, {of(-0.0), 0, 0, 0}, {of(1e-310), 0, 0, 0}, {of(infinity), 0, 0, 0}});
  CHECK(at == std::vector<u64>{of(infinity), of(-infinity), of(infinity), 0});
  const auto roots = results("rsqrt.approx.ftz.f64", {"f64", "f64"},
                             {{of(0.0), 0, 0, 0}, {of(-0.0), 0, 0, 0}, {of(-1.0), 0, 0, 0}, {of(infinity), 0, 0, 0}});
  CHECK(roots == std::vector<u64>{of(infinity), of(-infinity), 0x7FFF'FFFF'0000'0000U, 0});
}
