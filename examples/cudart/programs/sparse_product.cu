// SPDX-License-Identifier: BSL-1.0
//
// A sparse matrix times a vector: a thread a row, and a warp a row with shuffles. Rows differ much in their length.
#include "program.hpp"

#include <vector>

__global__ void thread_a_row(const int* first, const int* column, const int* value, const int* x, int* y, int rows) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  int sum = 0;
  for (int e = first[r]; e < first[r + 1]; ++e) sum += value[e] * x[column[e]];
  y[r] = sum;
}

__global__ void warp_a_row(const int* first, const int* column, const int* value, const int* x, int* y, int rows) {
  const int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (r >= rows) return;
  int sum = 0;
  for (int e = first[r] + lane; e < first[r + 1]; e += 32) sum += value[e] * x[column[e]];
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(0xFFFFFFFFu, sum, distance);
  if (lane == 0) y[r] = sum;
}

int main() {
  const int rows = 400;
  std::vector<int> first(1, 0), column, value, x(rows), expected(rows, 0), y(2 * rows);
  unsigned state = 31;
  for (int& v : x) v = static_cast<int>(next_random(state) % 100);
  for (int r = 0; r < rows; ++r) {
    const unsigned length = r % 40 == 0 ? 150 : next_random(state) % 12;
    for (unsigned e = 0; e < length; ++e) {
      column.push_back(static_cast<int>(next_random(state) % rows));
      value.push_back(static_cast<int>(next_random(state) % 21) - 10);
      expected[r] += value.back() * x[column.back()];
    }
    first.push_back(static_cast<int>(column.size()));
  }
  int *dfirst, *dcolumn, *dvalue, *dx, *dy;
  const auto upload = [](int** to, const std::vector<int>& from) {
    CHECK(cudaMalloc(to, from.size() * sizeof(int)));
    CHECK(cudaMemcpy(*to, from.data(), from.size() * sizeof(int), cudaMemcpyHostToDevice));
  };
  upload(&dfirst, first);
  upload(&dcolumn, column);
  upload(&dvalue, value);
  upload(&dx, x);
  upload(&dy, y);
  thread_a_row<<<(rows + 127) / 128, 128>>>(dfirst, dcolumn, dvalue, dx, dy, rows);
  warp_a_row<<<(rows + 3) / 4, 128>>>(dfirst, dcolumn, dvalue, dx, dy + rows, rows);
  CHECK(cudaMemcpy(y.data(), dy, y.size() * sizeof(int), cudaMemcpyDeviceToHost));
  long wrong = 0;
  for (int r = 0; r < rows; ++r) wrong += (y[r] != expected[r]) + (y[rows + r] != expected[r]);
  for (int* const p : {dfirst, dcolumn, dvalue, dx, dy}) CHECK(cudaFree(p));
  return report("sparse_product", wrong);
}
