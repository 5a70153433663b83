// SPDX-License-Identifier: BSL-1.0
//
// A hash table with open addressing that all threads fill by compare and swap: each lane leaves the loop at its time.
#include "program.hpp"

#include <set>
#include <vector>

constexpr unsigned empty = 0xFFFFFFFFu;

__device__ unsigned hash(unsigned x) { return (x ^ x >> 7) * 2654435761u; }

__global__ void insert(const unsigned* keys, unsigned* table, unsigned* counts, unsigned mask, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (unsigned place = hash(keys[i]) & mask;; place = (place + 1) & mask) {
    const unsigned before = atomicCAS(&table[place], empty, keys[i]);
    if (before == empty || before == keys[i]) {
      atomicAdd(&counts[place], 1u);
      return;
    }
  }
}

int main() {
  const int n = 1500;
  const unsigned size = 2048;
  std::vector<unsigned> keys(n), table(size), counts(size);
  std::multiset<unsigned> expected;
  unsigned state = 17;
  for (unsigned& k : keys) expected.insert(k = next_random(state) % 2000);
  unsigned *dkeys, *dtable, *dcounts;
  CHECK(cudaMalloc(&dkeys, n * sizeof(unsigned)));
  CHECK(cudaMalloc(&dtable, size * sizeof(unsigned)));
  CHECK(cudaMalloc(&dcounts, size * sizeof(unsigned)));
  CHECK(cudaMemcpy(dkeys, keys.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice));
  CHECK(cudaMemset(dtable, 0xFF, size * sizeof(unsigned)));
  CHECK(cudaMemset(dcounts, 0, size * sizeof(unsigned)));
  insert<<<(n + 127) / 128, 128>>>(dkeys, dtable, dcounts, size - 1, n);
  CHECK(cudaMemcpy(table.data(), dtable, size * sizeof(unsigned), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(counts.data(), dcounts, size * sizeof(unsigned), cudaMemcpyDeviceToHost));
  long wrong = 0, sum = 0;
  for (unsigned p = 0; p < size; ++p) {
    if (table[p] != empty) wrong += expected.count(table[p]) != counts[p];
    sum += counts[p];
  }
  wrong += sum != n;
  CHECK(cudaFree(dkeys));
  CHECK(cudaFree(dtable));
  CHECK(cudaFree(dcounts));
  return report("hash_table", wrong);
}
