// SPDX-License-Identifier: BSL-1.0
//
// A chain of short-circuit conditions, (a || b) && (c || d) && (e || f) && (g || h), asked of many records. Each
// condition counts how often it is asked, so the compiler must keep it as a branch, and the graph is the ladder of the
// thread frontiers paper's Figure 1 with four rungs: unstructured, and the immediate post-dominator of every rung is
// the end of the chain. Under PDOM the lanes that took different ways through a rung stay apart until there.

struct tally {
  unsigned asked[8];
};

// True with probability 1/2, independent for each question; counts the question.
__device__ __forceinline__ bool ask(volatile unsigned* asked, unsigned which, unsigned record) {
  asked[which] += 1;
  const unsigned h = (record ^ (record >> (which + 3))) * (2654435761u + 2u * which);
  return ((h >> 17) & 1) != 0;
}

extern "C" __global__ void short_circuit(const unsigned* records, unsigned* hits, tally* tallies, unsigned per_thread) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned threads = gridDim.x * blockDim.x;
  volatile unsigned* asked = tallies[thread].asked;
  unsigned found = 0;
#pragma unroll 1
  for (unsigned i = 0; i < per_thread; ++i) {
    const unsigned record = records[i * threads + thread];
    if ((ask(asked, 0, record) || ask(asked, 1, record)) && (ask(asked, 2, record) || ask(asked, 3, record)) &&
        (ask(asked, 4, record) || ask(asked, 5, record)) && (ask(asked, 6, record) || ask(asked, 7, record)))
      found += record | 1;
  }
  hits[thread] = found;
}
