// SPDX-License-Identifier: BSL-1.0
//
// examples/kernels/mandelbrot.cu: the same arithmetic pixel by pixel, every product and sum rounded once.
#include "lab/references.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace lab::of_mandelbrot {
namespace {

using std::uint32_t;

// A product rounded once, whatever the compiler does with a * b + c.
float product(float a, float b) { return std::fma(a, b, -0.0f); }

void mandelbrot(host_launch& run) {
  auto image = run.array<uint32_t>(0);
  auto cycle = run.array<uint32_t>(1);
  const uint32_t width = run.u32(2);
  const float left = run.f32(3), top = run.f32(4), step = run.f32(5);
  const uint32_t limit = run.u32(6);

  const auto advance = [](float& x, float& y, float cx, float cy) {
    const float xx = product(x, x);
    const float yy = product(y, y);
    y = std::fma(x + x, y, cy);
    x = (xx - yy) + cx;
  };
  const auto colour_of = [&](float cx, float cy, std::size_t pixel) -> uint32_t {
    float x = 0, y = 0, kept_x = 0, kept_y = 0;
    uint32_t until_kept = 1, span = 1;
    for (uint32_t n = 0; n < limit; ++n) {
      const float size = product(x, x) + product(y, y);
      if (size > 4.0f) {
        for (int extra = 0; extra < 8; ++extra) advance(x, y, cx, cy);
        const float speed = std::fma(x, x, product(y, y));
        uint32_t bits = 0;
        std::memcpy(&bits, &speed, sizeof bits);
        if (std::isnan(speed)) bits = 0x7FFFFFFF;  // the one NaN that a GPU's arithmetic makes
        return n * 1000 + ((bits >> 18) & 0x1FF);
      }
      advance(x, y, cx, cy);
      if (x == kept_x && y == kept_y) {
        uint32_t length = 0;
        do {
          advance(x, y, cx, cy);
          ++length;
        } while (x != kept_x || y != kept_y);
        cycle.set(pixel, length);
        return 0x800000 | length;
      }
      if (--until_kept == 0) {
        kept_x = x;
        kept_y = y;
        until_kept = span *= 2;
      }
    }
    return 0xFFFFFF;
  };
  for (uint32_t py = 0; py < run.grid(1) * run.block(1); ++py)
    for (uint32_t px = 0; px < run.threads(); ++px) {
      const std::size_t pixel = py * width + px;
      const float cx = std::fma(static_cast<float>(px), step, left);
      const float cy = std::fma(static_cast<float>(py), step, top);
      image.set(pixel, colour_of(cx, cy, pixel));
    }
}

const reference registered("mandelbrot", mandelbrot);

}  // namespace
}  // namespace lab::of_mandelbrot
