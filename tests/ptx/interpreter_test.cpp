// SPDX-License-Identifier: BSL-1.0
#include "ptx/run_support.hpp"
#include <simtflow/simt/policies/thread_frontier.hpp>

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace simtflow;
using namespace simtflow_tests;

namespace {

machine_result run(const ptx::decoded_kernel& k, const ptx::launch_config& l, words in, std::size_t out_words,
                   way how = way::frontier) {
  const auto threads = static_cast<std::uint32_t>(l.num_blocks() * l.num_threads());
  return run_under(how, k, l, {std::move(in), out_words, threads});
}

/// Each thread computes %r1 in `body` from its number %t and stores it.
std::string per_thread(std::string_view body) {
  return kernel_text(
      ".reg .pred %p<8>; .reg .b16 %h<8>; .reg .b32 %r<16>, %t; .reg .b64 %rd<16>, %in, %out; .reg .f32 %f<8>;\n"
      "ld.param.u64 %in, [in]; ld.param.u64 %out, [out];\n"
      "mov.u32 %r14, %ntid.x; mov.u32 %r15, %ctaid.x; mov.u32 %t, %tid.x; mad.lo.u32 %t, %r14, %r15, %t;\n" +
      std::string(body) + "\nmul.wide.u32 %rd15, %t, 4; add.s64 %rd15, %out, %rd15; st.global.u32 [%rd15], %r1;\nret;");
}

std::vector<std::uint32_t> results(std::string_view body, std::uint32_t threads = 64, std::uint32_t width = 32) {
  const ptx::decoded_kernel k = decoded(per_thread(body));
  std::vector<std::uint32_t> in;
  for (std::uint32_t i = 0; i < 256; ++i) in.push_back(i * i + 3);
  const machine_result a = run(k, block_of(threads, width), in, threads);
  REQUIRE_MESSAGE(a.how == outcome::finished, a.fault.describe());
  const machine_result b = run(k, block_of(threads, width), in, threads, way::serial);
  REQUIRE(b.how == outcome::finished);
  CHECK(a.out == b.out);
  return a.out;
}

/// Warps that are full, partial, wide, narrow.
void check_each(std::string_view body, const std::vector<std::uint32_t>& expected) {
  struct warps {
    std::uint32_t threads, width;
  };
  for (const warps w : {warps{64, 32}, warps{50, 32}, warps{64, 64}, warps{37, 40}, warps{21, 8}, warps{5, 1}}) {
    CAPTURE(body);
    CAPTURE(w.width);
    CHECK(results(body, w.threads, w.width) ==
          std::vector<std::uint32_t>(expected.begin(), expected.begin() + w.threads));
  }
}

/// The value that %r1 must have in each thread.
template <class F>
void each(std::string_view body, F expected) {
  std::vector<std::uint32_t> all;
  for (std::uint32_t t = 0; t < 64; ++t) all.push_back(static_cast<std::uint32_t>(expected(t)));
  check_each(body, all);
}

}  // namespace

TEST_CASE("interpreter: comparisons to predicates") {
  each("setp.lt.u32 %p1, %t, 7; selp.u32 %r1, 1, 2, %p1;", [](std::uint32_t t) { return t < 7 ? 1 : 2; });
  each("setp.lt.u32 %p1|%p2, %t, 7; selp.u32 %r1, 1, 2, %p1; selp.u32 %r2, 10, 20, %p2; add.u32 %r1, %r1, %r2;",
       [](std::uint32_t t) { return (t < 7 ? 1 : 2) + (t >= 7 ? 10 : 20); });
  for (const std::string op : {"and", "or", "xor"}) {
    const auto combine = [&](bool a, bool b) { return op == "and" ? a && b : op == "or" ? a || b : a != b; };
    each("and.b32 %r2, %t, 1; setp.eq.u32 %p3, %r2, 1; setp.lt." + op +
             ".u32 %p1|%p2, %t, 7, !%p3; selp.u32 %r1, 1, 2, %p1; selp.u32 %r2, 10, 20, %p2; add.u32 %r1, %r1, %r2;",
         [&](std::uint32_t t) {
           const bool other = t % 2 == 0;
           return (combine(t < 7, other) ? 1 : 2) + (combine(t >= 7, other) ? 10 : 20);
         });
    each("and.b32 %r2, %t, 1; setp.eq.u32 %p3, %r2, 1; setp.gt.u32 %p4, %t, 9; " + op +
             ".pred %p1, %p3, %p4; selp.u32 %r1, 1, 2, %p1;",
         [&](std::uint32_t t) { return combine(t % 2 == 1, t > 9) ? 1 : 2; });
  }
  each(
      "setp.gt.u32 %p1, %t, 9; not.pred %p2, %p1; mov.pred %p3, %p2; mov.pred %p4, 1; and.pred %p3, %p3, %p4; selp.u32 "
      "%r1, 1, 2, %p3;",
      [](std::uint32_t t) { return t > 9 ? 2 : 1; });
  each(
      "setp.gt.u32 %p1, %t, 9; selp.b64 %rd1, 1, 4294967296, %p1; shr.u64 %rd2, %rd1, 32; add.s64 %rd1, %rd1, %rd2; "
      "cvt.u32.u64 %r1, %rd1;",
      [](std::uint32_t) { return 1; });
}

