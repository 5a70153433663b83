// SPDX-License-Identifier: BSL-1.0
// The other half of separate.cu: what separate.cu declares, a function that both define weakly, and a kernel.
extern __device__ int here;
extern __device__ float local_array(int i);
extern "C" __device__ int exported(int x);
static __device__ __noinline__ int hidden(int a) { return a * 7; }
__device__ int somewhere = 4;
__device__ __noinline__ int elsewhere(int a, float b) { return a + (int)b + hidden(a); }
template <class T> __device__ __noinline__ T generic_one(T a) { return a + here; }
__device__ int (*operations[2])(int) = {exported, generic_one<int>};
__global__ void all_of_it(const int* in, int* out) {
  const int i = threadIdx.x;
  out[i] = (int)local_array(in[i]) + elsewhere(i, 2.5f) * 1000 + operations[i & 1](in[i]) * somewhere;
}
