// SPDX-License-Identifier: BSL-1.0
//
// CUB: device-wide selection and radix sort, and sums of a thread block in a kernel of the program.
#include "program.hpp"

#include <cub/cub.cuh>

#include <algorithm>
#include <vector>

struct is_odd {
  __host__ __device__ bool operator()(unsigned x) const { return x % 2 != 0; }
};

__global__ void sum_blocks(const unsigned* in, unsigned* out, int n) {
  using reduce = cub::BlockReduce<unsigned, 128>;
  __shared__ typename reduce::TempStorage storage;
  const int i = blockIdx.x * 128 + threadIdx.x;
  const unsigned sum = reduce(storage).Sum(i < n ? in[i] : 0u);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

int main() {
  const int n = 4000, blocks = (n + 127) / 128;
  std::vector<unsigned> values(n);
  unsigned state = 33;
  for (unsigned& x : values) x = next_random(state);
  unsigned *in, *out, *sums;
  int* count;
  CHECK(cudaMalloc(&in, n * sizeof(unsigned)));
  CHECK(cudaMalloc(&out, n * sizeof(unsigned)));
  CHECK(cudaMalloc(&sums, blocks * sizeof(unsigned)));
  CHECK(cudaMalloc(&count, sizeof(int)));
  CHECK(cudaMemcpy(in, values.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice));
  void* storage = nullptr;
  std::size_t select_bytes = 0, sort_bytes = 0;
  CHECK(cub::DeviceSelect::If(nullptr, select_bytes, in, out, count, n, is_odd()));
  CHECK(cub::DeviceRadixSort::SortKeys(nullptr, sort_bytes, in, out, n));
  CHECK(cudaMalloc(&storage, std::max(select_bytes, sort_bytes)));
  long wrong = 0;

  CHECK(cub::DeviceSelect::If(storage, select_bytes, in, out, count, n, is_odd()));
  int selected = 0;
  CHECK(cudaMemcpy(&selected, count, sizeof selected, cudaMemcpyDeviceToHost));
  std::vector<unsigned> result(n), expected;
  for (const unsigned x : values)
    if (x % 2 != 0) expected.push_back(x);
  CHECK(cudaMemcpy(result.data(), out, n * sizeof(unsigned), cudaMemcpyDeviceToHost));
  wrong += selected != static_cast<int>(expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) wrong += result[i] != expected[i];

  CHECK(cub::DeviceRadixSort::SortKeys(storage, sort_bytes, in, out, n));
  CHECK(cudaMemcpy(result.data(), out, n * sizeof(unsigned), cudaMemcpyDeviceToHost));
  expected = values;
  std::sort(expected.begin(), expected.end());
  for (int i = 0; i < n; ++i) wrong += result[i] != expected[i];

  sum_blocks<<<blocks, 128>>>(in, sums, n);
  CHECK(cudaMemcpy(result.data(), sums, blocks * sizeof(unsigned), cudaMemcpyDeviceToHost));
  for (int b = 0; b < blocks; ++b) {
    unsigned sum = 0;
    for (int i = b * 128; i < std::min(n, b * 128 + 128); ++i) sum += values[i];
    wrong += result[b] != sum;
  }
  CHECK(cudaFree(in));
  CHECK(cudaFree(out));
  CHECK(cudaFree(sums));
  CHECK(cudaFree(count));
  CHECK(cudaFree(storage));
  return report("cub_select", wrong);
}