TEST_CASE("interpreter: special registers") {
  each("mov.u32 %r1, %laneid; mov.u32 %r2, WARP_SZ; mov.u32 %r3, %warpid; mad.lo.u32 %r1, %r3, %r2, %r1;",
       [](std::uint32_t t) { return t; });
  const ptx::decoded_kernel k = decoded(kernel_text(R"(.reg .b32 %r<20>; .reg .b64 %rd<4>;
mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %tid.z;
mov.u32 %r4, %ntid.x; mov.u32 %r5, %ntid.y; mov.u32 %r6, %ntid.z;
mov.u32 %r7, %ctaid.x; mov.u32 %r8, %ctaid.y; mov.u32 %r9, %ctaid.z;
mov.u32 %r10, %nctaid.x; mov.u32 %r11, %nctaid.y; mov.u32 %r12, %nctaid.z;
mad.lo.u32 %r13, %r9, %r11, %r8; mad.lo.u32 %r13, %r13, %r10, %r7;   // number of the thread block
mad.lo.u32 %r13, %r13, %r6, %r3; mad.lo.u32 %r13, %r13, %r5, %r2; mad.lo.u32 %r13, %r13, %r4, %r1;
ld.param.u64 %rd1, [out]; mul.wide.u32 %rd2, %r13, 4; add.s64 %rd1, %rd1, %rd2;
mul.lo.u32 %r14, %r12, 1000; add.u32 %r14, %r14, %r13; st.global.u32 [%rd1], %r14; ret;)"));
  ptx::launch_config l;
  for (std::uint32_t i = 0; i < 3; ++i) {
    l.grid[i] = i + 2;
    l.block[i] = 5 - i;
  }
  const machine_result r = run(k, l, {0}, 24 * 60);
  REQUIRE(r.how == outcome::finished);
  for (std::uint32_t i = 0; i < r.out.size(); ++i) CHECK(r.out[i] == 4000 + i);
}

TEST_CASE("interpreter: loads and stores of every width") {
  each("mul.wide.u32 %rd1, %t, 4; add.s64 %rd1, %in, %rd1; ld.global.u32 %r1, [%rd1];",
       [](std::uint32_t t) { return t * t + 3; });
  each("ld.global.nc.u32 %r1, [%in+8];", [](std::uint32_t) { return 7; });
  each("mul.wide.u32 %rd1, %t, 2; add.s64 %rd1, %in, %rd1; ld.global.u16 %h1, [%rd1]; cvt.u32.u16 %r1, %h1;",
       [](std::uint32_t t) { return t % 2 == 0 ? (t / 2) * (t / 2) + 3 : 0; });
  each("cvt.u64.u32 %rd1, %t; add.s64 %rd1, %in, %rd1; ld.global.s8 %r1, [%rd1+64];", [](std::uint32_t t) {
    const std::uint32_t w = (t / 4 + 16) * (t / 4 + 16) + 3;
    return static_cast<std::int8_t>(w >> (8 * (t % 4)));
  });
  each(
      "cvt.u64.u32 %rd1, %t; add.s64 %rd1, %in, %rd1; ld.global.s8 %rd2, [%rd1+64]; shr.s64 %rd2, %rd2, 4; cvt.u32.u64 "
      "%r1, %rd2;",
      [](std::uint32_t t) {
        const std::uint32_t w = (t / 4 + 16) * (t / 4 + 16) + 3;
        return static_cast<std::int8_t>(w >> (8 * (t % 4))) >> 4;
      });
  each(
      "mul.wide.u32 %rd1, %t, 8; add.s64 %rd1, %in, %rd1; ld.global.u64 %rd2, [%rd1]; shr.u64 %rd2, %rd2, 32; "
      "cvt.u32.u64 %r1, %rd2;",
      [](std::uint32_t t) { return (2 * t + 1) * (2 * t + 1) + 3; });
  each(
      "shr.u32 %r2, %t, 2; mul.wide.u32 %rd1, %r2, 16; add.s64 %rd1, %in, %rd1; ld.global.v4.u32 {%r2, %r3, %r4, _}, "
      "[%rd1]; ld.global.v2.u32 {%r5, %r6}, [%rd1+8];"
      "sub.u32 %r1, %r6, %r2; add.u32 %r1, %r1, %r4; sub.u32 %r1, %r1, %r5;",
      [](std::uint32_t t) {
        const std::uint32_t q = t / 4 * 4;
        return (q + 3) * (q + 3) - q * q;
      });
  each(
      ".shared .align 16 .b32 s[256]; shl.b32 %r2, %t, 2; mov.u32 %r3, s; add.u32 %r3, %r3, %r2; st.shared.u32 [%r3], "
      "%t; ld.shared.u32 %r4, [%r3];"
      "mul.lo.u32 %r5, %t, 12; add.u32 %r5, %r5, 256; and.b32 %r5, %r5, 1008; st.shared.v2.u32 [%r5], {%t, %r2}; "
      "mov.u32 %r1, %r4;",
      [](std::uint32_t t) { return t; });
  each(
      ".local .align 8 .b8 frame[24]; .reg .b64 %SPL; mov.u64 %SPL, frame; st.local.u32 [%SPL+4], %t; st.local.u8 "
      "[%SPL+5], 1; st.local.v2.u16 [%SPL+8], {%h1, 513}; ld.local.u32 %r1, [%SPL+4]; ld.local.u8 %r2, [%SPL+11]; "
      "add.u32 %r1, %r1, %r2;",
      [](std::uint32_t t) { return (t & 0xFFFF00FFU) + 256 + 2; });
  each(
      "and.b32 %r2, %t, 3; mul.wide.u32 %rd1, %r2, 4; add.s64 %rd1, %rd1, 16; mov.b64 %rd2, in; ld.param.u32 %r1, "
      "[%rd2]; ld.param.u32 %r3, [n]; sub.u32 %r1, %r3, %r3;",
      [](std::uint32_t) { return 0; });
}

TEST_CASE("interpreter: generic addresses") {
  each(
      ".shared .b32 s[64]; .local .b32 mine[4]; cvta.shared.u64 %rd1, s; mul.wide.u32 %rd2, %t, 4; add.s64 %rd1, %rd1, "
      "%rd2; st.u32 [%rd1], %t;"
      "cvta.to.shared.u64 %rd3, %rd1; ld.shared.u32 %r1, [%rd3]; mov.u64 %rd4, mine; cvta.local.u64 %rd5, %rd4; st.u32 "
      "[%rd5+8], %r1; ld.local.u32 %r2, [mine+8];"
      "cvta.to.global.u64 %rd6, %in; cvta.global.u64 %rd6, %rd6; ld.u32 %r3, [%rd6]; ld.u32 %r4, [%rd5+8]; add.u32 "
      "%r1, %r2, %r3; add.u32 %r1, %r1, %r4;",
      [](std::uint32_t t) { return 2 * t + 3; });
  // Lanes of one access in different spaces.
  each(
      ".shared .b32 s[64]; cvta.shared.u64 %rd1, s; and.b32 %r2, %t, 1; setp.eq.u32 %p1, %r2, 0; selp.b64 %rd2, %rd1, "
      "%in, %p1; ld.u32 %r1, [%rd2];",
      [](std::uint32_t t) { return t % 2 == 0 ? 0 : 3; });
}

TEST_CASE("interpreter: packing and unpacking") {
  each(
      "mov.b64 %rd1, {%t, 7}; mov.b64 {%r2, %r3}, %rd1; add.u32 %r1, %r2, %r3; mov.b32 {%h1, %h2}, %t; mov.b32 %r4, "
      "{%h1, %h2}; add.u32 %r1, %r1, %r4;"
      "mov.b64 {%h1, _, %h3, _}, %rd1; cvt.u32.u16 %r4, %h3; add.u32 %r1, %r1, %r4;",
      [](std::uint32_t t) { return 2 * t + 14; });
}

TEST_CASE("interpreter: conversions with registers wider than the type") {
  each("add.u32 %r2, %t, 250; cvt.s8.u32 %r1, %r2;", [](std::uint32_t t) { return static_cast<std::int8_t>(t + 250); });
  each("add.u32 %r2, %t, 65530; cvt.u16.u32 %r1, %r2;",
       [](std::uint32_t t) { return static_cast<std::uint16_t>(t + 65530); });
  each("add.u32 %r2, %t, 250; cvt.s8.u32 %rd1, %r2; shr.s64 %rd1, %rd1, 2; cvt.u32.u64 %r1, %rd1;",
       [](std::uint32_t t) { return static_cast<std::int8_t>(t + 250) >> 2; });
  each("cvt.u64.u32 %rd1, %t; add.s64 %rd1, %rd1, 8589934720; cvt.u32.u8 %r1, %rd1;",
       [](std::uint32_t t) { return (t + 128) & 255U; });
}

TEST_CASE("interpreter: atomics") {
  const ptx::decoded_kernel k = decoded(kernel_text(R"(.reg .b32 %r<8>; .reg .b64 %rd<4>; .shared .u32 sum;
ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x;
atom.shared.add.u32 %r2, [sum], %r1;
red.global.add.u32 [%rd1], %r1; atom.global.max.s32 %r2, [%rd1+4], %r1; atom.global.min.s32 %r2, [%rd1+8], -5;
atom.global.cas.b32 %r2, [%rd1+12], %r1, 77; atom.global.exch.b32 _, [%rd1+16], 9; atom.add.u32 %r2, [%rd1+20], 1;
red.relaxed.gpu.global.or.b32 [%rd1+24], %r1; atom.global.inc.u32 %r2, [%rd1+28], 9; atom.global.add.f32 %r2, [%rd1+32], 0f3F000000;
atom.global.add.u64 %rd2, [%rd1+40], 4294967297;
bar.sync 0; ld.shared.u32 %r3, [sum]; st.global.u32 [%rd1+36], %r3; ret;)"));
  const machine_result r = run(k, block_of(64), {0}, 12);
  REQUIRE_MESSAGE(r.how == outcome::finished, r.fault.describe());
  CHECK(r.out == std::vector<std::uint32_t>{2016, 63, 0xFFFFFFFBU, 77, 9, 64, 63, 4,
                                            std::bit_cast<std::uint32_t>(32.0F), 2016, 64, 64});
}

TEST_CASE("interpreter: barriers, shared memory, many thread blocks with one interpreter") {
  // Reverses each thread block through shared memory, with the array's size given by the launch.
  const ptx::decoded_kernel k = decoded(std::string(header) + ".extern .shared .align 4 .b8 tile[];\n" +
                                        kernel_text(R"(.reg .pred %p<2>; .reg .b32 %r<16>; .reg .b64 %rd<8>;
.shared .u32 guard_word;
ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out];
mov.u32 %r1, %tid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %ctaid.x; mad.lo.u32 %r4, %r3, %r2, %r1;
mul.wide.u32 %rd3, %r4, 4; add.s64 %rd4, %rd1, %rd3; ld.global.u32 %r5, [%rd4];
mov.u32 %r6, tile; shl.b32 %r7, %r1, 2; add.u32 %r8, %r6, %r7; st.shared.u32 [%r8], %r5;
bar.sync 0;
sub.u32 %r9, %r2, %r1; sub.u32 %r9, %r9, 1; shl.b32 %r9, %r9, 2; add.u32 %r9, %r6, %r9; ld.shared.u32 %r10, [%r9];
setp.eq.u32 %p1, %r1, 5; @%p1 exit;
add.s64 %rd5, %rd2, %rd3; st.global.u32 [%rd5], %r10; ret;)")
                                            .substr(header.size()));
  ptx::launch_config l = block_of(96);
  l.grid[0] = 7;
  l.dynamic_shared_bytes = 96 * 4;
  std::vector<std::uint32_t> in;
  for (std::uint32_t i = 0; i < 96 * 7; ++i) in.push_back(i * 3 + 1);
  for (const way how : {way::frontier, way::serial}) {
    const machine_result r = run(k, l, in, in.size(), how);
    REQUIRE_MESSAGE(r.how == outcome::finished, r.fault.describe());
    for (std::uint32_t i = 0; i < in.size(); ++i) {
      const std::uint32_t t = i % 96;
      CHECK(r.out[i] == (t == 5 ? 0 : in[i - t + 95 - t]));
    }
  }
}

TEST_CASE("interpreter: dynamic shared memory is aligned as declared") {
  const ptx::decoded_kernel k = decoded(std::string(header) + ".extern .shared .align 128 .b8 tile[];\n" +
                                        kernel_text(R"(.reg .b32 %r<2>; .reg .b64 %rd<2>; .shared .u32 word;
ld.param.u64 %rd1, [out]; st.shared.u32 [word], 7; mov.u32 %r1, tile; st.shared.v2.b64 [%r1], {1, 2}; st.shared.v2.b64 [%r1+16], {3, 4}; st.global.u32 [%rd1], %r1; ret;)")
                                            .substr(header.size()));
  ptx::launch_config l = block_of(1);
  l.dynamic_shared_bytes = 32;
  const machine_result r = run(k, l, {0}, 1);
  REQUIRE_MESSAGE(r.how == outcome::finished, r.fault.describe());
  CHECK(r.out[0] == 128);
}

TEST_CASE("interpreter: inactive lanes keep their registers") {
  const ptx::decoded_kernel k = decoded(kernel_text(R"(.reg .b32 %a, %b; .reg .b64 %c; .reg .f32 %f; .reg .pred %p;
mov.u32 %a, 7; mov.u32 %b, %tid.x; mov.u64 %c, 9; mov.f32 %f, 0f3F800000; setp.eq.u32 %p, %a, 7; bra first;
first: add.u32 %a, %a, %b; div.u32 %b, %b, 2; mul.lo.u64 %c, %c, %c; sqrt.rn.f32 %f, %f; ld.param.u32 %a, [n]; setp.ne.u32 %p, %a, %a; ret;)"));
  ptx::device_memory memory;
  ptx::arguments args(k);
  args.set(0, std::uint64_t{0});
  args.set(1, std::uint64_t{0});
  args.set(2, 5U);
  ptx::interpreter<> program(k, block_of(32), memory, args);
  program.begin({.threads = 32});
  partition out;
  REQUIRE(program.run(0, {0, 0, lane_mask::first_lanes(32)}, out) == block_end::next);
  REQUIRE(out.fragments().size() == 1);
  CHECK(out.fragments()[0].block == 1);
  out.clear();
  REQUIRE(program.run(1, {0, 0, lane_mask(0xF0)}, out) == block_end::next);
  CHECK(out.fragments().empty());
  for (std::uint32_t t = 0; t < 32; ++t) {
    const bool ran = t >= 4 && t < 8;
    CHECK(program.register_value(t, "%a") == (ran ? 5 : 7));
    CHECK(program.register_value(t, "%b") == (ran ? t / 2 : t));
    CHECK(program.register_value(t, "%c") == (ran ? 81 : 9));
    CHECK(program.register_value(t, "%f") == 0x3F800000U);
    CHECK(program.register_value(t, "%p") == (ran ? 0 : 1));
  }
}

TEST_CASE("interpreter: a group of more than 64 lanes") {
  using wide = basic_mask<4>;
  const ptx::decoded_kernel k =
      decoded(per_thread("setp.lt.u32 %p1, %t, 100; @%p1 bra low; add.u32 %r1, %t, 1000; bra.uni done; low: mul.lo.u32 "
                         "%r1, %t, 3; done: add.u32 %r1, %r1, 1;"));
  ptx::device_memory memory;
  const std::uint64_t to = memory.allocate(4 * 250, "out");
  ptx::arguments args(k);
  args.set(0, std::uint64_t{0});
  args.set(1, to);
  args.set(2, 0U);
  const ptx::launch_config l = block_of(250, 256);
  REQUIRE(ptx::check_launch(k, l, args, wide::capacity).empty());
  ptx::interpreter<wide> program(k, l, memory, args);
  std::vector<std::uint32_t> rank = {0, 1, 2, 3};
  const verdict v = [&] {
    const auto r = executor<policies::basic_thread_frontier<wide>>(policies::basic_thread_frontier<wide>(rank))
                       .run(program, {250, 256, 0, barrier_model::whole_warp});
    return verdict{r.how, r.steps, {}};
  }();
  REQUIRE(v.finished());
  CHECK(v.steps == 4);
  std::vector<std::uint32_t> out(250);
  REQUIRE(memory.read(to, std::span<std::uint32_t>(out)));
  for (std::uint32_t t = 0; t < 250; ++t) CHECK(out[t] == (t < 100 ? 3 * t + 1 : t + 1001));
}

TEST_CASE("interpreter: module variables, initialisers, constant memory") {
  const ptx::decoded_kernel k = decoded(std::string(header) + R"(
.const .align 4 .f32 factors[4] = {0f3F800000, 2.0, 0f40400000};
.global .align 8 .u64 link[2] = {counter, generic(counter)+4};
.global .u32 counter[2] = {40, 41};
)" +
                                        kernel_text(R"(.reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .f32 %f<4>;
ld.param.u64 %rd1, [out]; ld.global.u64 %rd2, [link+8]; ld.global.u32 %r1, [%rd2]; st.global.u32 [%rd1], %r1;
ld.const.f32 %f1, [factors+4]; cvt.rzi.u32.f32 %r2, %f1; st.global.u32 [%rd1+4], %r2;
mov.u64 %rd3, factors; ld.const.f32 %f2, [%rd3+8]; cvt.rzi.u32.f32 %r3, %f2; st.global.u32 [%rd1+8], %r3;
atom.global.add.u32 %r4, [counter], 2; st.global.u32 [%rd1+12], %r4; ret;)")
                                            .substr(header.size()));
  CHECK(k.globals.size() == 3);
  const machine_result r = run(k, block_of(1), {0}, 4);
  REQUIRE_MESSAGE(r.how == outcome::finished, r.fault.describe());
  CHECK(r.out == std::vector<std::uint32_t>{41, 2, 3, 40});
}

TEST_CASE("interpreter: an inner list of an initialiser fills its row with zeros") {
  const ptx::decoded_kernel k = decoded(std::string(header) + R"(
.global .u32 table[][2] = {{1}, {2, 3}, {}};
.global .v2 .u32 pairs[2] = {{4}, {5, 6}};
)" +
                                        kernel_text(R"(.reg .b32 %r<9>; .reg .b64 %rd<2>; ld.param.u64 %rd1, [out];
ld.global.v2.u32 {%r1, %r2}, [table]; ld.global.v2.u32 {%r3, %r4}, [table+8]; ld.global.u32 %r5, [table+20];
st.global.u32 [%rd1], %r1; st.global.u32 [%rd1+4], %r2; st.global.v2.u32 [%rd1+8], {%r3, %r4}; st.global.u32 [%rd1+16], %r5;
ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [pairs]; st.global.u32 [%rd1+20], %r2; st.global.u32 [%rd1+24], %r3; ret;)")
                                            .substr(header.size()));
  const machine_result r = run(k, block_of(1), {0}, 7);
  REQUIRE_MESSAGE(r.how == outcome::finished, r.fault.describe());
  CHECK(r.out == std::vector<std::uint32_t>{1, 0, 2, 3, 0, 0, 5});
  CHECK(text_of(diagnostics_in(std::string(header) + ".global .u32 t[2][2] = {{1, 2, 3}};")) ==
        "line 4, column 33: a list of the initialiser has more values than its row\n");
}

