// SPDX-License-Identifier: BSL-1.0
//
// Partition and concurrent merge (PCM in the melding paper, see bitonic_arms.cu; E. Herruzo, G. Ruiz, J. Benavides, O.
// Plata, "A new parallel sorting algorithm based on odd-even mergesort", PDP 2007). Each thread has a sorted bucket in
// shared memory, and neighbours merge their buckets: the left one keeps the lower half, counted up from the start, the
// right one the upper half, counted down from the end. So half the lanes of a warp run one loop and the other half the
// other, with a diamond that depends on the data in each: branch fusion melds the diamonds, only melding the loops. The
// buckets come as a first key and what each further key is more than the one before.

constexpr unsigned buckets = 32;  // of a thread block
constexpr unsigned keys = 16;     // of a bucket, a power of two

extern "C" __global__ void odd_even_merge(const unsigned* first, const unsigned* more, unsigned* sorted) {
  __shared__ unsigned bucket[buckets][keys], merged[buckets][keys];
  const unsigned me = threadIdx.x;
  const unsigned thread = blockIdx.x * buckets + me;
  unsigned key = first[thread];
#pragma unroll 1
  for (unsigned i = 0; i < keys; ++i) {
    key += more[thread * keys + i];
    bucket[me][i] = key;
  }
  __syncthreads();

#pragma unroll 1
  for (unsigned phase = 0; phase < buckets; ++phase) {
    const bool keeps_lower = ((me ^ phase) & 1) == 0;
    const unsigned other = keeps_lower ? me + 1 : me - 1;
    if (other < buckets) {  // the first and the last have no neighbour in every other phase
      if (keeps_lower) {
        unsigned mine = 0, theirs = 0;
#pragma unroll 1
        for (unsigned i = 0; i < keys; ++i) {
          const unsigned a = bucket[me][mine], b = bucket[other][theirs];
          unsigned* to = &merged[me][i];
          if (a <= b) {
            *to = a;
            ++mine;
          } else {
            *to = b;
            ++theirs;
          }
        }
      } else {
        unsigned mine = keys - 1, theirs = keys - 1;
#pragma unroll 1
        for (unsigned i = 0; i < keys; ++i) {
          const unsigned a = bucket[me][mine], b = bucket[other][theirs];
          unsigned* to = &merged[me][(keys - 1) ^ i];
          if (a > b) {
            *to = a;
            --mine;
          } else {
            *to = b;
            --theirs;
          }
        }
      }
    }
    __syncthreads();
    if (other < buckets) {
#pragma unroll 1
      for (unsigned i = 0; i < keys; ++i) bucket[me][i] = merged[me][i];
    }
    __syncthreads();
  }
#pragma unroll 1
  for (unsigned i = 0; i < keys; ++i) sorted[thread * keys + i] = bucket[me][i];
}
