// SPDX-License-Identifier: BSL-1.0
//
// Bitonic sort of one tile per thread block in shared memory, after K. E. Batcher, "Sorting networks and their
// applications" (AFIPS 1968). Two nested loops with a barrier in the inner one; the exchange is the only divergent
// branch and it is structured, so every reconvergence mechanism should need the same number of instructions.

extern "C" __global__ void bitonic_sort(unsigned* keys) {
  extern __shared__ unsigned tile[];
  const unsigned me = threadIdx.x;
  unsigned* mine = keys + blockIdx.x * blockDim.x;
  tile[me] = mine[me];
  __syncthreads();
  for (unsigned run = 2; run <= blockDim.x; run *= 2) {
    for (unsigned gap = run / 2; gap != 0; gap /= 2) {
      const unsigned other = me ^ gap;
      if (other > me) {
        const unsigned a = tile[me];
        const unsigned b = tile[other];
        const bool ascending = (me & run) == 0;
        if ((a > b) == ascending) {
          tile[me] = b;
          tile[other] = a;
        }
      }
      __syncthreads();
    }
  }
  mine[me] = tile[me];
}
