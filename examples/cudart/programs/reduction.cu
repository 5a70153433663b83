// SPDX-License-Identifier: BSL-1.0
//
// Sums and maxima by templates over the operation and the size of a thread block: dynamic shared memory, then shuffles.
#include "program.hpp"

#include <algorithm>
#include <vector>

struct add_up {
  __host__ __device__ static int neutral() { return 0; }
  __host__ __device__ int operator()(int a, int b) const { return a + b; }
};
struct larger {
  __host__ __device__ static int neutral() { return -2147483647 - 1; }
  __host__ __device__ int operator()(int a, int b) const { return a > b ? a : b; }
};

template <unsigned Threads, class Operation>
__global__ void reduce(const int* in, int* out, int n, Operation operation) {
  extern __shared__ int partial[];
  int mine = Operation::neutral();
  for (int i = blockIdx.x * Threads + threadIdx.x; i < n; i += gridDim.x * Threads) mine = operation(mine, in[i]);
  partial[threadIdx.x] = mine;
  __syncthreads();
  for (unsigned half = Threads / 2; half >= 32; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] = operation(partial[threadIdx.x], partial[threadIdx.x + half]);
    __syncthreads();
  }
  if (threadIdx.x < 32) {
    mine = partial[threadIdx.x];
    for (int distance = 16; distance > 0; distance /= 2)
      mine = operation(mine, __shfl_down_sync(0xFFFFFFFFu, mine, distance));
    if (threadIdx.x == 0) out[blockIdx.x] = mine;
  }
}

template <unsigned Threads, class Operation>
int reduced(const int* in, int n, int* scratch) {
  const int blocks = 24;
  reduce<Threads><<<blocks, Threads, Threads * sizeof(int)>>>(in, scratch, n, Operation());
  reduce<Threads><<<1, Threads, Threads * sizeof(int)>>>(scratch, scratch + blocks, blocks, Operation());
  CHECK(cudaGetLastError());
  int result = 0;
  CHECK(cudaMemcpy(&result, scratch + blocks, sizeof(int), cudaMemcpyDeviceToHost));
  return result;
}

int main() {
  const int n = 30011;
  std::vector<int> values(n);
  unsigned state = 7;
  for (int& x : values) x = static_cast<int>(next_random(state) % 2001) - 1000;
  int sum = 0, most = values[0];
  for (const int x : values) {
    sum += x;
    most = std::max(most, x);
  }
  int *in, *scratch;
  CHECK(cudaMalloc(&in, n * sizeof(int)));
  CHECK(cudaMalloc(&scratch, 25 * sizeof(int)));
  CHECK(cudaMemcpy(in, values.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  long wrong = 0;
  wrong += reduced<64, add_up>(in, n, scratch) != sum;
  wrong += reduced<128, add_up>(in, n, scratch) != sum;
  wrong += reduced<256, larger>(in, n, scratch) != most;
  wrong += reduced<512, larger>(in, n, scratch) != most;
  CHECK(cudaFree(in));
  CHECK(cudaFree(scratch));
  return report("reduction", wrong);
}
