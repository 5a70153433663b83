// SPDX-License-Identifier: BSL-1.0
//
// Solutions of unit 16: arms that are alike but for a constant, and arms that have nothing in common.
#include "../kernel_run.hpp"
#include <simtflow/ptx/text/verifier.hpp>
#include <simtflow/ptx/transform/meld.hpp>

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

using namespace simtflow;

int main() {
  const auto kernel = [](const char* then, const char* otherwise) {
    return parse_kernel(std::string(R"(
.version 6.0
.target sm_50
.address_size 64
.visible .entry arms(.param .u64 in, .param .u64 out)
{
  .reg .pred %p;
  .reg .u32 %t, %odd, %x;
  .reg .u64 %offset, %at, %to;
  mov.u32 %t, %tid.x;
  mul.wide.u32 %offset, %t, 4;
  ld.param.u64 %at, [in];
  ld.param.u64 %to, [out];
  add.u64 %at, %at, %offset;
  add.u64 %to, %to, %offset;
  and.b32 %odd, %t, 1;
  setp.eq.u32 %p, %odd, 0;
  mov.u32 %x, 7;
  @%p bra EVEN;
)") + then + "  bra DONE;\nEVEN:\n" +
                        otherwise + "DONE:\n  st.global.u32 [%to], %x;\n  ret;\n}\n");
  };
  const kernel_arrays arrays{{1, 2, 3, 4, 5, 6, 7, 8}, std::vector<std::uint32_t>(8)};
  std::vector<std::string> operations;
  const auto print = [&](const char* what, const ptx::module& original) {
    ptx::module module = original;
    const result<ptx::checked_function> code = ptx::verify(module, module.kernels.front());
    if (!code) return;
    const result<ptx::melding> melded = ptx::meld(*code);
    if (!melded) return;
    module.kernels.front() = melded->code;
    const launch shape{.threads = 8, .warp_width = 8};
    const kernel_run before = run_kernel(original, shape, arrays, operations);
    const kernel_run after = run_kernel(module, shape, arrays, operations);
    if (before.arrays != after.arrays) return;
    std::printf("%s: %zu branches melded, %d warp instructions before, %d after\n", what, melded->report.melded.size(),
                int(before.figures.warp_instructions), int(after.figures.warp_instructions));
  };
  print("1: loads and a constant", kernel("  ld.global.u32 %x, [%at];\n  mul.lo.u32 %x, %x, 3;\n",
                                          "  ld.global.u32 %x, [%at];\n  mul.lo.u32 %x, %x, 5;\n"));
  print("2: one instruction each, of two kinds", kernel("  add.u32 %x, %x, 3;\n", "  xor.b32 %x, %x, 5;\n"));
  return 0;
}
