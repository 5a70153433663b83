// SPDX-License-Identifier: BSL-1.0
//
// In how many ways n queens fit on a board (NQU in the melding paper, see bitonic_arms.cu; a CUDA program of the
// GPGPU-Sim benchmarks, A. Bakhoda et al., ISPASS 2009). A thread has the first two queens from its own number and
// searches on with a stack of bit masks in shared memory. Each turn of its only loop goes three ways: back because the
// row is full, back because the last queen stands, or a row on. The paper melds it; transform/meld.hpp melds none of
// its branches: their arms share too little. n_queens.cu is the same task with an exit from the middle of a loop.

constexpr unsigned threads = 64;
constexpr unsigned most_rows = 12;

extern "C" __global__ void queens_backtrack(unsigned* counts, unsigned n) {
  // By thread and row: the columns taken, what attacks along the diagonals, and what has been tried or is attacked.
  __shared__ unsigned columns[most_rows][threads], left[most_rows][threads], right[most_rows][threads];
  __shared__ unsigned tried[most_rows][threads];
  const unsigned me = threadIdx.x;
  const unsigned thread = blockIdx.x * threads + me;
  const unsigned board = (1u << n) - 1;
  const unsigned one = 1u << thread % n, two = 1u << thread / n;  // off the board or attacked: nothing to search

  unsigned found = 0;
  columns[2][me] = one | two;
  left[2][me] = (one << 1 | two) << 1;
  right[2][me] = (one >> 1 | two) >> 1;
  tried[2][me] = columns[2][me] | left[2][me] | right[2][me];
  unsigned row = (two & board & ~(one | one << 1 | one >> 1)) != 0 ? 2 : 1;
#pragma unroll 1
  while (row >= 2) {
    const unsigned closed = tried[row][me];
    if ((closed & board) == board) {
      --row;
    } else {
      const unsigned queen = (closed + 1) & ~closed;
      tried[row][me] = closed | queen;
      if (row + 1 == n) {
        ++found;
        --row;
      } else {
        const unsigned c = columns[row][me] | queen;
        const unsigned l = (left[row][me] | queen) << 1;
        const unsigned r = (right[row][me] | queen) >> 1;
        ++row;
        columns[row][me] = c;
        left[row][me] = l;
        right[row][me] = r;
        tried[row][me] = c | l | r;
      }
    }
  }
  counts[thread] = found;
}
