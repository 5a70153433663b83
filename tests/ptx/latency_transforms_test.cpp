// SPDX-License-Identifier: BSL-1.0
//
// Interleaving, loop merging and split blocks on PTX: kernels compute what they computed, and the cycle model says what
// they gain. (tests/transform has both on graphs.)
#include "ptx/module_equality.hpp"
#include "ptx/run_support.hpp"
#include "ptx/two_armed_kernels.hpp"
#include "support/long_run.hpp"
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/ptx/text/printer.hpp>
#include <simtflow/ptx/timed/timed_kernel.hpp>
#include <simtflow/ptx/transform/interleave.hpp>
#include <simtflow/ptx/transform/merge_loops.hpp>
#include <simtflow/ptx/transform/rewrite.hpp>
#include <simtflow/ptx/transform/split_blocks.hpp>
#include <simtflow/simt/policies/ipdom_stack.hpp>
#include <simtflow/timing/device.hpp>
#include <simtflow/timing/machines.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace simtflow;
using namespace simtflow_tests;

namespace {

constexpr way some_ways[] = {way::pdom, way::frontier, way::serial, way::mimd};

// The text of the only kernel, replaced and read again.
ptx::module with_kernel(const ptx::module& m, ptx::function made) {
  ptx::module out = m;
  out.kernels.front() = std::move(made);
  return module_of(ptx::print(out));
}

ptx::module interleaved(const ptx::module& m, const ptx::interleave_options& options, std::size_t* branches = nullptr) {
  const ptx::checked_function code = *ptx::verify(m, m.kernels.front());
  const auto made = ptx::interleave(code, options);
  REQUIRE(made.has_value());
  if (branches != nullptr) *branches += made->interleaved;
  const ptx::module split = with_kernel(m, made->code);
  ptx::module out = m;
  out.kernels.front() = made->code;
  const ptx::checked_function again = *ptx::verify(out, out.kernels.front());
  auto written = ptx::rewrite(again, made->plan);
  REQUIRE(written.has_value());
  return with_kernel(m, *std::move(written));
}

ptx::module merged(const ptx::module& m, const ptx::merge_options& options, std::size_t* nests = nullptr) {
  const ptx::checked_function code = *ptx::verify(m, m.kernels.front());
  const ptx::loop_merging made = ptx::merge_loops(code, options);
  if (nests != nullptr) *nests += made.merged;
  auto written = ptx::rewrite(code, made.plan);
  REQUIRE(written.has_value());
  return with_kernel(m, *std::move(written));
}

// Both kernels leave the same bytes under each of the ways.
void check_same(const ptx::module& before, const ptx::module& after, std::size_t bytes, std::uint32_t threads,
                std::uint64_t seed) {
  const auto says = [&] { return ptx::print(before) + "\nbecame:\n" + ptx::print(after); };
  const bytes_result want = run_for_bytes(before, before.kernels.front(), way::pdom, bytes, threads);
  for (const way how : some_ways) {
    const bytes_result got = run_for_bytes(after, after.kernels.front(), how, bytes, threads);
    for (std::size_t k = 0; k < bytes; ++k)
      if (got.out[k] != want.out[k])
        FAIL("seed " << seed << ", " << name_of(how) << ", byte " << k << ": " << int{got.out[k]} << " in place of "
                     << int{want.out[k]} << "\n"
                     << says());
  }
}

// Loops in loops with trip counts that differ between threads, and branches in them.
class nest_text {
 public:
  explicit nest_text(std::uint64_t seed) : random_(seed) {}
  std::string text() {
    std::string body;
    for (std::uint64_t i = random_.between(1, 2); i > 0; --i) body += loop(0);
    return with_thread_number("mov.u32 %r0, %t; mov.u32 %r20, 1;\n" + body + "st.global.u32 [%out], %r0;");
  }

