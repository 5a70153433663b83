// SPDX-License-Identifier: BSL-1.0
//
// examples/kernels/warp_reduction.cu: Collatz steps of each thread's input; sums, votes and matches by plain loops over
// warps of 32.
#include "lab/references.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace lab::of_warp_reduction {
namespace {

using std::uint32_t;

void warp_reduction(host_launch& run) {
  const auto in = run.array<uint32_t>(0);
  auto sums = run.array<uint32_t>(1);
  auto ballots = run.array<uint32_t>(2);
  auto matches = run.array<uint32_t>(3);
  auto odd_sums = run.array<uint32_t>(4);
  const uint32_t n = run.u32(5), width = run.block(0), warps = (width + 31) / 32;
  for (uint32_t b = 0; b < run.grid(0); ++b) {
    std::vector<uint32_t> steps(width, 0);
    uint32_t sum = 0;
    for (uint32_t i = 0; i < width; ++i) {
      for (uint32_t x = b * width + i < n ? in.get(b * width + i) : 0; x > 1; x = x % 2 == 1 ? 3 * x + 1 : x / 2)
        ++steps[i];
      sum += steps[i];
    }
    sums.set(b, sum);
    for (uint32_t w = 0; w < warps; ++w) {
      const uint32_t first = w * 32, last = std::min(width, first + 32);
      uint32_t ballot = 0, odd = 0;
      for (uint32_t i = first; i < last; ++i) {
        if (steps[i] % 2 == 1) {
          ballot += uint32_t{1} << (i - first);
          odd += steps[i];
        }
        uint32_t same = 0;
        for (uint32_t k = first; k < last; ++k)
          if (steps[k] % 4 == steps[i] % 4) same += uint32_t{1} << (k - first);
        matches.set(b * width + i, same);
      }
      ballots.set(b * warps + w, ballot);
      if (ballot != 0) odd_sums.set(b * warps + w, odd);
    }
  }
}

const reference registered("warp_reduction", warp_reduction);

}  // namespace
}  // namespace lab::of_warp_reduction
