// SPDX-License-Identifier: BSL-1.0
//
// Control-flow melding: both arms of a divergent branch load, multiply, add and store, each with its own operands.
// Lanes of both arms can do that together; selects choose the operands, and what only one arm has stands under a guard:
// in the picture, lanes for which the guard is false are striped. The melded kernel is PTX again.
#include "write_picture.hpp"
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/io/svg_timeline.hpp>
#include <simtflow/ptx/decode/decode.hpp>
#include <simtflow/ptx/machine/interpreter.hpp>
#include <simtflow/ptx/text/parser.hpp>
#include <simtflow/ptx/text/printer.hpp>
#include <simtflow/ptx/text/verifier.hpp>
#include <simtflow/ptx/transform/meld.hpp>
#include <simtflow/simt/executor.hpp>
#include <simtflow/simt/observers/event_trace.hpp>
#include <simtflow/simt/policies/ipdom_stack.hpp>

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>
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

// The run of eight lanes, instruction by instruction. `names` gets each operation's name once.
event_trace run_instructions(const ptx::module& module, std::vector<std::string>& names) {
  const result<ptx::decoded_kernel> decoded = ptx::decode(module, module.kernels.front());
  const ptx::decoded_kernel& kernel = *decoded;
  ptx::device_memory memory;
  ptx::arguments arguments(kernel);
  for (unsigned i = 0; i < 3; ++i) arguments.set(i, memory.allocate(8 * sizeof(std::uint32_t), "array"));
  const ptx::launch_config launch{.block = {8, 1, 1}};
  ptx::interpreter<> program(kernel, launch, memory, arguments);
  event_trace trace;
  event::issued<lane_mask> block{};
  std::vector<event::predicated_off<lane_mask>> off;  // of the block
  const auto record = [&] {                           // the block, each of its instructions on its own
    const std::uint32_t weight = std::exchange(block.weight, 1);
    const std::uint32_t first = kernel.blocks[block.block].last_instruction + 1 - weight;
    for (std::uint32_t i = 0; i < weight; ++i) {
      const std::string& code = kernel.opcodes[first + i];
      const std::string name = code.substr(0, code.find('.'));
      auto one = block;
      one.block = block_id(std::find(names.begin(), names.end(), name) - names.begin());
      if (one.block == names.size()) names.push_back(name);
      trace(one);
      for (auto e : off)
        if (std::exchange(e.instruction, 0) == i) trace(e);
    }
    off.clear();
  };
  overloaded each_instruction{[&](const event::issued<lane_mask>& e) {
                                record();
                                block = e;
                              },
                              [&](const event::predicated_off<lane_mask>& e) { off.push_back(e); },
                              [&](const event::ended&) { record(); }};
  const auto pdom = post_dominators(kernel.cfg());
  run(policies::ipdom_stack(pdom.ipdoms()), program, {.threads = 8}, each_instruction);
  return trace;
}

int main(int argc, char** argv) {
  // [meld]
  const auto parsed = ptx::parse(text);
  if (!parsed.has_value()) return 1;
  ptx::module module = *parsed;
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
  std::vector<std::string> names;
  svg_timeline picture({.title = "the arms of a branch", .axis = "instructions"});
  picture.add({.title = "one after the other"}, run_instructions(*parsed, names));
  picture.add({.title = "melded"}, run_instructions(module, names));
  return write_picture(argc, argv, picture.text([&](block_id b) { return names[b]; }));
}
