// SPDX-License-Identifier: BSL-1.0
//
// A surface that a kernel writes and a texture that the next one reads; a texture over plain memory (tex1Dfetch).
#include "program.hpp"

#include <vector>

__global__ void draw(cudaSurfaceObject_t image, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height)
    surf2Dwrite(make_uchar4(x, y, x ^ y, 255), image, x * static_cast<int>(sizeof(uchar4)), y);
}

__global__ void gather(cudaTextureObject_t image, cudaTextureObject_t order, unsigned* out, int width, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int from = tex1Dfetch<int>(order, i);
  const uchar4 c = tex2D<uchar4>(image, from % width, from / width);
  out[i] = c.x | c.y << 8 | c.z << 16 | static_cast<unsigned>(c.w) << 24;
}

int main() {
  const int width = 20, height = 13, n = width * height;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<uchar4>();
  cudaArray_t array;
  CHECK(cudaMallocArray(&array, &format, width, height, cudaArraySurfaceLoadStore));
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaSurfaceObject_t surface = 0;
  CHECK(cudaCreateSurfaceObject(&surface, &resource));
  draw<<<dim3(2, 2), dim3(16, 8)>>>(surface, width, height);
  cudaTextureDesc description{};
  description.readMode = cudaReadModeElementType;
  cudaTextureObject_t image = 0, order = 0;
  CHECK(cudaCreateTextureObject(&image, &resource, &description, nullptr));
  std::vector<int> from(n);
  for (int i = 0; i < n; ++i) from[i] = (i * 7) % n;
  int* dfrom;
  unsigned* dout;
  CHECK(cudaMalloc(&dfrom, n * sizeof(int)));
  CHECK(cudaMalloc(&dout, n * sizeof(unsigned)));
  CHECK(cudaMemcpy(dfrom, from.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  cudaResourceDesc linear{};
  linear.resType = cudaResourceTypeLinear;
  linear.res.linear.devPtr = dfrom;
  linear.res.linear.desc = cudaCreateChannelDesc<int>();
  linear.res.linear.sizeInBytes = n * sizeof(int);
  CHECK(cudaCreateTextureObject(&order, &linear, &description, nullptr));
  gather<<<(n + 63) / 64, 64>>>(image, order, dout, width, n);
  std::vector<unsigned> out(n);
  CHECK(cudaMemcpy(out.data(), dout, n * sizeof(unsigned), cudaMemcpyDeviceToHost));
  long wrong = 0;
  for (int i = 0; i < n; ++i) {
    const unsigned x = from[i] % width, y = from[i] / width;
    wrong += out[i] != (x | y << 8 | (x ^ y) << 16 | 255u << 24);
  }
  CHECK(cudaDestroyTextureObject(image));
  CHECK(cudaDestroyTextureObject(order));
  CHECK(cudaDestroySurfaceObject(surface));
  CHECK(cudaFreeArray(array));
  CHECK(cudaFree(dfrom));
  CHECK(cudaFree(dout));
  return report("surfaces", wrong);
}
