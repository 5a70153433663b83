// SPDX-License-Identifier: BSL-1.0
//
// examples/kernels/lu_perimeter.cu: with the diagonal tile as L (ones in its diagonal) and U, L X = the tiles to the
// right and X U = the tiles below.
#include "lab/references.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace lab::of_lu_perimeter {
namespace {

constexpr std::size_t tile = 16;

void lu_perimeter(host_launch& run) {
  auto matrix = run.array<float>(0);
  const std::size_t width = run.u32(1), offset = run.u32(2), end = offset + tile;
  const auto at = [&](std::size_t row, std::size_t column) { return matrix.get(row * width + column); };
  const auto subtract = [&](std::size_t row, std::size_t column, float a, float b) {
    matrix.set(row * width + column, std::fma(-a, b, at(row, column)));
  };
  // A solved row (column) is taken out of all rows (columns) after it at once.
  for (std::size_t other = end; other < end + run.grid(0) * tile; ++other) {
    for (std::size_t solved = offset; solved < end; ++solved)
      for (std::size_t row = solved + 1; row < end; ++row) subtract(row, other, at(solved, other), at(row, solved));
    for (std::size_t solved = offset; solved < end; ++solved) {
      matrix.set(other * width + solved, at(other, solved) / at(solved, solved));
      for (std::size_t column = solved + 1; column < end; ++column)
        subtract(other, column, at(other, solved), at(solved, column));
    }
  }
}

const reference registered("lu_perimeter", lu_perimeter);

}  // namespace
}  // namespace lab::of_lu_perimeter
