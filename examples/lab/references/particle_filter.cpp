// SPDX-License-Identifier: BSL-1.0
//
// examples/kernels/particle_filter.cu with the library's running sums and binary search.
#include "lab/references.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace lab::of_particle_filter {
namespace {

using std::int32_t;
using std::uint32_t;

struct particle {
  int32_t x, y;
};

void particle_filter(host_launch& run) {
  const auto video = run.array<uint32_t>(0);
  const auto seeds = run.array<uint32_t>(1);
  auto tracks = run.array<int32_t>(2);
  const uint32_t frames = run.u32(3), particles = run.block(0);
  const int32_t size = run.s32(4);
  for (std::size_t first = 0; first < run.threads(); first += particles) {
    std::vector<uint32_t> random(particles), sums(particles);
    for (std::size_t i = 0; i < particles; ++i) random[i] = seeds.get(first + i);
    std::vector<particle> cloud(particles, {size / 2, size / 2});
    for (uint32_t frame = 0; frame < frames; ++frame) {
      const auto brightness = [&](int32_t x, int32_t y) -> uint32_t {
        if (x < 0 || x >= size || y < 0 || y >= size) return 0;
        return video.get((std::size_t{frame} * static_cast<std::size_t>(size) + static_cast<std::size_t>(y)) *
                             static_cast<std::size_t>(size) +
                         static_cast<std::size_t>(x));
      };
      for (std::size_t i = 0; i < particles; ++i) {
        random[i] = random[i] * 1664525U + 1013904223U;
        cloud[i].x += static_cast<int32_t>(random[i] >> 24 & 7) - 3;
        cloud[i].y += static_cast<int32_t>(random[i] >> 28 & 7) - 3;
        sums[i] = 1;
        for (int32_t around = 0; around < 9; ++around)
          sums[i] += brightness(cloud[i].x + around % 3 - 1, cloud[i].y + around / 3 - 1);
      }
      std::partial_sum(sums.begin(), sums.end(), sums.begin());
      std::vector<particle> next;
      for (uint32_t i = 0; i < particles; ++i) {
        const uint32_t wanted = (i * sums.back() + seeds.get(0) % sums.back()) / particles + 1;
        const auto at = std::lower_bound(sums.begin(), sums.end() - 1, wanted);
        next.push_back(cloud[static_cast<std::size_t>(at - sums.begin())]);
      }
      cloud = std::move(next);
    }
    for (std::size_t i = 0; i < particles; ++i) {
      tracks.set(2 * (first + i), cloud[i].x);
      tracks.set(2 * (first + i) + 1, cloud[i].y);
    }
  }
}

const reference registered("particle_filter", particle_filter);

}  // namespace
}  // namespace lab::of_particle_filter
