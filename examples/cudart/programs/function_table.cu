// SPDX-License-Identifier: BSL-1.0
//
// Device functions by their addresses: a table in constant memory, and a pointer that the host reads and passes back.
#include "program.hpp"

#include <vector>

using operation = int (*)(int, int);

__device__ int add(int a, int b) { return a + b; }
__device__ int subtract(int a, int b) { return a - b; }
__device__ int multiply(int a, int b) { return a * b; }

__constant__ operation table[3] = {add, subtract, multiply};
__device__ operation chosen = multiply;

__global__ void apply(const int* a, const int* b, int* out, operation last, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = last(table[i % 3](a[i], b[i]), 3);
}

int main() {
  const int n = 200;
  std::vector<int> a(n), b(n), out(n);
  for (int i = 0; i < n; ++i) {
    a[i] = i * 3;
    b[i] = 100 - i;
  }
  operation last = nullptr;
  CHECK(cudaMemcpyFromSymbol(&last, chosen, sizeof last));
  int *da, *db, *dout;
  CHECK(cudaMalloc(&da, n * sizeof(int)));
  CHECK(cudaMalloc(&db, n * sizeof(int)));
  CHECK(cudaMalloc(&dout, n * sizeof(int)));
  CHECK(cudaMemcpy(da, a.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(db, b.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  apply<<<2, 128>>>(da, db, dout, last, n);
  CHECK(cudaMemcpy(out.data(), dout, n * sizeof(int), cudaMemcpyDeviceToHost));
  long wrong = 0;
  for (int i = 0; i < n; ++i)
    wrong += out[i] != 3 * (i % 3 == 0 ? a[i] + b[i] : i % 3 == 1 ? a[i] - b[i] : a[i] * b[i]);
  CHECK(cudaFree(da));
  CHECK(cudaFree(db));
  CHECK(cudaFree(dout));
  return report("function_table", wrong);
}
