// SPDX-License-Identifier: BSL-1.0
//
// Lanes of a warp can talk to each other without memory: a shuffle hands over registers, a vote tells how many lanes
// find something true. Both need lanes that execute them together, so the instruction names its lanes in a mask. Under
// a branch the mask must name the lanes of that arm and no others.
#include "kernel_run.hpp"
#include "svg_shapes.hpp"
#include "write_picture.hpp"

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

using namespace simtflow;

namespace {

// [kernel]
// Adds up one word of each of eight lanes in three rounds. After each round, each lane writes its partial sum.
const std::string sum = R"(
.version 6.0
.target sm_50
.address_size 64
.visible .entry sum(.param .u64 in, .param .u64 out)
{
  .reg .u32 %t, %x, %y, %vote, %step;
  .reg .u64 %at, %to, %offset;
  .reg .pred %p;
  mov.u32 %t, %tid.x;
  mul.wide.u32 %offset, %t, 4;
  ld.param.u64 %at, [in];
  ld.param.u64 %to, [out];
  add.u64 %at, %at, %offset;
  add.u64 %to, %to, %offset;
  ld.global.u32 %x, [%at];
  mov.u32 %step, 4;
ROUND:
  shfl.sync.down.b32 %y, %x, %step, 0x181f, 0xff;  // within eight lanes
  add.u32 %x, %x, %y;
  st.global.u32 [%to], %x;
  add.u64 %to, %to, 32;
  shr.u32 %step, %step, 1;
  setp.ne.u32 %p, %step, 0;
  @%p bra ROUND;
  ret;
}
)";
// A vote of the lanes with an odd word, in the arm that only they take. MASK stands for the lanes that it names.
const std::string vote = R"(
.version 6.0
.target sm_50
.address_size 64
.visible .entry count_odd(.param .u64 in, .param .u64 out)
{
  .reg .u32 %t, %x, %votes, %number;
  .reg .u64 %at, %to, %offset;
  .reg .pred %p;
  mov.u32 %t, %tid.x;
  mul.wide.u32 %offset, %t, 4;
  ld.param.u64 %at, [in];
  ld.param.u64 %to, [out];
  add.u64 %at, %at, %offset;
  add.u64 %to, %to, %offset;
  ld.global.u32 %x, [%at];
  and.b32 %x, %x, 1;
  setp.eq.u32 %p, %x, 0;
  @%p bra DONE;
  vote.sync.ballot.b32 %votes, 1, MASK;
  popc.b32 %number, %votes;
  st.global.u32 [%to], %number;
DONE:
  ret;
}
)";
// [/kernel]

std::string with_mask(std::string text, const char* mask) { return text.replace(text.find("MASK"), 4, mask); }

}  // namespace

int main(int argc, char** argv) {
  // [run]
  const std::vector<std::uint32_t> words{3, 1, 4, 1, 5, 9, 2, 6};
  const launch shape{.threads = 8, .warp_width = 8};
  std::vector<std::string> operations;
  const kernel_run added = run_kernel(parse_kernel(sum), shape, {words, std::vector<std::uint32_t>(24)}, operations);
  if (!added.problem.empty()) return 1;
  const std::vector<std::uint32_t>& rounds = added.arrays[1];
  for (std::size_t i = 0; i < rounds.size(); ++i) std::printf("%3u%s", rounds[i], i % 8 == 7 ? "\n" : "");
  std::printf("lane 0 has the sum after 3 shuffles and %d accesses to shared memory\n",
              int(added.memory.shared_accesses));

  for (const char* mask : {"0x3b", "0xff"}) {
    const kernel_run voted =
        run_kernel(parse_kernel(with_mask(vote, mask)), shape, {words, std::vector<std::uint32_t>(8)}, operations);
    if (voted.problem.empty())
      std::printf("mask %s: lane 0 counts %u odd words\n", mask, voted.arrays[1][0]);
    else
      std::printf("mask %s: %s\n", mask, voted.problem.c_str());
  }
  // [/run]
  // The picture: a row for each round, and lines from the lanes that add up to the sum in lane 0.
  std::string svg =
      svg_begin(560, 250) +
      svg_text(20, 20, "Eight lanes add up in three shuffles; coloured: what the sum in lane 0 is made of");
  const char* const titles[] = {"in", "by 4 lanes", "by 2 lanes", "by 1 lane"};
  for (int lane = 0; lane < 8; ++lane) svg += svg_text(114 + 54 * lane, 44, "lane " + std::to_string(lane));
  for (int round = 0; round < 4; ++round) {
    const int y = 54 + 50 * round, part = 8 >> round;  // lanes that matter
    svg += svg_text(20, y + 17, titles[round]);
    for (int lane = 0; lane < 8; ++lane) {
      if (round < 3 && lane < part / 2) svg += svg_line(131 + 54 * (lane + part / 2), y + 26, 131 + 54 * lane, y + 50);
      svg += svg_box(110 + 54 * lane, y, 42, 26, lane < part ? "#88ccee" : "#eeeeee");
      svg += svg_text(124 + 54 * lane, y + 18,
                      std::to_string(round == 0 ? words[unsigned(lane)] : rounds[unsigned(8 * (round - 1) + lane)]));
    }
  }
  return write_picture(argc, argv, svg + svg_end);
}
