// SPDX-License-Identifier: BSL-1.0
//
// examples/kernels/libor.cu: all paths together, a maturity at a time.
#include "lab/references.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace lab::of_libor {
namespace {

using std::uint32_t;

// A product rounded once, whatever the compiler does with a * b + c.
float product(float a, float b) { return std::fma(a, b, -0.0f); }

void libor(host_launch& run) {
  constexpr std::size_t rates = 20, maturities = 10, options = 6;
  const auto normal = run.array<float>(0);
  const auto start = run.array<float>(1);
  const auto volatility = run.array<float>(2);
  const auto option_rate = run.array<uint32_t>(3);
  const auto strike = run.array<float>(4);
  auto value = run.array<float>(5);
  const float interval = run.f32(6);
  const auto exponential = [](float x) {
    float sum = 1.0F / 24;
    for (const float coefficient : {1.0F / 6, 0.5F, 1.0F, 1.0F}) sum = std::fma(x, sum, coefficient);
    return sum;
  };
  const auto discount = [&](float rate) { return std::fma(interval, rate, 1.0F); };

  const std::size_t paths = run.threads();
  std::vector<float> rate(rates * paths);
  for (std::size_t i = 0; i < rate.size(); ++i) rate[i] = start.get(i / paths);
  for (std::size_t n = 0; n < maturities; ++n) {
    std::vector<float> drift(paths);
    for (std::size_t i = n + 1; i < rates; ++i) {
      const float sigma = volatility.get(i - n - 1), scaled = product(interval, sigma);
      for (std::size_t p = 0; p < paths; ++p) {
        float& r = rate[i * paths + p];
        drift[p] += product(scaled, r) / discount(r);
        const float shock = product(std::sqrt(interval), normal.get(n * paths + p));
        r = product(r, exponential(std::fma(scaled, drift[p], product(sigma, std::fma(scaled, -0.5F, shock)))));
      }
    }
  }
  for (std::size_t p = 0; p < paths; ++p) {
    const auto payment = [&](std::size_t k) {  // of option k
      float price = 1, annuity = 0;
      for (std::size_t i = maturities; i <= maturities + option_rate.get(k); ++i) {
        price /= discount(rate[i * paths + p]);
        annuity = std::fma(interval, price, annuity);
      }
      return std::min(std::fma(strike.get(k), annuity, price) - 1, 0.0F);
    };
    float payoff = 0;
    for (std::size_t k = 0; k < options; ++k) payoff = std::fma(payment(k), -100.0F, payoff);
    for (std::size_t i = 0; i < maturities; ++i) payoff /= discount(rate[i * paths + p]);
    value.set(p, payoff);
  }
}

const reference registered("libor", libor);

}  // namespace
}  // namespace lab::of_libor
