// SPDX-License-Identifier: BSL-1.0
//
// SB4 of the melding paper (see sb1.cu): threads go three ways (if, else if, else), and the three computations are the
// same. The inner branch is melded first; what is left is a diamond, which the next round melds. (The paper replicates
// the first arm's region instead.)

constexpr unsigned threads = 64;

extern "C" __global__ void sb4(const unsigned* seeds, unsigned* results, unsigned rounds, unsigned steps) {
  __shared__ unsigned first[2][threads], second[2][threads], third[2][threads], turns[threads];
  const unsigned me = threadIdx.x;
  const unsigned thread = blockIdx.x * threads + me;
  first[0][me] = second[1][me] = third[0][me] = seeds[thread];
  first[1][me] = second[0][me] = third[1][me] = thread;
  turns[me] = 0;

#pragma unroll 1
  for (unsigned round = 0; round < rounds; ++round) {
#pragma unroll 1
    for (unsigned step = 0; step < steps; ++step) {
      if (((me + step) & 2) == 0) {
        asm volatile("// first" ::: "memory");
        const unsigned x = first[0][me], y = first[1][me];
        unsigned z = x * y + step;
        z ^= z >> 7;
        first[0][me] = z;
        first[1][me] = x + (z << 3);
      } else {
        asm volatile("// the other arm" ::: "memory");
        const unsigned turn = turns[me];
        turns[me] = turn + 1;
        if (((turn + me) & 2) == 0) {
          asm volatile("// second" ::: "memory");
          const unsigned x = second[0][me], y = second[1][me];
          unsigned z = x * y + step;
          z ^= z >> 7;
          second[0][me] = z;
          second[1][me] = x + (z << 3);
        } else {
          asm volatile("// third" ::: "memory");
          const unsigned x = third[0][me], y = third[1][me];
          unsigned z = x * y + step;
          z ^= z >> 7;
          third[0][me] = z;
          third[1][me] = x + (z << 3);
        }
      }
    }
  }
  results[3 * thread] = first[0][me] ^ first[1][me];
  results[3 * thread + 1] = second[0][me] ^ second[1][me];
  results[3 * thread + 2] = third[0][me] ^ third[1][me];
}
