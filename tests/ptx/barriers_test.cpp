// SPDX-License-Identifier: BSL-1.0
//
// Barriers of a thread block: numbers, thread counts, arrivals, reductions, guards.
#include "ptx/run_support.hpp"

#include <span>
#include <string>
#include <vector>

using namespace simtflow;
using namespace simtflow_tests;

namespace {

constexpr std::uint32_t widths[] = {32, 8, 64, 1, 20};

/// Under the last one, all warps of a thread block share a stack: no part of them waits for another.
constexpr auto independent_warps = std::span<const way>(all_ways).first(4);

std::string fault_of(std::string_view body) {
  const machine_result r = run_under(way::pdom, decoded(with_thread_number(body)), block_of(64), {{}, 64});
  CHECK(r.how == outcome::fault);
  CHECK(r.fault.kind == ptx::fault_kind::bad_barrier);
  return r.fault.describe();
}

}  // namespace

TEST_CASE("barriers: producers arrive, consumers wait, at barriers with numbers and thread counts") {
  // Threads 0..31 produce a word a round, threads 32..63 consume it; barrier 1: full, barrier 2: empty.
  constexpr std::string_view body = R"(.shared .b32 box[32]; .reg .pred %q;
and.b32 %r1, %t, 31; shl.b32 %r1, %r1, 2; mov.u32 %r2, box; add.u32 %r1, %r1, %r2;
mov.u32 %r3, 0; mov.u32 %r4, 0; mov.u32 %r5, 2;
setp.ge.u32 %p1, %t, 32; @%p1 bra consume;
produce: barrier.sync %r5, 64; mad.lo.u32 %r6, %r3, 7, %t; st.shared.u32 [%r1], %r6; barrier.arrive 1, 64;
add.u32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, 5; @%p2 bra produce; bra done;
consume: barrier.arrive 2, 64; barrier.sync 1, 64; ld.shared.u32 %r6, [%r1]; mad.lo.u32 %r4, %r4, 3, %r6;
add.u32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, 5; @%p2 bra consume;
done: st.global.u32 [%out], %r4;)";
  for (const std::uint32_t width : {32U, 8U, 16U}) {
    const words got = agreed(with_thread_number(body), block_of(64, width), {}, 64, independent_warps);
    for (std::uint32_t t = 0; t < 64; ++t) {
      std::uint32_t sum = 0;
      for (std::uint32_t round = 0; round < 5; ++round) sum = 3 * sum + round * 7 + (t - 32);
      CHECK(got[t] == (t < 32 ? 0 : sum));
    }
  }
}

TEST_CASE("barriers: bar.red counts, and asks whether all or any, round after round") {
  constexpr std::string_view body = R"(mov.u32 %r1, 0; mov.u32 %r9, 0;
again: add.u32 %r2, %t, %r1; rem.u32 %r3, %r2, 5; setp.eq.u32 %p1, %r3, 0;
bar.red.popc.u32 %r4, 0, %p1;
add.u32 %r5, %r1, 60; setp.lt.u32 %p2, %t, %r5; barrier.red.and.pred %p3, 3, %p2; selp.u32 %r6, 100, 0, %p3;
setp.gt.u32 %p4, %t, %r5; bar.red.or.pred %p5, 0, !%p4; selp.u32 %r7, 1000, 0, %p5;
mad.lo.u32 %r9, %r9, 3, %r4; add.u32 %r9, %r9, %r6; add.u32 %r9, %r9, %r7;
add.u32 %r1, %r1, 1; setp.lt.u32 %p6, %r1, 9; @%p6 bra again;
st.global.u32 [%out], %r9;)";
  for (const std::uint32_t width : widths)
    for (const std::uint32_t threads : {64U, 70U, 5U}) {
      const words got = agreed(with_thread_number(body), block_of(threads, width, 2), {}, 2 * threads);
      for (std::uint32_t t = 0; t < 2 * threads; ++t) {
        const std::uint32_t block = t / threads;
        std::uint32_t sum = 0;
        for (std::uint32_t round = 0; round < 9; ++round) {
          std::uint32_t count = 0;
          bool all = true, any = false;
          for (std::uint32_t i = 0; i < threads; ++i) {
            const std::uint32_t number = block * threads + i;
            if ((number + round) % 5 == 0) ++count;
            all = all && number < round + 60;
            any = any || !(number > round + 60);
          }
          sum = sum * 3 + count + (all ? 100 : 0) + (any ? 1000 : 0);
        }
        CAPTURE(width);
        CAPTURE(t);
        CHECK(got[t] == sum);
      }
    }
}

