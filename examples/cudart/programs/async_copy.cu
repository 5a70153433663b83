// SPDX-License-Identifier: BSL-1.0
//
// Copies to shared memory that overlap with work: memcpy_async of a group, two buffers, and a barrier in shared memory.
#include "program.hpp"

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>

#include <vector>

namespace cg = cooperative_groups;
constexpr int part = 256;

__global__ void sum_parts(const int* in, long long* out, int parts) {
  __shared__ int buffer[2][part];
  const cg::thread_block block = cg::this_thread_block();
  cg::memcpy_async(block, buffer[0], in, sizeof buffer[0]);
  long long sum = 0;
  for (int p = 0; p < parts; ++p) {
    if (p + 1 < parts) {
      cg::memcpy_async(block, buffer[(p + 1) % 2], in + (p + 1) * part, sizeof buffer[0]);
      cg::wait_prior<1>(block);
    } else {
      cg::wait(block);
    }
    for (int i = threadIdx.x; i < part; i += blockDim.x) sum += static_cast<long long>(buffer[p % 2][i]) * (p + 1);
    block.sync();
  }
  out[threadIdx.x] = sum;
}

// Threads pass values round a ring; arriving and waiting are apart.
__global__ void ring(int* values, int turns) {
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  __shared__ int shared[128];
  if (threadIdx.x == 0) init(&barrier, blockDim.x);
  shared[threadIdx.x] = values[threadIdx.x];
  __syncthreads();
  for (int t = 0; t < turns; ++t) {
    const int mine = shared[(threadIdx.x + 1) % blockDim.x];
    barrier.arrive_and_wait();
    shared[threadIdx.x] = mine + 1;
    auto token = barrier.arrive();
    barrier.wait(std::move(token));
  }
  values[threadIdx.x] = shared[threadIdx.x];
}

int main() {
  const int parts = 5, threads = 64, turns = 9;
  std::vector<int> in(parts * part), values(128);
  for (int i = 0; i < parts * part; ++i) in[i] = (i * 31) % 1000;
  for (int i = 0; i < 128; ++i) values[i] = i * i;
  int *din, *dvalues;
  long long* dout;
  CHECK(cudaMalloc(&din, in.size() * sizeof(int)));
  CHECK(cudaMalloc(&dvalues, values.size() * sizeof(int)));
  CHECK(cudaMalloc(&dout, threads * sizeof(long long)));
  CHECK(cudaMemcpy(din, in.data(), in.size() * sizeof(int), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(dvalues, values.data(), values.size() * sizeof(int), cudaMemcpyHostToDevice));
  sum_parts<<<1, threads>>>(din, dout, parts);
  ring<<<1, 128>>>(dvalues, turns);
  std::vector<long long> out(threads);
  std::vector<int> after(128);
  CHECK(cudaMemcpy(out.data(), dout, threads * sizeof(long long), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(after.data(), dvalues, after.size() * sizeof(int), cudaMemcpyDeviceToHost));
  long long sum = 0, expected = 0;
  for (const long long s : out) sum += s;
  for (int i = 0; i < parts * part; ++i) expected += static_cast<long long>(in[i]) * (i / part + 1);
  long wrong = sum != expected;
  for (int i = 0; i < 128; ++i) wrong += after[i] != values[(i + turns) % 128] + turns;
  CHECK(cudaFree(din));
  CHECK(cudaFree(dvalues));
  CHECK(cudaFree(dout));
  return report("async_copy", wrong);
}
