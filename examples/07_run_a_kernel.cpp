// SPDX-License-Identifier: BSL-1.0
//
// A PTX kernel from text to counts: parse, decode, launch, run each thread block under a policy, read the memory back.
// Each thread counts the steps its number takes to reach 1 (halve even numbers, 3n + 1 for odd ones).
#include "beside_schedule.hpp"
#include "write_picture.hpp"
#include <simtflow/simt/observers/event_trace.hpp>

#include <string>
#include <vector>

// [kernel]
#include <simtflow/analysis/priorities.hpp>
#include <simtflow/ptx/decode/decode.hpp>
#include <simtflow/ptx/machine/interpreter.hpp>
#include <simtflow/ptx/text/parser.hpp>
#include <simtflow/simt/executor.hpp>
#include <simtflow/simt/observers/counts.hpp>
#include <simtflow/simt/policies/thread_frontier.hpp>

#include <cstdint>
#include <cstdio>
#include <span>

constexpr const char* text = R"(
.version 6.0
.target sm_50
.address_size 64
.visible .entry collatz(.param .u64 steps)
{
  .reg .pred %p<3>;
  .reg .u32 %r<5>;
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
  @%p2 bra EVEN;
  mad.lo.u32 %r2, %r2, 3, 1;
  bra LOOP;
EVEN:
  shr.u32 %r2, %r2, 1;
  bra LOOP;
DONE:
  ld.param.u64 %rd1, [steps];
  mul.wide.u32 %rd2, %r1, 4;
  add.u64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r3;
  ret;
}
)";

int main(int argc, char** argv) {
  using namespace simtflow;
  const auto parsed = ptx::parse(text);
  for (const diagnostic& d : parsed.diagnostics())
    std::printf("%u:%u: %s\n", d.where.line, d.where.column, d.message.c_str());
  if (!parsed.diagnostics().empty()) return 1;
  const result<ptx::decoded_kernel> decoded = ptx::decode(*parsed, parsed->kernels.front());
  if (!decoded) return 1;
  const ptx::decoded_kernel& kernel = *decoded;

  ptx::device_memory memory;
  const std::uint64_t steps = memory.allocate(32 * sizeof(std::uint32_t), "steps");
  ptx::arguments arguments(kernel);
  arguments.set(0, steps);
  const ptx::launch_config launch{.block = {32, 1, 1}};
  if (!ptx::check_launch(kernel, launch, arguments).empty()) return 1;

  ptx::interpreter<> program(kernel, launch, memory, arguments);
  const auto order = loop_contiguous_order(kernel.cfg());
  executor machine{policies::thread_frontier(order.ranks())};
  counts c;
  if (!machine.run(program, {.threads = 32}, c).finished()) return 1;

  std::uint32_t result[32] = {};
  memory.read(steps, std::span<std::uint32_t>(result));
  std::printf("27 takes %u steps; %u warp instructions, SIMD efficiency %.3f\n", result[26],
              static_cast<unsigned>(c.warp_instructions), c.simd_efficiency());
  // [/kernel]
  event_trace events;  // of the first eight threads once more
  if (!machine.run(program, {.threads = 8}, events).finished()) return 1;
  svg_timeline picture({.title = "steps to reach 1 from 1, 2, ... 8", .axis = "instructions", .width = 660});
  picture.add({.title = "thread frontiers"}, events);
  std::vector<std::string> names;
  for (block_id b = 0; b < kernel.cfg().num_blocks(); ++b) names.push_back(kernel.block_name(b));
  return write_picture(argc, argv, beside_schedule(kernel.cfg(), names, picture));
  // [kernel]
}
// [/kernel]
