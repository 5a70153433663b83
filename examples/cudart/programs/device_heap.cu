// SPDX-License-Identifier: BSL-1.0
//
// malloc and free on the device: threads build linked lists in one kernel and free them in the next.
#include "program.hpp"

#include <vector>

struct link {
  int value;
  link* next;
};

__global__ void build(link** lists, int n) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i >= n) return;
  link* list = nullptr;
  for (int k = 0; k <= i % 7; ++k) {
    link* const one = static_cast<link*>(malloc(sizeof(link)));
    if (one == nullptr) break;
    *one = {i + k, list};
    list = one;
  }
  lists[i] = list;
}

__global__ void add_and_free(link** lists, int* sums, int n) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i >= n) return;
  int sum = 0;
  for (link* at = lists[i]; at != nullptr;) {
    link* const next = at->next;
    sum += at->value;
    free(at);
    at = next;
  }
  sums[i] = sum;
}

int main() {
  const int n = 300;
  CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 20));
  link** lists;
  int* sums;
  CHECK(cudaMalloc(&lists, n * sizeof(link*)));
  CHECK(cudaMalloc(&sums, n * sizeof(int)));
  build<<<3, 128>>>(lists, n);
  add_and_free<<<3, 128>>>(lists, sums, n);
  std::vector<int> result(n);
  CHECK(cudaMemcpy(result.data(), sums, n * sizeof(int), cudaMemcpyDeviceToHost));
  long wrong = 0;
  for (int i = 0; i < n; ++i) {
    int sum = 0;
    for (int k = 0; k <= i % 7; ++k) sum += i + k;
    wrong += result[i] != sum;
  }
  CHECK(cudaFree(lists));
  CHECK(cudaFree(sums));
  return report("device_heap", wrong);
}
