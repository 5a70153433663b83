// SPDX-License-Identifier: BSL-1.0
//
// examples/kernels/nested_loops.cu: row by row.
#include "lab/references.hpp"

#include <algorithm>
#include <cstdint>

namespace lab::of_nested_loops {
namespace {

using std::uint32_t;

void nested_loops(host_launch& run) {
  const auto first = run.array<uint32_t>(0);
  const auto values = run.array<uint32_t>(1);
  auto steps = run.array<uint32_t>(2);
  auto peak = run.array<uint32_t>(3);
  const uint32_t rows = std::min(run.u32(4), run.threads());
  for (uint32_t row = 0; row < rows; ++row) {
    uint32_t total = 0, highest = 0;
    for (uint32_t i = first.get(row); i < first.get(row + 1); ++i)
      for (uint32_t v = values.get(i); v > 1; ++total) {
        const bool odd = v % 2 == 1;
        v = odd ? 3 * v + 1 : v / 2;
        if (odd) highest = std::max(highest, v);
      }
    steps.set(row, total);
    peak.set(row, highest);
  }
}

const reference registered("nested_loops", nested_loops);

}  // namespace
}  // namespace lab::of_nested_loops
