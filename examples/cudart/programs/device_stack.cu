// SPDX-License-Identifier: BSL-1.0
//
// Local memory that grows while a kernel runs: alloca(), and recursion that needs more than the default stack.
#include "program.hpp"

#include <alloca.h>

// The sum of 0 ... n - 1, from an array of the size that is asked for.
__device__ __noinline__ int sum_of(int n) {
  int* values = static_cast<int*>(alloca(n * sizeof(int)));
  for (int i = 0; i < n; ++i) values[i] = i;
  int sum = 0;
  for (int i = n - 1; i >= 0; --i) sum += values[i];
  return sum;
}

// Every level keeps 256 bytes of its own over the call of the next one.
__device__ __noinline__ int deep(const int* above, int level) {
  int own[64];
  for (int i = 0; i < 64; ++i) own[i] = above[i] + level;
  const int below = level == 0 ? 0 : deep(own, level - 1);
  return below + own[level & 63];
}

__global__ void sums(int* out) {
  int sum = 0;
  for (int turn = 0; turn < 100; ++turn) sum += sum_of(threadIdx.x + turn);
  out[threadIdx.x] = sum;
}
__global__ void descend(const int* zeros, int* out, int levels) { out[threadIdx.x] = deep(zeros, levels); }

int main() {
  const int threads = 64, levels = 120;
  int *out, *zeros, got[threads];
  CHECK(cudaMalloc(&out, sizeof got));
  CHECK(cudaMalloc(&zeros, 64 * sizeof(int)));
  CHECK(cudaMemset(zeros, 0, 64 * sizeof(int)));
  long wrong = 0;
  sums<<<1, threads>>>(out);
  CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
  for (int t = 0; t < threads; ++t) {
    int sum = 0;
    for (int turn = 0; turn < 100; ++turn) sum += (t + turn) * (t + turn - 1) / 2;
    wrong += got[t] != sum;
  }
  CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 64 << 10));
  descend<<<1, threads>>>(zeros, out, levels);
  CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
  int all = 0, own = 0;
  for (int level = levels; level >= 0; --level) all += own += level;
  for (int t = 0; t < threads; ++t) wrong += got[t] != all;
  CHECK(cudaFree(out));
  CHECK(cudaFree(zeros));
  return report("device_stack", wrong);
}
