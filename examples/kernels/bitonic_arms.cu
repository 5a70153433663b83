// SPDX-License-Identifier: BSL-1.0
//
// Bitonic sort as the melding paper has it (BIT in C. Saumya, K. Sundararajah, M. Kulkarni, "DARM: Control-Flow Melding
// for SIMT Thread Divergence Reduction", CGO 2022, Figure 1; K. E. Batcher, AFIPS 1968): a branch on the thread's
// number chooses between ascending and descending, and each arm is an if-then region that reads two keys from shared
// memory and exchanges them. Neither tail merging nor branch fusion can do anything here. bitonic_sort.cu is the same
// program without the arms. The remarks in inline assembly are no instructions, but the compiler moves no access to
// memory over them; without them it would read the keys before it branches.

extern "C" __global__ void bitonic_arms(unsigned* keys) {
  extern __shared__ unsigned tile[];
  const unsigned me = threadIdx.x;
  unsigned* mine = keys + blockIdx.x * blockDim.x;
  tile[me] = mine[me];
  __syncthreads();
#pragma unroll 1
  for (unsigned run = 2; run <= blockDim.x; run *= 2) {
#pragma unroll 1
    for (unsigned gap = run / 2; gap != 0; gap /= 2) {
      const unsigned other = me ^ gap;
      if (other > me) {
        if ((me & run) == 0) {
          asm volatile("// ascending" ::: "memory");
          const unsigned a = tile[me], b = tile[other];
          if (a > b) {
            tile[me] = b;
            tile[other] = a;
          }
        } else {
          asm volatile("// descending" ::: "memory");
          const unsigned a = tile[me], b = tile[other];
          if (a < b) {
            tile[me] = b;
            tile[other] = a;
          }
        }
      }
      __syncthreads();
    }
  }
  mine[me] = tile[me];
}
