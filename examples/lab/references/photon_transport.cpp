// SPDX-License-Identifier: BSL-1.0
//
// examples/kernels/photon_transport.cu: one photon history after the other. Floats are computed as doubles and rounded
// once, which gives the singles that the kernel's instructions give.
#include "lab/references.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace lab::of_photon_transport {
namespace {

using std::uint32_t;

float rounded(double v) { return static_cast<float>(v); }
float times(float a, float b) { return rounded(double{a} * b); }
float plus(float a, float b) { return rounded(double{a} + b); }
float over(float a, float b) { return rounded(double{a} / b); }

struct direction {
  float u, v, w;
};
float cosine_between(direction a, direction b) { return std::fma(a.u, b.u, std::fma(a.v, b.v, times(a.w, b.w))); }

class randomness {
 public:
  explicit randomness(uint32_t seed) : state_(seed) {}
  uint32_t bits() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 17;
    state_ ^= state_ << 5;
    return state_ >> 8;
  }
  float uniform() { return std::ldexp(static_cast<float>(bits()), -24); }

  // J. von Neumann, "Various techniques used in connection with random digits" (1951), in units of 2^-24.
  uint32_t exponential() {
    for (uint32_t whole = 0;; whole += 1U << 24) {
      const uint32_t first = bits();
      uint32_t length = 1;
      for (uint32_t last = first, next = bits(); next < last; last = next, next = bits()) ++length;
      if (length % 2 == 1) return whole + first;
    }
  }
  // G. Marsaglia, "Choosing a point from the surface of a sphere" (1972); nothing if the point is outside the disc.
  std::optional<direction> isotropic() {
    const float a = std::fma(2.0f, uniform(), -1.0f);
    const float b = std::fma(2.0f, uniform(), -1.0f);
    const float s = std::fma(a, a, times(b, b));
    if (s >= 1.0f) return std::nullopt;
    const float root = 2.0f * std::sqrt(plus(1.0f, -s));
    return direction{times(a, root), times(b, root), std::fma(-2.0f, s, 1.0f)};
  }

 private:
  uint32_t state_;
};

struct matter {
  float real, coherent, absorbing;
};

void photon_transport(host_launch& run) {
  const auto voxels = run.array<uint32_t>(0);
  const auto materials = run.array<float>(1);
  const auto seeds = run.array<uint32_t>(2);
  auto dose = run.array<uint32_t>(3);
  auto escaped = run.array<uint32_t>(4);
  const uint32_t size = run.u32(5), histories = run.u32(6);
  const float mean_free_path = run.f32(7), extent = static_cast<float>(size);

  const auto inside = [&](float at) { return at >= 0.0f && at < extent; };
  const auto deposit = [&](std::size_t voxel, float energy) {
    dose.set(voxel, dose.get(voxel) + static_cast<uint32_t>(energy * 65536.0f));
  };

  for (uint32_t t = 0; t < run.threads(); ++t) {
    randomness random(seeds.get(t));
    uint32_t out = 0;
    for (uint32_t history = 0; history < histories; ++history) {
      float x = extent / 2, y = x, z = 0, energy = 0.25f;
      direction way{0, 0, 1};
      bool alive = true;
      const auto scatter = [&](std::size_t voxel, bool coherent) {
        for (;;) {
          const std::optional<direction> there = random.isotropic();
          if (!there) continue;
          const float cosine = cosine_between(way, *there);
          const float square = times(cosine, cosine);
          const auto accepted = [&](float chance) { return 2.0f * random.uniform() < chance; };
          if (coherent) {
            if (!accepted(plus(1.0f, square))) continue;
          } else {
            const float kept = over(1.0f, std::fma(energy, plus(1.0f, -cosine), 1.0f));
            const float sum = plus(plus(kept, over(1.0f, kept)), plus(square, -1.0f));
            if (!accepted(times(times(kept, kept), sum))) continue;
            const float left = times(energy, kept);
            deposit(voxel, plus(energy, -left));
            energy = left;
            if (energy < 0.02f) {
              deposit(voxel, energy);
              alive = false;
              return;
            }
          }
          way = *there;
          return;
        }
      };
      while (alive) {
        const float path = times(std::ldexp(static_cast<float>(random.exponential()), -24), mean_free_path);
        x = std::fma(path, way.u, x);
        y = std::fma(path, way.v, y);
        z = std::fma(path, way.w, z);
        if (!inside(x) || !inside(y) || !inside(z)) {
          ++out;
          break;
        }
        const auto whole = [](float at) { return static_cast<std::size_t>(at); };
        const std::size_t voxel = (whole(z) * size + whole(y)) * size + whole(x);
        const std::size_t row = std::size_t{3} * voxels.get(voxel);
        const matter here{materials.get(row), materials.get(row + 1), materials.get(row + 2)};
        if (random.uniform() >= here.real) continue;
        const bool coherent = random.uniform() < here.coherent;
        if (!coherent && random.uniform() < here.absorbing) {
          deposit(voxel, energy);
          alive = false;
        } else {
          scatter(voxel, coherent);
        }
      }
    }
    escaped.set(t, out);
  }
}

const reference registered("photon_transport", photon_transport);

}  // namespace
}  // namespace lab::of_photon_transport
