// SPDX-License-Identifier: BSL-1.0
//
// examples/kernels/coulomb_potential.cu: charge by charge over the whole plane.
#include "lab/references.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace lab::of_coulomb_potential {
namespace {

using std::uint32_t;

// A product rounded once, whatever the compiler does with a * b + c.
float product(float a, float b) { return std::fma(a, b, -0.0f); }

void coulomb_potential(host_launch& run) {
  const auto charges = run.array<float>(0);
  auto potential = run.array<float>(1);
  const float spacing = run.f32(3);
  const uint32_t columns = run.grid(0) * 64, rows = run.grid(1) * run.block(1);
  std::vector<float> sums(std::size_t{columns} * rows);
  for (uint32_t i = 0; i < run.u32(2); ++i) {
    const auto part = [&](std::size_t k) { return charges.get(4 * std::size_t{i} + k); };
    for (uint32_t row = 0; row < rows; ++row)
      for (uint32_t column = 0; column < columns; ++column) {
        // A thread has the points k = 0, 16, 32, 48 to the right of its first one.
        const uint32_t k = column % 64 / 16 * 16;
        const float dx =
            (part(0) - product(static_cast<float>(column - k), spacing)) - product(static_cast<float>(k), spacing);
        const float dy = part(1) - product(static_cast<float>(row), spacing);
        const float square = std::fma(dx, dx, std::fma(dy, dy, part(2)));
        sums[std::size_t{row} * columns + column] += part(3) / std::sqrt(square);
      }
  }
  for (std::size_t at = 0; at < sums.size(); ++at) potential.set(at, potential.get(at) + sums[at]);
}

const reference registered("coulomb_potential", coulomb_potential);

}  // namespace
}  // namespace lab::of_coulomb_potential
