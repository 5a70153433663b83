// SPDX-License-Identifier: BSL-1.0
//
// A program of the usual kind: linear memory, constant, device and managed variables, a stream with events, a texture
// object, a template, attributes, and an error that it expects. It prints "passed" if all is right.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                             \
  do {                                                                          \
    const cudaError_t e = (call);                                               \
    if (e != cudaSuccess) {                                                     \
      std::printf("line %d: %s: %s\n", __LINE__, #call, cudaGetErrorString(e)); \
      std::exit(1);                                                             \
    }                                                                           \
  } while (0)
#define EXPECT(condition)                                \
  do {                                                   \
    if (!(condition)) {                                  \
      std::printf("line %d: %s\n", __LINE__, #condition); \
      std::exit(1);                                      \
    }                                                    \
  } while (0)

__constant__ float scale;
__device__ unsigned odd_ones;
__managed__ int launches = 5;

template <class T>
__global__ void combine(int n, T factor, const T* x, T* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    if (i % 2 != 0) {
      y[i] += factor * x[i] * scale;
      atomicAdd(&odd_ones, 1u);
    } else {
      y[i] -= x[i];
    }
  }
  if (i == 0) ++launches;
}

__global__ void sum_blocks(const int* in, int* out) {
  extern __shared__ int part[];
  part[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
  __syncthreads();
  for (unsigned width = blockDim.x / 2; width > 0; width /= 2) {
    if (threadIdx.x < width) part[threadIdx.x] += part[threadIdx.x + width];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}

__global__ void sample(cudaTextureObject_t image, float* out) { out[threadIdx.x] = tex2D<float>(image, threadIdx.x + 0.5f, 1.5f); }

int main() {
  int count = 0;
  CHECK(cudaGetDeviceCount(&count));
  EXPECT(count == 1);
  cudaDeviceProp properties;
  CHECK(cudaGetDeviceProperties(&properties, 0));
  EXPECT(properties.warpSize == 32 && properties.multiProcessorCount > 0 && properties.maxThreadsPerBlock == 1024);

  const int n = 1000;
  std::vector<float> x(n, 2.0f), y(n, 1.0f);
  float *on_x, *on_y;
  CHECK(cudaMalloc(&on_x, n * sizeof(float)));
  CHECK(cudaMalloc(&on_y, n * sizeof(float)));
  CHECK(cudaMemcpy(on_x, x.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(on_y, y.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  const float three = 3.0f;
  const unsigned zero = 0;
  CHECK(cudaMemcpyToSymbol(scale, &three, sizeof three));
  CHECK(cudaMemcpyToSymbol(odd_ones, &zero, sizeof zero));
  cudaStream_t stream;
  cudaEvent_t before, after;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaEventCreate(&before));
  CHECK(cudaEventCreate(&after));
  CHECK(cudaEventRecord(before, stream));
  combine<<<(n + 127) / 128, 128, 0, stream>>>(n, 5.0f, on_x, on_y);
  CHECK(cudaGetLastError());
  CHECK(cudaEventRecord(after, stream));
  CHECK(cudaEventSynchronize(after));
  float milliseconds = -1;
  CHECK(cudaEventElapsedTime(&milliseconds, before, after));
  EXPECT(milliseconds >= 0);
  CHECK(cudaMemcpy(y.data(), on_y, n * sizeof(float), cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; ++i) EXPECT(y[i] == (i % 2 != 0 ? 31.0f : -1.0f));
  unsigned odd = 0;
  CHECK(cudaMemcpyFromSymbol(&odd, odd_ones, sizeof odd));
  EXPECT(odd == n / 2);
  EXPECT(launches == 6);

  int* numbers;
  CHECK(cudaMallocManaged(&numbers, 260 * sizeof(int)));
  for (int i = 0; i < 256; ++i) numbers[i] = i;
  sum_blocks<<<4, 64, 64 * sizeof(int)>>>(numbers, numbers + 256);
  CHECK(cudaDeviceSynchronize());
  for (int b = 0; b < 4; ++b) EXPECT(numbers[256 + b] == 64 * (64 * b) + 63 * 32);

  const float image[2][4] = {{0, 1, 2, 3}, {10, 11, 12, 13}};
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  CHECK(cudaMallocArray(&array, &format, 4, 2));
  CHECK(cudaMemcpy2DToArray(array, 0, 0, image, sizeof image[0], sizeof image[0], 2, cudaMemcpyHostToDevice));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc reading = {};
  reading.addressMode[0] = reading.addressMode[1] = cudaAddressModeClamp;
  cudaTextureObject_t texture = 0;
  CHECK(cudaCreateTextureObject(&texture, &resource, &reading, nullptr));
  sample<<<1, 6>>>(texture, on_y);
  CHECK(cudaMemcpy(y.data(), on_y, 6 * sizeof(float), cudaMemcpyDeviceToHost));
  for (int i = 0; i < 6; ++i) EXPECT(y[i] == (i < 4 ? 10.0f + i : 13.0f));
  CHECK(cudaDestroyTextureObject(texture));
  CHECK(cudaFreeArray(array));

  cudaFuncAttributes facts;
  CHECK(cudaFuncGetAttributes(&facts, sum_blocks));
  EXPECT(facts.maxThreadsPerBlock == 1024 && facts.numRegs > 0);
  int blocks = 0;
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, sum_blocks, 64, 256));
  EXPECT(blocks > 0);
  cudaPointerAttributes pointer;
  CHECK(cudaPointerGetAttributes(&pointer, numbers));
  EXPECT(pointer.type == cudaMemoryTypeManaged);

  sum_blocks<<<1, 4096>>>(numbers, numbers);
  EXPECT(cudaGetLastError() == cudaErrorInvalidConfiguration && cudaGetLastError() == cudaSuccess);
  EXPECT(cudaSetDevice(3) == cudaErrorInvalidDevice);
  CHECK(cudaFree(numbers));
  CHECK(cudaFree(on_x));
  CHECK(cudaFree(on_y));
  std::printf("passed\n");
}
