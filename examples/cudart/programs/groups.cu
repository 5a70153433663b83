// SPDX-License-Identifier: BSL-1.0
//
// Cooperative groups: tiles of a warp, coalesced threads of a branch, reductions of a tile, labelled partitions.
#include "program.hpp"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include <vector>

namespace cg = cooperative_groups;

// Each tile of eight sums; threads with odd numbers append to a list with one atomic for all that came together.
__global__ void collect(const int* in, int* sums, int* odd, int* odd_count, int* ranks, int n) {
  const cg::thread_block block = cg::this_thread_block();
  const cg::thread_block_tile<8> tile = cg::tiled_partition<8>(block);
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int x = i < n ? in[i] : 0;
  const int sum = cg::reduce(tile, x, cg::plus<int>());
  if (tile.thread_rank() == 0) sums[i / 8] = sum;
  if (x % 2 != 0) {
    const cg::coalesced_group together = cg::coalesced_threads();
    int place = 0;
    if (together.thread_rank() == 0) place = atomicAdd(odd_count, static_cast<int>(together.size()));
    place = together.shfl(place, 0);
    odd[place + together.thread_rank()] = x;
  }
  block.sync();
  const cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
  const unsigned same = warp.match_any(x % 4);
  if (i < n) ranks[i] = __popc(same & ((1u << warp.thread_rank()) - 1));
}

int main() {
  const int n = 1000, threads = 128, blocks = (n + threads - 1) / threads;
  std::vector<int> in(n), sums(blocks * threads / 8), odd(n), ranks(n);
  unsigned state = 9;
  for (int& x : in) x = static_cast<int>(next_random(state) % 50);
  int *din, *dsums, *dodd, *dcount, *dranks;
  CHECK(cudaMalloc(&din, n * sizeof(int)));
  CHECK(cudaMalloc(&dsums, sums.size() * sizeof(int)));
  CHECK(cudaMalloc(&dodd, n * sizeof(int)));
  CHECK(cudaMalloc(&dcount, sizeof(int)));
  CHECK(cudaMalloc(&dranks, n * sizeof(int)));
  CHECK(cudaMemcpy(din, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  CHECK(cudaMemset(dcount, 0, sizeof(int)));
  collect<<<blocks, threads>>>(din, dsums, dodd, dcount, dranks, n);
  int count = 0;
  CHECK(cudaMemcpy(&count, dcount, sizeof count, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(sums.data(), dsums, sums.size() * sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(odd.data(), dodd, n * sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(ranks.data(), dranks, n * sizeof(int), cudaMemcpyDeviceToHost));
  long wrong = 0, odd_sum = 0;
  int odd_count = 0;
  for (int i = 0; i < n; ++i) {
    odd_count += in[i] % 2;
    odd_sum += in[i] % 2 != 0 ? in[i] : 0;
    int rank = 0;
    for (int j = i / 32 * 32; j < i; ++j) rank += in[j] % 4 == in[i] % 4;
    wrong += rank != ranks[i];
  }
  for (std::size_t t = 0; t < sums.size(); ++t) {
    int sum = 0;
    for (int i = static_cast<int>(t) * 8; i < static_cast<int>(t) * 8 + 8; ++i) sum += i < n ? in[i] : 0;
    wrong += sum != sums[t];
  }
  wrong += count != odd_count;
  for (int i = 0; i < count; ++i) {
    wrong += odd[i] % 2 == 0;
    odd_sum -= odd[i];
  }
  wrong += odd_sum != 0;
  CHECK(cudaFree(din));
  CHECK(cudaFree(dsums));
  CHECK(cudaFree(dodd));
  CHECK(cudaFree(dcount));
  CHECK(cudaFree(dranks));
  return report("groups", wrong);
}
