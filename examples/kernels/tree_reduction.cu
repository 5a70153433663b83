// SPDX-License-Identifier: BSL-1.0
//
// Sum of one tile per thread block as a tree in statically sized shared memory, a barrier after each level; the last
// level writes one float per block. Whole warps fall idle, then lanes. All partial sums are small integers, so the
// float result is exact in any order.

extern "C" __global__ void tree_reduction(const float* values, float* sums, unsigned count) {
  __shared__ float tile[256];
  const unsigned me = threadIdx.x;
  float sum = 0.0f;
#pragma unroll 1
  for (unsigned i = blockIdx.x * blockDim.x + me; i < count; i += gridDim.x * blockDim.x) sum += values[i];
  tile[me] = sum;
  __syncthreads();
#pragma unroll 1
  for (unsigned half = blockDim.x / 2; half != 0; half /= 2) {
    if (me < half) tile[me] += tile[me + half];
    __syncthreads();
  }
  if (me == 0) sums[blockIdx.x] = tile[0];
}
