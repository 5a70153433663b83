// SPDX-License-Identifier: BSL-1.0
//
// Solutions of unit 7: the kernel with selects in place of the inner branch, in warps of any width.
#include "../kernel_run.hpp"

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

int main() {
  constexpr const char* selects = R"(
.version 6.0
.target sm_50
.address_size 64
.visible .entry collatz(.param .u64 steps)
{
  .reg .pred %p<3>;
  .reg .u32 %r<7>;
  .reg .u64 %rd<4>;
  mov.u32 %r1, %tid.x;
  add.u32 %r2, %r1, 1;
  mov.u32 %r3, 0;
LOOP:
  setp.eq.u32 %p1, %r2, 1;
  @%p1 bra DONE;
  add.u32 %r3, %r3, 1;
  and.b32 %r4, %r2, 1;
  setp.eq.u32 %p2, %r4, 0;
  mad.lo.u32 %r5, %r2, 3, 1;
  shr.u32 %r6, %r2, 1;
  selp.b32 %r2, %r6, %r5, %p2;
  bra LOOP;
DONE:
  ld.param.u64 %rd1, [steps];
  mul.wide.u32 %rd2, %r1, 4;
  add.u64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r3;
  ret;
}
)";
  std::vector<std::string> operations;
  const auto module = parse_kernel(selects);
  for (const std::uint32_t width : {32U, 8U, 1U}) {
    const kernel_run r =
        run_kernel(module, {.threads = 32, .warp_width = width}, {std::vector<std::uint32_t>(32)}, operations);
    if (!r.problem.empty()) return 1;
    std::printf("%s: warps of %2u lanes, 27 takes %u steps; %d warp instructions, SIMD efficiency %.3f\n",
                width == 32 ? "1" : "2", width, r.arrays[0][26], int(r.figures.warp_instructions),
                r.figures.simd_efficiency());
  }
  return 0;
}
