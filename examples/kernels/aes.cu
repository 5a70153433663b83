// SPDX-License-Identifier: BSL-1.0
//
// AES-128 (FIPS 197), each thread encrypts 16-byte blocks with one key. Stands for AES Cryptography in the coherent set
// of W. Fung, T. Aamodt, "Thread Block Compaction" (HPCA 2011), in its thread blocks of 256 threads: no branch depends
// on the thread, so every policy runs it alike. The data depend on the thread all the more: the tables are read at
// random, with bank conflicts.
//
// Thread x first computes the table entry of the byte x: what SubBytes and MixColumns together make of it. Words are
// big-endian as in the standard.

__device__ __forceinline__ unsigned twice(unsigned byte) { return byte << 1 ^ (byte >> 7) * 0x11B; }

// The product in GF(2^8).
__device__ __forceinline__ unsigned times(unsigned a, unsigned b) {
  unsigned product = 0;
#pragma unroll 1
  for (unsigned bit = 0; bit < 8; ++bit) {
    product ^= a * (b >> bit & 1);
    a = twice(a);
  }
  return product;
}

__device__ __forceinline__ unsigned rotated(unsigned word, unsigned bytes) {
  return word >> 8 * bytes | word << (32 - 8 * bytes);
}

extern "C" __global__ void aes(const unsigned* key, const unsigned* plain, unsigned* cipher, unsigned blocks) {
  __shared__ unsigned table[256];
  // The inverse of x is x^254, the product of x^2, x^4, ... x^128.
  unsigned power = threadIdx.x, inverse = 1;
#pragma unroll 1
  for (unsigned i = 0; i < 7; ++i) {
    power = times(power, power);
    inverse = times(inverse, power);
  }
  const unsigned repeated = inverse | inverse << 8;
  const unsigned substitute = (repeated ^ repeated >> 4 ^ repeated >> 5 ^ repeated >> 6 ^ repeated >> 7 ^ 0x63) & 0xFF;
  table[threadIdx.x] = twice(substitute) << 24 | substitute << 16 | substitute << 8 | (twice(substitute) ^ substitute);
  __syncthreads();

  const auto substituted = [&](unsigned word, unsigned byte) { return table[word >> 8 * byte & 0xFF] >> 8 & 0xFF; };
#pragma unroll 1
  for (unsigned b = blockIdx.x * 256 + threadIdx.x; b < blocks; b += gridDim.x * 256) {
    unsigned k[4], s[4];
#pragma unroll
    for (unsigned i = 0; i < 4; ++i) {
      k[i] = key[i];
      s[i] = plain[4 * b + i] ^ k[i];
    }
    unsigned constant = 1;
#pragma unroll 1
    for (unsigned round = 1; round <= 10; ++round) {
      k[0] ^= substituted(k[3], 2) << 24 ^ substituted(k[3], 1) << 16 ^ substituted(k[3], 0) << 8 ^
              substituted(k[3], 3) ^ constant << 24;
      k[1] ^= k[0];
      k[2] ^= k[1];
      k[3] ^= k[2];
      constant = twice(constant);
      unsigned t[4];
      if (round < 10) {
#pragma unroll
        for (unsigned i = 0; i < 4; ++i)
          t[i] = table[s[i] >> 24] ^ rotated(table[s[(i + 1) % 4] >> 16 & 0xFF], 1) ^
                 rotated(table[s[(i + 2) % 4] >> 8 & 0xFF], 2) ^ rotated(table[s[(i + 3) % 4] & 0xFF], 3);
      } else {
#pragma unroll
        for (unsigned i = 0; i < 4; ++i)
          t[i] = substituted(s[i], 3) << 24 | substituted(s[(i + 1) % 4], 2) << 16 |
                 substituted(s[(i + 2) % 4], 1) << 8 | substituted(s[(i + 3) % 4], 0);
      }
#pragma unroll
      for (unsigned i = 0; i < 4; ++i) s[i] = t[i] ^ k[i];
    }
#pragma unroll
    for (unsigned i = 0; i < 4; ++i) cipher[4 * b + i] = s[i];
  }
}
