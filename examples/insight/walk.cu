// SPDX-License-Identifier: BSL-1.0
//
// Somebody's first kernel that diverges. Each thread walks through two tables: as many steps as its item has, and at
// each step by one of two rules.
#include "mix.cuh"

extern "C" __global__ void walk(const unsigned* steps, const unsigned* odd, const unsigned* even, unsigned* ends,
                                unsigned items) {
  unsigned item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item >= items) return;
  unsigned at = item;
#pragma unroll 1
  for (unsigned left = steps[item]; left != 0; --left) {
    if ((at >> 3 & 1) == 1)
      at = mix(odd[at % 256], at) + left;
    else
      at = mix(even[at % 256], left) ^ at;
  }
  ends[item] = at;
}
