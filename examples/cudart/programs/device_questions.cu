// SPDX-License-Identifier: BSL-1.0
//
// The questions of programs before they launch: properties, attributes, occupancy, limits, memory, versions.
#include "program.hpp"

__global__ void __launch_bounds__(256) grid_stride(float* values, int n) {
  __shared__ float scratch[64];
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    scratch[threadIdx.x % 64] = values[i];
    values[i] = scratch[threadIdx.x % 64] + 1.0f;
  }
}

int main() {
  long wrong = 0;
  int count = 0, device = -1, runtime = 0, driver = 0;
  CHECK(cudaGetDeviceCount(&count));
  CHECK(cudaSetDevice(0));
  CHECK(cudaGetDevice(&device));
  CHECK(cudaRuntimeGetVersion(&runtime));
  CHECK(cudaDriverGetVersion(&driver));
  wrong += count < 1 || device != 0 || runtime < 11000 || driver < runtime;
  cudaDeviceProp properties;
  CHECK(cudaGetDeviceProperties(&properties, 0));
  wrong += properties.warpSize != 32 || properties.maxThreadsPerBlock != 1024 || properties.multiProcessorCount < 1 ||
           properties.totalGlobalMem == 0 || properties.major < 5 || properties.name[0] == '\0';
  int processors = 0;
  CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
  wrong += processors != properties.multiProcessorCount;
  cudaFuncAttributes attributes;
  CHECK(cudaFuncGetAttributes(&attributes, grid_stride));
  wrong += attributes.sharedSizeBytes != 64 * sizeof(float) || attributes.maxThreadsPerBlock != 256 ||
           attributes.numRegs < 1;
  int blocks = 0, least = 0, best = 0;
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, grid_stride, 128, 0));
  CHECK(cudaOccupancyMaxPotentialBlockSize(&least, &best, grid_stride, 0, 0));
  wrong += blocks < 1 || best < 32 || best > 256 || best % 32 != 0 || least < processors;
  std::size_t free_before = 0, free_after = 0, total = 0, stack = 0;
  CHECK(cudaMemGetInfo(&free_before, &total));
  float* values;
  const int n = 5000;
  CHECK(cudaMalloc(&values, n * sizeof(float)));
  CHECK(cudaMemGetInfo(&free_after, &total));
  wrong += free_before - free_after < n * sizeof(float) || total < free_before;
  CHECK(cudaDeviceGetLimit(&stack, cudaLimitStackSize));
  wrong += stack == 0;
  CHECK(cudaFuncSetCacheConfig(grid_stride, cudaFuncCachePreferShared));
  CHECK(cudaFuncSetAttribute(grid_stride, cudaFuncAttributeMaxDynamicSharedMemorySize, 32768));
  CHECK(cudaMemset(values, 0, n * sizeof(float)));
  grid_stride<<<least, best>>>(values, n);
  float last = 0;
  CHECK(cudaMemcpy(&last, values + n - 1, sizeof last, cudaMemcpyDeviceToHost));
  wrong += last != 1.0f;
  CHECK(cudaFree(values));
  CHECK(cudaDeviceReset());
  return report("device_questions", wrong);
}
