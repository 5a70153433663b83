// SPDX-License-Identifier: BSL-1.0
//
// The micro-benchmark "exception-call" of G. Diamos et al., "SIMD Re-Convergence At Thread Frontiers" (MICRO 2011): a
// function that is called from both arms of a divergent conditional and may throw from within its own conditional. CUDA
// has no exceptions, so the throw is a goto to the function's end, and the caller goes on to its handler if the
// function says that it threw. The throw passes the rest of the function and the handler passes the rest of the
// caller's try block; under PDOM both are run once per arm, although no data ever make it throw. Thread frontiers join
// the arms within the function and again after the two calls.
//
// exception_call_plain is the same task without the throws.

struct checked {
  unsigned value;
  unsigned threw;
};

template <bool Throws>
__device__ __noinline__ checked step(unsigned record, unsigned limit, volatile unsigned* tally) {
  unsigned state = record;
  if ((record & 8) != 0) {
    tally[0] += 1;
    if (Throws && record > limit) goto thrown;
    state += 12345;
  } else {
    tally[1] += record;
    if (Throws && record / 3 > limit) goto thrown;
    state ^= 54321;
  }
  // The rest of the function.
#pragma unroll 1
  for (unsigned round = 0; round < 4; ++round) {
    state ^= state >> 15;
    state *= 2246822519u;
  }
  return {state, 0};

thrown:
  return {0, 1};
}

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
    if ((record & 16) != 0) {
      tally[2] += 1;
      const checked done = step<Throws>(record, limit, tally);
      if (Throws && done.threw != 0) goto handler;
      state += done.value;
    } else {
      tally[3] += record;
      const checked done = step<Throws>(record >> 1, limit, tally);
      if (Throws && done.threw != 0) goto handler;
      state ^= done.value;
    }
    // The rest of the try block.
#pragma unroll 1
    for (unsigned round = 0; round < 4; ++round) {
      state ^= state >> 13;
      state *= 3266489917u;
    }
    continue;

  handler:
    caught[thread] = i + 1;
    state = ~state;
  }
  result[thread] = state;
}

extern "C" __global__ void exception_call(const unsigned* records, unsigned* result, unsigned* tallies,
                                          unsigned* caught, unsigned per_thread, unsigned limit) {
  task<true>(records, result, tallies, caught, per_thread, limit);
}

extern "C" __global__ void exception_call_plain(const unsigned* records, unsigned* result, unsigned* tallies,
                                                unsigned* caught, unsigned per_thread, unsigned limit) {
  task<false>(records, result, tallies, caught, per_thread, limit);
}
