// SPDX-License-Identifier: BSL-1.0
//
// examples/kernels/bitonic_sort.cu: each thread block sorts its own tile; here the C++ library does.
#include "lab/references.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace lab::of_bitonic_sort {
namespace {

using std::uint32_t;

void bitonic_sort(host_launch& run) {
  auto keys = run.array<uint32_t>(0);
  std::vector<uint32_t> tile(run.block(0));
  for (uint32_t b = 0; b < run.grid(0); ++b) {
    for (uint32_t i = 0; i < tile.size(); ++i) tile[i] = keys.get(b * tile.size() + i);
    std::sort(tile.begin(), tile.end());
    for (uint32_t i = 0; i < tile.size(); ++i) keys.set(b * tile.size() + i, tile[i]);
  }
}

const reference registered("bitonic_sort", bitonic_sort);

}  // namespace
}  // namespace lab::of_bitonic_sort
