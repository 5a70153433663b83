// SPDX-License-Identifier: BSL-1.0
//
// The graph of Figure 2(a) of G. Diamos et al., "SIMD Re-Convergence At Thread Frontiers" (MICRO 2011): two arms that
// may each leave for an exception handler after a barrier. No lane ever throws, but the immediate post-dominator of the
// branch lies after the barrier, so PDOM brings each arm to the barrier alone and the warp waits for itself. Thread
// frontiers join the arms before the barrier and finish.

extern "C" __global__ void barrier_exception(const unsigned* in, unsigned* out) {
  __shared__ unsigned tile[64];
  const unsigned me = threadIdx.x;
  const unsigned v = in[me];
  volatile unsigned* mine = out + 2 * me;
  if ((v & 1) != 0) {
    mine[0] = 1;
    if (v > 1000) goto handler;
  } else {
    mine[0] = 2;
    if (v > 2000) goto handler;
  }
  tile[me] = v;
  __syncthreads();
  mine[1] = tile[blockDim.x - 1 - me];
handler:
  mine[0] += 4;
}
