// SPDX-License-Identifier: BSL-1.0
//
// A product of matrices by warp matrix instructions: half-precision tiles, sums in single precision. The numbers are
// small integers, so every order of the additions gives the same bits.
#include "program.hpp"

#include <cuda_fp16.h>
#include <mma.h>

#include <vector>

using namespace nvcuda;

__global__ void product(const half* a, const half* b, float* c, int rows, int inner, int columns) {
  const int row = blockIdx.y * 16, column = blockIdx.x * 16;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> right;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  for (int k = 0; k < inner; k += 16) {
    wmma::load_matrix_sync(left, a + row * inner + k, inner);
    wmma::load_matrix_sync(right, b + column * inner + k, inner);
    wmma::mma_sync(sum, left, right, sum);
  }
  for (int i = 0; i < sum.num_elements; ++i) sum.x[i] *= 2.0f;
  wmma::store_matrix_sync(c + row * columns + column, sum, columns, wmma::mem_row_major);
}

int main() {
  const int rows = 32, inner = 48, columns = 64;
  std::vector<half> a(rows * inner), b(inner * columns);  // b by columns
  std::vector<float> c(rows * columns);
  unsigned state = 8;
  for (half& x : a) x = __float2half(static_cast<float>(next_random(state) % 9) - 4.0f);
  for (half& x : b) x = __float2half(static_cast<float>(next_random(state) % 9) - 4.0f);
  half *da, *db;
  float* dc;
  CHECK(cudaMalloc(&da, a.size() * sizeof(half)));
  CHECK(cudaMalloc(&db, b.size() * sizeof(half)));
  CHECK(cudaMalloc(&dc, c.size() * sizeof(float)));
  CHECK(cudaMemcpy(da, a.data(), a.size() * sizeof(half), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(db, b.data(), b.size() * sizeof(half), cudaMemcpyHostToDevice));
  product<<<dim3(columns / 16, rows / 16), 32>>>(da, db, dc, rows, inner, columns);
  CHECK(cudaMemcpy(c.data(), dc, c.size() * sizeof(float), cudaMemcpyDeviceToHost));
  long wrong = 0;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) {
      float sum = 0;
      for (int k = 0; k < inner; ++k) sum += __half2float(a[i * inner + k]) * __half2float(b[j * inner + k]);
      wrong += c[i * columns + j] != 2.0f * sum;
    }
  CHECK(cudaFree(da));
  CHECK(cudaFree(db));
  CHECK(cudaFree(dc));
  return report("tensor_cores", wrong);
}
