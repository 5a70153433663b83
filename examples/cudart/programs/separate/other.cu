// SPDX-License-Identifier: BSL-1.0
#include "../program.hpp"

static __device__ int factor = 7;
__device__ int shared_counter = 40;

__device__ int weigh(int x) { return factor * x + 1; }

void set_other(int value) { CHECK(cudaMemcpyToSymbol(factor, &value, sizeof value)); }
