// SPDX-License-Identifier: BSL-1.0
//
// A small neural network that looks at an image: maps of 4 x 4 neurons, each neuron seeing 3 x 3 pixels, then 16
// outputs that see all of them. Stands for NN cuda (NNC) in the coherent set of W. Fung, T. Aamodt, "Thread Block
// Compaction" (HPCA 2011), about which the paper says that its thread blocks have 16 threads and that no branch
// diverges: warps run with half of their lanes, and no policy can change that.

constexpr unsigned maps = 6;

// Softsign in place of the hyperbolic tangent: no approximation in it.
__device__ __forceinline__ float activation(float x) { return x / (1.0f + fabsf(x)); }

extern "C" __global__ void neural_net(const float* images, const float* kernels, const float* weights, float* outputs) {
  __shared__ float neuron[maps * 16];
  const unsigned me = threadIdx.x;
  const float* seen = images + blockIdx.x * 81 + (me / 4 * 9 + me % 4) * 2;
#pragma unroll 1
  for (unsigned map = 0; map < maps; ++map) {
    const float* kernel = kernels + map * 10;
    float sum = kernel[9];
#pragma unroll 1
    for (unsigned row = 0; row < 3; ++row)
#pragma unroll 1
      for (unsigned column = 0; column < 3; ++column) sum = fmaf(kernel[row * 3 + column], seen[row * 9 + column], sum);
    neuron[map * 16 + me] = activation(sum);
  }
  __syncthreads();
  float sum = 0.0f;
#pragma unroll 1
  for (unsigned i = 0; i < maps * 16; ++i) sum = fmaf(neuron[i], weights[i * 16 + me], sum);
  outputs[blockIdx.x * 16 + me] = activation(sum);
}
