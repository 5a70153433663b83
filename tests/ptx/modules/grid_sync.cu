// SPDX-License-Identifier: BSL-1.0
//
// Thread blocks that wait for each other.
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

/// Words of a are sums of neighbours, `rounds` times.
extern "C" __global__ void steps(unsigned* a, unsigned* b, unsigned n, unsigned rounds) {
  cg::grid_group grid = cg::this_grid();
  for (unsigned r = 0; r < rounds; ++r) {
    for (unsigned long long i = grid.thread_rank(); i < n; i += grid.size()) b[i] = a[i] + a[(i + 1) % n];
    grid.sync();
    for (unsigned long long i = grid.thread_rank(); i < n; i += grid.size()) a[i] = b[i];
    grid.sync();
  }
}

/// Thread blocks take turns to write, in the order of their numbers; odd threads come later to each barrier.
extern "C" __global__ void turns(unsigned* out, unsigned* work) {
  cg::grid_group grid = cg::this_grid();
  for (unsigned turn = 0; turn < gridDim.x; ++turn) {
    if (threadIdx.x % 2 == 1)
      for (unsigned i = 0; i < blockIdx.x * 3 + threadIdx.x; ++i) atomicAdd(work, 1);
    if (blockIdx.x == turn && threadIdx.x == 0) out[turn] = turn == 0 ? 1 : out[turn - 1] * 3 + turn;
    grid.sync();
  }
}

/// Thread block `missing` does not come to the barrier.
extern "C" __global__ void unequal(unsigned* out, unsigned missing) {
  cg::grid_group grid = cg::this_grid();
  if (blockIdx.x != missing) grid.sync();
  if (threadIdx.x == 0) out[blockIdx.x] = 1;
}

/// One to whom all others hand a token, without a barrier.
extern "C" __global__ void token(volatile unsigned* state, unsigned* out) {
  if (threadIdx.x == 0) {
    while (*state != gridDim.x - 1 - blockIdx.x) {
    }
    out[blockIdx.x] = *state;
    *state = gridDim.x - blockIdx.x;
  }
}
