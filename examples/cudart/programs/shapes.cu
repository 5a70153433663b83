// SPDX-License-Identifier: BSL-1.0
//
// Classes with virtual functions: one kernel makes objects on the device, the next calls them, a third deletes them.
#include "program.hpp"

#include <vector>

class shape {
 public:
  __device__ virtual ~shape() {}
  __device__ virtual int area() const = 0;
};
class square : public shape {
 public:
  __device__ explicit square(int side) : side_(side) {}
  __device__ int area() const override { return side_ * side_; }

 private:
  int side_;
};
class box : public shape {
 public:
  __device__ box(int width, int height) : width_(width), height_(height) {}
  __device__ int area() const override { return width_ * height_; }

 private:
  int width_, height_;
};
class frame : public box {
 public:
  __device__ frame(int width, int height) : box(width, height), inner_(width - 2, height - 2) {}
  __device__ int area() const override { return box::area() - inner_.area(); }

 private:
  box inner_;
};

__global__ void make(shape** shapes, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (i % 3 == 0)
    shapes[i] = new square(i);
  else if (i % 3 == 1)
    shapes[i] = new box(i, 2);
  else
    shapes[i] = new frame(i + 2, 5);
}
__global__ void measure(shape* const* shapes, int* areas, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) areas[i] = shapes[i]->area();
}
__global__ void clean_up(shape** shapes, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) delete shapes[i];
}

int main() {
  const int n = 500;
  shape** shapes;
  int* areas;
  CHECK(cudaMalloc(&shapes, n * sizeof(shape*)));
  CHECK(cudaMalloc(&areas, n * sizeof(int)));
  make<<<4, 128>>>(shapes, n);
  measure<<<4, 128>>>(shapes, areas, n);
  clean_up<<<4, 128>>>(shapes, n);
  CHECK(cudaGetLastError());
  std::vector<int> result(n);
  CHECK(cudaMemcpy(result.data(), areas, n * sizeof(int), cudaMemcpyDeviceToHost));
  long wrong = 0;
  for (int i = 0; i < n; ++i)
    wrong += result[i] != (i % 3 == 0 ? i * i : i % 3 == 1 ? 2 * i : (i + 2) * 5 - i * 3);
  CHECK(cudaFree(shapes));
  CHECK(cudaFree(areas));
  return report("shapes", wrong);
}
