// SPDX-License-Identifier: BSL-1.0
//
// Atomics on vectors and on 128 bits; loads and stores of 128 bits.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

extern "C" __global__ void vectors(float2* two, float4* four, float2* old_two, float4* old_four) {
  const unsigned t = threadIdx.x;
  old_two[t] = atomicAdd(two, make_float2(t, 2.0f * t));
  old_four[t] = atomicAdd(four, make_float4(t, 2, 3, 4));
  atomicAdd(two + 1, make_float2(1, 2));
  atomicAdd(four + 1, make_float4(1, 2, 3, 4));
}

extern "C" __global__ void halves(__half2* h, __nv_bfloat162* b) {
  atomicAdd(h, __floats2half2_rn(1, 2));
  atomicAdd(b, __floats2bfloat162_rn(1, 2));
  asm volatile("{ .reg .b32 a, b; mov.b32 a, 0x3c003c00; mov.b32 b, 0x40004000;\n"
               "red.global.v2.f16x2.add.noftz [%0], {a, b};\n"
               "red.relaxed.gpu.global.add.noftz.L2::cache_hint.v2.bf16x2 [%1], {a, b}, 0; }" ::"l"(h + 2),
               "l"(b + 2)
               : "memory");
}

struct alignas(16) pair {
  unsigned long long low, high;
};

extern "C" __global__ void wide(pair* cell, pair* old) {
  const pair mine{threadIdx.x, 7};
  old[threadIdx.x] = atomicExch(cell, mine);
  const pair zero{0, 0};
  old[32 + threadIdx.x] = atomicCAS(cell + 1, zero, mine);
}

extern "C" __global__ void plain(const __int128* in, __int128* out) {
  asm volatile("{ .reg .b128 q; .reg .b64 low, high; ld.global.b128 q, [%0]; mov.b128 {low, high}, q;\n"
               "mov.b128 q, {high, low}; st.global.b128 [%1], q; }" ::"l"(in + threadIdx.x),
               "l"(out + threadIdx.x)
               : "memory");
}