TEST_CASE("interpreter: faults say who did what where") {
  const auto fault = [](std::string_view body, std::uint32_t threads = 40) {
    const ptx::decoded_kernel k = decoded(per_thread(body));
    const machine_result r = run(k, block_of(threads), {1, 2, 3, 4}, threads);
    CHECK(r.how == outcome::fault);
    return r.fault.describe();
  };
  CHECK(fault("mul.wide.u32 %rd1, %t, 4; add.s64 %rd1, %in, %rd1;\nhere: ld.global.u32 %r1, [%rd1];") ==
        "kernel 'k', line 10, column 7, BB0, thread (4, 0, 0) of thread block (0, 0, 0): 'ld.global.u32' is out of "
        "bounds: 4 "
        "bytes at .global address 0x10000010 (byte 16 of 'in', which has 16)");
  CHECK(fault("add.s64 %rd1, %in, 2;\nst.global.u32 [%rd1], %t;") ==
        "kernel 'k', line 10, column 1, BB0, thread (0, 0, 0) of thread block (0, 0, 0): 'st.global.u32' is "
        "misaligned: 4 "
        "bytes at .global address 0x10000002");
  CHECK(
      fault("setp.eq.u32 %p1, %t, 33; @!%p1 bra over;\nbad: ld.global.u32 %r1, [0];\nover:") ==
      "kernel 'k', line 10, column 6, BB1 bad, thread (33, 0, 0) of thread block (0, 0, 0): 'ld.global.u32' is out of "
      "bounds: 4 "
      "bytes at .global address 0x0 (no allocation is near)");
  CHECK(fault(".shared .b8 s[8]; mul.lo.u32 %r2, %t, 4;\nst.shared.u32 [%r2], %t;") ==
        "kernel 'k', line 10, column 1, BB0, thread (2, 0, 0) of thread block (0, 0, 0): 'st.shared.u32' is out of "
        "bounds: 4 "
        "bytes at .shared address 0x8 (shared memory has 8 bytes)");
  CHECK(fault(".local .b8 l[8];\nld.local.u32 %r2, [l+-4];") ==
        "kernel 'k', line 10, column 1, BB0, thread (0, 0, 0) of thread block (0, 0, 0): 'ld.local.u32' is out of "
        "bounds: 4 "
        "bytes at .local address 0xfffffffffffffffc (a thread's local memory has 8 bytes)");
  CHECK(fault("mov.u64 %rd1, 18446744073709551612;\natom.add.u32 %r1, [%rd1], 1;") ==
        "kernel 'k', line 10, column 1, BB0, thread (0, 0, 0) of thread block (0, 0, 0): 'atom.add.u32' is out of "
        "bounds: 4 "
        "bytes at generic address 0xfffffffffffffffc (no allocation is near)");
  CHECK(fault("setp.eq.u32 %p1, %t, 3;\n@%p1 trap;") ==
        "kernel 'k', line 10, column 6, BB0, thread (3, 0, 0) of thread block (0, 0, 0): 'trap' stops the kernel");

  const ptx::decoded_kernel k =
      decoded(std::string(header) + ".const .b32 fixed;\n" +
              kernel_text(".reg .b64 %rd; mov.u64 %rd, fixed;\nst.global.u32 [%rd], 1; ret;").substr(header.size()));
  const machine_result r = run(k, block_of(40), {0}, 1);
  CHECK(r.how == outcome::fault);
  CHECK(r.fault.kind == ptx::fault_kind::read_only);
  CHECK(r.fault.where == position{8, 1});
}

