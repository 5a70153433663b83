// SPDX-License-Identifier: BSL-1.0
//
// One layer of a neural network in training: each thread block sums 16 inputs into 16 hidden units as a tree, then
// corrects their weights by last step's errors. Stands for Back Propagation (BACKP) in the coherent set of W. Fung, T.
// Aamodt, "Thread Block Compaction" (HPCA 2011), in its thread blocks of 16 x 16. A warp is two rows of the tile: the
// first level of the tree uses one of them, the later ones use one row of some warps and leave the others idle.

extern "C" __global__ void back_propagation(const float* inputs, const float* errors, float* weights,
                                            float* last_changes, float* sums, float rate, float momentum) {
  __shared__ float input[16];
  __shared__ float product[16][16];
  const unsigned unit = threadIdx.x, row = threadIdx.y;
  const unsigned at = (blockIdx.x * 16 + row) * 16 + unit;
  if (unit == 0) input[row] = inputs[blockIdx.x * 16 + row];
  __syncthreads();
  const float weight = weights[at];
  product[row][unit] = __fmul_rn(weight, input[row]);
  __syncthreads();
#pragma unroll 1
  for (unsigned half = 1; half < 16; half *= 2) {
    if (row % (2 * half) == 0) product[row][unit] += product[row + half][unit];
    __syncthreads();
  }
  if (row == 0) sums[blockIdx.x * 16 + unit] = product[0][unit];

  const float step = __fmul_rn(__fmul_rn(rate, errors[unit]), input[row]);
  const float change = fmaf(momentum, last_changes[at], step);
  weights[at] = weight + change;
  last_changes[at] = change;
}
