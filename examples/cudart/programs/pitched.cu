// SPDX-License-Identifier: BSL-1.0
//
// Rows and boxes with gaps between rows: cudaMallocPitch, cudaMemcpy2D, cudaMemset2D, cudaMalloc3D, cudaMemcpy3D.
#include "program.hpp"

#include <vector>

__global__ void transpose(const short* in, std::size_t in_pitch, short* out, std::size_t out_pitch, int width,
                          int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const char* row = reinterpret_cast<const char*>(in) + y * in_pitch;
  reinterpret_cast<short*>(reinterpret_cast<char*>(out) + x * out_pitch)[y] = reinterpret_cast<const short*>(row)[x];
}

__global__ void add_places(cudaPitchedPtr box, int width, int height) {
  const int x = threadIdx.x, y = threadIdx.y, z = blockIdx.x;
  if (x >= width || y >= height) return;
  char* const row = static_cast<char*>(box.ptr) + (z * box.ysize + y) * box.pitch;
  reinterpret_cast<int*>(row)[x] += 100 * z + 10 * y + x;
}

int main() {
  const int width = 19, height = 11;
  std::vector<short> in(width * height), out(width * height);
  for (int i = 0; i < width * height; ++i) in[i] = static_cast<short>(i * 5);
  short *din, *dout;
  std::size_t in_pitch, out_pitch;
  CHECK(cudaMallocPitch(&din, &in_pitch, width * sizeof(short), height));
  CHECK(cudaMallocPitch(&dout, &out_pitch, height * sizeof(short), width));
  const std::size_t row = width * sizeof(short), column = height * sizeof(short);
  CHECK(cudaMemcpy2D(din, in_pitch, in.data(), row, row, height, cudaMemcpyHostToDevice));
  CHECK(cudaMemset2D(dout, out_pitch, 0xFF, column, width));
  transpose<<<dim3(2, 2), dim3(16, 8)>>>(din, in_pitch, dout, out_pitch, width, height);
  CHECK(cudaMemcpy2D(out.data(), column, dout, out_pitch, column, width, cudaMemcpyDeviceToHost));
  long wrong = in_pitch < row || in_pitch % 32 != 0;
  for (int x = 0; x < width; ++x)
    for (int y = 0; y < height; ++y) wrong += out[x * height + y] != in[y * width + x];

  const int across = 7, down = 5, deep = 3;
  const cudaExtent extent = make_cudaExtent(across * sizeof(int), down, deep);
  cudaPitchedPtr box;
  CHECK(cudaMalloc3D(&box, extent));
  std::vector<int> cells(across * down * deep);
  for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = static_cast<int>(i) * 1000;
  cudaMemcpy3DParms copy{};
  copy.srcPtr = make_cudaPitchedPtr(cells.data(), across * sizeof(int), across, down);
  copy.dstPtr = box;
  copy.extent = extent;
  copy.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&copy));
  add_places<<<deep, dim3(8, 8)>>>(box, across, down);
  std::swap(copy.srcPtr, copy.dstPtr);
  copy.kind = cudaMemcpyDeviceToHost;
  CHECK(cudaMemcpy3D(&copy));
  for (int z = 0; z < deep; ++z)
    for (int y = 0; y < down; ++y)
      for (int x = 0; x < across; ++x) {
        const int i = (z * down + y) * across + x;
        wrong += cells[i] != i * 1000 + 100 * z + 10 * y + x;
      }
  CHECK(cudaFree(din));
  CHECK(cudaFree(dout));
  CHECK(cudaFree(box.ptr));
  return report("pitched", wrong);
}
