// SPDX-License-Identifier: BSL-1.0
//
// Heat on a plate by Jacobi's method until the largest change is small: buffers change places, a maximum by atomics.
#include "program.hpp"

#include <cmath>
#include <utility>
#include <vector>

__global__ void relax(const float* from, float* to, int width, int height, int* largest) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
  if (x >= width - 1 || y >= height - 1) return;
  const int i = y * width + x;
  const float next = 0.25f * (from[i - 1] + from[i + 1] + from[i - width] + from[i + width]);
  to[i] = next;
  atomicMax(largest, __float_as_int(fabsf(next - from[i])));  // bits of positive numbers are in their order
}

int main() {
  const int width = 37, height = 29;
  std::vector<float> plate(width * height, 0.0f);
  for (int x = 0; x < width; ++x) plate[x] = 100.0f;
  std::vector<float> expected = plate, next = plate;
  float *a, *b;
  int* largest;
  CHECK(cudaMalloc(&a, plate.size() * sizeof(float)));
  CHECK(cudaMalloc(&b, plate.size() * sizeof(float)));
  CHECK(cudaMalloc(&largest, sizeof(int)));
  CHECK(cudaMemcpy(a, plate.data(), plate.size() * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(b, a, plate.size() * sizeof(float), cudaMemcpyDeviceToDevice));
  const dim3 block(16, 8), grid((width - 2 + 15) / 16, (height - 2 + 7) / 8);
  int steps = 0;
  for (float change = 1.0f; change > 0.5f; ++steps) {
    CHECK(cudaMemset(largest, 0, sizeof(int)));
    relax<<<grid, block>>>(a, b, width, height, largest);
    CHECK(cudaMemcpy(&change, largest, sizeof(int), cudaMemcpyDeviceToHost));
    std::swap(a, b);
  }
  CHECK(cudaMemcpy(plate.data(), a, plate.size() * sizeof(float), cudaMemcpyDeviceToHost));
  for (int s = 0; s < steps; ++s) {
    for (int y = 1; y < height - 1; ++y)
      for (int x = 1; x < width - 1; ++x) {
        const int i = y * width + x;
        next[i] = 0.25f * (expected[i - 1] + expected[i + 1] + expected[i - width] + expected[i + width]);
      }
    std::swap(expected, next);
  }
  long wrong = steps < 10;
  for (std::size_t i = 0; i < plate.size(); ++i) wrong += std::fabs(plate[i] - expected[i]) > 1e-3f;
  CHECK(cudaFree(a));
  CHECK(cudaFree(b));
  CHECK(cudaFree(largest));
  return report("jacobi", wrong);
}
