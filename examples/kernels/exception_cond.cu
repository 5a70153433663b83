// SPDX-License-Identifier: BSL-1.0
//
// The micro-benchmark "exception-cond" of G. Diamos et al., "SIMD Re-Convergence At Thread Frontiers" (MICRO 2011): a
// try block, once per record, that may throw from within nested divergent conditionals, written with goto. The handler
// stands after the rest of the try block, so no arm of a conditional is sure to reach the end of that conditional:
// under PDOM the lanes of different arms stay apart until the end of the record and run the rest of the try block once
// per arm. No data ever make it throw. Thread frontiers join the arms where the conditional ends.
//
// exception_cond_plain is the same task without the throws: nested if-else, and both schemes do the same.
//
// Every arm counts its records in memory, so that the compiler cannot turn the conditionals into selections.

template <bool Throws>
__device__ __forceinline__ void task(const unsigned* records, unsigned* result, unsigned* tallies, unsigned* caught,
                                     unsigned per_thread, unsigned limit) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned threads = gridDim.x * blockDim.x;
  volatile unsigned* tally = tallies + 4 * thread;
  unsigned state = thread;
#pragma unroll 1
  for (unsigned i = 0; i < per_thread; ++i) {
    const unsigned record = records[i * threads + thread];
    // try
    if ((record & 1) != 0) {
      if ((record & 2) != 0) {
        tally[0] += 1;
        if (Throws && record > limit) goto handler;
        state += record >> 3;
      } else {
        tally[1] += record;
        if (Throws && record / 3 > limit) goto handler;
        state ^= record;
      }
      state *= 2654435761u;
      tally[2] = state;
    } else {
      tally[3] += 1;
      if (Throws && record / 5 > limit) goto handler;
      state -= record;
    }
    // The rest of the try block.
#pragma unroll 1
    for (unsigned round = 0; round < 4; ++round) {
      state ^= state >> 15;
      state *= 2246822519u;
    }
    continue;

  handler:
    caught[thread] = i + 1;
    state = ~state;
  }
  result[thread] = state;
}

extern "C" __global__ void exception_cond(const unsigned* records, unsigned* result, unsigned* tallies,
                                          unsigned* caught, unsigned per_thread, unsigned limit) {
  task<true>(records, result, tallies, caught, per_thread, limit);
}

extern "C" __global__ void exception_cond_plain(const unsigned* records, unsigned* result, unsigned* tallies,
                                                unsigned* caught, unsigned per_thread, unsigned limit) {
  task<false>(records, result, tallies, caught, per_thread, limit);
}