 private:
  std::string mix() {
    return "mad.lo.u32 %r0, %r0, " + std::to_string(random_.between(3, 99) * 2 + 1) + ", " +
           std::to_string(random_.between(1, 9999)) + ";\n";
  }
  std::string item(std::uint32_t depth) {
    const std::uint64_t kind = random_.between(0, 5);
    if (kind < 2 && depth < 4) return loop(depth);
    if (kind > 3) return mix();
    const std::string n = std::to_string(++labels_), p = "%p" + std::to_string(depth + 8);
    std::string s = "and.b32 %r21, %r0, 16; setp.eq.u32 " + p + ", %r21, 0;\n@" + p + " bra E" + n + ";\n" + mix();
    if (kind == 2 && depth > 0 && random_.chance(50)) s += "bra D" + std::to_string(open_[depth - 1]) + ";\n";
    return s + "E" + n + ":\n";
  }
  std::string loop(std::uint32_t depth) {
    const std::string n = std::to_string(++labels_), count = "%r" + std::to_string(depth + 1),
                      p = "%p" + std::to_string(depth);
    open_[depth] = labels_;
    const bool before = random_.chance(50);  // the test comes first
    const std::string step = "sub.s32 " + count + ", " + count + ", 1;\n";
    std::string s = "shr.u32 " + count + ", %r0, 5; rem.u32 " + count + ", " + count + ", " +
                    std::to_string(random_.between(2, 5)) + ";\nL" + n + ":\n";
    if (before) s += "setp.lt.s32 " + p + ", " + count + ", 1;\n@" + p + " bra D" + n + ";\n";
    for (std::uint64_t i = random_.between(1, 3); i > 0; --i) s += item(depth + 1);
    s += step;
    s += before ? "bra L" + n + ";\n" : "setp.gt.s32 " + p + ", " + count + ", 0;\n@" + p + " bra L" + n + ";\n";
    return s + "D" + n + ":\n" + mix();
  }

  testing::rng random_;
  std::uint32_t labels_ = 0, open_[8] = {};
};

// The cycles of one warp on a machine with room for one warp, loads that take 400 cycles, and arithmetic of 4.
struct timed {
  std::uint64_t cycles = 0;
  words out;
};
timed time_of(const ptx::module& m, timing::scoreboard_kind scoreboard) {
  const ptx::decoded_kernel k = *ptx::decode(m, m.kernels.front());
  timing::machine one = timing::machines::ideal();
  one.core.cores = 1;
  one.core.max_warps = 1;
  one.core.scoreboard = scoreboard;
  for (timing::operation_timing& o : one.operations.of) o.latency = 4;
  one.dram.latency = 400;
  ptx::device_memory memory;
  ptx::arguments arguments(k);
  words in(2048);
  for (std::uint32_t i = 0; i < in.size(); ++i) in[i] = i * i;
  arguments.set(0, memory.allocate_copy(std::span<const std::uint32_t>(in), "in"));
  const std::uint64_t out = memory.allocate(4 * 32, "out");
  arguments.set(1, out);
  arguments.set(2, std::uint32_t{0});
  const ptx::launch_config config = block_of(32);
  const ptx::instruction_table table(k);
  const auto tree = post_dominators(k.bodies());
  const std::vector<block_id> ipdoms(tree.ipdoms().begin(), tree.ipdoms().end());
  const auto report = timing::run(
      policies::ipdom_stack(ipdoms),
      [&](std::uint32_t) { return ptx::timed_kernel<>(table, config, memory, arguments); }, ptx::grid_of(k, config),
      one);
  REQUIRE(report.has_value());
  REQUIRE(report->verdict.finished());
  timed r{report->cycles, words(32)};
  REQUIRE(memory.read(out, std::span<std::uint32_t>(r.out)));
  return r;
}

// Both arms load a word and compute with it, `loads` times one after the other.
ptx::module two_loads(std::uint32_t loads) {
  std::string body = "and.b32 %r0, %t, 1; setp.eq.u32 %p0, %r0, 0; mov.u32 %r10, %t;\n@%p0 bra B;\n";
  const auto arm = [&](const std::string& r, std::uint32_t at) {
    for (std::uint32_t i = 0; i < loads; ++i)
      body += "ld.global.u32 %r" + r + ", [%in+" + std::to_string(at + 256 * i) + "];\nmad.lo.u32 %r10, %r" + r +
              ", 3, %r10;\nxor.b32 %r10, %r10, 77;\n";
  };
  arm("1", 0);
  body += "bra J;\nB:\n";
  arm("2", 4096);
  return module_of(with_thread_number(body + "J:\nst.global.u32 [%out], %r10;"));
}

}  // namespace

