// SPDX-License-Identifier: BSL-1.0
//
// A cooperative launch: all thread blocks of the grid meet after every step of an odd-even transposition sort.
#include "program.hpp"

#include <cooperative_groups.h>

#include <algorithm>
#include <vector>

__global__ void sort_all(int* values, int n) {
  const cooperative_groups::grid_group grid = cooperative_groups::this_grid();
  const int i = static_cast<int>(grid.thread_rank());
  for (int step = 0; step < n; ++step) {
    const int at = 2 * i + step % 2;
    if (at + 1 < n && values[at] > values[at + 1]) {
      const int x = values[at];
      values[at] = values[at + 1];
      values[at + 1] = x;
    }
    grid.sync();
  }
}

int main() {
  int n = 150;
  std::vector<int> values(n);
  unsigned state = 2;
  for (int& x : values) x = static_cast<int>(next_random(state) % 1000);
  int* device;
  CHECK(cudaMalloc(&device, n * sizeof(int)));
  CHECK(cudaMemcpy(device, values.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  int cooperative = 0;
  CHECK(cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, 0));
  void* arguments[] = {&device, &n};
  CHECK(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(sort_all), dim3(3), dim3(32), arguments, 0, nullptr));
  std::vector<int> sorted(n);
  CHECK(cudaMemcpy(sorted.data(), device, n * sizeof(int), cudaMemcpyDeviceToHost));
  std::sort(values.begin(), values.end());
  long wrong = cooperative != 1;
  for (int i = 0; i < n; ++i) wrong += sorted[i] != values[i];
  CHECK(cudaFree(device));
  return report("grid_sync", wrong);
}
