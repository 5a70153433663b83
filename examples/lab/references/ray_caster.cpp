// SPDX-License-Identifier: BSL-1.0
//
// examples/kernels/ray_caster.cu without a hierarchy: every ray asks every sphere. Floats are computed as doubles and
// rounded once, which gives the singles that the kernel's instructions give.
#include "lab/references.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace lab::of_ray_caster {
namespace {

using std::uint32_t;

float rounded(double v) { return static_cast<float>(v); }
float times(float a, float b) { return rounded(double{a} * b); }
float plus(float a, float b) { return rounded(double{a} + b); }
float over(float a, float b) { return rounded(double{a} / b); }

using triple = std::array<float, 3>;
float dot(const triple& a, const triple& b) { return std::fma(a[0], b[0], std::fma(a[1], b[1], times(a[2], b[2]))); }

struct sphere {
  triple centre;
  float radius;
};

// The length at which the way first meets the sphere.
std::optional<float> meeting(const sphere& s, const triple& from, const triple& way) {
  const triple to{plus(s.centre[0], -from[0]), plus(s.centre[1], -from[1]), plus(s.centre[2], -from[2])};
  const float along = dot(to, way), length2 = dot(way, way);
  const float outside = std::fma(-s.radius, s.radius, dot(to, to));
  const float discriminant = std::fma(along, along, -times(length2, outside));
  if (along <= 0 || discriminant < 0) return std::nullopt;
  const float at = over(plus(along, -std::sqrt(discriminant)), length2);
  return at > 0 ? std::optional(at) : std::nullopt;
}

void ray_caster(host_launch& run) {
  const auto places = run.array<float>(0);
  auto image = run.array<uint32_t>(1);
  const uint32_t width = run.u32(2);

  std::vector<sphere> spheres;
  for (uint32_t z = 0; z < 2; ++z)
    for (uint32_t y = 0; y < 4; ++y)
      for (uint32_t x = 0; x < 4; ++x) {
        const std::array<uint32_t, 3> cell{x, y, z};
        const std::size_t i = x % 2 + y % 2 * 2 + z * 4 + x / 2 * 8 + y / 2 * 16;
        if (spheres.size() <= i) spheres.resize(i + 1);
        spheres[i].radius = std::fma(places.get(4 * i + 3), 64.0f, 48.0f);
        for (std::size_t axis = 0; axis < 3; ++axis)
          spheres[i].centre[axis] = 256.0f * plus(static_cast<float>(cell[axis]), places.get(4 * i + axis));
      }

  const float middle = static_cast<float>(width) / 2;
  for (uint32_t py = 0; py < run.grid(1) * run.block(1); ++py)
    for (uint32_t px = 0; px < run.threads(); ++px) {
      triple from{512, 512, -700};
      const triple way{plus(static_cast<float>(px) - middle, 0.375f), plus(static_cast<float>(py) - middle, 0.375f),
                       static_cast<float>(width)};
      std::optional<float> nearest;
      std::size_t hit = 0;
      for (std::size_t i = 0; i < spheres.size(); ++i)
        if (const auto at = meeting(spheres[i], from, way); at && (!nearest || *at < *nearest)) {
          nearest = at;
          hit = i;
        }
      uint32_t colour = 0;
      if (nearest) {
        for (std::size_t axis = 0; axis < 3; ++axis) from[axis] = std::fma(*nearest, way[axis], from[axis]);
        bool lit = true;
        for (std::size_t i = 0; i < spheres.size(); ++i)
          lit &= i == hit || !meeting(spheres[i], from, {0.5f, -1.0f, -0.75f});
        colour = static_cast<uint32_t>(hit + 1) << 20 | static_cast<uint32_t>(*nearest * 1024.0f);
        if (lit) colour |= 1U << 31;
      }
      image.set(std::size_t{py} * width + px, colour);
    }
}

const reference registered("ray_caster", ray_caster);

}  // namespace
}  // namespace lab::of_ray_caster
