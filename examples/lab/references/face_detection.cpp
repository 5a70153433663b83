// SPDX-License-Identifier: BSL-1.0
//
// examples/kernels/face_detection.cu: rectangles pixel by pixel, without sums over the image.
#include "lab/references.hpp"

#include <cstddef>
#include <cstdint>

namespace lab::of_face_detection {
namespace {

using std::uint32_t;

void face_detection(host_launch& run) {
  const auto image = run.array<uint32_t>(0);
  const auto features = run.array<uint32_t>(1);
  const auto first_feature = run.array<uint32_t>(2);
  auto stages_passed = run.array<uint32_t>(3);
  auto faces = run.array<uint32_t>(4);
  const uint32_t stages = run.u32(5);
  const uint32_t columns = run.grid(0) * run.block(0), rows = run.grid(1) * run.block(1);

  const auto brightness = [&](uint32_t left, uint32_t top, uint32_t width, uint32_t height) {
    uint32_t sum = 0;
    for (uint32_t y = top; y < top + height; ++y)
      for (uint32_t x = left; x < left + width; ++x) sum += image.get(std::size_t{y} * (columns + 10) + x);
    return sum;
  };
  const auto passes = [&](uint32_t stage, uint32_t column, uint32_t row) {
    int balance = 0;  // votes for less votes against
    for (uint32_t f = first_feature.get(stage); f < first_feature.get(stage + 1); ++f) {
      uint32_t bits = features.get(f);
      const auto field = [&bits](uint32_t values) {
        const uint32_t v = bits % values;
        bits /= values;
        return v;
      };
      const uint32_t x = column + field(4), y = row + field(4);
      const uint32_t width = field(4) + 1, height = field(4) + 1;
      const bool below = field(2) == 1;
      const int vote = static_cast<int>(field(8)) + 1;
      const uint32_t there = below ? brightness(x, y + height, width, height) : brightness(x + width, y, width, height);
      balance += brightness(x, y, width, height) > there ? vote : -vote;
    }
    return balance > 0;
  };
  for (uint32_t row = 0; row < rows; ++row)
    for (uint32_t column = 0; column < columns; ++column) {
      uint32_t stage = 0;
      while (stage < stages && passes(stage, column, row)) ++stage;
      stages_passed.set(std::size_t{row} * columns + column, stage);
      if (stage == stages) faces.set(0, faces.get(0) + 1);
    }
}

const reference registered("face_detection", face_detection);

}  // namespace
}  // namespace lab::of_face_detection
