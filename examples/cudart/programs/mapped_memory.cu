// SPDX-License-Identifier: BSL-1.0
//
// Host memory that the device reads and writes in place: allocated mapped, and registered later.
#include "program.hpp"

#include <vector>

__global__ void square(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] * in[i];
}

int main() {
  const int n = 600;
  CHECK(cudaSetDeviceFlags(cudaDeviceMapHost));
  int* in = nullptr;
  CHECK(cudaHostAlloc(&in, n * sizeof(int), cudaHostAllocMapped | cudaHostAllocWriteCombined));
  std::vector<int> out(n, -1);
  CHECK(cudaHostRegister(out.data(), n * sizeof(int), cudaHostRegisterMapped));
  for (int i = 0; i < n; ++i) in[i] = i - 300;
  int *din, *dout;
  CHECK(cudaHostGetDevicePointer(&din, in, 0));
  CHECK(cudaHostGetDevicePointer(&dout, out.data(), 0));
  square<<<5, 128>>>(din, dout, n);
  CHECK(cudaDeviceSynchronize());
  long wrong = 0;
  for (int i = 0; i < n; ++i) wrong += out[i] != (i - 300) * (i - 300);
  in[0] = 9;
  square<<<1, 1>>>(din, dout, n);
  CHECK(cudaDeviceSynchronize());
  wrong += out[0] != 81;
  CHECK(cudaHostUnregister(out.data()));
  CHECK(cudaFreeHost(in));
  return report("mapped_memory", wrong);
}
