// SPDX-License-Identifier: BSL-1.0
//
// Breadth-first search of a random graph: the host launches a level at a time until no vertex is new.
#include "program.hpp"

#include <vector>

__global__ void visit(const int* first, const int* to, int* level, int depth, int vertices, bool* more) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= vertices || level[v] != depth) return;
  for (int e = first[v]; e < first[v + 1]; ++e)
    if (level[to[e]] < 0) {
      level[to[e]] = depth + 1;
      *more = true;
    }
}

int main() {
  const int vertices = 3000;
  std::vector<int> first(1, 0), to;
  unsigned state = 11;
  for (int v = 0; v < vertices; ++v) {
    const unsigned degree = v % 50 == 0 ? 40 : next_random(state) % 4;
    for (unsigned e = 0; e < degree; ++e) to.push_back(static_cast<int>(next_random(state) % vertices));
    first.push_back(static_cast<int>(to.size()));
  }
  std::vector<int> expected(vertices, -1), queue(1, 0), level(vertices, -1);
  expected[0] = level[0] = 0;
  for (std::size_t q = 0; q < queue.size(); ++q)
    for (int e = first[queue[q]]; e < first[queue[q] + 1]; ++e)
      if (expected[to[e]] < 0) {
        expected[to[e]] = expected[queue[q]] + 1;
        queue.push_back(to[e]);
      }
  int *dfirst, *dto, *dlevel;
  bool* dmore;
  CHECK(cudaMalloc(&dfirst, first.size() * sizeof(int)));
  CHECK(cudaMalloc(&dto, to.size() * sizeof(int)));
  CHECK(cudaMalloc(&dlevel, level.size() * sizeof(int)));
  CHECK(cudaMalloc(&dmore, sizeof(bool)));
  CHECK(cudaMemcpy(dfirst, first.data(), first.size() * sizeof(int), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(dto, to.data(), to.size() * sizeof(int), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(dlevel, level.data(), level.size() * sizeof(int), cudaMemcpyHostToDevice));
  bool more = true;
  for (int depth = 0; more; ++depth) {
    more = false;
    CHECK(cudaMemcpy(dmore, &more, sizeof(bool), cudaMemcpyHostToDevice));
    visit<<<(vertices + 127) / 128, 128>>>(dfirst, dto, dlevel, depth, vertices, dmore);
    CHECK(cudaMemcpy(&more, dmore, sizeof(bool), cudaMemcpyDeviceToHost));
  }
  CHECK(cudaMemcpy(level.data(), dlevel, level.size() * sizeof(int), cudaMemcpyDeviceToHost));
  long wrong = 0;
  for (int v = 0; v < vertices; ++v) wrong += level[v] != expected[v];
  CHECK(cudaFree(dfirst));
  CHECK(cudaFree(dto));
  CHECK(cudaFree(dlevel));
  CHECK(cudaFree(dmore));
  return report("breadth_first", wrong);
}
