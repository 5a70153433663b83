// SPDX-License-Identifier: BSL-1.0
//
// examples/kernels/back_propagation.cu: unit by unit, halves of the inputs summed by recursion.
#include "lab/references.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace lab::of_back_propagation {
namespace {

using std::uint32_t;

// A product rounded once, whatever the compiler does with a * b + c.
float product(float a, float b) { return std::fma(a, b, -0.0f); }

void back_propagation(host_launch& run) {
  const auto inputs = run.array<float>(0);
  const auto errors = run.array<float>(1);
  auto weights = run.array<float>(2);
  auto last_changes = run.array<float>(3);
  auto sums = run.array<float>(4);
  const float rate = run.f32(5), momentum = run.f32(6);
  for (uint32_t tile = 0; tile < run.grid(0); ++tile)
    for (uint32_t unit = 0; unit < 16; ++unit) {
      const auto at = [&](std::size_t row) { return (std::size_t{tile} * 16 + row) * 16 + unit; };
      const auto sum = [&](const auto& self, std::size_t first, std::size_t count) -> float {
        if (count == 1) return product(weights.get(at(first)), inputs.get(std::size_t{tile} * 16 + first));
        return self(self, first, count / 2) + self(self, first + count / 2, count / 2);
      };
      sums.set(std::size_t{tile} * 16 + unit, sum(sum, 0, 16));
      for (std::size_t row = 0; row < 16; ++row) {
        const float step = product(product(rate, errors.get(unit)), inputs.get(std::size_t{tile} * 16 + row));
        const float change = std::fma(momentum, last_changes.get(at(row)), step);
        weights.set(at(row), weights.get(at(row)) + change);
        last_changes.set(at(row), change);
      }
    }
}

const reference registered("back_propagation", back_propagation);

}  // namespace
}  // namespace lab::of_back_propagation