TEST_CASE("barriers: reductions of parts of the thread block at one barrier, one after the other") {
  // Each half uses barrier 4 twice, the halves in turn: barrier 5 lets the second half begin.
  constexpr std::string_view body = R"(setp.ge.u32 %p1, %t, 32; @!%p1 bra first; barrier.sync 5, 64;
first: and.b32 %r1, %t, 3; setp.eq.u32 %p2, %r1, 0; barrier.red.popc.u32 %r2, 4, 32, %p2;
setp.lt.u32 %p3, %t, 7; barrier.red.popc.u32 %r3, 4, 32, %p3;
@%p1 bra last; barrier.arrive 5, 64;
last: mad.lo.u32 %r4, %r2, 100, %r3; st.global.u32 [%out], %r4;)";
  for (const std::uint32_t width : {32U, 8U, 16U}) {
    const words got = agreed(with_thread_number(body), block_of(64, width), {}, 64, independent_warps);
    for (std::uint32_t t = 0; t < 64; ++t) CHECK(got[t] == 800 + (t < 32 ? 7 : 0));
  }
}

TEST_CASE("barriers: a reduction that opens for 32 threads is not the one of the 32 that come next") {
  // Both warps come to one barrier in one round of the executor.
  const words got =
      agreed(with_thread_number("setp.lt.u32 %p1, %t, 40; barrier.red.popc.u32 %r2, 4, 32, %p1; setp.eq.u32 "
                                "%p2, %t, 3; barrier.red.or.pred %p3, 4, 32, %p2; selp.u32 %r3, 100, 0, %p3; "
                                "add.u32 %r2, %r2, %r3; st.global.u32 [%out], %r2;"),
             block_of(64), {}, 64, std::span<const way>(all_ways).first(2));
  for (std::uint32_t t = 0; t < 64; ++t) CHECK(got[t] == (t < 32 ? 132 : 8));
}

TEST_CASE("barriers: under a guard only those wait for whom it holds") {
  // The others have written before they come to the second barrier.
  constexpr std::string_view body = R"(.shared .b32 s[64]; shl.b32 %r1, %t, 2; mov.u32 %r2, s; add.u32 %r1, %r1, %r2;
setp.lt.u32 %p1, %t, 32; st.shared.u32 [%r1], %t; @%p1 bar.sync 1, 32; @!%p1 bar.red.popc.u32 %r7, 2, 32, %p1;
xor.b32 %r3, %r1, 4; ld.shared.u32 %r4, [%r3]; bar.sync 0; st.global.u32 [%out], %r4;)";
  const ptx::decoded_kernel k = decoded(with_thread_number(body));
  for (const std::uint32_t width : {32U, 8U}) {
    const words got = agreed(with_thread_number(body), block_of(64, width), {}, 64, independent_warps);
    for (std::uint32_t t = 0; t < 64; ++t) CHECK(got[t] == (t ^ 1U));
  }
  // Every instruction of the text counts once.
  std::uint32_t weight = 0;
  for (const ptx::decoded_block& b : k.blocks) weight += b.weight;
  CHECK(weight == k.opcodes.size());
}

TEST_CASE("barriers: a warp counts as a whole, though threads of it have returned or never were") {
  // PTX manual, "bar, barrier": the arrival count rises by the warp size.
  for (const std::uint32_t threads : {48U, 64U}) {
    CAPTURE(threads);
    const words got = agreed(with_thread_number("setp.ge.u32 %p1, %t, 60; @%p1 ret; bar.sync 1, 64; "
                                                "st.global.u32 [%out], %t;"),
                             block_of(threads), {}, 64, independent_warps);
    for (std::uint32_t t = 0; t < 64; ++t) CHECK(got[t] == (t < threads && t < 60 ? t : 0));
    // All threads of the thread block, said in two ways.
    agreed(with_thread_number("setp.lt.u32 %p1, %t, 32; @%p1 bra counted; bar.sync 0; bra done; counted: bar.sync 0, "
                              "64; done: st.global.u32 [%out], %t;"),
           block_of(threads), {}, 64, independent_warps);
  }
}

TEST_CASE("barriers: what is no barrier is a fault; what never opens is a verdict") {
  CHECK(fault_of("mov.u32 %r1, 16;\nbar.sync %r1;") ==
        "kernel 'k', line 12, column 1, BB0, thread (0, 0, 0) of thread block (0, 0, 0): 'bar.sync' is no barrier: "
        "number 16, but a thread block has barriers 0 to 15");
  CHECK(fault_of("bar.sync 1, 0;").ends_with("'bar.sync' is no barrier: one for 0 threads"));
  CHECK(fault_of("barrier.sync %t;").ends_with("'barrier.sync' is no barrier: its number is 1, but 0 in another lane"));
  CHECK(fault_of("add.u32 %r1, %t, 32; barrier.sync 1, %r1;")
            .ends_with("'barrier.sync' is no barrier: its thread count is 33, but 32 in another lane"));
  const machine_result r =
      run_under(way::pdom, decoded(with_thread_number("barrier.sync 1, 96;")), block_of(64), {{}, 64});
  CHECK(r.how == outcome::barrier_deadlock);
}
