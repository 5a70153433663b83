// SPDX-License-Identifier: BSL-1.0
//
// An image as a texture object: read between its points with linear filtering, and past its edges.
#include "program.hpp"

#include <cmath>
#include <vector>

__global__ void sample(cudaTextureObject_t image, float* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) out[y * width + x] = tex2D<float>(image, x + 0.75f, y + 1.0f);
}

int main() {
  const int width = 40, height = 24;
  std::vector<float> image(width * height), out(width * height);
  for (int i = 0; i < width * height; ++i) image[i] = static_cast<float>((i * 29) % 64);
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  CHECK(cudaMallocArray(&array, &format, width, height));
  const std::size_t row = width * sizeof(float);
  CHECK(cudaMemcpy2DToArray(array, 0, 0, image.data(), row, row, height, cudaMemcpyHostToDevice));
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc description{};
  description.addressMode[0] = description.addressMode[1] = cudaAddressModeClamp;
  description.filterMode = cudaFilterModeLinear;
  description.readMode = cudaReadModeElementType;
  cudaTextureObject_t texture = 0;
  CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
  float* dout;
  CHECK(cudaMalloc(&dout, out.size() * sizeof(float)));
  sample<<<dim3((width + 15) / 16, (height + 7) / 8), dim3(16, 8)>>>(texture, dout, width, height);
  CHECK(cudaMemcpy(out.data(), dout, out.size() * sizeof(float), cudaMemcpyDeviceToHost));
  long wrong = 0;
  const auto at = [&](int x, int y) { return image[std::min(y, height - 1) * width + std::min(x, width - 1)]; };
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const float above = 0.75f * at(x, y) + 0.25f * at(x + 1, y);
      const float below = 0.75f * at(x, y + 1) + 0.25f * at(x + 1, y + 1);
      wrong += std::fabs(out[y * width + x] - 0.5f * (above + below)) > 1e-3f;
    }
  CHECK(cudaDestroyTextureObject(texture));
  CHECK(cudaFreeArray(array));
  CHECK(cudaFree(dout));
  return report("texture_filter", wrong);
}
