// SPDX-License-Identifier: BSL-1.0
//
// A search tree that the host builds in managed memory, with pointers; threads look numbers up in it. A __managed__
// variable counts.
#include "program.hpp"

#include <set>

struct node {
  int key;
  node *less, *more;
};

__managed__ int found = 0;

__global__ void look_up(const node* root, const int* keys, unsigned char* answers, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const node* at = root;
  while (at != nullptr && at->key != keys[i]) at = keys[i] < at->key ? at->less : at->more;
  answers[i] = at != nullptr;
  if (at != nullptr) atomicAdd(&found, 1);
}

int main() {
  const int n = 700;
  std::set<int> known;
  node* root = nullptr;
  unsigned state = 5;
  for (int i = 0; i < n; ++i) {
    const int key = static_cast<int>(next_random(state) % 3000);
    if (!known.insert(key).second) continue;
    node** place = &root;
    while (*place != nullptr) place = key < (*place)->key ? &(*place)->less : &(*place)->more;
    CHECK(cudaMallocManaged(place, sizeof(node)));
    **place = {key, nullptr, nullptr};
  }
  int* keys;
  unsigned char* answers;
  CHECK(cudaMallocManaged(&keys, n * sizeof(int)));
  CHECK(cudaMallocManaged(&answers, n));
  for (int i = 0; i < n; ++i) keys[i] = static_cast<int>(next_random(state) % 3000);
  look_up<<<(n + 63) / 64, 64>>>(root, keys, answers, n);
  CHECK(cudaDeviceSynchronize());
  long wrong = 0;
  int expected = 0;
  for (int i = 0; i < n; ++i) {
    expected += known.count(keys[i]) != 0;
    wrong += answers[i] != known.count(keys[i]);
  }
  wrong += found != expected;
  cudaPointerAttributes attributes;
  CHECK(cudaPointerGetAttributes(&attributes, keys));
  wrong += attributes.type != cudaMemoryTypeManaged;
  CHECK(cudaFree(keys));
  CHECK(cudaFree(answers));
  return report("managed_tree", wrong);
}
