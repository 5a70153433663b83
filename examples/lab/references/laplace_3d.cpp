// SPDX-License-Identifier: BSL-1.0
//
// examples/kernels/laplace_3d.cu: the grid as one array, no planes and no halo.
#include "lab/references.hpp"

#include <cstddef>
#include <cstdint>

namespace lab::of_laplace_3d {
namespace {

void laplace_3d(host_launch& run) {
  const auto from = run.array<float>(0);
  auto to = run.array<float>(1);
  const auto nx = static_cast<std::size_t>(run.s32(2)), ny = static_cast<std::size_t>(run.s32(3));
  const auto nz = static_cast<std::size_t>(run.s32(4));
  const std::size_t row = nx, layer = nx * ny;
  for (std::size_t i = 0; i < layer * nz; ++i) to.set(i, from.get(i));
  for (std::size_t z = 1; z + 1 < nz; ++z)
    for (std::size_t y = 1; y + 1 < ny; ++y)
      for (std::size_t x = 1; x + 1 < nx; ++x) {
        const std::size_t i = z * layer + y * row + x;
        const float around = from.get(i - 1) + from.get(i + 1) + from.get(i - row) + from.get(i + row);
        to.set(i, (around + from.get(i - layer) + from.get(i + layer)) * (1.0F / 6.0F));
      }
}

const reference registered("laplace_3d", laplace_3d);

}  // namespace
}  // namespace lab::of_laplace_3d
