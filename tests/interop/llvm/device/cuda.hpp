// SPDX-License-Identifier: BSL-1.0
//
// The part of CUDA that examples/kernels/*.cu use, for `clang -x cuda --cuda-device-only -nocudainc -nocudalib`: own
// declarations on top of clang's builtins for NVPTX. snapshot.sh includes this file before each kernel. clang reports
// whatever a kernel needs and this file lacks.
#pragma once

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))

using size_t = decltype(sizeof 0);

// Special registers: a read of a member is a call of llvm.nvvm.read.ptx.sreg.*.
#define SPECIAL_REGISTERS(variable, name)                                                            \
  struct name##_registers {                                                                          \
    __declspec(property(get = get_x)) unsigned x;                                                    \
    __declspec(property(get = get_y)) unsigned y;                                                    \
    __declspec(property(get = get_z)) unsigned z;                                                    \
    static __device__ __forceinline__ unsigned get_x() { return __nvvm_read_ptx_sreg_##name##_x(); } \
    static __device__ __forceinline__ unsigned get_y() { return __nvvm_read_ptx_sreg_##name##_y(); } \
    static __device__ __forceinline__ unsigned get_z() { return __nvvm_read_ptx_sreg_##name##_z(); } \
  };                                                                                                 \
  extern const __device__ name##_registers variable
SPECIAL_REGISTERS(threadIdx, tid);
SPECIAL_REGISTERS(blockIdx, ctaid);
SPECIAL_REGISTERS(blockDim, ntid);
SPECIAL_REGISTERS(gridDim, nctaid);
#undef SPECIAL_REGISTERS

struct alignas(8) int2 {
  int x, y;
};
struct alignas(8) float2 {
  float x, y;
};
struct alignas(16) uint4 {
  unsigned x, y, z, w;
};

// Barriers and fences; __syncthreads is a builtin of clang.
static __device__ __forceinline__ void __syncwarp(unsigned lanes = 0xFFFFFFFF) { __nvvm_bar_warp_sync(lanes); }
static __device__ __forceinline__ void __threadfence() { __nvvm_membar_gl(); }

// Lanes of a warp
static __device__ __forceinline__ unsigned __shfl_sync(unsigned lanes, unsigned value, int lane) {
  return static_cast<unsigned>(__nvvm_shfl_sync_idx_i32(lanes, static_cast<int>(value), lane, 31));
}
static __device__ __forceinline__ unsigned __shfl_down_sync(unsigned lanes, unsigned value, unsigned distance) {
  return static_cast<unsigned>(
      __nvvm_shfl_sync_down_i32(lanes, static_cast<int>(value), static_cast<int>(distance), 31));
}
static __device__ __forceinline__ unsigned __ballot_sync(unsigned lanes, int condition) {
  return static_cast<unsigned>(__nvvm_vote_ballot_sync(lanes, condition != 0));
}
static __device__ __forceinline__ unsigned __match_any_sync(unsigned lanes, unsigned value) {
  return static_cast<unsigned>(__nvvm_match_any_sync_i32(lanes, static_cast<int>(value)));
}

// Atomic operations
static __device__ __forceinline__ unsigned atomicAdd(unsigned* place, unsigned value) {
  return __atomic_fetch_add(place, value, __ATOMIC_RELAXED);
}
static __device__ __forceinline__ unsigned atomicExch(unsigned* place, unsigned value) {
  return __atomic_exchange_n(place, value, __ATOMIC_RELAXED);
}
static __device__ __forceinline__ unsigned atomicCAS(unsigned* place, unsigned expected, unsigned value) {
  __atomic_compare_exchange_n(place, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return expected;
}

// Integers
static __device__ __forceinline__ int min(int a, int b) { return a < b ? a : b; }
static __device__ __forceinline__ int max(int a, int b) { return a > b ? a : b; }
static __device__ __forceinline__ unsigned min(unsigned a, unsigned b) { return a < b ? a : b; }
static __device__ __forceinline__ unsigned max(unsigned a, unsigned b) { return a > b ? a : b; }
static __device__ __forceinline__ int abs(int a) { return a < 0 ? -a : a; }
static __device__ __forceinline__ int __ffs(unsigned a) { return __builtin_ffs(static_cast<int>(a)); }
static __device__ __forceinline__ int __popc(unsigned a) { return __builtin_popcount(a); }

// Floats: operations that name their rounding stay single operations.
static __device__ __forceinline__ float __fadd_rn(float a, float b) { return __nvvm_add_rn_f(a, b); }
static __device__ __forceinline__ float __fsub_rn(float a, float b) { return __nvvm_add_rn_f(a, -b); }
static __device__ __forceinline__ float __fmul_rn(float a, float b) { return __nvvm_mul_rn_f(a, b); }
static __device__ __forceinline__ float __fdiv_rn(float a, float b) { return __nvvm_div_rn_f(a, b); }
static __device__ __forceinline__ float __fsqrt_rn(float a) { return __nvvm_sqrt_rn_f(a); }
static __device__ __forceinline__ float __fmaf_rn(float a, float b, float c) { return __nvvm_fma_rn_f(a, b, c); }
static __device__ __forceinline__ float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
static __device__ __forceinline__ float fminf(float a, float b) { return __nvvm_fmin_f(a, b); }
static __device__ __forceinline__ float fmaxf(float a, float b) { return __nvvm_fmax_f(a, b); }
static __device__ __forceinline__ float fabsf(float a) { return __builtin_fabsf(a); }
static __device__ __forceinline__ float sqrtf(float a) { return __nvvm_sqrt_rn_f(a); }
static __device__ __forceinline__ unsigned __float2uint_rz(float a) { return __nvvm_f2ui_rz(a); }
static __device__ __forceinline__ float __uint2float_rn(unsigned a) { return __nvvm_ui2f_rn(a); }
static __device__ __forceinline__ unsigned __float_as_uint(float a) {
  unsigned bits;
  __builtin_memcpy(&bits, &a, sizeof bits);
  return bits;
}

__device__ __forceinline__ void* operator new(size_t, void* place) noexcept { return place; }
