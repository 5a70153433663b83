// SPDX-License-Identifier: BSL-1.0
#ifdef __CUDACC_RDC__
extern __device__ int elsewhere(int a, float b);
extern __device__ int somewhere;
#else
__device__ int somewhere; __device__ __noinline__ int elsewhere(int a, float b) { return a + b; }
#endif
__device__ int here = 3;
__device__ __noinline__ float local_array(int i) { float a[40]; for (int k = 0; k < 40; ++k) a[k] = k * i; return a[i & 31]; }
template <class T> __device__ __noinline__ T generic_one(T a) { return a + here; }
extern "C" __global__ void separate(float* out) { out[0] = elsewhere(somewhere, 3.f) + local_array(out[1]) + generic_one(out[2]) + generic_one(3); }
extern "C" __device__ int exported(int x) { return x + here; }
