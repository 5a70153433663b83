// SPDX-License-Identifier: BSL-1.0
// A product of matrices by a warpgroup, with a pipeline as libraries write it: a warp brings pieces of A and B to
// shared memory, a warpgroup multiplies them. One thread tells for all four warps that a stage is free.
#include <cuda_fp16.h>

#include <cstdint>

constexpr int stages = 2, side = 64;  // a piece has side x side halves: 8 KiB, rows of 128 bytes

__device__ uint32_t shared_address(const void* p) { return static_cast<uint32_t>(__cvta_generic_to_shared(p)); }

__device__ void make(uint64_t& barrier) {
  asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(shared_address(&barrier)));
}
__device__ void arrive(uint64_t& barrier) {
  asm volatile("{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [%0]; }" ::"r"(shared_address(&barrier)) : "memory");
}
__device__ void wait(uint64_t& barrier, int parity) {
  asm volatile(
      "{ .reg .pred p;\nWAIT: mbarrier.try_wait.parity.shared.b64 p, [%0], %1;\n@!p bra WAIT; }" ::"r"(
          shared_address(&barrier)),
      "r"(parity)
      : "memory");
}

// Rows along k, chunks exchanged within 1024 bytes.
__device__ uint64_t descriptor(const void* p) {
  return (shared_address(p) & 0x3FFFFU) >> 4 | 1ULL << 16 | 1024ULL >> 4 << 32 | 1ULL << 62;
}
__device__ void multiply(float (&d)[32], uint64_t a, uint64_t b, int adds) {
  asm volatile(
      "{ .reg .pred p; setp.ne.b32 p, %34, 0; wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, %32, %33, p, 1, 1, 0, 0; }"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
      : "l"(a), "l"(b), "r"(adds));
}

// D = A B: A has 64 rows of `depth` numbers, B 64 columns.
extern "C" __global__ void pipeline(const half* a, const half* b, float* d, int depth) {
  __shared__ alignas(1024) half pieces[stages][2][side * side];
  __shared__ uint64_t full[stages], empty[stages];
  const int t = static_cast<int>(threadIdx.x), lane = t % 32;
  if (t == 0)
    for (int s = 0; s < stages; ++s) {
      make(full[s]);
      make(empty[s]);
    }
  __syncthreads();
  if (t >= 128) {
    for (int n = 0; n < depth / side; ++n) {
      const int stage = n % stages;
      if (n >= stages) wait(empty[stage], n / stages - 1 & 1);
      for (int i = lane; i < side * 8; i += 32) {
        const int row = i / 8, chunk = i % 8, to = row * side + (chunk ^ row % 8) * 8;
        const int from = row * depth + n * side + chunk * 8;
        *reinterpret_cast<uint4*>(&pieces[stage][0][to]) = *reinterpret_cast<const uint4*>(a + from);
        *reinterpret_cast<uint4*>(&pieces[stage][1][to]) = *reinterpret_cast<const uint4*>(b + from);
      }
      asm volatile("fence.proxy.async;" ::: "memory");
      __syncwarp();
      if (lane == 0) arrive(full[stage]);
    }
    return;
  }
  float sum[32];
  for (int n = 0; n < depth / side; ++n) {
    const int stage = n % stages;
    wait(full[stage], n / stages & 1);
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    for (int k = 0; k < side; k += 16)
      multiply(sum, descriptor(&pieces[stage][0][k]), descriptor(&pieces[stage][1][k]), n + k != 0);
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    if (t == 0) arrive(empty[stage]);
  }
  for (int i = 0; i < 32; ++i)
    d[(t / 32 * 16 + lane / 4 + i / 2 % 2 * 8) * side + i / 4 * 8 + lane % 4 * 2 + i % 2] = sum[i];
}
