// SPDX-License-Identifier: BSL-1.0
//
// A product of matrices by tiles in shared memory, with edges that do not fill a tile.
#include "program.hpp"

#include <vector>

constexpr int tile = 16;

__global__ void product(const int* a, const int* b, int* c, int rows, int inner, int columns) {
  __shared__ int left[tile][tile], right[tile][tile + 1];
  const int row = blockIdx.y * tile + threadIdx.y, column = blockIdx.x * tile + threadIdx.x;
  int sum = 0;
  for (int first = 0; first < inner; first += tile) {
    const int ka = first + threadIdx.x, kb = first + threadIdx.y;
    left[threadIdx.y][threadIdx.x] = row < rows && ka < inner ? a[row * inner + ka] : 0;
    right[threadIdx.y][threadIdx.x] = kb < inner && column < columns ? b[kb * columns + column] : 0;
    __syncthreads();
    for (int k = 0; k < tile; ++k) sum += left[threadIdx.y][k] * right[k][threadIdx.x];
    __syncthreads();
  }
  if (row < rows && column < columns) c[row * columns + column] = sum;
}

int main() {
  const int rows = 45, inner = 33, columns = 70;
  std::vector<int> a(rows * inner), b(inner * columns), c(rows * columns);
  unsigned state = 1;
  for (int& x : a) x = static_cast<int>(next_random(state) % 19) - 9;
  for (int& x : b) x = static_cast<int>(next_random(state) % 19) - 9;
  int *da, *db, *dc;
  CHECK(cudaMalloc(&da, a.size() * sizeof(int)));
  CHECK(cudaMalloc(&db, b.size() * sizeof(int)));
  CHECK(cudaMalloc(&dc, c.size() * sizeof(int)));
  CHECK(cudaMemcpy(da, a.data(), a.size() * sizeof(int), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(db, b.data(), b.size() * sizeof(int), cudaMemcpyHostToDevice));
  const dim3 block(tile, tile), grid((columns + tile - 1) / tile, (rows + tile - 1) / tile);
  product<<<grid, block>>>(da, db, dc, rows, inner, columns);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(c.data(), dc, c.size() * sizeof(int), cudaMemcpyDeviceToHost));
  long wrong = 0;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) {
      int sum = 0;
      for (int k = 0; k < inner; ++k) sum += a[i * inner + k] * b[k * columns + j];
      wrong += sum != c[i * columns + j];
    }
  CHECK(cudaFree(da));
  CHECK(cudaFree(db));
  CHECK(cudaFree(dc));
  return report("matrix_product", wrong);
}
