// SPDX-License-Identifier: BSL-1.0
extern "C" __global__ void warp_functions(int* out) {
  int i = threadIdx.x, v = out[i];
  v += __shfl_sync(~0u, v, 3) + __shfl_up_sync(~0u, v, 1) + __shfl_down_sync(~0u, v, 2, 16) + __shfl_xor_sync(~0u, v, 4);
  v += __ballot_sync(~0u, v > 3) + __any_sync(~0u, v) + __all_sync(~0u, v) + __popc(__match_any_sync(~0u, v));
  int pred; v += __match_all_sync(~0u, v, &pred) + pred; __syncwarp(0xff);
#if __CUDA_ARCH__ >= 800
  v += __reduce_add_sync(~0u, v) + __reduce_max_sync(~0u, (unsigned)v);
#endif
  out[i] = v + __brev(v) + __clz(v) + __ffs(v) + __byte_perm(v, i, 0x3210) + __funnelshift_l(v, i, 3) + __dp4a(v, i, 3) + __mulhi(v, i) + __sad(v, i, 3);
}
