// SPDX-License-Identifier: BSL-1.0
//
// examples/kernels/bitonic_arms.cu: each thread block sorts its own tile; here the C++ library does.
#include "lab/references.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace lab::of_bitonic_arms {
namespace {

using std::uint32_t;

void bitonic_arms(host_launch& run) {
  auto keys = run.array<uint32_t>(0);
  std::vector<uint32_t> tile(run.block(0));
  for (std::size_t first = 0; first < run.threads(); first += tile.size()) {
    for (std::size_t i = 0; i < tile.size(); ++i) tile[i] = keys.get(first + i);
    std::sort(tile.begin(), tile.end());
    for (std::size_t i = 0; i < tile.size(); ++i) keys.set(first + i, tile[i]);
  }
}

const reference registered("bitonic_arms", bitonic_arms);

}  // namespace
}  // namespace lab::of_bitonic_arms
