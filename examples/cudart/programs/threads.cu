// SPDX-License-Identifier: BSL-1.0
// nvcc: --default-stream per-thread
//
// Host threads that each have a default stream: every one allocates, launches and checks for itself.
#include "program.hpp"

#include <atomic>
#include <thread>
#include <vector>

__global__ void count_bits(const unsigned* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int bits = 0;
  for (unsigned x = in[i]; x != 0; x &= x - 1) ++bits;
  out[i] = bits;
}

int main() {
  std::atomic<long> wrong{0};
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t)
    threads.emplace_back([t, &wrong] {
      const int n = 400;
      std::vector<unsigned> in(n);
      std::vector<int> out(n);
      unsigned state = t;
      unsigned* din;
      int* dout;
      CHECK(cudaMalloc(&din, n * sizeof(unsigned)));
      CHECK(cudaMalloc(&dout, n * sizeof(int)));
      for (int round = 0; round < 5; ++round) {
        for (unsigned& x : in) x = next_random(state);
        CHECK(cudaMemcpyAsync(din, in.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice, cudaStreamPerThread));
        count_bits<<<(n + 63) / 64, 64>>>(din, dout, n);
        CHECK(cudaMemcpyAsync(out.data(), dout, n * sizeof(int), cudaMemcpyDeviceToHost, cudaStreamPerThread));
        CHECK(cudaStreamSynchronize(cudaStreamPerThread));
        for (int i = 0; i < n; ++i) {
          int bits = 0;
          for (int b = 0; b < 32; ++b) bits += in[i] >> b & 1;
          wrong += bits != out[i];
        }
      }
      CHECK(cudaFree(din));
      CHECK(cudaFree(dout));
    });
  for (std::thread& t : threads) t.join();
  return report("threads", wrong);
}
