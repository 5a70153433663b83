// SPDX-License-Identifier: BSL-1.0
//
// Solutions of unit 8: a sum for all lanes, and a vote before the branch.
#include "../kernel_run.hpp"

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace {

constexpr const char* head = R"(
.version 6.0
.target sm_50
.address_size 64
.visible .entry lanes(.param .u64 in, .param .u64 out)
{
  .reg .u32 %t, %x, %y, %votes, %number;
  .reg .u64 %at, %to, %offset;
  .reg .pred %p;
  mov.u32 %t, %tid.x;
  mul.wide.u32 %offset, %t, 4;
  ld.param.u64 %at, [in];
  ld.param.u64 %to, [out];
  add.u64 %at, %at, %offset;
  add.u64 %to, %to, %offset;
  ld.global.u32 %x, [%at];
)";
// Lane i gets the word of lane i xor 4, then of i xor 2, then of i xor 1.
constexpr const char* butterfly = R"(
  shfl.sync.bfly.b32 %y, %x, 4, 0x181f, 0xff;
  add.u32 %x, %x, %y;
  shfl.sync.bfly.b32 %y, %x, 2, 0x181f, 0xff;
  add.u32 %x, %x, %y;
  shfl.sync.bfly.b32 %y, %x, 1, 0x181f, 0xff;
  add.u32 %x, %x, %y;
  st.global.u32 [%to], %x;
  ret;
}
)";
// All lanes vote; those with an odd word write.
constexpr const char* vote_first = R"(
  and.b32 %x, %x, 1;
  setp.ne.u32 %p, %x, 0;
  vote.sync.ballot.b32 %votes, %p, 0xff;
  popc.b32 %number, %votes;
  @%p st.global.u32 [%to], %number;
  ret;
}
)";

}  // namespace

int main() {
  const kernel_arrays arrays{{3, 1, 4, 1, 5, 9, 2, 6}, std::vector<std::uint32_t>(8)};
  std::vector<std::string> operations;
  for (const char* body : {butterfly, vote_first}) {
    const kernel_run r =
        run_kernel(parse_kernel(std::string(head) + body), {.threads = 8, .warp_width = 8}, arrays, operations);
    if (!r.problem.empty()) return 1;
    std::printf("%s:", body == butterfly ? "1: sums" : "2: votes");
    for (const std::uint32_t word : r.arrays[1]) std::printf(" %u", word);
    std::printf("; %d divergent branches\n", int(r.figures.divergent_branches));
  }
  return 0;
}
