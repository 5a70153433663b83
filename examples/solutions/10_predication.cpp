// SPDX-License-Identifier: BSL-1.0
//
// Solutions of unit 10: both arms of an if-else, with branches, with guards and with a select.
#include "../kernel_run.hpp"

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace {

// x = odd ? x * 3 + 1 : x / 2
std::string kernel(const char* body) {
  return std::string(R"(
.version 6.0
.target sm_50
.address_size 64
.visible .entry step(.param .u64 in, .param .u64 out)
{
  .reg .u32 %t, %x, %odd, %three, %half;
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
)") + body +
         "DONE:\n  st.global.u32 [%to], %x;\n  ret;\n}\n";
}
constexpr const char* branches =
    "  @!%p bra EVEN;\n  mad.lo.u32 %x, %x, 3, 1;\n  bra DONE;\nEVEN:\n  shr.u32 %x, %x, 1;\n";
constexpr const char* guards = "  @%p mad.lo.u32 %x, %x, 3, 1;\n  @!%p shr.u32 %x, %x, 1;\n";
constexpr const char* select =
    "  mad.lo.u32 %three, %x, 3, 1;\n  shr.u32 %half, %x, 1;\n  selp.b32 %x, %three, %half, %p;\n";

}  // namespace

int main() {
  const kernel_arrays mixed{{1, 2, 3, 4, 5, 6, 7, 8}, std::vector<std::uint32_t>(8)};
  const kernel_arrays even{std::vector<std::uint32_t>(8, 2), std::vector<std::uint32_t>(8)};
  std::vector<std::string> operations;
  kernel_arrays expected;
  for (const char* body : {branches, guards, select}) {
    const auto module = parse_kernel(kernel(body));
    const kernel_run a = run_kernel(module, {.threads = 8, .warp_width = 8}, mixed, operations);
    const kernel_run b = run_kernel(module, {.threads = 8, .warp_width = 8}, even, operations);
    if (!a.problem.empty() || !b.problem.empty()) return 1;
    if (body == branches) expected = a.arrays;
    if (a.arrays != expected) return 1;
    std::printf(
        "%-12s %d warp instructions if half of the lanes are odd, %d if none is; SIMD efficiency %.2f, on %.2f\n",
        body == branches ? "branches"
        : body == guards ? "1: guards"
                         : "2: a select",
        int(a.figures.warp_instructions), int(b.figures.warp_instructions), a.figures.simd_efficiency(),
        a.figures.simd_efficiency_on());
  }
  return 0;
}
