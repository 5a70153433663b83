// SPDX-License-Identifier: BSL-1.0
//
// examples/kernels/ray_queue.cu: ray by ray; the queue has gone one batch further for each warp that found it empty.
#include "lab/references.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace lab::of_ray_queue {
namespace {

using std::uint32_t;

void ray_queue(host_launch& run) {
  const auto origins = run.array<uint32_t>(0);
  const auto directions = run.array<uint32_t>(1);
  const auto scene = run.array<uint32_t>(2);
  auto hits = run.array<uint32_t>(3);
  auto next_ray = run.array<uint32_t>(4);
  const uint32_t rays = run.u32(5);
  for (uint32_t ray = 0; ray < rays; ++ray) {
    std::array<int, 3> start{}, step{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      start[axis] = static_cast<int>(origins.get(ray) >> (10 * axis) & 0x3FF) * 4;
      const auto bits = static_cast<int>(directions.get(ray) >> (8 * axis) & 0xFF);
      step[axis] = bits < 128 ? -(bits + 32) : bits - 128 + 32;
    }
    for (int steps = 1;; ++steps) {
      uint32_t cell = 0;
      bool outside = false;
      for (std::size_t axis = 3; axis-- > 0;) {
        const int at = start[axis] + steps * step[axis];
        outside = outside || at < 0 || at >= 16 * 256;
        cell = cell * 16 + static_cast<uint32_t>(at) / 256 % 16;
      }
      if (!outside && scene.get(cell) != 0) continue;
      hits.set(ray, static_cast<uint32_t>(steps) * 65536 + (outside ? 0xFFFF : cell));
      break;
    }
  }
  const uint32_t warps = run.grid(0) * run.block(1);
  next_ray.set(0, next_ray.get(0) + rays + 32 * warps);
}

const reference registered("ray_queue", ray_queue);

}  // namespace
}  // namespace lab::of_ray_queue
