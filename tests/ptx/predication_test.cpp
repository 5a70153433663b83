// SPDX-License-Identifier: BSL-1.0
//
// Instructions with a false guard: lanes execute them, and they are counted separately.
#include "ptx/run_support.hpp"
#include <simtflow/testing/generate.hpp>

#include <cstdint>
#include <string>
#include <vector>

using namespace simtflow;
using namespace simtflow_tests;

namespace {

// A kernel of exactly these instructions (and the declarations of their registers).
ptx::decoded_kernel bare(std::string_view body) {
  return decoded(std::string(header) +
                 "\n.extern .shared .b8 space[];\n.visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
                 ".reg .pred %p<8>; .reg .b32 %r<8>; .reg .b64 %rd<8>;\n" +
                 std::string(body) + "\n}\n");
}

}  // namespace

TEST_CASE("predication: half of the code off in all lanes but one does not read as full use") {
  const ptx::decoded_kernel k = bare(R"(
    mov.u32 %r0, %tid.x;
    setp.eq.u32 %p0, %r0, 5;
    @%p0 add.u32 %r1, %r0, 1;
    @%p0 mul.lo.u32 %r1, %r1, 3;
    @%p0 xor.b32 %r1, %r1, 7;
    add.u32 %r2, %r0, 2;
    @%p0 add.u32 %r1, %r1, %r2;
    @%p0 shl.b32 %r1, %r1, 1;
    @%p0 sub.u32 %r1, %r1, %r2;
    xor.b32 %r3, %r1, %r2;
    add.u32 %r3, %r3, 1;
    ret;)");
  for (const way w : {way::pdom, way::frontier, way::compaction}) {
    CAPTURE(name_of(w));
    const counts c = run_under(w, k, block_of(32), {}).count;
    CHECK(c.warp_instructions == 12);
    CHECK(c.thread_instructions == 12 * 32);
    CHECK(c.predicated_off == 6 * 31);
    CHECK(c.thread_instructions_on() == 6 * 32 + 6);
    CHECK(c.simd_efficiency() == 1.0);  // as in the papers: of the lanes issued
    CHECK(c.simd_efficiency_on() == doctest::Approx(198.0 / 384));
  }
  const counts alone = run_under(way::serial, k, block_of(32), {}).count;
  CHECK(alone.warp_instructions == 12 * 32);
  CHECK(alone.thread_instructions_on() == 6 * 32 + 6);
  CHECK(alone.simd_efficiency_on() == doctest::Approx(198.0 / (384 * 32)));
}

TEST_CASE("predication: which guards switch lanes off") {
  // Lanes 0 .. 7 of 8, %p1 holds for lanes 0 .. 2; `off` is how many thread instructions are off.
  const auto off = [](std::string_view body) {
    const ptx::decoded_kernel k =
        bare("mov.u32 %r0, %tid.x; setp.lt.u32 %p1, %r0, 3; ld.param.u64 %rd1, [out];\n" + std::string(body));
    std::uint64_t n = 0;
    for (const way w : all_ways) {
      const machine_result r = run_under(w, k, block_of(8), {.out_words = 8});
      REQUIRE(r.how == outcome::finished);
      if (w == way::pdom) n = r.count.predicated_off;
      CHECK_MESSAGE(r.count.predicated_off == n, name_of(w));
    }
    return n;
  };
  // Instructions with an effect of their own: five lanes are off.
  CHECK(off("@%p1 mov.u32 %r1, 1; ret;") == 5);
  CHECK(off("@!%p1 mov.u32 %r1, 1; ret;") == 3);
  CHECK(off("@%p1 ld.global.u32 %r1, [%rd1]; ret;") == 5);
  CHECK(off("@%p1 st.global.u32 [%rd1], %r0; ret;") == 5);
  CHECK(off("@%p1 red.global.add.u32 [%rd1], %r0; ret;") == 5);
  CHECK(off("@%p1 atom.global.cas.b32 %r1, [%rd1], %r0, 1; ret;") == 5);
  CHECK(off("@%p1 activemask.b32 %r1; ret;") == 5);
  CHECK(off("@%p1 membar.gl; ret;") == 5);                // one that does nothing here
  CHECK(off("@%p1 setp.eq.u32 %p1, %r0, 1; ret;") == 5);  // one that changes its guard
  CHECK(off("@%p1 setp.eq.u32 %p2|%p1, %r0, 1; ret;") == 5);
  CHECK(off("@%p1 mov.b64 {%r1, %r2}, %rd1; ret;") == 5);
  CHECK(off("@%p1 cvta.shared.u64 %rd2, space; ret;") == 5);  // several operations
  CHECK(off("@%p1 vadd.u32.u32.u32.add %r1, %r0, %r0, %r0; ret;") == 5);
  // All, none, and a guard that holds nowhere.
  CHECK(off("mov.u32 %r1, 1; ret;") == 0);
  CHECK(off("setp.lt.u32 %p2, %r0, 99; @%p2 mov.u32 %r1, 1; ret;") == 0);
  CHECK(off("@%p3 mov.u32 %r1, 1; @%p3 mov.u32 %r2, 1; ret;") == 16);
  // A select writes in all lanes.
  CHECK(off("selp.u32 %r1, 1, 2, %p1; ret;") == 0);
  // Instructions that choose where a lane goes.
  CHECK(off("@%p1 bra L; add.u32 %r1, %r0, 1; L: ret;") == 0);
  CHECK(off("@%p1 ret; add.u32 %r1, %r0, 1; ret;") == 0);
  CHECK(off("@%p1 exit; add.u32 %r1, %r0, 1; ret;") == 0);
  CHECK(off("@%p3 trap; ret;") == 0);
  CHECK(off("@%p1 mov.u32 %r1, 1; @%p1 bra L; @%p1 mov.u32 %r1, 2; L: @%p1 mov.u32 %r1, 3; ret;") == 5 + 5 + 5);
  // A barrier under a guard is executed by those that wait; what stands before it counts as ever.
  CHECK(off("setp.ne.u32 %p2, %r0, 99; @%p1 mov.u32 %r1, 1; @%p2 bar.sync 0; @%p1 mov.u32 %r1, 2; ret;") == 10);
}