TEST_CASE("split_blocks: blocks begin where they should, and kernels compute the same") {
  for (std::uint64_t seed = 1; seed <= simtflow_tests::times(25); ++seed) {
    const two_armed_kernel kernel(seed, {.statements = 2, .depth = seed % 3});
    const ptx::module m = module_of(kernel.text());
    const ptx::checked_function code = *ptx::verify(m, m.kernels.front());
    testing::rng random(seed);
    std::vector<std::uint32_t> at;
    for (std::uint32_t i = 0; i < code.text().instructions.size(); ++i) {
      const std::string_view head = ptx::opcode_head(code.text().instructions[i]);
      if (head != "addc" && head != "subc" && head != "madc" && random.chance(20)) at.push_back(i);
    }
    ptx::module split = m;
    split.kernels.front() = ptx::split_blocks(code, at);
    const ptx::checked_function after = *ptx::verify(split, split.kernels.front());
    for (const std::uint32_t i : at) {
      const std::uint32_t now = ptx::split_index(code, at, i);
      CHECK(after.text().instructions[now].where == code.text().instructions[i].where);
      CHECK(after.blocks()[after.blocks().block_of(now)].first == now);
    }
    check_same(m, with_kernel(m, split.kernels.front()), two_armed_kernel::out_bytes * two_armed_kernel::threads,
               two_armed_kernel::threads, seed);
    // A plan that changes nothing but the layout removes the jumps.
    CHECK(ptx::split_blocks(code, {}).instructions.size() == code.text().instructions.size());
  }
}

TEST_CASE("interleave: random kernels compute the same") {
  std::size_t branches = 0;
  for (std::uint64_t seed = 1; seed <= simtflow_tests::times(150); ++seed) {
    const two_armed_kernel kernel(seed, {.statements = 1 + seed % 3,
                                         .depth = seed % 4,
                                         .arm_length = 3 + seed % 6,
                                         .style = seed % 2 == 0 ? register_style::few : register_style::single});
    const ptx::module m = module_of(kernel.text());
    ptx::interleave_options options;  // every result takes long: many cuts
    for (std::uint32_t& cycles : options.cycles.of)
      cycles = seed % 5 == 0 ? 400 : 40 + 30 * static_cast<std::uint32_t>(seed % 3);
    options.cycles.of[0] = 4;
    const ptx::module after = interleaved(m, options, &branches);
    check_same(m, after, two_armed_kernel::out_bytes * two_armed_kernel::threads, two_armed_kernel::threads, seed);
  }
  MESSAGE(branches << " branches interleaved");
  CHECK(branches > 60);
}

TEST_CASE("interleave: two loads of 400 cycles take the time of one") {
  const ptx::module m = two_loads(1);
  ptx::interleave_options options;
  std::size_t branches = 0;
  const ptx::module after = interleaved(m, options, &branches);
  CHECK(branches == 1);
  const timed before = time_of(m, timing::scoreboard_kind::registers),
              now = time_of(after, timing::scoreboard_kind::registers);
  MESSAGE(before.cycles << " -> " << now.cycles);
  CHECK(before.out == now.out);
  // Two waits of 400 cycles are one, but for the guard.
  CHECK(before.cycles > 800);
  CHECK(now.cycles + 380 <= before.cycles);
  CHECK(now.cycles + 400 > before.cycles);
  // A machine that waits for every instruction gains nothing: the guard remains.
  const timed slow = time_of(m, timing::scoreboard_kind::one_in_flight),
              slow_now = time_of(after, timing::scoreboard_kind::one_in_flight);
  CHECK(slow_now.out == slow.out);
  CHECK(slow_now.cycles >= slow.cycles);
  CHECK(slow_now.cycles <= slow.cycles + 20);
  // Four loads in a chain of each arm: eight waits become four.
  branches = 0;
  const ptx::module many = two_loads(4), many_after = interleaved(many, options, &branches);
  const timed long_before = time_of(many, timing::scoreboard_kind::registers),
              long_now = time_of(many_after, timing::scoreboard_kind::registers);
  MESSAGE(long_before.cycles << " -> " << long_now.cycles);
  CHECK(long_before.out == long_now.out);
  CHECK(long_now.cycles + 4 * 370 <= long_before.cycles);
}

