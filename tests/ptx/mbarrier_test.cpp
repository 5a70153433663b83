// SPDX-License-Identifier: BSL-1.0
//
// Barriers in shared memory (mbarrier) and the copies that report to them: values, phases and states against a count on
// paper, under every policy; waits that never end; misuse. The object is held against a model that counts without bits.
#include "ptx/run_support.hpp"
#include <simtflow/ptx/machine/values/mbarrier.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

using namespace simtflow;
using namespace simtflow_tests;

namespace {

/// A kernel with that body for sm_90, with an mbarrier `mb`, a second one `nb` and 1 KiB of shared memory `sh`.
std::string text_with(std::string_view body) {
  const std::string begin =
      ".reg .b64 %s<8>; .shared .align 16 .b8 sh[1024]; .shared .align 8 .b64 mb; .shared .align 8 .b64 nb;\n";
  std::string text = with_thread_number(begin + std::string(body));
  return text.replace(text.find("sm_75"), 5, "sm_90");
}

/// The words that `threads` threads write under each of these policies; `in` holds 100 + the number of the word.
words stored(std::string_view body, std::uint32_t threads, std::span<const way> ways, std::uint32_t in_words = 0) {
  words in;
  for (std::uint32_t i = 0; i < (in_words == 0 ? threads : in_words); ++i) in.push_back(100 + i);
  return agreed(text_with(body), block_of(threads), in, threads, ways);
}
constexpr way every_way[] = {way::pdom,       way::frontier, way::depth_first, way::serial,
                             way::compaction, way::mimd,     way::apart};

/// The text of the fault that a single thread ends in.
std::string fault_of(std::string_view body) {
  const ptx::decoded_kernel k = decoded(text_with(body));
  const machine_result r = run_under(way::pdom, k, block_of(1), {words(64, 7), 64});
  if (r.how != outcome::fault) return "no fault";
  const std::string text = r.fault.describe();
  return text.substr(text.find("' ", text.find("thread block")) + 2);
}

/// An mbarrier as the manual tells it, with counters that nothing limits.
struct model {
  std::int64_t phase = 0, expected = 0, pending = 0, missing = 0;
  void settle() {
    if (pending == 0 && missing == 0) {
      ++phase;
      pending = expected;
    }
  }
};

constexpr std::string_view init_for_all =
    "mov.u32 %r29, %ntid.x; setp.eq.u32 %p15, %t, 0; @%p15 mbarrier.init.shared.b64 [mb], %r29; bar.sync 0;\n";

}  // namespace

TEST_CASE("mbarrier: the object counts as the manual does") {
  using ptx::detail::mbarrier;
  const std::uint64_t seed = 20251;
  random_bits bits(seed);
  for (int round = 0; round < 2000; ++round) {
    const auto count = static_cast<std::uint32_t>(1 + bits.below(5));
    mbarrier b;
    REQUIRE(b.init(count).empty());
    model m{0, count, count, 0};
    std::vector<std::uint64_t> states{b.bits()};
    std::vector<std::int64_t> phases{0};
    for (int step = 0; step < 40 && m.expected > 0; ++step) {
      CAPTURE(seed);
      CAPTURE(round);
      CAPTURE(step);
      b = mbarrier::from(b.bits());  // nothing is lost in the bits
      const std::uint64_t before = b.bits();
      const auto n = static_cast<std::uint32_t>(1 + bits.below(3));
      const std::uint64_t what = bits.below(5);
      std::string_view wrong;
      if (what == 0) {
        wrong = b.expect(n);
        m.missing += n;
      } else if (what == 1) {
        wrong = b.complete(n);
        m.missing -= n;
        m.settle();
      } else {
        const bool drops = what == 2 && n < m.expected, fits = n <= m.pending;
        wrong = b.arrive(n, drops);
        CHECK(wrong.empty() == fits);
        if (!fits) {
          b = mbarrier::from(before);
          continue;
        }
        m.pending -= n;
        if (drops) m.expected -= n;
        m.settle();
        states.push_back(before);
        phases.push_back(mbarrier::from(before).phase);
      }
      CHECK(wrong.empty());
      CHECK(b.phase == m.phase % 4);
      CHECK(b.expected == m.expected);
      CHECK(b.pending == m.pending);
      CHECK(b.missing == m.missing);
      CHECK(b.is_over_with(static_cast<std::uint32_t>((m.phase + 1) % 2)));
      CHECK(!b.is_over_with(static_cast<std::uint32_t>(m.phase % 2)));
      CHECK(ptx::detail::mbarrier_pending_count(before) == mbarrier::from(before).pending);
      CHECK(b.is_known(before));
      CHECK(b.is_over(before) == (mbarrier::from(before).phase != m.phase % 4));
    }
  }
  CHECK(!mbarrier::is_here(0));
  mbarrier wide;
  REQUIRE(wide.init(mbarrier::most).empty());
  CHECK(wide.complete(mbarrier::most).empty());
  CHECK(mbarrier::from(wide.bits()).missing == -static_cast<std::int32_t>(mbarrier::most));
  CHECK(!wide.complete(1).empty());
  CHECK(wide.expect(mbarrier::most).empty());
  CHECK(wide.expect(mbarrier::most).empty());
  CHECK(mbarrier::from(wide.bits()).missing == static_cast<std::int32_t>(mbarrier::most));
  CHECK(!wide.expect(1).empty());
}

