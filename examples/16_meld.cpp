// SPDX-License-Identifier: BSL-1.0
//
// Control-flow melding: both arms of a divergent branch load, multiply, add and store, each with its own operands.
// Lanes of both arms can do that together; selects choose the operands, and what only one arm has stands under a guard:
// in the picture, lanes for which the guard is false are striped. The melded kernel is PTX again.
#include "kernel_run.hpp"
#include "write_picture.hpp"
#include <simtflow/io/svg_timeline.hpp>
#include <simtflow/ptx/text/printer.hpp>
#include <simtflow/ptx/text/verifier.hpp>
#include <simtflow/ptx/transform/meld.hpp>

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

using namespace simtflow;

// [kernel]
constexpr const char* text = R"(
.version 6.0
.target sm_50
.address_size 64
.visible .entry arms(.param .u64 a, .param .u64 b, .param .u64 out)
{
  .reg .pred %p;
  .reg .u32 %r<6>;
  .reg .u64 %x, %left, %right, %at;
  mov.u32 %r0, %tid.x;
  mul.wide.u32 %x, %r0, 4;
  ld.param.u64 %left, [a];
  ld.param.u64 %right, [b];
  ld.param.u64 %at, [out];
  add.u64 %left, %left, %x;
  add.u64 %right, %right, %x;
  add.u64 %at, %at, %x;
  and.b32 %r1, %r0, 1;
  setp.eq.u32 %p, %r1, 0;
  @%p bra EVEN;
  ld.global.u32 %r2, [%left];
  mad.lo.u32 %r3, %r2, 3, %r0;
  st.global.u32 [%at], %r3;
  bra DONE;
EVEN:
  ld.global.u32 %r4, [%right];
  xor.b32 %r4, %r4, 255;
  mad.lo.u32 %r5, %r4, 5, %r0;
  st.global.u32 [%at], %r5;
DONE:
  ret;
}
)";
// [/kernel]

int main(int argc, char** argv) {
  // [meld]
  const ptx::module original = parse_kernel(text);
  ptx::module module = original;
  const result<ptx::checked_function> code = ptx::verify(module, module.kernels.front());
  if (!code) return 1;
  const result<ptx::melding> melded = ptx::meld(*code);
  if (!melded) return 1;
  for (const ptx::melded_branch& b : melded->report.melded)
    std::printf("line %u: %u + %u instructions in the arms, %u pairs melded; weight %d to %d\n", b.where.line,
                b.pieces.front().left_instructions, b.pieces.front().right_instructions, b.figures.melded,
                int(b.figures.weight_before), int(b.figures.weight_after));
  module.kernels.front() = melded->code;
  std::fputs(ptx::print(module).c_str(), stdout);
  // [/meld]
  const kernel_arrays arrays{{1, 2, 3, 4, 5, 6, 7, 8}, {8, 7, 6, 5, 4, 3, 2, 1}, std::vector<std::uint32_t>(8)};
  const launch shape{.threads = 8, .warp_width = 8};
  std::vector<std::string> names;
  const kernel_run before = run_kernel(original, shape, arrays, names),
                   after = run_kernel(module, shape, arrays, names);
  if (!before.problem.empty() || before.arrays != after.arrays) return 1;
  svg_timeline picture({.title = "the arms of a branch", .axis = "instructions"});
  picture.add({.title = "one after the other"}, before.instructions);
  picture.add({.title = "melded"}, after.instructions);
  return write_picture(argc, argv, picture.text([&](block_id b) { return names[b]; }));
}