TEST_CASE("interleave: branches that stay") {
  const auto reason = [](const std::string& body, const ptx::interleave_options& options = {}) {
    const ptx::module m = module_of(with_thread_number(body));
    const auto made = ptx::interleave(*ptx::verify(m, m.kernels.front()), options);
    REQUIRE(made.has_value());
    REQUIRE(made->branches.size() >= 1);
    CHECK((made->interleaved == 0) == (made->branches[0].reason != interleave_refusal::none));
    return made->branches[0];
  };
  const std::string arms =
      "@%p0 bra B;\nld.global.u32 %r1, [%in];\nadd.u32 %r10, %r1, 1;\nbra J;\nB:\n"
      "ld.global.u32 %r2, [%in+512];\nadd.u32 %r10, %r2, 2;\nJ:\nst.global.u32 [%out], %r10;";
  const std::string apart = "setp.lt.u32 %p0, %t, 7;\n";
  const std::string alike = "mov.u32 %r0, %ctaid.x; setp.lt.u32 %p0, %r0, 7;\n";
  CHECK(reason(apart + arms).reason == interleave_refusal::none);
  CHECK(reason(alike + arms).reason == interleave_refusal::uniform);
  ptx::interleave_options full;
  full.warps = 400;
  CHECK(reason(apart + arms, full).reason == interleave_refusal::does_not_pay);
  ptx::interleave_options fast;
  fast.cycles = {{4, 4, 4, 4, 4, 4, 4}};
  CHECK(reason(apart + arms, fast).reason == interleave_refusal::no_stall);
  const ptx::judged_branch with_barrier =
      reason(apart +
             "@%p0 bra B;\nld.global.u32 %r1, [%in];\nbar.sync 0;\nadd.u32 %r10, %r1, 1;\nbra J;\nB:\n"
             "mov.u32 %r10, 3;\nJ:\nst.global.u32 [%out], %r10;");
  CHECK(with_barrier.reason == interleave_refusal::convergent);
  CHECK(with_barrier.at_where.line == with_barrier.where.line + 1);
  const ptx::judged_branch with_lock =
      reason(apart +
             "@%p0 bra B;\nL:\natom.global.exch.b32 %r1, [%in], 1;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra L;\n"
             "bra J;\nB:\nld.global.u32 %r2, [%in+512];\nadd.u32 %r10, %r2, 2;\nJ:\nst.global.u32 [%out], %r10;");
  CHECK(with_lock.reason == interleave_refusal::waits);
  // A loop that reads nothing of other threads waits for nobody, whatever it ends with.
  const ptx::judged_branch with_loop =
      reason(apart +
             "@%p0 bra B;\nmov.u32 %r0, 0;\nL:\nadd.u32 %r0, %r0, 1;\nsetp.lt.u32 %p1, %r0, 4;\n@%p1 bra L;\n"
             "ld.global.u32 %r1, [%in];\nadd.u32 %r10, %r1, %r0;\nbra J;\nB:\nld.global.u32 %r2, [%in+512];\n"
             "add.u32 %r10, %r2, 2;\nJ:\nst.global.u32 [%out], %r10;");
  CHECK(with_loop.reason == interleave_refusal::none);
  const ptx::judged_branch one_arm =
      reason(apart + "@%p0 bra J;\nld.global.u32 %r1, [%in];\nadd.u32 %r10, %r1, 1;\nJ:\nst.global.u32 [%out], %r10;");
  CHECK(one_arm.reason == interleave_refusal::no_two_arms);
  CHECK(one_arm.arms == meld_refusal::empty_arm);
}

