// SPDX-License-Identifier: BSL-1.0
//
// The micro-benchmark "exception-loop" of G. Diamos et al., "SIMD Re-Convergence At Thread Frontiers" (MICRO 2011): a
// try block that may throw from within a divergent loop, written with goto because CUDA has no exceptions. The
// exception can leave the loop and pass the rest of the try block, so that rest does not post-dominate the loop's exit:
// under PDOM the lanes that leave the loop after different numbers of iterations run the rest one after the other. No
// data ever make it throw; that it may is enough. Thread frontiers join the leavers after the loop.
//
// exception_loop_plain is the same task without the throw: the loop has one exit and both schemes do the same.

template <bool Throws>
__device__ __forceinline__ void task(const unsigned* trips, const unsigned* data, unsigned* result, unsigned* caught,
                                     unsigned limit) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned threads = gridDim.x * blockDim.x;
  const unsigned last = trips[thread];
  unsigned state = thread;
  unsigned i = 0;
#pragma unroll 1
  for (; i < last; ++i) {
    const unsigned value = data[i * threads + thread];
    if (Throws && value > limit) goto handler;
    state = state * 1664525u + value;
  }
  // The rest of the try block.
#pragma unroll 1
  for (unsigned round = 0; round < 8; ++round) {
    state ^= state >> 15;
    state *= 2654435761u;
  }
  result[thread] = state;
  return;

handler:
  caught[thread] = i + 1;
  result[thread] = ~state;
}

extern "C" __global__ void exception_loop(const unsigned* trips, const unsigned* data, unsigned* result,
                                          unsigned* caught, unsigned limit) {
  task<true>(trips, data, result, caught, limit);
}

extern "C" __global__ void exception_loop_plain(const unsigned* trips, const unsigned* data, unsigned* result,
                                                unsigned* caught, unsigned limit) {
  task<false>(trips, data, result, caught, limit);
}
