// SPDX-License-Identifier: BSL-1.0
//
// SB1, a synthetic program of the melding paper (C. Saumya, K. Sundararajah, M. Kulkarni, "DARM: Control-Flow Melding
// for SIMT Thread Divergence Reduction", CGO 2022): in the inner of two loops a diamond with arms that compute the
// same, each on its own data in shared memory. The remarks in inline assembly are no instructions, but the compiler
// moves no access to memory over them; without them it would keep the data in registers.

constexpr unsigned threads = 64;

extern "C" __global__ void sb1(const unsigned* seeds, unsigned* results, unsigned rounds, unsigned steps) {
  __shared__ unsigned left[2][threads], right[2][threads];
  const unsigned me = threadIdx.x;
  const unsigned thread = blockIdx.x * threads + me;
  left[0][me] = right[1][me] = seeds[thread];
  left[1][me] = right[0][me] = thread;

#pragma unroll 1
  for (unsigned round = 0; round < rounds; ++round) {
#pragma unroll 1
    for (unsigned step = 0; step < steps; ++step) {
      if (((me + step) & 2) == 0) {
        asm volatile("// left" ::: "memory");
        const unsigned x = left[0][me], y = left[1][me];
        unsigned z = x * y + step;
        z ^= z >> 7;
        left[0][me] = z;
        left[1][me] = x + (z << 3);
      } else {
        asm volatile("// right" ::: "memory");
        const unsigned x = right[0][me], y = right[1][me];
        unsigned z = x * y + step;
        z ^= z >> 7;
        right[0][me] = z;
        right[1][me] = x + (z << 3);
      }
    }
  }
  results[2 * thread] = left[0][me] ^ left[1][me];
  results[2 * thread + 1] = right[0][me] ^ right[1][me];
}