TEST_CASE("interpreter: a grid with more thread blocks than can be counted") {
  const ptx::decoded_kernel k = decoded(std::string(header) + ".visible .entry k()\n{ ret; }");
  ptx::launch_config l = block_of(1);
  l.grid[0] = 1U << 30;
  l.grid[1] = 1U << 30;
  l.grid[2] = 16;
  CHECK(ptx::check_launch(k, l, ptx::arguments(k)).size() == 1);
}

TEST_CASE("interpreter: launches that do not fit") {
  const ptx::decoded_kernel k =
      decoded(std::string(header) +
              ".visible .entry k(.param .u64 p, .param .f32 x, .param .align 4 .b8 s[12])\n.reqntid 8, 8\n{ ret; }");
  ptx::arguments args(k);
  CHECK(args.index("x") == 1);
  CHECK(args.index("y") == ptx::no_index);
  CHECK(!args.set(0, 1U));
  CHECK(!args.set(1, 1));
  CHECK(!args.set(7, 1));
  CHECK(args.set(2, std::array<float, 3>{1, 2, 3}));
  ptx::launch_config l = block_of(64);
  l.grid[2] = 0;
  l.warp_width = 65;
  CHECK(text_of(ptx::check_launch(k, l, args)) ==
        "a grid of 1 x 1 x 0 thread blocks: 1 to 2^31 - 1 along x, 1 to 65535 along y and z\n"
        "a thread block of 64 x 1 x 1 threads, but kernel 'k' requires 8 x 8 x 1\n"
        "a warp of 65 lanes: it has 1 to 64\n"
        "line 4, column 31: parameter 0 'p' has 8 bytes, not 4\n"
        "line 4, column 46: parameter 1 'x' is .f32, not an integer\n"
        "there is no parameter 7; the kernel has 3\n"
        "line 4, column 31: parameter 0 'p' has no value\n"
        "line 4, column 46: parameter 1 'x' has no value\n");
}
