// SPDX-License-Identifier: BSL-1.0
//
// Recursive device functions: each thread sorts its part by quicksort and solves a small puzzle by backtracking.
#include "program.hpp"

#include <algorithm>
#include <vector>

__device__ __noinline__ void quicksort(int* values, int low, int high) {
  if (low >= high) return;
  const int pivot = values[(low + high) / 2];
  int i = low, j = high;
  while (i <= j) {
    while (values[i] < pivot) ++i;
    while (values[j] > pivot) --j;
    if (i <= j) {
      const int x = values[i];
      values[i++] = values[j];
      values[j--] = x;
    }
  }
  quicksort(values, low, j);
  quicksort(values, i, high);
}

// Ways to place queens on the rows that remain.
__device__ __noinline__ int queens(int size, int row, unsigned columns, unsigned left, unsigned right) {
  if (row == size) return 1;
  int ways = 0;
  for (int c = 0; c < size; ++c)
    if (((columns >> c | left >> (row + c) | right >> (row - c + size)) & 1) == 0)
      ways += queens(size, row + 1, columns | 1u << c, left | 1u << (row + c), right | 1u << (row - c + size));
  return ways;
}

__global__ void sort_parts(int* values, int size) { quicksort(values + threadIdx.x * size, 0, size - 1); }
__global__ void count_queens(int* ways, int size) {
  const int c = threadIdx.x;
  ways[c] = c < size ? queens(size, 1, 1u << c, 1u << c, 1u << (size - c)) : 0;
}

int main() {
  const int threads = 48, size = 40;
  std::vector<int> values(threads * size);
  unsigned state = 4;
  for (int& x : values) x = static_cast<int>(next_random(state) % 500);
  int *device, *ways;
  CHECK(cudaMalloc(&device, values.size() * sizeof(int)));
  CHECK(cudaMalloc(&ways, 32 * sizeof(int)));
  CHECK(cudaMemcpy(device, values.data(), values.size() * sizeof(int), cudaMemcpyHostToDevice));
  sort_parts<<<1, threads>>>(device, size);
  count_queens<<<1, 32>>>(ways, 6);
  std::vector<int> sorted(values.size());
  int counts[32];
  CHECK(cudaMemcpy(sorted.data(), device, values.size() * sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(counts, ways, sizeof counts, cudaMemcpyDeviceToHost));
  for (int t = 0; t < threads; ++t) std::sort(values.begin() + t * size, values.begin() + (t + 1) * size);
  long wrong = 0, sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) wrong += values[i] != sorted[i];
  for (const int c : counts) sum += c;
  wrong += sum != 4;
  CHECK(cudaFree(device));
  CHECK(cudaFree(ways));
  return report("recursion", wrong);
}
