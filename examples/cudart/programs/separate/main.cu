// SPDX-License-Identifier: BSL-1.0
//
// A program of two files that are compiled apart (-rdc=true): main.cu calls a device function and uses a variable of
// other.cu. Each file has a static variable of one name.
#include "../program.hpp"

#include <vector>

extern __device__ int shared_counter;
__device__ int weigh(int x);
void set_other(int value);

static __device__ int factor = 3;

__global__ void run(int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i] = factor * weigh(i);
  atomicAdd(&shared_counter, 1);
}

int main() {
  const int n = 100;
  const int five = 5;
  CHECK(cudaMemcpyToSymbol(factor, &five, sizeof five));
  set_other(11);
  int* device;
  CHECK(cudaMalloc(&device, n * sizeof(int)));
  run<<<1, 128>>>(device, n);
  std::vector<int> out(n);
  CHECK(cudaMemcpy(out.data(), device, n * sizeof(int), cudaMemcpyDeviceToHost));
  int count = 0;
  CHECK(cudaMemcpyFromSymbol(&count, shared_counter, sizeof count));
  long wrong = count != n + 40;
  for (int i = 0; i < n; ++i) wrong += out[i] != 5 * (11 * i + 1);
  CHECK(cudaFree(device));
  return report("separate", wrong);
}
