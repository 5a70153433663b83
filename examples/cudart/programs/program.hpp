// SPDX-License-Identifier: BSL-1.0
//
// Shared by the programs of this folder: every call of the runtime is checked, and a program says at its end whether
// its results are right.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

// Ends the program if a call of the CUDA runtime fails.
#define CHECK(call)                                                                             \
  do {                                                                                          \
    const cudaError_t check_error = (call);                                                     \
    if (check_error != cudaSuccess) {                                                           \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(check_error)); \
      std::exit(1);                                                                             \
    }                                                                                           \
  } while (false)

// Random numbers of a linear congruential generator: the same on host and device.
__host__ __device__ inline unsigned next_random(unsigned& state) {
  state = state * 1664525u + 1013904223u;
  return state >> 8;
}

// The value that main() returns: 0 if no result was wrong.
inline int report(const char* name, long wrong) {
  std::printf("%s: %s", name, wrong == 0 ? "PASSED" : "FAILED");
  if (wrong != 0) std::printf(" (%ld wrong)", wrong);
  std::printf("\n");
  return wrong == 0 ? 0 : 1;
}
