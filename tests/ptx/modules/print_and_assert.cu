// SPDX-License-Identifier: BSL-1.0
#include <cstdio>
#include <cassert>
extern "C" __global__ void print_and_assert(const int* in, double d) {
  int v = in[threadIdx.x];
  assert(v > 0);
  printf("thread %d: %d %f %s\n", threadIdx.x, v, d, "text \\ \"quoted\"");
  if (v == 17) __trap();
  int* heap = static_cast<int*>(malloc(16)); heap[0] = v; printf("%p\n", heap); free(heap);
}
