// SPDX-License-Identifier: BSL-1.0
//
// examples/kernels/nonbonded.cu: pair by pair; the strength of a pair's force is a function of the pair alone.
#include "lab/references.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace lab::of_nonbonded {
namespace {

using std::uint32_t;

// A product rounded once, whatever the compiler does with a * b + c.
float product(float a, float b) { return std::fma(a, b, -0.0f); }

void nonbonded(host_launch& run) {
  const auto positions = run.array<float>(0);
  const auto charges = run.array<float>(1);
  const auto first_atom = run.array<uint32_t>(2);
  const auto exclusions = run.array<uint32_t>(3);
  auto forces = run.array<float>(4);
  const float side = run.f32(5), cut_off = run.f32(6), mixed = run.f32(7);
  const float reach = product(cut_off, cut_off);

  const auto strength = [&](float square, float charge, bool excluded) {
    const float inverse = 1 / std::fmax(square, 0.5F);
    const float electric = product(charge, product(inverse, std::sqrt(inverse)));
    if (excluded) return product(electric, mixed);
    const float inverse6 = product(product(inverse, inverse), inverse);
    const float both = std::fma(product(product(inverse6, std::fma(inverse6, 2.0F, -1.0F)), inverse), 24.0F, electric);
    if (!(square > product(0.5F, reach))) return both;
    const float left = product(reach - square, 2 / reach);
    return product(product(both, left), std::fma(left, -2.0F, 3.0F));
  };
  for (uint32_t cell = 0; cell < run.grid(0); ++cell) {
    const uint32_t other = cell % 2 == 1 ? cell : cell + 1;
    for (uint32_t i = first_atom.get(cell); i < first_atom.get(cell + 1); ++i) {
      std::array<float, 3> force{};
      for (uint32_t j = first_atom.get(other); j < first_atom.get(other + 1); ++j) {
        if (i == j) continue;
        std::array<float, 3> d{};
        for (std::size_t axis = 0; axis < 3; ++axis) {
          const float shift = axis == 0 && other != cell ? side : 0.0F;
          d[axis] = positions.get(3 * std::size_t{i} + axis) - (positions.get(3 * std::size_t{j} + axis) + shift);
        }
        const float square = std::fma(d[0], d[0], std::fma(d[1], d[1], product(d[2], d[2])));
        if (!(square < reach)) continue;
        const bool near = other == cell && j + 16 >= i && j + 16 - i < 32;
        const bool excluded = near && (exclusions.get(i) >> (j + 16 - i) & 1) != 0;
        const float s = strength(square, product(charges.get(i), charges.get(j)), excluded);
        for (std::size_t axis = 0; axis < 3; ++axis) force[axis] = std::fma(d[axis], s, force[axis]);
      }
      for (std::size_t axis = 0; axis < 3; ++axis) forces.set(3 * std::size_t{i} + axis, force[axis]);
    }
  }
}

const reference registered("nonbonded", nonbonded);

}  // namespace
}  // namespace lab::of_nonbonded
