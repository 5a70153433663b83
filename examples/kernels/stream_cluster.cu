// SPDX-License-Identifier: BSL-1.0
//
// Clustering of a stream of points: what would be gained by opening a new centre at one of them? Each thread has a
// point; it moves to the new centre if that is nearer than its own, otherwise it notes what would be lost if its centre
// closed and it had to move all the same. Stands for Stream Cluster (STMCL) in the coherent set of W. Fung, T. Aamodt,
// "Thread Block Compaction" (HPCA 2011), in its thread blocks of 512. Nearly all the work is the distance, a loop of
// the same length for every thread; one branch at the end diverges.

constexpr unsigned most_dimensions = 64;

extern "C" __global__ void stream_cluster(const float* coordinates, const float* weights, const float* costs,
                                          const unsigned* centres, unsigned* moves, float* gains, float* losses,
                                          unsigned dimensions, unsigned candidate, unsigned number_of_centres) {
  __shared__ float place[most_dimensions];
  const unsigned points = gridDim.x * blockDim.x, point = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x < dimensions) place[threadIdx.x] = coordinates[threadIdx.x * points + candidate];
  __syncthreads();
  float square = 0.0f;
#pragma unroll 1
  for (unsigned d = 0; d < dimensions; ++d) {
    const float difference = coordinates[d * points + point] - place[d];
    square = fmaf(difference, difference, square);
  }
  const float cost = __fmul_rn(square, weights[point]), gain = costs[point] - cost;
  if (gain > 0.0f) {
    moves[point] = 1;
    gains[point] = gain;
  } else {
    losses[point * number_of_centres + centres[point]] -= gain;
  }
}
