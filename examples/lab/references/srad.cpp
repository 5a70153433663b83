// SPDX-License-Identifier: BSL-1.0
//
// examples/kernels/srad.cu without tiles: beyond the image's edge lies the pixel at the edge again.
#include "lab/references.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace lab::of_srad {
namespace {

void srad(host_launch& run) {
  auto image = run.array<float>(0);
  auto coefficient = run.array<float>(1);
  auto south_difference = run.array<float>(2);
  auto east_difference = run.array<float>(3);
  const float q0 = run.f32(4), least = run.f32(5), most = run.f32(6);
  const std::size_t width = run.grid(0) * run.block(0), height = run.grid(1) * run.block(1);
  for (std::size_t y = 0; y < height; ++y) {
    for (std::size_t x = 0; x < width; ++x) {
      const float here = image.get(y * width + x);
      const float n = image.get((y == 0 ? 0 : y - 1) * width + x) - here;
      const float s = image.get(std::min(y + 1, height - 1) * width + x) - here;
      const float w = image.get(y * width + (x == 0 ? 0 : x - 1)) - here;
      const float e = image.get(y * width + std::min(x + 1, width - 1)) - here;
      const float gradient = std::fma(n, n, std::fma(s, s, std::fma(w, w, e * e))) / (here * here);
      const float laplacian = ((n + s) + (w + e)) / here;
      const float down = std::fma(0.25F, laplacian, 1.0F);
      const float q = std::fma(0.5F, gradient, -0.0625F * laplacian * laplacian) / (down * down);
      const float c = 1.0F / (1.0F + (q - q0) / (q0 * (1.0F + q0)));
      coefficient.set(y * width + x, std::clamp(c, least, most));
      south_difference.set(y * width + x, s);
      east_difference.set(y * width + x, e);
    }
  }
}

const reference registered("srad", srad);

}  // namespace
}  // namespace lab::of_srad
