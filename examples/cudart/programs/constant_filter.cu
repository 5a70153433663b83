// SPDX-License-Identifier: BSL-1.0
//
// A filter with weights in constant memory; a device variable counts, and the host reads it by its symbol.
#include "program.hpp"

#include <vector>

constexpr int radius = 3;
__constant__ int weights[2 * radius + 1];
__device__ unsigned clipped = 5;
__device__ int table[4] = {1, 2, 3, 4};

__global__ void filter(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int sum = 0;
  for (int d = -radius; d <= radius; ++d) {
    if (i + d < 0 || i + d >= n)
      atomicAdd(&clipped, 1u);
    else
      sum += weights[d + radius] * in[i + d];
  }
  out[i] = sum * table[i % 4];
}

int main() {
  const int n = 1000;
  const int host_weights[2 * radius + 1] = {1, -2, 3, 4, 3, -2, 1};
  std::vector<int> in(n), out(n);
  for (int i = 0; i < n; ++i) in[i] = (i * 37) % 101;
  CHECK(cudaMemcpyToSymbol(weights, host_weights, sizeof host_weights));
  const int other = 30;
  CHECK(cudaMemcpyToSymbol(table, &other, sizeof other, 2 * sizeof(int)));
  int *din, *dout;
  CHECK(cudaMalloc(&din, n * sizeof(int)));
  CHECK(cudaMalloc(&dout, n * sizeof(int)));
  CHECK(cudaMemcpy(din, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  filter<<<8, 128>>>(din, dout, n);
  CHECK(cudaMemcpy(out.data(), dout, n * sizeof(int), cudaMemcpyDeviceToHost));
  unsigned count = 0;
  CHECK(cudaMemcpyFromSymbol(&count, clipped, sizeof count));
  void* address = nullptr;
  std::size_t size = 0;
  CHECK(cudaGetSymbolAddress(&address, table));
  CHECK(cudaGetSymbolSize(&size, table));
  int last = 0;
  CHECK(cudaMemcpy(&last, static_cast<int*>(address) + 3, sizeof last, cudaMemcpyDeviceToHost));
  long wrong = (count != 5 + 2 * (1 + 2 + 3)) + (size != sizeof table) + (last != 4);
  const int factors[4] = {1, 2, 30, 4};
  for (int i = 0; i < n; ++i) {
    int sum = 0;
    for (int d = -radius; d <= radius; ++d)
      if (i + d >= 0 && i + d < n) sum += host_weights[d + radius] * in[i + d];
    wrong += out[i] != sum * factors[i % 4];
  }
  CHECK(cudaFree(din));
  CHECK(cudaFree(dout));
  return report("constant_filter", wrong);
}
