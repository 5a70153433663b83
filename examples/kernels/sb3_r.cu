// SPDX-License-Identifier: BSL-1.0
//
// SB3-R of the melding paper (see sb1.cu): the control flow of SB3, but all regions compute differently.

constexpr unsigned threads = 64;

extern "C" __global__ void sb3_r(const unsigned* seeds, unsigned* results, unsigned rounds, unsigned steps) {
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
          unsigned z = (x ^ step) * y;
          z = (z >> 9) + x;
          left[1][me] = min(z, x) - step;
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
        if (x * 3 % 8 < 6) {
          const unsigned y = right[1][me];
          unsigned z = (y << 5) - x;
          z |= step << 2;
          z = z * 0x9E3779B1u ^ y;
          right[1][me] = (x >> 3) + z;
        }
        asm volatile("// the second right region" ::: "memory");
        const unsigned v = right[1][me];
        if (v > x) {
          const unsigned w = right[0][me];
          right[0][me] = max(w | 1, v >> 2) ^ (w << 11);
        }
      }
    }
  }
  results[2 * thread] = left[0][me] ^ left[1][me] ^ alone[me];
  results[2 * thread + 1] = right[0][me] ^ right[1][me];
}
