// SPDX-License-Identifier: BSL-1.0
//
// examples/kernels/stream_cluster.cu: dimension by dimension over all points.
#include "lab/references.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace lab::of_stream_cluster {
namespace {

using std::uint32_t;

// A product rounded once, whatever the compiler does with a * b + c.
float product(float a, float b) { return std::fma(a, b, -0.0f); }

void stream_cluster(host_launch& run) {
  const auto coordinates = run.array<float>(0);
  const auto weights = run.array<float>(1);
  const auto costs = run.array<float>(2);
  const auto centres = run.array<uint32_t>(3);
  auto moves = run.array<uint32_t>(4);
  auto gains = run.array<float>(5);
  auto losses = run.array<float>(6);
  const std::size_t points = run.threads(), candidate = run.u32(8);
  std::vector<float> square(points);
  for (std::size_t i = 0; i < points * run.u32(7); ++i) {
    const float d = coordinates.get(i) - coordinates.get(i - i % points + candidate);
    square[i % points] = std::fma(d, d, square[i % points]);
  }
  for (std::size_t p = 0; p < points; ++p) {
    const float loss = product(square[p], weights.get(p)) - costs.get(p);
    if (loss < 0) {
      moves.set(p, 1);
      gains.set(p, -loss);
      continue;
    }
    const std::size_t at = p * run.u32(9) + centres.get(p);
    losses.set(at, losses.get(at) + loss);
  }
}

const reference registered("stream_cluster", stream_cluster);

}  // namespace
}  // namespace lab::of_stream_cluster
