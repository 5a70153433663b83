// SPDX-License-Identifier: BSL-1.0
//
// Merge sort of keys with values, a tile for each thread block. Stands for Merge Sort (MGST) in the coherent set of W.
// Fung, T. Aamodt, "Thread Block Compaction" (HPCA 2011). To merge two runs each thread looks its key's place in the
// other run up by bisection (N. Satish, M. Harris, M. Garland, IPDPS 2009): one step more or less, and no other
// divergence, because the compiler selects where the source branches. Equal keys keep their order.

constexpr unsigned tile = 256;

extern "C" __global__ void merge_sort(unsigned* keys, unsigned* values) {
  __shared__ unsigned key[2][tile], value[2][tile];
  const unsigned me = threadIdx.x;
  keys += blockIdx.x * tile;
  values += blockIdx.x * tile;
  key[0][me] = keys[me];
  value[0][me] = values[me];
  __syncthreads();

  unsigned from = 0;
#pragma unroll 1
  for (unsigned run = 1; run < tile; run *= 2) {
    const unsigned mine = key[from][me];
    const unsigned first = me & ~(2 * run - 1);          // of the two runs
    const unsigned is_second = (me & run) != 0 ? 1 : 0;  // this thread's run; equal keys of the other go before it
    const unsigned* other = key[from] + first + (1 - is_second) * run;
    unsigned low = 0, high = run;  // between them: how many keys of the other run go before this one
#pragma unroll 1
    while (low < high) {
      const unsigned middle = (low + high) / 2, that = other[middle];
      if (that < mine || (that == mine && is_second != 0))
        low = middle + 1;
      else
        high = middle;
    }
    const unsigned to = first + (me & (run - 1)) + low;
    key[1 - from][to] = mine;
    value[1 - from][to] = value[from][me];
    from = 1 - from;
    __syncthreads();
  }
  keys[me] = key[from][me];
  values[me] = value[from][me];
}
