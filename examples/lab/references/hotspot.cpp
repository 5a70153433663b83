// SPDX-License-Identifier: BSL-1.0
//
// examples/kernels/hotspot.cu: the whole chip step by step, without tiles.
#include "lab/references.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace lab::of_hotspot {
namespace {

void hotspot(host_launch& run) {
  const auto power = run.array<float>(0);
  const auto before = run.array<float>(1);
  auto after = run.array<float>(2);
  const std::int32_t columns = run.s32(3), rows = run.s32(4);
  const float rate = run.f32(6), across_x = run.f32(7), across_y = run.f32(8), across_air = run.f32(9),
              air = run.f32(10);
  const auto at = [&](std::int32_t x, std::int32_t y) {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(x);
  };
  std::vector<float> now(at(0, rows)), next(now.size());
  for (std::size_t i = 0; i < now.size(); ++i) now[i] = before.get(i);
  for (std::int32_t step = 0; step < run.s32(5); ++step) {
    for (std::int32_t y = 0; y < rows; ++y)
      for (std::int32_t x = 0; x < columns; ++x) {
        const float here = now[at(x, y)];
        // A neighbour that does not exist is as warm as the cell.
        const float north = y > 0 ? now[at(x, y - 1)] : here, south = y + 1 < rows ? now[at(x, y + 1)] : here;
        const float west = x > 0 ? now[at(x - 1, y)] : here, east = x + 1 < columns ? now[at(x + 1, y)] : here;
        float heat = std::fma(south + north - 2 * here, across_y, power.get(at(x, y)));
        heat = std::fma(east + west - 2 * here, across_x, heat);
        heat = std::fma(air - here, across_air, heat);
        next[at(x, y)] = std::fma(rate, heat, here);
      }
    now.swap(next);
  }
  for (std::size_t i = 0; i < now.size(); ++i) after.set(i, now[i]);
}

const reference registered("hotspot", hotspot);

}  // namespace
}  // namespace lab::of_hotspot
