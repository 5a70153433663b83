// SPDX-License-Identifier: BSL-1.0
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
__constant__ int table[2][3] = {{1, 2}, {4, 5, 6}};
__device__ unsigned long long big[2] = {1, 0xFFFFFFFFFFFFFFFFull};
__device__ float f32[3] = {1.5f, -0.0f};
__device__ __attribute__((noinline)) int down(int n) { return n <= 0 ? 1 : n * down(n - 1); }
typedef int (*fn)(int);
__device__ __attribute__((noinline)) int one(int x) { return x + 1; }
__device__ fn picks[2] = {down, one};
struct pair { int a; double b; };
__device__ __attribute__((noinline)) pair make(int a, double b) { pair p; p.a = a; p.b = b; return p; }
struct base { __device__ virtual int f(int) = 0; };
struct derived : base { int k; __device__ int f(int x) override { return x * k; } };
extern "C" __global__ void clang_kernel(int* out, int n) {
  __shared__ int tile[64];
  int i = __nvvm_read_ptx_sreg_tid_x();
  tile[i & 63] = out[i]; __syncthreads();
  derived d; d.k = n; base* b = n > 3 ? &d : nullptr;
  switch (n) { case 0: out[0] = 3; break; case 1: out[1] = 4; break; case 2: out[2] = 7; case 3: out[3] = 1; break; case 7: out[7] = 5; break; default: out[9] = 1; }
  out[i] = tile[(i + 1) & 63] + down(n) + picks[n & 1](i) + (int)make(n, 2.0).b + table[n & 1][i % 3] + (b ? b->f(3) : 0) + (int)f32[n & 1] + (int)big[n & 1];
  long long q = (long long)out[1] * out[2]; out[3] = q / n; out[4] = __builtin_bitreverse32(i) + __builtin_popcount(n);
  __asm__ volatile("{ .reg .pred p; setp.ne.b32 p, %0, 0; @p trap; }" ::"r"(n));
}
