// SPDX-License-Identifier: BSL-1.0
//
// SB3 of the melding paper (see sb1.cu): the left arm is an if-then region, a block and another if-then region, the
// right arm is two if-then regions. The first regions compute the same and so do the last ones; the block has no
// counterpart.

constexpr unsigned threads = 64;

extern "C" __global__ void sb3(const unsigned* seeds, unsigned* results, unsigned rounds, unsigned steps) {
  __shared__ unsigned left[2][threads], right[2][threads], alone[threads];
  const unsigned me = threadIdx.x;
  const unsigned thread = blockIdx.x * threads + me;
  left[0][me] = right[1][me] = seeds[thread];
  left[1][me] = right[0][me] = thread;
  alone[me] = 0;

#pragma unroll 1
  for (unsigned round = 0; round < rounds; ++round) {
#pragma unroll 1
    for (unsigned step = 0; step < steps; ++step) {
      if (((me + step) & 2) == 0) {
        asm volatile("// the first left region" ::: "memory");
        const unsigned x = left[0][me];
        if (((x >> step) & 3) != 0) {
          const unsigned y = left[1][me];
          unsigned z = x * y + step;
          z ^= z >> 7;
          left[1][me] = x + (z << 3);
        }
        asm volatile("// the block" ::: "memory");
        alone[me] += x ^ round;
        asm volatile("// the second left region" ::: "memory");
        const unsigned v = left[1][me];
        if ((v & 24) != 8) {
          const unsigned w = left[0][me];
          left[0][me] = (w - v) * 5 + 3;
        }
      } else {
        asm volatile("// the first right region" ::: "memory");
        const unsigned x = right[0][me];
        if (((x >> step) & 3) != 0) {
          const unsigned y = right[1][me];
          unsigned z = x * y + step;
          z ^= z >> 7;
          right[1][me] = x + (z << 3);
        }
        asm volatile("// the second right region" ::: "memory");
        const unsigned v = right[1][me];
        if ((v & 24) != 8) {
          const unsigned w = right[0][me];
          right[0][me] = (w - v) * 5 + 3;
        }
      }
    }
  }
  results[2 * thread] = left[0][me] ^ left[1][me] ^ alone[me];
  results[2 * thread + 1] = right[0][me] ^ right[1][me];
}