TEST_CASE("predication: calls under a guard switch no lane off") {
  const ptx::decoded_kernel k = decoded(std::string(header) + R"(
.func (.param .b32 r) twice(.param .b32 a)
{ .reg .b32 %r<4>; .reg .pred %p;
  ld.param.u32 %r1, [a]; setp.gt.u32 %p, %r1, 1; add.u32 %r2, %r1, %r1; @%p add.u32 %r2, %r2, 0;
  st.param.b32 [r], %r2; ret; }
.visible .entry k(.param .u64 in, .param .u64 out)
{ .reg .pred %p; .reg .b32 %r<4>; .param .b32 x; .param .b32 y;
  mov.u32 %r1, %tid.x; setp.lt.u32 %p, %r1, 3; st.param.b32 [x], %r1;
  @%p call (y), twice, (x);
  @%p ld.param.b32 %r2, [y];
  ret; })");
  for (const way w : all_ways) {
    const machine_result r = run_under(w, k, block_of(8), {});
    REQUIRE(r.how == outcome::finished);
    CAPTURE(name_of(w));
    CHECK(r.count.predicated_off == 5 + 2);  // the load in lanes 3 .. 7, the add in the calls of lanes 0 and 1
    CHECK(r.off == std::vector<std::uint64_t>{1, 1, 0, 1, 1, 1, 1, 1});
  }
}

TEST_CASE("predication: the event names the instruction and its block") {
  const ptx::decoded_kernel k = bare(R"(
    mov.u32 %r0, %tid.x; setp.lt.u32 %p1, %r0, 33; setp.lt.u32 %p2, %r0, 2; @%p1 bra LEFT;
    add.u32 %r1, %r0, 1; @%p2 add.u32 %r1, %r1, 1; bra DONE;
    LEFT: @%p2 add.u32 %r1, %r0, 2; add.u32 %r1, %r1, 3; @!%p1 add.u32 %r2, %r0, 3; @!%p2 add.u32 %r2, %r0, 4;
    DONE: ret;)");
  ptx::launch_config l = block_of(40, 40);  // a warp of two chunks
  ptx::device_memory memory;
  ptx::arguments args(k);
  args.set(0, memory.allocate(4, "in"));
  args.set(1, memory.allocate(4, "out"));
  using mask = lane_mask;
  ptx::interpreter<mask> program(k, l, memory, args);
  program.begin({.threads = 40, .warp_width = 40});
  basic_partition<mask> out;
  const auto lanes = [](std::uint32_t from, std::uint32_t to) {
    return mask::first_lanes(to) - mask::first_lanes(from);
  };
  const auto run_block = [&](block_id b, mask who) {
    out.clear();
    program.run(b, {0, 0, who}, out);
    return program.predicated_off();
  };
  CHECK(run_block(0, lanes(0, 40)).empty());
  const auto right = run_block(1, lanes(33, 40));
  REQUIRE(right.size() == 1);
  CHECK(right[0].instruction == 1);
  CHECK(right[0].lanes == lanes(33, 40));
  const auto left = run_block(2, lanes(0, 33));
  REQUIRE(left.size() == 3);
  CHECK(left[0].instruction == 0);
  CHECK(left[0].lanes == lanes(2, 33));
  CHECK(left[1].instruction == 2);
  CHECK(left[1].lanes == lanes(0, 33));
  CHECK(left[2].instruction == 3);
  CHECK(left[2].lanes == lanes(0, 2));
  CHECK(run_block(3, lanes(0, 40)).empty());
}

