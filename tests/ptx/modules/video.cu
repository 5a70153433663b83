// SPDX-License-Identifier: BSL-1.0
//
// The SIMD intrinsics of CUDA, and video instructions of every form.
extern "C" __global__ void intrinsics(const unsigned* in, unsigned* out) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned a = in[t], b = in[t + 1];
  unsigned r = __vadd2(a, b) + 3 * __vsub4(a, b) + 5 * __vaddus4(a, b) + 7 * __vsubss2(a, b) + 11 * __vavgu4(a, b);
  r += 13 * __vabsdiffu4(a, b) + 17 * __vabsdiffs2(a, b) + 19 * __vsads4(a, b) + 23 * __vsadu2(a, b);
  r += 29 * __vmaxs4(a, b) + 31 * __vminu2(a, b) + 37 * __vcmpeq4(a, b) + 41 * __vcmpgts2(a, b);
  r += 43 * __vsetleu4(a, b) + 47 * __vsetne2(a, b) + 53 * __vabs4(a) + 59 * __vneg2(b);
  out[t] = r;
}

#define VIDEO(TEXT) asm(TEXT : "=r"(r) : "r"(a), "r"(b), "r"(r))

extern "C" __global__ void instructions(const unsigned* in, unsigned* out) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned a = in[t], b = in[t + 1];
  unsigned r = t;
  VIDEO("vadd.s32.u32.s32.sat.add %0, %1.b3, %2.h1, %3;");
  VIDEO("vsub.u32.s32.u32 %0.h1, %1.h0, %2, %3;");
  VIDEO("vabsdiff.u32.s32.u32.max %0, %1.b0, %2, %3;");
  VIDEO("vshl.u32.u32.u32.clamp %0.b2, %1, %2.b1, %3;");
  VIDEO("vshr.s32.s32.u32.wrap.min %0, %1.h1, %2, %3;");
  VIDEO("vset.s32.u32.lt.add %0, %1.b1, %2.b1, %3;");
  VIDEO("vmad.s32.s32.s32.sat.shr7 %0, %1.h0, -%2.h1, %3;");
  VIDEO("vmad.u32.u32.u32.po.shr15 %0, %1, %2.b2, %3;");
  VIDEO("vadd2.s32.s32.u32.sat %0.h1, %1.h32, %2.h03, %3;");
  VIDEO("vavrg4.u32.u32.u32.add %0, %1, %2, %3;");
  VIDEO("vmin4.s32.u32.s32 %0.b310, %1.b7654, %2.b0246, %3;");
  VIDEO("vset2.u32.s32.ge %0, %1, %2, %3;");
  VIDEO("vset4.u32.u32.ne.add %0.b32, %1, %2.b3210, %3;");
  out[t] = r;
}