TEST_CASE("mbarrier: all threads arrive and wait for the phase of their state, under every policy") {
  const std::string body = std::string(init_for_all) +
                           "mov.u32 %r1, sh; shl.b32 %r2, %t, 2; add.u32 %r3, %r1, %r2;\n"
                           "add.u32 %r4, %t, 1; rem.u32 %r4, %r4, %r29; shl.b32 %r4, %r4, 2; add.u32 %r4, %r1, %r4;\n"
                           "mov.u32 %r5, %t; mov.u32 %r6, 0;\n"
                           "LOOP: st.shared.u32 [%r3], %r5; mbarrier.arrive.shared.b64 %s1, [mb];\n"
                           "W1: mbarrier.test_wait.shared.b64 %p1, [mb], %s1; @!%p1 bra W1;\n"
                           "ld.shared.u32 %r5, [%r4]; mbarrier.arrive.shared.b64 %s1, [mb];\n"
                           "W2: mbarrier.try_wait.shared.b64 %p1, [mb], %s1, 100; @!%p1 bra W2;\n"
                           "add.u32 %r6, %r6, 1; setp.lt.u32 %p2, %r6, 5; @%p2 bra LOOP;\n"
                           "st.global.u32 [%out], %r5;";
  for (const std::uint32_t threads : {1U, 32U, 70U}) {
    const words got = stored(body, threads, every_way);
    for (std::uint32_t t = 0; t < threads; ++t) CHECK(got[t] == (t + 5) % threads);
  }
}