TEST_CASE("merge_loops: Figure 2 of the paper, as a kernel") {
  // for (i = 0; i < 2; ++i) { S1; for (j = 0; j < cond; ++j) S2; S3; } with 10 and 15 iterations in thread 0, 15 and 10
  // in thread 1. Only S2 has a popc.
  const ptx::module m = module_of(with_thread_number(R"(mov.u32 %r0, 0;
mov.u32 %r5, 0;
OUTER:
add.u32 %r1, %r0, %t;
and.b32 %r1, %r1, 1;
mad.lo.u32 %r1, %r1, 5, 10;
mov.u32 %r2, 0;
INNER:
setp.ge.u32 %p1, %r2, %r1;
@%p1 bra DONE;
add.u32 %r5, %r5, %r1;
popc.b32 %r6, %r5;
add.u32 %r2, %r2, 1;
bra INNER;
DONE:
add.u32 %r0, %r0, 1;
setp.lt.u32 %p2, %r0, 2;
@%p2 bra OUTER;
st.global.u32 [%out], %r5;)"));
  const auto fetches = [](const ptx::module& of) {
    const ptx::decoded_kernel k = *ptx::decode(of, of.kernels.front());
    const machine_result r = run_under(way::pdom, k, block_of(2, 2), {.in = words(64, 0), .out_words = 64});
    REQUIRE(r.how == outcome::finished);
    CHECK(r.out[0] == 10 * 10 + 15 * 15);
    CHECK(r.out[1] == 10 * 10 + 15 * 15);
    for (block_id b = 0; b < k.blocks.size(); ++b)
      for (std::uint32_t i = 0; i < k.blocks[b].weight; ++i)
        if (k.opcodes[k.blocks[b].last_instruction - i] == "popc.b32") return r.runs[b];
    return std::uint64_t{0};
  };
  CHECK(fetches(m) == 30);
  std::size_t nests = 0;
  const ptx::loop_merging judged = ptx::merge_loops(*ptx::verify(m, m.kernels.front()));
  REQUIRE(judged.nests.size() == 1);
  CHECK(judged.nests[0].reason == merge_refusal::does_not_pay);  // S2 is as small as the guard
  const ptx::module after = merged(m, {.header = judged.nests[0].outer}, &nests);
  CHECK(nests == 1);
  CHECK(fetches(after) == 26);
  // One guard: a test and a branch; the variable is set where the nest is entered and where it is left.
  CHECK(after.kernels.front().instructions.size() <= m.kernels.front().instructions.size() + 5);
}

TEST_CASE("merge_loops: random nests compute the same") {
  std::size_t nests = 0, kernels = 0;
  for (std::uint64_t seed = 1; seed <= simtflow_tests::times(150); ++seed) {
    const ptx::module m = module_of(nest_text(seed).text());
    const ptx::checked_function code = *ptx::verify(m, m.kernels.front());
    const ptx::loop_merging all = ptx::merge_loops(code);
    ++kernels;
    ptx::module after = merged(m, {}, &nests);
    const auto results = [](const ptx::module& of, way how) {
      const ptx::decoded_kernel k = *ptx::decode(of, of.kernels.front());
      const machine_result r = run_under(how, k, block_of(64), {.in = words(64, 0), .out_words = 64});
      REQUIRE(r.how == outcome::finished);
      return r.out;
    };
    const words want = results(m, way::serial);
    std::vector<ptx::module> made = {std::move(after)};
    for (const ptx::judged_nest& nest : all.nests) made.push_back(merged(m, {.header = nest.outer}, &nests));
    for (const ptx::module& one : made)
      for (const way how : all_ways)
        if (results(one, how) != want)
          FAIL("seed " << seed << ", " << name_of(how) << "\n" << ptx::print(m) << "\nbecame:\n" << ptx::print(one));
  }
  MESSAGE(nests << " merged in " << kernels << " kernels");
  CHECK(nests > 100);
}

TEST_CASE("merge_loops: nests that stay, and where the reason stands") {
  const auto judged = [](const std::string& inner, const std::string& after, const std::string& trips = "%t",
                         std::uint32_t warps = 0) {
    const ptx::module m = module_of(with_thread_number(
        "mov.u32 %r0, 0;\nO:\nmov.u32 %r1, 0;\nI:\n" + inner + "add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, " + trips +
        ";\n@%p1 bra I;\n" + after + "add.u32 %r0, %r0, 1;\nsetp.lt.u32 %p2, %r0, 9;\n@%p2 bra O;\n"));
    const ptx::loop_merging made = ptx::merge_loops(*ptx::verify(m, m.kernels.front()), {.warps = warps});
    REQUIRE(!made.nests.empty());
    CHECK((made.merged == 1) == (made.nests[0].reason == merge_refusal::none));
    return made.nests[0];
  };
  std::string work;
  for (int i = 0; i < 12; ++i) work += "add.u32 %r5, %r5, %r1;\n";
  CHECK(judged(work, "").reason == merge_refusal::none);
  CHECK(judged(work, "", "7").reason == merge_refusal::uniform);
  // A load after the inner loop costs one instruction; a warp alone waits for it in every iteration of another lane.
  const std::string load = "ld.global.u32 %r6, [%in];\nadd.u32 %r5, %r5, %r6;\n";
  CHECK(judged(work, load).reason == merge_refusal::none);
  CHECK(judged(work, load, "%t", 1).reason == merge_refusal::does_not_pay);
  CHECK(judged(work, load, "%t", 48).reason == merge_refusal::none);
  std::string more;
  for (int i = 0; i < 30; ++i) more += work;
  CHECK(judged("", more).reason == merge_refusal::does_not_pay);
  const ptx::judged_nest barrier = judged(work, "bar.sync 0;\n");
  CHECK(barrier.reason == merge_refusal::convergent);
  CHECK(barrier.at_where.line > barrier.where.line + 12);
  CHECK(judged(work, "setp.eq.u32 %p3, %r5, 3;\n@%p3 exit;\n").reason == merge_refusal::ends);
  CHECK(judged(work, "S:\nld.volatile.global.u32 %r6, [%in];\nsetp.eq.u32 %p3, %r6, 0;\n@%p3 bra S;\n").reason ==
        merge_refusal::waits);
  const std::string beside = "mov.u32 %r6, 0;\nS:\nadd.u32 %r6, %r6, 1;\nsetp.lt.u32 %p3, %r6, 2;\n@%p3 bra S;\n";
  CHECK(judged(work + work + work, beside).reason != merge_refusal::waits);
}
