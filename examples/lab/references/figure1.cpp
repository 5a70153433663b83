// SPDX-License-Identifier: BSL-1.0
//
// examples/kernels/figure1.cu: which blocks a thread passes, as conditions instead of jumps.
#include "lab/references.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace lab::of_figure1 {
namespace {

using std::uint32_t;

void figure1(host_launch& run) {
  const auto answers = run.array<uint32_t>(0);
  auto passed = run.array<uint32_t>(1);
  for (uint32_t t = 0; t < run.threads(); ++t) {
    const uint32_t a = answers.get(t);
    const bool yes1 = (a & 1) != 0, yes2 = (a & 2) != 0, yes3 = (a & 4) != 0, yes4 = (a & 8) != 0;
    const bool third = yes1 || yes2;
    const std::array<bool, 6> runs{true, true, !yes1, third, third && !yes3, third && (yes3 || yes4)};
    for (uint32_t b = 0; b < 6; ++b)
      if (runs[b]) passed.set(std::size_t{6} * t + b, 1);
  }
}

const reference registered("figure1", figure1);

}  // namespace
}  // namespace lab::of_figure1
