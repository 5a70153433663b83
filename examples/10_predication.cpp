// SPDX-License-Identifier: BSL-1.0
//
// Predication: an instruction with a guard (`@%p add`) is issued for all lanes and has an effect where the guard holds.
// A short arm is cheaper so, since there is no branch and nothing to reconverge. A long arm can be dearer: if all lanes
// agree, a branch skips it, and guards do not.
#include "kernel_run.hpp"
#include "write_picture.hpp"
#include <simtflow/io/svg_timeline.hpp>

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

using namespace simtflow;

namespace {

// [kernel]
// if (x is odd) x = x * 3 + 1, as many times as `length` says; with a branch, or with a guard on each instruction.
std::string kernel(int length, bool guards) {
  std::string text = R"(
.version 6.0
.target sm_50
.address_size 64
.visible .entry odd_only(.param .u64 in, .param .u64 out)
{
  .reg .u32 %t, %x, %odd;
  .reg .u64 %at, %to, %offset;
  .reg .pred %p;
  mov.u32 %t, %tid.x;
  mul.wide.u32 %offset, %t, 4;
  ld.param.u64 %at, [in];
  ld.param.u64 %to, [out];
  add.u64 %at, %at, %offset;
  add.u64 %to, %to, %offset;
  ld.global.u32 %x, [%at];
  and.b32 %odd, %x, 1;
  setp.ne.u32 %p, %odd, 0;
)";
  if (!guards) text += "  @!%p bra DONE;\n";
  for (int i = 0; i < length; ++i) text += std::string(guards ? "  @%p" : "  ") + " mad.lo.u32 %x, %x, 3, 1;\n";
  return text + "DONE:\n  st.global.u32 [%to], %x;\n  ret;\n}\n";
}
// [/kernel]

}  // namespace

int main(int argc, char** argv) {
  // [run]
  const std::vector<std::uint32_t> mixed{1, 2, 3, 4, 5, 6, 7, 8}, even(8, 2);
  std::vector<std::string> operations;
  const auto of = [&](int length, bool guards, const std::vector<std::uint32_t>& in) {
    return run_kernel(parse_kernel(kernel(length, guards)), {.threads = 8, .warp_width = 8}, {in, even}, operations);
  };
  std::printf("            half of the lanes are odd           no lane is odd\n");
  std::printf("length   branch  guards  efficiency, on     branch  guards\n");
  for (const int length : {1, 2, 4, 8, 16}) {
    const kernel_run branch = of(length, false, mixed), guards = of(length, true, mixed);
    if (branch.arrays != guards.arrays) return 1;
    std::printf("%6d %8d %7d        %.2f, %.2f %10d %7d\n", length, int(branch.figures.warp_instructions),
                int(guards.figures.warp_instructions), guards.figures.simd_efficiency(),
                guards.figures.simd_efficiency_on(), int(of(length, false, even).figures.warp_instructions),
                int(of(length, true, even).figures.warp_instructions));
  }
  // [/run]
  svg_timeline picture({.title = "if (odd) x = x * 3 + 1;   four times", .axis = "instructions"});
  picture.add({.title = "a branch"}, of(4, false, mixed).instructions);
  picture.add({.title = "guards"}, of(4, true, mixed).instructions);
  picture.add({.title = "a branch, no lane is odd"}, of(4, false, even).instructions);
  picture.add({.title = "guards, no lane is odd"}, of(4, true, even).instructions);
  return write_picture(argc, argv, picture.text([&](block_id b) { return operations[b]; }));
}