TEST_CASE("mbarrier: a warp copies tiles, another one adds them up, with two buffers") {
  // Warp 0 waits until a buffer is empty and copies 16 words into it; the threads of warp 1 add up their columns.
  const std::string body =
      ".shared .align 8 .b64 full[2]; .shared .align 8 .b64 empty[2];\n"
      "setp.ne.u32 %p1, %t, 0; @%p1 bra START;\n"
      "mbarrier.init.shared::cta.b64 [full], 1; mbarrier.init.shared::cta.b64 [full+8], 1;\n"
      "mbarrier.init.shared::cta.b64 [empty], 16; mbarrier.init.shared::cta.b64 [empty+8], 16;\n"
      "fence.mbarrier_init.release.cluster;\n"
      "START: bar.sync 0; mov.u32 %r1, 0; mov.u32 %r2, 0; mov.u32 %r3, sh; mov.u32 %r4, full; mov.u32 %r5, empty;\n"
      "sub.u64 %rd1, %in, %word;\n"
      "setp.ge.u32 %p1, %t, 32; @%p1 bra CONSUME; setp.ne.u32 %p2, %t, 0; @%p2 bra DONE;\n"
      "PRODUCE: and.b32 %r6, %r1, 1; shl.b32 %r7, %r6, 3; add.u32 %r8, %r5, %r7; add.u32 %r9, %r4, %r7;\n"
      "shr.u32 %r10, %r1, 1; and.b32 %r10, %r10, 1; xor.b32 %r10, %r10, 1;\n"
      "PW: mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r8], %r10; @!%p3 bra PW;\n"
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r9], 64;\n"
      "shl.b32 %r11, %r6, 6; add.u32 %r11, %r3, %r11; mul.wide.u32 %rd2, %r1, 64; add.u64 %rd2, %rd1, %rd2;\n"
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r11], [%rd2], 64, [%r9];\n"
      "add.u32 %r1, %r1, 1; setp.lt.u32 %p4, %r1, 7; @%p4 bra PRODUCE; bra DONE;\n"
      "CONSUME: sub.u32 %r12, %t, 32; setp.ge.u32 %p5, %r12, 16; @%p5 bra DONE; shl.b32 %r13, %r12, 2;\n"
      "NEXT: and.b32 %r6, %r1, 1; shl.b32 %r7, %r6, 3; add.u32 %r8, %r5, %r7; add.u32 %r9, %r4, %r7;\n"
      "shr.u32 %r10, %r1, 1; and.b32 %r10, %r10, 1;\n"
      "CW: mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r9], %r10; @!%p3 bra CW;\n"
      "shl.b32 %r11, %r6, 6; add.u32 %r11, %r3, %r11; add.u32 %r11, %r11, %r13; ld.shared.u32 %r14, [%r11];\n"
      "add.u32 %r2, %r2, %r14; mbarrier.arrive.shared::cta.b64 _, [%r8];\n"
      "add.u32 %r1, %r1, 1; setp.lt.u32 %p4, %r1, 7; @%p4 bra NEXT;\n"
      "DONE: st.global.u32 [%out], %r2;";
  // Compaction runs one side of a branch of the thread block at a time: there it is a deadlock of SIMT execution.
  constexpr way by_warp[] = {way::pdom, way::frontier, way::depth_first, way::serial, way::mimd, way::apart};
  const words got = stored(body, 64, by_warp, 7 * 16);
  for (std::uint32_t t = 0; t < 64; ++t) {
    std::uint32_t sum = 0;
    for (std::uint32_t tile = 0; tile < 7; ++tile) sum += 100 + 16 * tile + (t - 32);
    CHECK(got[t] == (t >= 32 && t < 48 ? sum : 0));
  }
  const machine_result r =
      run_under(way::compaction, decoded(text_with(body)), block_of(64), {words(112, 0), 64, 0, {.steps = 20000}});
  CHECK_MESSAGE((r.how == outcome::livelock || r.how == outcome::step_limit), r.text);
}

