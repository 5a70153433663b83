// SPDX-License-Identifier: BSL-1.0
//
// Kernels of the tests of the CUDA runtime.
#pragma once

/// scale(data, n): even elements times 3, odd ones plus 7. store_at(p): writes 4 bytes. few_threads(p): at most 64
/// threads. stops(p): a trap. hangs(p): never ends. reversed(data, n): reverses each thread block's elements in dynamic
/// shared memory. race(data): even threads write 1, odd ones 2. count_up(data): adds 1 there and to `counter` for each
/// thread. speak(p): prints hello.
inline constexpr const char* test_kernels = R"(.version 7.0
.target sm_75
.address_size 64
.visible .global .align 4 .u32 counter = 5;
.visible .const .align 4 .b8 table[16] = {1, 2, 3};
.visible .entry scale(.param .u64 data, .param .u32 n)
{
  .reg .pred %p<3>;
  .reg .u32 %r<8>;
  .reg .u64 %rd<4>;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.u32 %r1, %r1, %r2, %r3;
  ld.param.u32 %r2, [n];
  setp.ge.u32 %p1, %r1, %r2;
  @%p1 bra END;
  ld.param.u64 %rd1, [data];
  mul.wide.u32 %rd2, %r1, 4;
  add.u64 %rd1, %rd1, %rd2;
  ld.global.u32 %r4, [%rd1];
  and.b32 %r5, %r1, 1;
  setp.ne.u32 %p2, %r5, 0;
  @%p2 bra ODD;
  mul.lo.u32 %r4, %r4, 3;
  bra STORE;
ODD:
  add.u32 %r4, %r4, 7;
STORE:
  st.global.u32 [%rd1], %r4;
END:
  ret;
}
.visible .entry store_at(.param .u64 p)
{
  .reg .u64 %rd<2>;
  ld.param.u64 %rd1, [p];
  st.global.u32 [%rd1], 1;
  ret;
}
.visible .entry few_threads(.param .u64 p) .maxntid 64, 1, 1
{
  ret;
}
.visible .entry stops(.param .u64 p)
{
  trap;
  ret;
}
.visible .entry hangs(.param .u64 p)
{
  .reg .u32 %r<2>;
  mov.u32 %r1, 0;
AGAIN:
  add.u32 %r1, %r1, 1;
  bra AGAIN;
}
.extern .shared .align 4 .b8 pool[];
.visible .entry reversed(.param .u64 data, .param .u32 n)
{
  .reg .u32 %r<8>;
  .reg .u64 %rd<4>;
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %ctaid.x;
  mad.lo.u32 %r4, %r3, %r2, %r1;
  ld.param.u64 %rd1, [data];
  mul.wide.u32 %rd2, %r4, 4;
  add.u64 %rd1, %rd1, %rd2;
  ld.global.u32 %r5, [%rd1];
  mov.u32 %r6, pool;
  mad.lo.u32 %r7, %r1, 4, %r6;
  st.shared.u32 [%r7], %r5;
  bar.sync 0;
  sub.u32 %r1, %r2, %r1;
  mad.lo.u32 %r7, %r1, 4, %r6;
  ld.shared.u32 %r5, [%r7+-4];
  st.global.u32 [%rd1], %r5;
  ret;
}
.visible .entry race(.param .u64 data)
{
  .reg .pred %p<2>;
  .reg .u32 %r<3>;
  .reg .u64 %rd<2>;
  ld.param.u64 %rd1, [data];
  mov.u32 %r1, %tid.x;
  and.b32 %r2, %r1, 1;
  setp.ne.u32 %p1, %r2, 0;
  @%p1 bra ODD;
  st.global.u32 [%rd1], 1;
  bra END;
ODD:
  st.global.u32 [%rd1], 2;
END:
  ret;
}
.visible .entry count_up(.param .u64 data)
{
  .reg .u64 %rd<2>;
  ld.param.u64 %rd1, [data];
  red.global.add.u32 [%rd1], 1;
  red.global.add.u32 [counter], 1;
  ret;
}
.extern .func (.param .b32 r) vprintf(.param .b64 format, .param .b64 values);
.global .align 1 .b8 words[8] = {104, 101, 108, 108, 111, 10, 0, 0};
.visible .entry speak(.param .u64 p)
{
  .reg .u64 %rd<3>;
  .reg .u32 %r<2>;
  mov.u64 %rd1, words;
  cvta.global.u64 %rd1, %rd1;
  mov.u64 %rd2, 0;
  {
    .param .b64 p0;
    st.param.b64 [p0], %rd1;
    .param .b64 p1;
    st.param.b64 [p1], %rd2;
    .param .b32 r0;
    call.uni (r0), vprintf, (p0, p1);
    ld.param.b32 %r1, [r0];
  }
  ret;
}
)";
