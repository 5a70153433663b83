// SPDX-License-Identifier: BSL-1.0
//
// Four streams copy, compute and copy back parts of pinned memory; events order two of them and tell the time.
#include "program.hpp"

#include <cstring>

__global__ void scale(int* values, int factor, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] *= factor;
}

void CUDART_CB count(void* calls) { ++*static_cast<int*>(calls); }

int main() {
  const int parts = 4, size = 1024;
  int *host, *device;
  CHECK(cudaMallocHost(&host, parts * size * sizeof(int)));
  CHECK(cudaMalloc(&device, parts * size * sizeof(int)));
  for (int i = 0; i < parts * size; ++i) host[i] = i;
  cudaStream_t streams[parts];
  cudaEvent_t begin, end, ready;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  CHECK(cudaEventCreateWithFlags(&ready, cudaEventDisableTiming));
  CHECK(cudaEventRecord(begin));
  int calls = 0;
  for (int p = 0; p < parts; ++p) {
    CHECK(cudaStreamCreateWithFlags(&streams[p], p % 2 == 0 ? cudaStreamDefault : cudaStreamNonBlocking));
    int* const part = device + p * size;
    CHECK(cudaMemcpyAsync(part, host + p * size, size * sizeof(int), cudaMemcpyHostToDevice, streams[p]));
    scale<<<size / 128, 128, 0, streams[p]>>>(part, p + 2, size);
    CHECK(cudaMemcpyAsync(host + p * size, part, size * sizeof(int), cudaMemcpyDeviceToHost, streams[p]));
    CHECK(cudaLaunchHostFunc(streams[p], count, &calls));
  }
  CHECK(cudaEventRecord(ready, streams[0]));
  CHECK(cudaStreamWaitEvent(streams[1], ready, 0));
  scale<<<size / 128, 128, 0, streams[1]>>>(device, 10, size);
  CHECK(cudaStreamSynchronize(streams[1]));
  CHECK(cudaEventRecord(end));
  CHECK(cudaEventSynchronize(end));
  CHECK(cudaDeviceSynchronize());
  float milliseconds = -1;
  CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
  long wrong = (milliseconds < 0) + (calls != parts) + (cudaStreamQuery(streams[2]) != cudaSuccess);
  for (int i = 0; i < parts * size; ++i) wrong += host[i] != i * (i / size + 2);
  CHECK(cudaMemcpy(host, device, size * sizeof(int), cudaMemcpyDeviceToHost));
  for (int i = 0; i < size; ++i) wrong += host[i] != i * 20;
  for (const cudaStream_t s : streams) CHECK(cudaStreamDestroy(s));
  CHECK(cudaEventDestroy(begin));
  CHECK(cudaEventDestroy(end));
  CHECK(cudaEventDestroy(ready));
  CHECK(cudaFreeHost(host));
  CHECK(cudaFree(device));
  return report("streams", wrong);
}
