// SPDX-License-Identifier: BSL-1.0
//
// Lanes of a warp that tell each other values: a vote and a match after loops of different lengths, a reduction by
// shuffles in each warp and then over the warps of the thread block, and a sum in a divergent arm among the lanes that
// took it. All name the lanes that take part, as CUDA asks for since version 9. The last warp of a thread block may be
// partial.

static __device__ unsigned sum_of(unsigned lanes, unsigned value) {
  const unsigned lane = threadIdx.x & 31u;
#pragma unroll 1
  for (unsigned step = 16; step != 0; step /= 2) {
    const unsigned other = __shfl_down_sync(lanes, value, step);
    if (lane + step < 32u && (lanes >> (lane + step) & 1u) != 0) value += other;
  }
  return value;
}

extern "C" __global__ void warp_reduction(const unsigned* in, unsigned* sums, unsigned* ballots, unsigned* matches,
                                          unsigned* odd_sums, unsigned n) {
  __shared__ unsigned of_warps[32];
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned lane = threadIdx.x & 31u;
  const unsigned warp = threadIdx.x / 32u;
  const unsigned warps = (blockDim.x + 31u) / 32u;
  const unsigned here = min(32u, blockDim.x - warp * 32u);
  const unsigned all = here == 32u ? 0xFFFFFFFFu : (1u << here) - 1u;

  unsigned steps = 0;
  for (unsigned x = t < n ? in[t] : 0u; x > 1u; x = (x & 1u) != 0 ? 3u * x + 1u : x / 2u) ++steps;

  const unsigned odd = __ballot_sync(all, (steps & 1u) != 0);
  matches[t] = __match_any_sync(all, steps & 3u);
  if ((steps & 1u) != 0) {  // the lanes of this arm add up among themselves
    unsigned sum = 0;
    for (unsigned rest = odd; rest != 0; rest &= rest - 1u) sum += __shfl_sync(odd, steps, __ffs(rest) - 1);
    if (lane == static_cast<unsigned>(__ffs(odd) - 1)) odd_sums[blockIdx.x * warps + warp] = sum;
  }
  __syncwarp(all);
  if (lane == 0) ballots[blockIdx.x * warps + warp] = odd;

  const unsigned of_warp = sum_of(all, steps);
  if (lane == 0) of_warps[warp] = of_warp;
  __syncthreads();
  if (warp == 0) {
    const unsigned of_block = sum_of(all, lane < warps ? of_warps[lane] : 0u);
    if (lane == 0) sums[blockIdx.x] = of_block;
  }
}