// The oracle: before every guarded instruction the kernel itself counts, in a register and without a guard, whether the
// guard is false. This count is compared with the events of the kernel without the counting.
TEST_CASE("predication: random kernels count their false guards themselves") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    const auto text = [seed](bool counting) {
      testing::rng random(seed);
      const auto number = [&random](std::uint32_t n) { return std::to_string(random.below(n)); };
      std::string s =
          "mov.u32 %r1, %t; mov.u32 %r20, 0; add.u32 %r2, %t, " + number(7) + "; and.b32 %r3, %t, " + number(8) + ";\n";
      const auto straight = [&](std::uint32_t n) {
        for (std::uint32_t i = 0; i < n; ++i) {
          const std::string to = "%r" + std::to_string(1 + random.below(2)), p = "%p" + number(4);
          if (random.below(2) == 0) {
            const bool negated = random.below(2) == 0;
            if (counting)
              s += "selp.u32 %r21, " + std::string(negated ? "1, 0, " : "0, 1, ") + p + "; add.u32 %r20, %r20, %r21;\n";
            s += negated ? "@!" + p + " " : "@" + p + " ";
          }
          switch (random.below(7)) {
            case 0:
              s += "setp.lt.u32 %p" + number(4) + ", %r" + std::to_string(1 + random.below(2)) + ", " + number(40);
              break;
            case 1:
              s += "setp.gt.u32 %p" + number(2) + "|%p" + std::to_string(2 + random.below(2)) + ", %r2, " + number(40);
              break;
            case 2:
              s += "ld.global.u32 " + to + ", [%in]";
              break;
            case 3:
              s += "fence.acq_rel.gpu";
              break;
            case 4:
              s += "shf.l.wrap.b32 " + to + ", %r1, %r2, " + number(32);
              break;
            default:
              s += "mad.lo.u32 " + to + ", %r1, " + number(9) + ", %r2; and.b32 %r1, %r1, 63; and.b32 %r2, %r2, 63";
              break;
          }
          s += ";\n";
        }
      };
      straight(4);
      s += "LOOP:\n";
      straight(5);
      s += "@%p0 bra ELSE;\n";
      straight(4);
      s += "bra JOIN;\nELSE:\n";
      straight(3);
      s += "JOIN:\n";
      straight(3);
      s += "sub.u32 %r3, %r3, 1; setp.gt.s32 %p8, %r3, 0; @%p8 bra LOOP;\n";
      straight(3);
      s += "st.global.u32 [%out], %r20;";
      return with_thread_number(s);
    };
    testing::rng random(seed + 1000);
    const auto threads = static_cast<std::uint32_t>(1 + random.below(70));
    const auto width = static_cast<std::uint32_t>(seed % 3 == 0 ? 32 : 1 + random.below(64));
    machine_setup setup{.in = std::vector<std::uint32_t>(threads, 3), .out_words = threads};
    const ptx::decoded_kernel counting = decoded(text(true)), plain = decoded(text(false));
    const std::vector<std::uint32_t> counted = run_under(way::serial, counting, block_of(threads, width), setup).out;
    std::uint64_t sum = 0;
    for (const std::uint32_t n : counted) sum += n;
    for (const way w : all_ways) {
      const machine_result r = run_under(w, plain, block_of(threads, width), setup);
      REQUIRE(r.how == outcome::finished);
      CAPTURE(name_of(w));
      REQUIRE(r.count.predicated_off == sum);
      for (std::uint32_t t = 0; t < threads; ++t) REQUIRE(r.off[t] == counted[t]);
    }
  }
}
