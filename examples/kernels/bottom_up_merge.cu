// SPDX-License-Identifier: BSL-1.0
//
// Bottom-up merge sort (MS in the melding paper, see bitonic_arms.cu): in each round every thread that is left merges
// two runs by itself, and takes the next key from one or from the other by what it finds. The arms of that diamond read
// and write shared memory. merge_sort.cu is the parallel merge, in which little diverges.

constexpr unsigned threads = 64;
constexpr unsigned tile = 2 * threads;

extern "C" __global__ void bottom_up_merge(unsigned* keys, unsigned* values) {
  __shared__ unsigned key[2][tile + 1], value[2][tile];  // one key more: the place after the last run can be read
  const unsigned me = threadIdx.x;
  keys += blockIdx.x * tile;
  values += blockIdx.x * tile;
  for (unsigned i = me; i < tile; i += threads) {
    key[0][i] = keys[i];
    value[0][i] = values[i];
  }
  if (me == 0) key[0][tile] = key[1][tile] = 0;
  __syncthreads();

  unsigned from = 0;
#pragma unroll 1
  for (unsigned run = 1; run < tile; run *= 2) {
    const unsigned first = 2 * run * me;
    if (first < tile) {
      const unsigned *source = key[from], *source_value = value[from];
      unsigned *to = key[1 - from], *to_value = value[1 - from];
      const unsigned middle = first + run, end = middle + run;
      unsigned left = first, right = middle;
#pragma unroll 1
      for (unsigned next = first; next < end; ++next) {
        const unsigned a = source[left], b = source[right];
        if ((right == end) | ((left != middle) & (a <= b))) {
          to[next] = a;
          to_value[next] = source_value[left];
          ++left;
        } else {
          to[next] = b;
          to_value[next] = source_value[right];
          ++right;
        }
      }
    }
    from = 1 - from;
    __syncthreads();
  }
  for (unsigned i = me; i < tile; i += threads) {
    keys[i] = key[from][i];
    values[i] = value[from][i];
  }
}
