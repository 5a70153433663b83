// SPDX-License-Identifier: BSL-1.0
//
// Walkers that stop at different times: a loop with other trips for each lane, double precision, early returns.
#include "program.hpp"

#include <vector>

__global__ void walk(unsigned* steps, double* ends, int n, int limit) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned state = i * 977u + 13u;
  double place = 0;
  int step = 0;
  while (place > -3.0 && place < 3.0) {
    if (++step == limit) {
      steps[i] = limit;
      ends[i] = 0;
      return;
    }
    const unsigned r = next_random(state) % 4;
    switch (r) {
      case 0: place += 0.5; break;
      case 1: place -= 0.5; break;
      case 2: place *= 0.75; break;
      default: continue;
    }
  }
  steps[i] = step;
  ends[i] = place;
}

int main() {
  const int n = 500, limit = 400;
  unsigned* dsteps;
  double* dends;
  CHECK(cudaMalloc(&dsteps, n * sizeof(unsigned)));
  CHECK(cudaMalloc(&dends, n * sizeof(double)));
  walk<<<(n + 95) / 96, 96>>>(dsteps, dends, n, limit);
  std::vector<unsigned> steps(n);
  std::vector<double> ends(n);
  CHECK(cudaMemcpy(steps.data(), dsteps, n * sizeof(unsigned), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(ends.data(), dends, n * sizeof(double), cudaMemcpyDeviceToHost));
  long wrong = 0;
  for (int i = 0; i < n; ++i) {
    unsigned state = i * 977u + 13u;
    double place = 0, end = 0;
    int step = 0;
    for (;;) {
      if (!(place > -3.0 && place < 3.0)) {
        end = place;
        break;
      }
      if (++step == limit) break;
      const unsigned r = next_random(state) % 4;
      place = r == 0 ? place + 0.5 : r == 1 ? place - 0.5 : r == 2 ? place * 0.75 : place;
    }
    wrong += steps[i] != static_cast<unsigned>(step) || ends[i] != end;
  }
  CHECK(cudaFree(dsteps));
  CHECK(cudaFree(dends));
  return report("random_walk", wrong);
}