TEST_CASE("mbarrier: counts, drops, arrivals that leave a phase open, transactions, on paper") {
  const auto one = [](std::string_view body) {
    return stored(std::string(body) + " st.global.u32 [%out], %r1;", 1, every_way)[0];
  };
  CHECK(one("mov.u64 %rd1, mb; cvta.shared.u64 %rd1, %rd1; mbarrier.init.b64 [%rd1], 5; "
            "mbarrier.arrive.noComplete.b64 %s1, [%rd1], 2; mbarrier.arrive.shared.b64 %s2, [mb], 2; "
            "mbarrier.arrive.b64 %s3, [%rd1]; mbarrier.arrive.b64 %s4, [%rd1]; mbarrier.pending_count.b64 %r1, %s1; "
            "mbarrier.pending_count.b64 %r2, %s2; mad.lo.u32 %r1, %r1, 10, %r2; mbarrier.pending_count.b64 %r2, %s3; "
            "mad.lo.u32 %r1, %r1, 10, %r2; mbarrier.pending_count.b64 %r2, %s4; mad.lo.u32 %r1, %r1, 10, %r2; "
            "mbarrier.test_wait.b64 %p1, [%rd1], %s3; @%p1 add.u32 %r1, %r1, 10000; "
            "mbarrier.test_wait.b64 %p1, [%rd1], %s4; @%p1 add.u32 %r1, %r1, 20000;") == 15315);
  // Dropped arrivals are missing in no later phase.
  CHECK(one("mbarrier.init.shared.b64 [mb], 3; mbarrier.arrive_drop.shared.b64 %s1, [mb]; "
            "mbarrier.arrive_drop.noComplete.shared.b64 %s2, [mb], 1; mbarrier.arrive.shared.b64 %s3, [mb]; "
            "mbarrier.arrive.shared.b64 %s4, [mb]; mbarrier.arrive.shared.b64 %s5, [mb]; mov.u32 %r1, 0; "
            "mbarrier.pending_count.b64 %r2, %s3; mad.lo.u32 %r1, %r1, 10, %r2; mbarrier.pending_count.b64 %r2, %s4; "
            "mad.lo.u32 %r1, %r1, 10, %r2; mbarrier.pending_count.b64 %r2, %s5; mad.lo.u32 %r1, %r1, 10, %r2; "
            "mbarrier.test_wait.parity.shared.b64 %p1, [mb], 0; @%p1 add.u32 %r1, %r1, 1000; "
            "mbarrier.test_wait.parity.shared.b64 %p1, [mb], 3; @%p1 add.u32 %r1, %r1, 2000;") == 1111);
  // A phase waits for arrivals and for transactions, in any order.
  CHECK(one("mbarrier.init.shared.b64 [mb], 1; mov.u32 %r1, 0; mbarrier.complete_tx.relaxed.cta.shared.b64 [mb], 24; "
            "mbarrier.arrive.expect_tx.shared.b64 %s1, [mb], 40; "
            "mbarrier.test_wait.parity.shared.b64 %p1, [mb], 0; @%p1 add.u32 %r1, %r1, 1; "
            "mbarrier.complete_tx.shared.b64 [mb], 16; "
            "mbarrier.test_wait.parity.shared.b64 %p1, [mb], 0; @%p1 add.u32 %r1, %r1, 10; "
            "mbarrier.expect_tx.relaxed.cta.shared.b64 [mb], 8; mbarrier.arrive.shared.b64 _, [mb]; "
            "mbarrier.test_wait.parity.shared.b64 %p1, [mb], 1; @%p1 add.u32 %r1, %r1, 100; "
            "mbarrier.complete_tx.shared.b64 [mb], 8; "
            "mbarrier.test_wait.parity.shared.b64 %p1, [mb], 1; @%p1 add.u32 %r1, %r1, 1000; "
            "mbarrier.arrive_drop.expect_tx.shared.b64 %s2, [mb], 4; mbarrier.complete_tx.shared.b64 [mb], 4; "
            "mbarrier.test_wait.parity.shared.b64 %p1, [mb], 0; @%p1 add.u32 %r1, %r1, 10000; "
            "mbarrier.inval.shared.b64 [mb]; mbarrier.init.shared.b64 [mb], 2;") == 11010);
}

TEST_CASE("mbarrier: copies of a thread arrive for it") {
  const std::string body =
      "setp.eq.u32 %p1, %t, 0; mov.u32 %r29, %ntid.x; @%p1 mbarrier.init.shared.b64 [mb], %r29; "
      "@%p1 mbarrier.init.shared.b64 [nb], %r29; bar.sync 0; mov.u32 %r1, sh; shl.b32 %r2, %t, 2; "
      "add.u32 %r1, %r1, %r2; cp.async.ca.shared.global [%r1], [%in], 4;\n"
      "cp.async.mbarrier.arrive.noinc.shared.b64 [mb]; cp.async.mbarrier.arrive.shared.b64 [nb];\n"
      "mbarrier.arrive.shared.b64 %s1, [nb];\n"
      "W: mbarrier.test_wait.parity.shared.b64 %p2, [mb], 0; @!%p2 bra W;\n"
      "V: mbarrier.test_wait.shared.b64 %p2, [nb], %s1; @!%p2 bra V;\n"
      "xor.b32 %r2, %r2, 4; mov.u32 %r1, sh; add.u32 %r1, %r1, %r2; ld.shared.u32 %r3, [%r1]; "
      "st.global.u32 [%out], %r3;";
  const words got = stored(body, 40, every_way);
  for (std::uint32_t t = 0; t < 40; ++t) CHECK(got[t] == 100 + (t ^ 1U));
}

