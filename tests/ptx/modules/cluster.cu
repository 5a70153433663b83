// SPDX-License-Identifier: BSL-1.0
#if __CUDA_ARCH__ >= 900
#define CLUSTER __cluster_dims__(2, 1, 1)
#else
#define CLUSTER
#endif
extern "C" __global__ void CLUSTER __launch_bounds__(128) cluster(int* out, const __grid_constant__ int4 big) {
  __shared__ int s[32]; s[threadIdx.x & 31] = threadIdx.x; __syncthreads();
#if __CUDA_ARCH__ >= 900
  unsigned rank, at; asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  asm volatile("barrier.cluster.arrive; barrier.cluster.wait;");
  asm volatile("mapa.shared::cluster.u32 %0, %1, 1;" : "=r"(at) : "r"((unsigned)__cvta_generic_to_shared(s)));
  out[threadIdx.x] = rank + at;
  asm volatile("{ .reg .pred p; elect.sync _|p, 0xffffffff; @p cp.async.bulk.commit_group; }");
#endif
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" :: "r"((unsigned)__cvta_generic_to_shared(s)), "l"(out)); asm volatile("cp.async.wait_all;");
#endif
  out[1] = big.x + s[3] + big.w;
}
