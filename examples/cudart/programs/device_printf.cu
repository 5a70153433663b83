// SPDX-License-Identifier: BSL-1.0
//
// printf on the device: numbers, text, widths, from divergent threads.
#include "program.hpp"

__global__ void tell(const char* kind, double x) {
  if (threadIdx.x == 0)
    printf("thread block %u of %u: %s %8.3f %5d|%-4x|%c%%\n", blockIdx.x, gridDim.x, kind, x * (blockIdx.x + 1), -17,
           0xabu + blockIdx.x, 'a' + blockIdx.x);
  else if (threadIdx.x == 33)
    printf("%llu %s\n", 12345678901234ull * (blockIdx.x + 1), "from another warp");
}

int main() {
  char* kind;
  CHECK(cudaMallocManaged(&kind, 8));
  for (int i = 0; i < 8; ++i) kind[i] = "number:"[i];
  tell<<<2, 64>>>(kind, 1.25);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(kind));
  return report("device_printf", 0);
}
