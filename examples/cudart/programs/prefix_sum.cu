// SPDX-License-Identifier: BSL-1.0
//
// Prefix sums in three kernels: within thread blocks, of the blocks' sums, and added back.
#include "program.hpp"

#include <vector>

constexpr int threads = 128;

__global__ void scan_blocks(const unsigned* in, unsigned* out, unsigned* sums, int n) {
  __shared__ unsigned values[2][threads];
  const int i = blockIdx.x * threads + threadIdx.x;
  int from = 0;
  values[0][threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads();
  for (int distance = 1; distance < threads; distance *= 2) {
    unsigned sum = values[from][threadIdx.x];
    if (threadIdx.x >= distance) sum += values[from][threadIdx.x - distance];
    from ^= 1;
    values[from][threadIdx.x] = sum;
    __syncthreads();
  }
  if (i < n) out[i] = values[from][threadIdx.x];
  if (threadIdx.x == threads - 1 && sums != nullptr) sums[blockIdx.x] = values[from][threadIdx.x];
}

__global__ void add_sums(unsigned* out, const unsigned* sums, int n) {
  const int i = blockIdx.x * threads + threadIdx.x;
  if (blockIdx.x > 0 && i < n) out[i] += sums[blockIdx.x - 1];
}

int main() {
  const int n = 9001, blocks = (n + threads - 1) / threads;
  std::vector<unsigned> values(n), sums(n);
  unsigned state = 3;
  for (unsigned& x : values) x = next_random(state) % 100;
  unsigned *in, *out, *of_blocks, *before;
  CHECK(cudaMalloc(&in, n * sizeof(unsigned)));
  CHECK(cudaMalloc(&out, n * sizeof(unsigned)));
  CHECK(cudaMalloc(&of_blocks, blocks * sizeof(unsigned)));
  CHECK(cudaMalloc(&before, blocks * sizeof(unsigned)));
  CHECK(cudaMemcpy(in, values.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice));
  scan_blocks<<<blocks, threads>>>(in, out, of_blocks, n);
  scan_blocks<<<1, threads>>>(of_blocks, before, nullptr, blocks);
  add_sums<<<blocks, threads>>>(out, before, n);
  CHECK(cudaMemcpy(sums.data(), out, n * sizeof(unsigned), cudaMemcpyDeviceToHost));
  long wrong = 0;
  unsigned sum = 0;
  for (int i = 0; i < n; ++i) wrong += (sum += values[i]) != sums[i];
  CHECK(cudaFree(in));
  CHECK(cudaFree(out));
  CHECK(cudaFree(of_blocks));
  CHECK(cudaFree(before));
  return report("prefix_sum", wrong);
}