TEST_CASE("mbarrier: copies and reductions in bulk") {
  // Thread 0 copies in, every thread adds to its own word, thread 0 copies out and reduces.
  const std::string body =
      std::string(init_for_all) +
      "mov.u32 %r1, sh; shl.b32 %r2, %t, 2; add.u32 %r3, %r1, %r2; sub.u64 %rd1, %in, %word; "
      "sub.u64 %rd2, %out, %word; @!%p15 bra REST;\n"
      "mbarrier.expect_tx.relaxed.cta.shared.b64 [mb], 256;\n"
      "cp.async.bulk.prefetch.L2.global [%rd1], 128;\n"
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [sh], [%rd1], 128, [mb];\n"
      "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [sh+128], [sh], 128, "
      "[mb];\n"
      "REST: mbarrier.arrive.shared.b64 %s1, [mb];\n"
      "W: mbarrier.try_wait.shared.b64 %p1, [mb], %s1; @!%p1 bra W;\n"
      "ld.shared.u32 %r4, [%r3+128]; add.u32 %r4, %r4, %t; st.shared.u32 [%r3+128], %r4;\n"
      "fence.proxy.async.shared::cta; bar.sync 0; @!%p15 bra END;\n"
      "cp.async.bulk.global.shared::cta.bulk_group [%rd2], [sh+128], 128;\n"
      "cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;\n"
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd2], [sh], 64;\n"
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.max.s32 [%rd2+64], [sh], 64;\n"
      "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\nEND:";
  const words got = stored(body, 32, every_way);
  for (std::uint32_t t = 0; t < 32; ++t) CHECK(got[t] == 100 + 2 * t + (t < 16 ? 100 + t : 0));
  // A reduction in shared memory reports to its mbarrier.
  const words sums = stored(
      "mov.u32 %r1, sh; shl.b32 %r2, %t, 2; add.u32 %r3, %r1, %r2; st.shared.u32 [%r3], %t; st.shared.u32 [%r3+64], 5; "
      "setp.eq.u32 %p1, %t, 0; @%p1 mbarrier.init.shared.b64 [mb], 1; bar.sync 0; @!%p1 bra W; "
      "mbarrier.arrive.expect_tx.shared.b64 _, [mb], 64;\n"
      "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.xor.b32 [sh+64], [sh], 64, [mb];\n"
      "W: mbarrier.try_wait.parity.shared.b64 %p2, [mb], 0; @!%p2 bra W; ld.shared.u32 %r4, [%r3+64]; "
      "st.global.u32 [%out], %r4;",
      16, every_way);
  for (std::uint32_t t = 0; t < 16; ++t) CHECK(sums[t] == (t ^ 5U));
  // An early read sees the new bytes: a copy is done when it is issued.
  CHECK(stored("mbarrier.init.shared.b64 [mb], 1; mbarrier.arrive.expect_tx.shared.b64 _, [mb], 16; "
               "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [sh], [%in], 16, [mb]; "
               "ld.shared.u32 %r1, [sh+12]; st.global.u32 [%out], %r1;",
               1, every_way, 4)[0] == 103);
}

