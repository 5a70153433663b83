// SPDX-License-Identifier: BSL-1.0
//
// examples/kernels/weather.cu: level by level over all columns, each process a function on the air of one cell.
#include "lab/references.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace lab::of_weather {
namespace {

using std::uint32_t;

// A product rounded once, whatever the compiler does with a * b + c.
float product(float a, float b) { return std::fma(a, b, -0.0f); }

struct air {
  float t, vapour, cloud, drops, flakes;
};

float move(float& from, float& to, float amount) {
  from -= amount;
  to += amount;
  return amount;
}

float saturation(float t) {
  if (!(t > -30)) return 0.3F;
  return std::fma(t + 30, std::fma(t + 30, 0.006F, 0.02F), 0.3F);
}

void condense(air& a, float excess) {
  if (excess > 0)
    a.t = std::fma(move(a.vapour, a.cloud, product(excess, 0.4F)), 2.5F, a.t);
  else if (a.cloud > 0)
    a.t = std::fma(move(a.cloud, a.vapour, std::min(a.cloud, -excess)), -2.5F, a.t);
}

void make_rain(air& a, float excess) {
  if (a.cloud > 0.5F) move(a.cloud, a.drops, product(a.cloud - 0.5F, 0.2F));
  if (!(a.drops > 0)) return;
  if (a.cloud > 0)
    move(a.cloud, a.drops, std::min(a.cloud, product(product(a.cloud, a.drops), 0.3F)));
  else if (excess < 0)
    move(a.drops, a.vapour, std::min(a.drops, product(excess, -0.05F)));
  if (a.t < -20)
    move(a.drops, a.flakes, a.drops);
  else if (a.t < 0)
    move(a.drops, a.flakes, product(product(a.drops, a.t), -0.03F));
}

void melt(air& a) {
  if (!(a.t > 0 && a.flakes > 0)) return;
  a.t = std::fma(move(a.flakes, a.drops, std::min(a.flakes, product(a.t, 0.05F))), -0.3F, a.t);
}

void weather(host_launch& run) {
  auto temperature = run.array<float>(0);
  auto vapour = run.array<float>(1);
  auto clouds = run.array<float>(2);
  auto rain = run.array<float>(3);
  auto snow = run.array<float>(4);
  auto on_ground = run.array<float>(5);
  const std::size_t levels = run.u32(6);
  const std::size_t columns = std::size_t{run.threads()} * run.grid(1) * run.block(1);
  std::vector<float> heaviest(columns);
  for (std::size_t at = 0; at < levels * columns; ++at) {
    const std::size_t level = at / columns;
    const auto height = static_cast<float>(level);
    air a{std::fma(height, -2.5F, 20.0F) + temperature.get(at), 16 / std::fma(height, 0.2F, 1.0F) + vapour.get(at),
          clouds.get(at), rain.get(at), snow.get(at)};
    const float excess = a.vapour - saturation(a.t);
    condense(a, excess);
    make_rain(a, excess);
    melt(a);
    heaviest[at % columns] = std::max(heaviest[at % columns], a.drops);
    temperature.set(at, a.t);
    vapour.set(at, a.vapour);
    clouds.set(at, a.cloud);
    rain.set(at, a.drops);
    snow.set(at, a.flakes);
  }
  for (std::size_t column = 0; column < columns; ++column) {
    const auto steps = static_cast<uint32_t>(heaviest[column]) + 1;
    const float share = 0.5F / static_cast<float>(steps);
    for (uint32_t step = 0; step < steps; ++step)
      for (std::size_t level = 0; level < levels; ++level) {  // what falls out of a level lands in the one below
        const std::size_t at = level * columns + column;
        const float lands = level + 1 < levels ? product(rain.get(at + columns), share) : 0.0F;
        const float falls = product(rain.get(at), share);
        if (level == 0) on_ground.set(column, on_ground.get(column) + falls);
        rain.set(at, rain.get(at) - falls + lands);
      }
  }
}

const reference registered("weather", weather);

}  // namespace
}  // namespace lab::of_weather
