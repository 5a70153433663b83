// SPDX-License-Identifier: BSL-1.0
__device__ __noinline__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__device__ int odd(int n);
__device__ __noinline__ int even(int n) { return n == 0 ? 1 : odd(n - 1); }
__device__ __noinline__ int odd(int n) { return n == 0 ? 0 : even(n - 1); }
extern "C" __global__ void recursion(int* out) { out[threadIdx.x] = fib(threadIdx.x) + 100 * even(threadIdx.x); }