TEST_CASE("mbarrier: waits that never end have a verdict") {
  // Lane 1 arrives on the other side of a branch: a stack runs lane 0 forever, fair policies and waiting lanes do not.
  const ptx::decoded_kernel apart =
      decoded(text_with("setp.eq.u32 %p1, %t, 0; @%p1 mbarrier.init.shared.b64 [mb], 1; bar.warp.sync 3; @%p1 bra W;\n"
                        "mbarrier.arrive.shared.b64 %s1, [mb]; bra END;\n"
                        "W: mbarrier.try_wait.parity.shared.b64 %p2, [mb], 0; @!%p2 bra W;\n"
                        "END: st.global.u32 [%out], 9;"));
  for (const way w : {way::serial, way::mimd, way::apart}) {
    const machine_result r = run_under(w, apart, block_of(2), {words(2, 0), 2, 0, {.steps = 10000}});
    CHECK_MESSAGE(r.how == outcome::finished, name_of(w) << r.text);
    CHECK(r.out == words(2, 9));
  }
  const machine_result stack =
      run_under(way::pdom, apart, block_of(2), {words(2, 0), 2, 0, {.steps = 10000, .detect_livelock = true}});
  CHECK_MESSAGE(stack.how == outcome::livelock, stack.text);
  // Nobody arrives.
  const ptx::decoded_kernel never =
      decoded(text_with("setp.eq.u32 %p1, %t, 0; @%p1 mbarrier.init.shared.b64 [mb], 65; bar.sync 0;\n"
                        "mbarrier.arrive.shared.b64 %s1, [mb];\n"
                        "W: mbarrier.test_wait.shared.b64 %p2, [mb], %s1; @!%p2 bra W;"));
  for (const way w : every_way) {
    const machine_result r =
        run_under(w, never, block_of(64), {words(2, 0), 2, 0, {.steps = 20000, .detect_livelock = true}});
    CHECK_MESSAGE(r.how == outcome::livelock, name_of(w) << r.text);
  }
  // A wait may end before its phase does: a thread that does something else then is not held up.
  CHECK(stored("setp.eq.u32 %p1, %t, 0; @%p1 mbarrier.init.shared.b64 [mb], 1; @%p1 mbarrier.init.shared.b64 [nb], 1; "
               "bar.sync 0; mov.u32 %r1, 0; @%p1 bra W; mbarrier.arrive.shared.b64 %s1, [nb]; \n"
               "V: mbarrier.test_wait.parity.shared.b64 %p2, [mb], 0; @!%p2 bra V; bra END;\n"
               "W: mbarrier.test_wait.parity.shared.b64 %p2, [mb], 0; @%p2 bra END; "
               "mbarrier.test_wait.parity.shared.b64 %p3, [nb], 0; @!%p3 bra W; mbarrier.arrive.shared.b64 %s1, [mb]; "
               "bra W;\nEND: st.global.u32 [%out], 5;",
               2, std::vector<way>{way::serial, way::mimd, way::apart}) == words(2, 5));
}

TEST_CASE("mbarrier: the barrier of a cluster of one thread block") {
  // Threads pass it once all have arrived; barrier 0 is another one.
  const words got = stored(
      "mov.u32 %r1, sh; shl.b32 %r2, %t, 2; add.u32 %r3, %r1, %r2; st.shared.u32 [%r3], %t; "
      "barrier.cluster.arrive.release.aligned; xor.b32 %r2, %r2, 128; add.u32 %r3, %r1, %r2; "
      "barrier.cluster.wait.acquire.aligned; ld.shared.u32 %r4, [%r3]; bar.sync 0; barrier.cluster.arrive; "
      "barrier.cluster.wait; mov.u32 %r5, %cluster_nctarank; mad.lo.u32 %r4, %r5, 1000, %r4; "
      "mapa.shared::cluster.u32 %r6, %r3, 0; ld.shared::cluster.u32 %r6, [%r6]; sub.u32 %r6, %r6, %r4; "
      "add.u32 %r4, %r4, %r6; add.u32 %r4, %r4, 7; st.global.u32 [%out], %r4;",
      64, every_way);
  for (std::uint32_t t = 0; t < 64; ++t) CHECK(got[t] == (t ^ 32U) + 7);
  const auto refused = [](std::string_view directive) {
    std::string text = text_with("ret;");
    text.insert(text.find("\n{\n"), " " + std::string(directive));
    return text_of(diagnostics_in(text));
  };
  CHECK(refused(".reqnctapercluster 1, 1, 1") == "");
  CHECK(refused(".explicitcluster .reqnctapercluster 2, 2, 1")
            .find("kernel 'k' needs clusters of 4 thread blocks: clusters of more than one are not supported") !=
        std::string::npos);
}

