// SPDX-License-Identifier: BSL-1.0
extern "C" __global__ void inline_asm(int* out, unsigned long long* wide) {
  int i = threadIdx.x, r, q; unsigned lo, hi; unsigned long long t;
  asm volatile("{ .reg .pred p; .reg .b32 %%r3; setp.lt.s32 p, %1, 7; @p bra SKIP; mov.u32 %%r3, 5; { .reg .b32 %%r3; mov.u32 %%r3, %%laneid; add.s32 %0, %%r3, 1; } add.s32 %0, %0, %%r3; SKIP: }" : "=r"(r) : "r"(i));
  asm("lop3.b32 %0, %1, %2, 0xff, 0xE8;" : "=r"(q) : "r"(i), "r"(r));
  asm("mad.lo.cc.u32 %0, %2, %2, %3; madc.hi.u32 %1, %2, %2, 0;" : "=r"(lo), "=r"(hi) : "r"(i), "r"(q));
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)); 
  asm("vadd.u32.u32.u32 %0, %1.b0, %2.h1;" : "=r"(r) : "r"(i), "r"(q));
  asm("mov.b64 {%0, %1}, %2;" : "=r"(lo), "=r"(hi) : "l"(t));
  asm("mov.b64 %0, {%1, %2};" : "=l"(t) : "r"(hi), "r"(lo));
  asm volatile("{.reg .u64 a; cvta.to.global.u64 a, %0; st.global.v2.u32 [a+16], {%1, %2}; prefetch.global.L2 [a]; }" :: "l"(wide), "r"(lo), "r"(hi));
  asm volatile("pmevent 1;"); asm volatile("nanosleep.u32 20;");
  out[i] = r + q + clock() + (int)clock64() + __activemask(); wide[i] = t;
}
