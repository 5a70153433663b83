// SPDX-License-Identifier: BSL-1.0
//
// In how many ways n queens fit on a board, standing for "nqueen" of the linearization paper (J. Anantpur and R.
// Govindarajan, "Taming Control Divergence in GPUs through Control Flow Linearization", CC 2014); after a CUDA program.
// The first three rows are a thread's own number, and a thread with queens that attack each other there leaves the loop
// that places them: the loop has two exits to different places. The others search by backtracking with bit masks and a
// stack in shared memory, one row up or down in each turn of a structured loop. At the end the thread block adds its
// counts up with barriers. Lanes end their searches at different times, which no scheme can help.

constexpr unsigned most_rows = 16;

extern "C" __global__ void n_queens(unsigned* counts, unsigned* totals, unsigned n) {
  extern __shared__ unsigned shared[];
  const unsigned me = threadIdx.x;
  const unsigned thread = blockIdx.x * blockDim.x + me;
  volatile unsigned* free = shared + me;  // free columns by row; of the threads of a warp one after the other
  volatile unsigned* left = free + most_rows * blockDim.x;   // by row: attacked along one diagonal, and
  volatile unsigned* right = left + most_rows * blockDim.x;  // along the other
  volatile unsigned* columns = right + most_rows * blockDim.x;
  const unsigned board = (1u << n) - 1;
  const unsigned stride = blockDim.x;

  unsigned found = 0;
  unsigned row = 0;
  unsigned place = thread;
  free[0] = board;
  left[0] = 0;
  right[0] = 0;
  columns[0] = 0;
  if (thread >= n * n * n) goto done;
#pragma unroll 1
  for (; row < 3; place /= n) {
    const unsigned queen = 1u << place % n;
    if ((free[row * stride] & queen) == 0) goto done;  // attacked: nothing to search
    const unsigned l = (left[row * stride] | queen) << 1;
    const unsigned r = (right[row * stride] | queen) >> 1;
    const unsigned c = columns[row * stride] | queen;
    ++row;
    left[row * stride] = l;
    right[row * stride] = r;
    columns[row * stride] = c;
    free[row * stride] = board & ~(l | r | c);
  }
#pragma unroll 1
  while (row >= 3) {
    const unsigned open = free[row * stride];
    if (open == 0) {
      --row;
    } else {
      const unsigned queen = open & (0u - open);
      free[row * stride] = open ^ queen;
      if (row + 1 == n) {
        ++found;
      } else {
        const unsigned l = (left[row * stride] | queen) << 1;
        const unsigned r = (right[row * stride] | queen) >> 1;
        const unsigned c = columns[row * stride] | queen;
        ++row;
        left[row * stride] = l;
        right[row * stride] = r;
        columns[row * stride] = c;
        free[row * stride] = board & ~(l | r | c);
      }
    }
  }

done:
  counts[thread] = found;
  __syncthreads();
  shared[me] = found;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (me < half) shared[me] += shared[me + half];
    __syncthreads();
  }
  if (me == 0) totals[blockIdx.x] = shared[0];
}
