// SPDX-License-Identifier: BSL-1.0
//
// examples/kernels/dct_quantize.cu: to the nearest multiple of the quantum, away from zero in the middle.
#include "lab/files.hpp"
#include "lab/references.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace lab::of_dct_quantize {
namespace {

void dct_quantize(host_launch& run) {
  auto plane = run.array<std::int16_t>(0);
  auto quanta = run.array<std::int16_t>(1);
  const std::size_t width = run.size(2), tile = run.block(0);
  for (std::size_t i = 0; i < plane.size(); ++i) {
    const int quantum = quanta.get(i / width % tile * tile + i % tile);
    if (quantum == 0) throw input_error("the reference program expects no quantum to be 0");
    const long steps = std::lround(static_cast<double>(plane.get(i)) / quantum);
    plane.set(i, static_cast<std::int16_t>(steps * quantum));
  }
}

const reference registered("dct_quantize", dct_quantize);

}  // namespace
}  // namespace lab::of_dct_quantize
