// SPDX-License-Identifier: BSL-1.0
//
// Mistakes get the runtime's error codes, and the program goes on after those that do not break the device; the last
// one does.
#include "program.hpp"

#include <cstdlib>
#include <cstring>

__global__ void fill(int* out, int value) { out[threadIdx.x] = value; }

int main() {
  long wrong = 0;
  int* out = nullptr;
  CHECK(cudaMalloc(&out, 32 * sizeof(int)));
  fill<<<1, 2000>>>(out, 1);
  wrong += cudaPeekAtLastError() != cudaErrorInvalidConfiguration;
  wrong += cudaGetLastError() != cudaErrorInvalidConfiguration;
  wrong += cudaGetLastError() != cudaSuccess;
  fill<<<0, 32>>>(out, 1);
  wrong += cudaGetLastError() != cudaErrorInvalidConfiguration;
  void* huge = nullptr;
  wrong += cudaMalloc(&huge, std::size_t{1} << 50) != cudaErrorMemoryAllocation;
  wrong += cudaGetLastError() != cudaErrorMemoryAllocation;
  int host[40] = {};
  wrong += cudaMemcpy(host, out, 40 * sizeof(int), cudaMemcpyDeviceToHost) != cudaErrorInvalidValue;
  wrong += cudaGetLastError() != cudaErrorInvalidValue;
  wrong += cudaSetDevice(99) != cudaErrorInvalidDevice;
  cudaGetLastError();
  wrong += std::strcmp(cudaGetErrorName(cudaErrorInvalidValue), "cudaErrorInvalidValue") != 0;
  wrong += std::strlen(cudaGetErrorString(cudaErrorIllegalAddress)) == 0;
  fill<<<1, 32>>>(out, 7);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host, out, 32 * sizeof(int), cudaMemcpyDeviceToHost));
  for (int i = 0; i < 32; ++i) wrong += host[i] != 7;
  fill<<<1, 32>>>(nullptr, 7);
  const char* blocking = std::getenv("CUDA_LAUNCH_BLOCKING");
  wrong += cudaGetLastError() != (blocking != nullptr ? cudaErrorIllegalAddress : cudaSuccess);
  wrong += cudaDeviceSynchronize() != cudaErrorIllegalAddress;
  wrong += cudaMemcpy(host, out, 4, cudaMemcpyDeviceToHost) != cudaErrorIllegalAddress;  // for good
  return report("errors", wrong);
}
