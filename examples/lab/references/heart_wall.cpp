// SPDX-License-Identifier: BSL-1.0
//
// examples/kernels/heart_wall.cu: one point after the other, every place compared in full.
#include "lab/references.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <vector>

namespace lab::of_heart_wall {
namespace {

using std::int32_t;
using std::uint32_t;

constexpr int32_t side = 8, reach = 4;

void heart_wall(host_launch& run) {
  const auto video = run.array<uint32_t>(0);
  const auto starts = run.array<uint32_t>(1);
  auto templates = run.array<uint32_t>(2);
  auto tracks = run.array<uint32_t>(3);
  const uint32_t frames = run.u32(4);
  const int32_t rows = run.s32(5), columns = run.s32(6);
  for (std::size_t point = 0; point < run.grid(0); ++point) {
    auto row = static_cast<int32_t>(starts.get(2 * point)), column = static_cast<int32_t>(starts.get(2 * point + 1));
    std::vector<int32_t> shape;
    for (std::size_t i = 0; i < side * side; ++i)
      shape.push_back(static_cast<int32_t>(templates.get(point * side * side + i)));
    for (uint32_t frame = 0; frame < frames; ++frame) {
      const auto pixel = [&](int32_t r, int32_t c) {
        const auto picture = static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
        return static_cast<int32_t>(video.get(frame * picture + static_cast<std::size_t>(r * columns + c)));
      };
      struct match {
        int32_t difference, row, column;
      };
      std::optional<match> best;
      for (int32_t r = row - reach; r <= row + reach; ++r)
        for (int32_t c = column - reach; c <= column + reach; ++c) {
          if (r < 0 || r > rows - side || c < 0 || c > columns - side) continue;
          int32_t difference = 0;
          for (int32_t i = 0; i < side * side; ++i)
            difference += std::abs(pixel(r + i / side, c + i % side) - shape[static_cast<std::size_t>(i)]);
          if (!best || difference < best->difference) best = match{difference, r, c};
        }
      if (best) {
        row = best->row;
        column = best->column;
        for (int32_t i = 0; i < side * side; ++i) {
          int32_t& old = shape[static_cast<std::size_t>(i)];
          old = (3 * old + pixel(row + i / side, column + i % side) + 2) / 4;
        }
      }
      tracks.set(point * frames + frame, static_cast<uint32_t>(row * columns + column));
    }
    for (std::size_t i = 0; i < side * side; ++i)
      templates.set(point * side * side + i, static_cast<uint32_t>(shape[i]));
  }
}

const reference registered("heart_wall", heart_wall);

}  // namespace
}  // namespace lab::of_heart_wall