TEST_CASE("mbarrier: a kernel that launches kernels is refused by name") {
  const ptx::module m = module_of(std::string(header) +
                                  ".extern .func (.param .b64 r) cudaGetParameterBufferV2(.param .b64 f);\n"
                                  ".visible .entry k()\n{\n.reg .b64 %rd; .param .b64 a; .param .b64 r;\n"
                                  "mov.u64 %rd, 0; st.param.b64 [a], %rd; call (r), cudaGetParameterBufferV2, (a); "
                                  "ret;\n}\n");
  CHECK(text_of(ptx::decode(m, m.kernels[0]).diagnostics())
            .find("'cudaGetParameterBufferV2' is not supported: kernels are launched by the host only") !=
        std::string::npos);
}

TEST_CASE("mbarrier: misuse is a fault that says what is wrong") {
  CHECK(fault_of("mbarrier.arrive.shared.b64 %s1, [mb];") ==
        "cannot be done: no mbarrier has been initialised at address 0x400");
  CHECK(fault_of("mbarrier.init.shared.b64 [mb], 1; mbarrier.inval.shared.b64 [mb]; "
                 "mbarrier.test_wait.parity.shared.b64 %p1, [mb], 0;") ==
        "cannot be done: no mbarrier has been initialised at address 0x400");
  CHECK(fault_of("mbarrier.init.b64 [%in], 1;")
            .starts_with(
                "cannot be done: an mbarrier is 8 bytes of shared memory at a multiple of 8, not at address 0x"));
  CHECK(fault_of("mbarrier.init.shared.b64 [mb+4], 1;") ==
        "cannot be done: an mbarrier is 8 bytes of shared memory at a multiple of 8, not at address 0x404");
  CHECK(fault_of("mbarrier.init.shared.b64 [mb], 0;") == "cannot be done: an mbarrier counts 1 to 1048575 arrivals");
  CHECK(fault_of("mbarrier.init.shared.b64 [mb], 2; mbarrier.arrive.shared.b64 %s1, [mb], 3;") ==
        "cannot be done: its phase waits for fewer arrivals");
  CHECK(fault_of("mbarrier.init.shared.b64 [mb], 2; mbarrier.arrive.noComplete.shared.b64 %s1, [mb], 2;") ==
        "cannot be done: it must not complete its phase");
  CHECK(fault_of("mbarrier.init.shared.b64 [mb], 2; mbarrier.expect_tx.shared.b64 [mb], 1048576;") ==
        "cannot be done: an mbarrier counts at most 1048575 missing transactions");
  CHECK(fault_of("mbarrier.init.shared.b64 [mb], 1; mbarrier.arrive.shared.b64 %s1, [mb]; "
                 "mbarrier.arrive.shared.b64 %s2, [mb]; mbarrier.test_wait.shared.b64 %p1, [mb], %s1;") ==
        "cannot be done: the state is of no phase, or of one before the phase that was last over");
  const std::string load =
      "mbarrier.init.shared.b64 [mb], 1; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx"
      "::bytes ";
  CHECK(fault_of("mov.u32 %r1, 8; " + load + "[sh], [%in], %r1, [mb];")
            .starts_with("is misaligned: 8 bytes at .shared address 0x0"));
  CHECK(fault_of(load + "[sh], [%in+8], 16, [mb];").starts_with("is misaligned: 16 bytes at .global address 0x"));
  CHECK(fault_of(load + "[sh+8], [%in], 16, [mb];") == "is misaligned: 16 bytes at .shared address 0x8");
  CHECK(fault_of(load + "[sh+1024], [%in], 32, [mb];")
            .starts_with("is out of bounds: 32 bytes at .shared address 0x400"));
  CHECK(fault_of(load + "[sh], [%in], 272, [mb];").starts_with("is out of bounds: 272 bytes at .global address 0x"));
  CHECK(fault_of(load + "[sh], [%in], 16, [nb];") ==
        "cannot be done: no mbarrier has been initialised at address 0x408");
}
