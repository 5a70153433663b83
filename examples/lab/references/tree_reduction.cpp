// SPDX-License-Identifier: BSL-1.0
//
// examples/kernels/tree_reduction.cu: sums in double precision; the values are small whole numbers.
#include "lab/references.hpp"

#include <cstdint>
#include <vector>

namespace lab::of_tree_reduction {
namespace {

using std::uint32_t;

void tree_reduction(host_launch& run) {
  const auto values = run.array<float>(0);
  auto sums = run.array<float>(1);
  const uint32_t count = run.u32(2);
  std::vector<double> total(run.grid(0));
  for (uint32_t i = 0; i < count; ++i) total[i % run.threads() / run.block(0)] += static_cast<double>(values.get(i));
  for (uint32_t b = 0; b < run.grid(0); ++b) sums.set(b, static_cast<float>(total[b]));
}

const reference registered("tree_reduction", tree_reduction);

}  // namespace
}  // namespace lab::of_tree_reduction
