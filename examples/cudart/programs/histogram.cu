// SPDX-License-Identifier: BSL-1.0
//
// Histograms: in shared memory with atomics, then added to global memory; by warp votes for comparison.
#include "program.hpp"

#include <vector>

constexpr int bins = 64;

__global__ void by_atomics(const unsigned char* in, unsigned* out, int n) {
  __shared__ unsigned counts[bins];
  for (int b = threadIdx.x; b < bins; b += blockDim.x) counts[b] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&counts[in[i] % bins], 1u);
  __syncthreads();
  for (int b = threadIdx.x; b < bins; b += blockDim.x)
    if (counts[b] != 0) atomicAdd(&out[b], counts[b]);
}

__global__ void by_votes(const unsigned char* in, unsigned* out, int n) {
  const int lane = threadIdx.x % 32;
  unsigned mine = 0, other = 0;  // bins `lane` and `lane + 32`
  for (int first = 0; first < n; first += 32) {
    const bool here = first + lane < n;
    const unsigned bin = here ? in[first + lane] % bins : 0;
    unsigned same = __ballot_sync(0xFFFFFFFFu, here);
    for (int bit = 0; bit < 5; ++bit) {
      const unsigned set = __ballot_sync(0xFFFFFFFFu, (bin >> bit & 1) != 0);
      same &= (lane >> bit & 1) != 0 ? set : ~set;
    }
    const unsigned upper = __ballot_sync(0xFFFFFFFFu, bin >= 32);
    mine += __popc(same & ~upper);
    other += __popc(same & upper);
  }
  out[lane] = mine;
  out[lane + 32] = other;
}

int main() {
  const int n = 20000;
  std::vector<unsigned char> in(n);
  std::vector<unsigned> expected(bins, 0), counts(2 * bins);
  unsigned state = 77;
  for (unsigned char& x : in) {
    x = static_cast<unsigned char>(next_random(state) % 200);
    ++expected[x % bins];
  }
  unsigned char* din;
  unsigned* dout;
  CHECK(cudaMalloc(&din, n));
  CHECK(cudaMalloc(&dout, 2 * bins * sizeof(unsigned)));
  CHECK(cudaMemcpy(din, in.data(), n, cudaMemcpyHostToDevice));
  CHECK(cudaMemset(dout, 0, 2 * bins * sizeof(unsigned)));
  by_atomics<<<6, 128>>>(din, dout, n);
  by_votes<<<1, 32>>>(din, dout + bins, n);
  CHECK(cudaMemcpy(counts.data(), dout, counts.size() * sizeof(unsigned), cudaMemcpyDeviceToHost));
  long wrong = 0;
  for (int b = 0; b < bins; ++b) wrong += (counts[b] != expected[b]) + (counts[bins + b] != expected[b]);
  CHECK(cudaFree(din));
  CHECK(cudaFree(dout));
  return report("histogram", wrong);
}
