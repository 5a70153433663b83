// SPDX-License-Identifier: BSL-1.0
//
// Instructions of PTX kernels as the cycle model sees them: classes, registers, accesses, lanes that wait. Everything
// here is worked out by hand; the shipped kernels are in lab/timed_kernel_test.cpp.
#include "ptx/run_support.hpp"
#include <simtflow/ptx/timed/timed_kernel.hpp>
#include <simtflow/simt/policies/lane_serial.hpp>
#include <simtflow/timing/machines.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace simtflow;
using namespace simtflow_tests;

namespace {

using kind = timing::instruction_class;
using space = timing::address_space;
using direction = timing::access_kind;
using names = std::set<std::string>;
using numbers = std::vector<std::uint64_t>;

struct seen_access {
  space where;
  direction how;
  bool is_volatile;
  std::uint32_t bytes;
  numbers addresses;
  friend bool operator==(const seen_access&, const seen_access&) = default;
};
struct issued {
  std::string opcode;
  timing::instruction what;
  names reads, writes;
  lane_mask on;
  std::vector<seen_access> accesses;
};

std::string for_sm_90(std::string text) { return text.replace(text.find("sm_75"), 5, "sm_90"); }

// One warp of a thread block, its lanes together as long as they go to one block.
struct rig {
  explicit rig(std::string_view body, std::uint32_t lanes = 4, std::string_view before = {})
      : kernel(decoded(for_sm_90(with_thread_number(body, before)))), table(kernel), threads(lanes) {
    from = memory.allocate_copy(std::span<const std::uint32_t>(std::vector<std::uint32_t>(64, 7)), "in");
    to = memory.allocate(256, "out");
    args.set(0, from);
    args.set(1, to);
    args.set(2, std::uint32_t{0});
  }
  ptx::decoded_kernel kernel;
  ptx::instruction_table table;
  std::uint32_t threads;
  ptx::device_memory memory;
  std::uint64_t from = 0, to = 0;
  ptx::arguments args{kernel};
  ptx::timed_output told;

  names named(std::span<const std::uint32_t> list) const {
    names all;
    for (const std::uint32_t r : list)
      all.insert(r < kernel.registers.size() ? kernel.registers[r].first
                                             : kernel.predicate_names[r - kernel.registers.size()].first);
    return all;
  }
  issued describe(block_id b, std::uint32_t i, const timing::issue_effect<lane_mask>& effect) const {
    const timing::instruction& what = table.at(b, i);
    const std::uint32_t number = kernel.blocks[b].last_instruction + 1 - kernel.weight(b) + i;
    const auto list = table.registers().subspan(what.first_register);
    issued one{kernel.opcodes[number],
               what,
               named(list.first(what.reads)),
               named(list.subspan(what.reads, what.writes)),
               effect.on,
               {}};
    for (const timing::access& a : effect.accesses)
      one.accesses.push_back(
          {a.where, a.kind, a.is_volatile, a.bytes, numbers(a.addresses.begin(), a.addresses.end())});
    return one;
  }
  // Every instruction that the warp issues.
  std::vector<issued> run() {
    ptx::timed_kernel<> program(table, block_of(threads), memory, args, &told);
    program.begin({threads, 32, 0});
    std::vector<issued> all;
    fragment at{0, lane_mask::first_lanes(threads)};
    for (partition out; all.size() < 1000; out.clear()) {
      const group g{0, 0, at.lanes};
      block_end end = block_end::next;
      if (kernel.weight(at.block) == 0) end = program.run(at.block, g, out);
      for (std::uint32_t i = 0; i < kernel.weight(at.block); ++i) {
        timing::issue_effect<lane_mask> effect{at.lanes, {}};
        end = program.issue(at.block, i, g, out, effect);
        all.push_back(describe(at.block, i, effect));
        if (end == block_end::fault) return all;
      }
      if (out.fragments().empty()) return all;
      at = out.fragments()[0];
    }
    return all;
  }
};

const issued& first(const std::vector<issued>& all, std::string_view opcode) {
  const auto at = std::find_if(all.begin(), all.end(), [&](const issued& i) { return i.opcode == opcode; });
  REQUIRE_MESSAGE(at != all.end(), opcode);
  return *at;
}

kind class_of(std::string_view opcode) {
  const auto o = ptx::parse_operation(opcode);
  REQUIRE_MESSAGE(o.has_value(), opcode);
  return ptx::timing_class_of(*o);
}

}  // namespace

static_assert(timing::timed_program_with_collectives<ptx::timed_kernel<>>);
static_assert(timing::timed_program_with_collectives<ptx::timed_kernel<basic_mask<16>>, basic_mask<16>>);
static_assert(timing::program_of_grid<ptx::timed_kernel<>>);
static_assert(timing::program_with_code_addresses<ptx::timed_kernel<>>);

TEST_CASE("timed kernels: the class of an instruction") {
  const std::pair<const char*, kind> expected[] = {{"add.s32", kind::int_add},
                                                   {"addc.cc.u32", kind::int_add},
                                                   {"sub.u64", kind::int_add},
                                                   {"add.f32", kind::fp_add},
                                                   {"add.rn.f16x2", kind::fp_add},
                                                   {"sub.f64", kind::dp_add},
                                                   {"min.s32", kind::int_max},
                                                   {"max.f32", kind::fp_max},
                                                   {"max.f64", kind::dp_max},
                                                   {"mul.lo.s32", kind::int_mul},
                                                   {"mul.wide.u32", kind::int_mul},
                                                   {"mul24.lo.u32", kind::int_mul},
                                                   {"mul.f32", kind::fp_mul},
                                                   {"mul.f64", kind::dp_mul},
                                                   {"mad.lo.s32", kind::int_mad},
                                                   {"fma.rn.f32", kind::fp_mad},
                                                   {"fma.rn.f64", kind::dp_mad},
                                                   {"dp4a.u32.u32", kind::int_mad},
                                                   {"div.u32", kind::int_div},
                                                   {"rem.s64", kind::int_div},
                                                   {"div.rn.f32", kind::fp_div},
                                                   {"div.rn.f64", kind::dp_div},
                                                   {"sqrt.rn.f32", kind::special},
                                                   {"rsqrt.approx.f32", kind::special},
                                                   {"rcp.rn.f64", kind::special},
                                                   {"ex2.approx.f32", kind::special},
                                                   {"sin.approx.f32", kind::special},
                                                   {"mov.u32", kind::simple},
                                                   {"and.b32", kind::simple},
                                                   {"shl.b32", kind::simple},
                                                   {"setp.lt.s32", kind::simple},
                                                   {"selp.b32", kind::simple},
                                                   {"cvt.rn.f32.u32", kind::simple},
                                                   {"membar.gl", kind::simple},
                                                   {"neg.f32", kind::simple},
                                                   {"ld.global.u32", kind::load},
                                                   {"ldu.global.u32", kind::load},
                                                   {"st.shared.u32", kind::store},
                                                   {"atom.global.add.u32", kind::atomic},
                                                   {"red.global.add.u32", kind::atomic},
                                                   {"bar.sync", kind::barrier},
                                                   {"bar.warp.sync", kind::exchange},
                                                   {"shfl.sync.down.b32", kind::exchange},
                                                   {"vote.sync.ballot.b32", kind::exchange},
                                                   {"bra", kind::control},
                                                   {"bra.uni", kind::control},
                                                   {"ret", kind::control},
                                                   {"exit", kind::control}};
  for (const auto& one : expected) CHECK_MESSAGE(class_of(one.first) == one.second, one.first);
}

TEST_CASE("timed kernels: registers and addresses of guarded vector accesses") {
  rig r(
      "setp.lt.u32 %p1, %t, 3; @%p1 ld.global.v2.u32 {%r1, _}, [%out+8]; @!%p1 st.volatile.global.v2.u32 [%out], {%r1, "
      "%r2}; atom.global.add.u32 %r3, [%out], %r1; red.global.add.u32 [%out], 1;",
      4);
  // Eight bytes of each thread at addresses that are multiples of eight.
  rig even(
      "shl.b32 %r1, %t, 3; cvt.u64.u32 %rd1, %r1; sub.u64 %out, %out, %word; add.u64 %rd1, %rd1, %out; "
      "setp.lt.u32 %p1, %t, 3; @%p1 ld.global.v2.u32 {%r1, _}, [%rd1+8]; "
      "@!%p1 st.volatile.global.v2.u32 [%rd1], {%r1, %r2}; atom.global.add.u32 %r3, [%rd1], %r1; "
      "red.global.add.u32 [%rd1], 1;");
  const std::vector<issued> all = even.run();
  const std::uint64_t to = even.to;

  const issued& load = first(all, "ld.global.v2.u32");
  CHECK(load.what.kind == kind::load);
  CHECK(load.what.where == space::global);
  CHECK(load.reads == names{"%p1", "%rd1"});
  CHECK(load.writes == names{"%r1"});
  CHECK(load.on == lane_mask(0b0111));
  CHECK(load.accesses ==
        std::vector<seen_access>{{space::global, direction::load, false, 8, {to + 8, to + 16, to + 24}}});

  const issued& store = first(all, "st.volatile.global.v2.u32");
  CHECK(store.reads == names{"%p1", "%rd1", "%r1", "%r2"});
  CHECK(store.writes.empty());
  CHECK(store.on == lane_mask(0b1000));
  CHECK(store.accesses == std::vector<seen_access>{{space::global, direction::store, true, 8, {to + 24}}});

  const issued& atomic = first(all, "atom.global.add.u32");
  CHECK(atomic.reads == names{"%rd1", "%r1"});
  CHECK(atomic.writes == names{"%r3"});
  CHECK(atomic.accesses ==
        std::vector<seen_access>{{space::global, direction::atomic, false, 4, {to, to + 8, to + 16, to + 24}}});
  CHECK(first(all, "red.global.add.u32").writes.empty());
  // Threads 1 and 3 would access eight bytes at a multiple of four: a fault has no accesses.
  const std::vector<issued> wrong = r.run();
  CHECK(wrong.back().opcode == "ld.global.v2.u32");
  CHECK(wrong.back().accesses.empty());
  CHECK(r.told.fault.kind == ptx::fault_kind::misaligned);
  CHECK(even.told.fault.kind == ptx::fault_kind::none);

  const issued& parameter = first(all, "ld.param.u64");
  CHECK(parameter.what.where == space::parameter);
  CHECK(parameter.accesses == std::vector<seen_access>{{space::parameter, direction::load, false, 8, {0, 0, 0, 0}}});
  const issued& moved = first(all, "mov.u32");
  CHECK(moved.reads.empty());  // a special register
  CHECK(moved.accesses.empty());
}

TEST_CASE("timed kernels: generic addresses, local memory, asynchronous copies") {
  rig r(
      ".shared .align 16 .b8 s[64]; .local .align 4 .b8 l[8]; mov.u32 %r1, s; mov.u32 %r2, 5; st.local.u32 [l+4], %r2; "
      "cvta.shared.u64 %rd1, s; mov.u64 %rd2, l; cvta.local.u64 %rd2, %rd2; setp.eq.u32 %p1, %t, 0; selp.b64 %rd3, "
      "%rd1, %out, %p1; setp.eq.u32 %p2, %t, 2; selp.b64 %rd3, %rd2, %rd3, %p2; ld.u32 %r3, [%rd3]; "
      "shl.b32 %r4, %t, 2; add.u32 %r4, %r4, %r1; cp.async.ca.shared.global [%r4], [%in], 4, %p1; "
      "ld.shared.u32 %r5, [%r4];");
  const std::vector<issued> all = r.run();
  const std::uint64_t thread = std::uint64_t{1} << 32;
  CHECK(first(all, "st.local.u32").accesses ==
        std::vector<seen_access>{
            {space::local, direction::store, false, 4, {4, thread + 4, 2 * thread + 4, 3 * thread + 4}}});
  const issued& generic = first(all, "ld.u32");
  CHECK(generic.what.where == space::global);
  CHECK(generic.accesses == std::vector<seen_access>{{space::shared, direction::load, false, 4, {0}},
                                                     {space::global, direction::load, false, 4, {r.to + 4, r.to + 12}},
                                                     {space::local, direction::load, false, 4, {2 * thread}}});
  const issued& copy = first(all, "cp.async.ca.shared.global");  // thread 0 copies nothing but zeros
  CHECK(copy.what.kind == kind::load);
  CHECK(copy.what.where == space::global);
  CHECK(copy.reads == names{"%r4", "%in", "%p1"});
  CHECK(copy.accesses ==
        std::vector<seen_access>{{space::shared, direction::store, false, 4, {0, 4, 8, 12}},
                                 {space::global, direction::load, false, 4, {r.from + 4, r.from + 8, r.from + 12}}});
}

TEST_CASE("timed kernels: an mbarrier is a number in shared memory; a copy in bulk accesses both memories") {
  rig r(
      ".shared .align 16 .b8 sh[128]; .shared .align 8 .b64 mb; .reg .b64 %s; setp.eq.u32 %p1, %t, 0; mov.u32 %r1, 64; "
      "@%p1 mbarrier.init.shared.b64 [mb], 1; @%p1 mbarrier.arrive.expect_tx.shared.b64 %s, [mb], %r1; "
      "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [sh], [%in], %r1, [mb]; "
      "mbarrier.try_wait.parity.shared.b64 %p2, [mb], 0; "
      "@%p1 cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%out], [sh], %r1;");
  const std::vector<issued> all = r.run();
  const issued& init = first(all, "mbarrier.init.shared.b64");
  CHECK(init.what.kind == kind::store);
  CHECK(init.what.where == space::shared);
  CHECK(init.accesses == std::vector<seen_access>{{space::shared, direction::store, false, 8, {128}}});
  const issued& arrive = first(all, "mbarrier.arrive.expect_tx.shared.b64");
  CHECK(arrive.what.kind == kind::atomic);
  CHECK(arrive.reads == names{"%p1", "%r1"});
  CHECK(arrive.writes == names{"%s"});
  CHECK(arrive.accesses == std::vector<seen_access>{{space::shared, direction::atomic, false, 8, {128}}});
  const issued& copy = first(all, "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes");
  CHECK(copy.what.kind == kind::load);
  CHECK(copy.what.where == space::global);
  CHECK(copy.reads == names{"%p1", "%r1", "%in"});
  CHECK(copy.accesses == std::vector<seen_access>{{space::global, direction::load, false, 64, {r.from}},
                                                  {space::shared, direction::store, false, 64, {0}}});
  const issued& wait = first(all, "mbarrier.try_wait.parity.shared.b64");
  CHECK(wait.what.kind == kind::load);
  CHECK(wait.writes == names{"%p2"});
  CHECK(wait.accesses == std::vector<seen_access>{{space::shared, direction::load, false, 8, {128, 128, 128, 128}}});
  const issued& sum = first(all, "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32");
  CHECK(sum.what.kind == kind::atomic);
  CHECK(sum.accesses == std::vector<seen_access>{{space::shared, direction::load, false, 64, {0}},
                                                 {space::global, direction::atomic, false, 64, {r.to}}});
}

TEST_CASE("timed kernels: a call reads its arguments; a function's parameters are local memory") {
  rig r(
      ".reg .b32 %y; mov.u32 %r1, 3; call (%r2), twice, (%r1); st.global.u32 [%out], %r2; bar.red.popc.u32 %r3, "
      "0, %r4, %p1; barrier.sync %r1, %r5;",
      4,
      ".func (.param .b32 result) twice(.param .b32 value)\n{\n.reg .b32 %x;\nld.param.b32 %x, [value]; add.u32 %x, "
      "%x, %x; st.param.b32 [result], %x; ret;\n}\n");
  const std::vector<issued> all = r.run();
  const issued& call = first(all, "call");
  CHECK(call.what.kind == kind::control);
  CHECK(call.reads == names{"%r1"});
  CHECK(first(all, "ld.param.b32").what.where == space::local);
  CHECK(first(all, "ld.param.b32").writes == names{"twice:%x"});
  const issued& reduced = first(all, "bar.red.popc.u32");
  CHECK(reduced.what.kind == kind::barrier);
  CHECK(reduced.reads == names{"%r4", "%p1"});
  CHECK(reduced.writes == names{"%r3"});
}

TEST_CASE("timed kernels: lanes wait at a shuffle in the middle of a block, and go on after it") {
  rig r("add.u32 %r1, %t, 10; shfl.sync.down.b32 %r2, %r1, 1, 31, 15; add.u32 %r2, %r2, 1; st.global.u32 [%out], %r2;");
  ptx::timed_kernel<> program(r.table, block_of(4), r.memory, r.args);
  program.begin({4, 32, 0});
  program.wait_at_collectives(true);
  partition out;
  std::uint32_t shuffle = 0;
  const std::uint32_t weight = program.weight(0);
  const group low{0, 0, lane_mask(0b0011)}, high{0, 0, lane_mask(0b1100)};
  for (const group& g : {low, high}) {
    timing::issue_effect<lane_mask> effect{g.lanes, {}};
    shuffle = 0;
    while (program.issue(0, shuffle, g, out, effect) != block_end::collective) ++shuffle;
    CHECK(program.instruction_at(0, shuffle).kind == kind::exchange);
    const lane_mask go = program.gather({0, 0, g.lanes == low.lanes ? low.lanes : lane_mask(0b1111)});
    CHECK(go == (g.lanes == low.lanes ? lane_mask() : lane_mask(0b1111)));
  }
  for (const group& g : {high, low}) {
    CHECK(program.resumed_at(0, g) == shuffle);
    for (std::uint32_t i = shuffle; i < weight; ++i) {
      timing::issue_effect<lane_mask> effect{g.lanes, {}};
      CHECK(program.issue(0, i, g, out, effect) == block_end::next);
    }
  }
  std::vector<std::uint32_t> got(4);
  REQUIRE(r.memory.read(r.to, std::span<std::uint32_t>(got)));
  CHECK(got == std::vector<std::uint32_t>{12, 13, 14, 14});
  for (const char* name : {"%r1", "%r2"}) CHECK(program.register_value(3, name) >= 13);
}

TEST_CASE("timed kernels: operations of a kernel belong to one instruction each; code addresses differ") {
  rig r("setp.lt.u32 %p1, %t, 2; @%p1 bra $a; add.u32 %r1, %t, 1; @%p1 bar.sync 0; $a: mov.u32 %r2, 1;");
  std::set<std::uint64_t> addresses;
  std::size_t ops = 0, instructions = 0;
  for (block_id b = 0; b < r.kernel.blocks.size(); ++b)
    for (std::uint32_t i = 0; i < r.kernel.weight(b); ++i) {
      ++instructions;
      ops += r.table.ops(b, i).size();
      addresses.insert(r.table.code_address(b, i));
    }
  CHECK(instructions == r.kernel.opcodes.size());
  CHECK(addresses.size() == instructions);
  CHECK(ops == r.kernel.ops.size());
}

TEST_CASE("timed kernels: two reads of the clock around a dependent chain differ by the chain's latencies") {
  for (const bool in_flight : {true, false})
    for (const std::uint32_t latency : {1U, 4U, 13U})
      for (const std::uint32_t n : {1U, 2U, 10U}) {
        std::string chain = "mov.u32 %r1, %clock;\n  mov.u64 %rd4, %clock64;\n";
        for (std::uint32_t i = 0; i < n; ++i) chain += "  add.u32 %r2, %r2, 1;\n";
        rig r(chain +
              "  mov.u32 %r3, %clock;\n  sub.u32 %r3, %r3, %r1;\n  cvt.u32.u64 %r4, %rd4;\n"
              "  sub.u32 %r4, %r4, %r1;\n  st.global.v2.u32 [%out], {%r3, %r4};\n");
        timing::machine m = timing::machines::ideal();
        m.core.cores = 1;
        m.core.scoreboard = in_flight ? timing::scoreboard_kind::one_in_flight : timing::scoreboard_kind::registers;
        for (const kind k : {kind::int_add, kind::simple}) m.operations[k].latency = latency;
        const ptx::launch_config launch = block_of(1);
        const auto report = timing::run(
            policies::lane_serial(),
            [&](std::uint32_t) { return ptx::timed_kernel<>(r.table, launch, r.memory, r.args); },
            ptx::grid_of(r.kernel, launch), m);
        REQUIRE(report.has_value());
        REQUIRE(report->verdict.finished());
        std::uint32_t read[2] = {};
        REQUIRE(r.memory.read(r.to, std::span<std::uint32_t>(read)));
        CAPTURE(latency);
        CAPTURE(n);
        // One in flight: both moves and n additions, one after the other. Registers: the first addition issues two
        // cycles after the first move, each other addition a latency after the one before it, and the last move, which
        // waits for nothing, in the cycle after them.
        CHECK(read[0] == (in_flight ? (n + 2) * latency : 2 + (n - 1) * latency + 1));
        CHECK(read[1] == (in_flight ? latency : 1));
      }
}

TEST_CASE("timed kernels: lanes that run alone wait for a phase of an mbarrier, and for what another warp does") {
  // Each thread adds the word of the thread in the other warp, which a copy in bulk of thread 0 has brought.
  rig r(
      ".shared .align 16 .b8 sh[256]; .shared .align 8 .b64 mb; .reg .b64 %s; mov.u32 %r1, %ntid.x; "
      "setp.eq.u32 %p1, %t, 0; @%p1 mbarrier.init.shared.b64 [mb], %r1; bar.sync 0; "
      "@%p1 mbarrier.expect_tx.relaxed.cta.shared.b64 [mb], 256; @%p1 cp.async.bulk.shared::cluster.global.mbarrier::"
      "complete_tx::bytes [sh], [%in], 256, [mb]; mbarrier.arrive.shared.b64 %s, [mb];\n"
      "W: mbarrier.try_wait.shared.b64 %p2, [mb], %s; @!%p2 bra W; mov.u32 %r2, sh; shl.b32 %r3, %t, 2; "
      "xor.b32 %r3, %r3, 128; add.u32 %r2, %r2, %r3; ld.shared.u32 %r4, [%r2]; add.u32 %r4, %r4, %t; "
      "mbarrier.arrive.shared.b64 %s, [mb];\n"
      "V: mbarrier.test_wait.shared.b64 %p2, [mb], %s; @!%p2 bra V; st.global.u32 [%out], %r4;",
      64);
  for (const timing::machine& m : {timing::machines::ideal(), timing::machines::volta()}) {
    const auto make = [&](std::uint32_t) {
      return ptx::timed_kernel<>(r.table, block_of(64), r.memory, r.args, &r.told);
    };
    const auto report = timing::run(policies::lane_serial(), make,
                                    ptx::grid_of(r.kernel, block_of(64), 0, barrier_model::thread_arrival), m);
    REQUIRE(report.has_value());
    CHECK(report->verdict.finished());
    std::vector<std::uint32_t> got(64);
    REQUIRE(r.memory.read(r.to, std::span<std::uint32_t>(got)));
    for (std::uint32_t t = 0; t < 64; ++t) CHECK(got[t] == 7 + t);
    REQUIRE(r.memory.write(r.to, std::span<const std::uint32_t>(std::vector<std::uint32_t>(64, 0))));
  }
}

TEST_CASE("timed kernels: volatile accesses and cache operators; the buffers that the host has filled") {
  rig r(
      "ld.volatile.global.u32 %r1, [%in]; ld.global.cg.u32 %r2, [%in]; ld.global.cv.u32 %r3, [%in]; "
      "ld.relaxed.gpu.global.u32 %r4, [%in]; ld.acquire.gpu.global.u32 %r5, [%in]; ld.global.ca.u32 %r1, [%in];");
  std::vector<std::string> found;
  for (block_id b = 0; b < r.kernel.blocks.size(); ++b)
    for (std::uint32_t i = 0; i < r.kernel.weight(b); ++i)
      if (r.table.at(b, i).where == space::global)
        found.push_back(r.table.is_volatile(b, i) ? "volatile" : r.table.bypasses_l1(b, i) ? "l2" : "plain");
  CHECK(found == std::vector<std::string>{"volatile", "l2", "l2", "volatile", "volatile", "plain"});
  for (const issued& one : r.run())
    for (const seen_access& a : one.accesses)
      CHECK((a.is_volatile ==
             (one.opcode.find(".volatile") != one.opcode.npos || one.opcode.find(".relaxed") != one.opcode.npos ||
              one.opcode.find(".acquire") != one.opcode.npos)));

  r.memory.allocate(100, "constants", true);
  r.memory.allocate(0, "nothing");
  const std::uint64_t last = r.memory.allocate(3, "last");
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
  for (const timing::memory_range& range : ptx::copied_ranges(r.memory)) ranges.push_back({range.address, range.bytes});
  REQUIRE(ranges.size() == 4);
  CHECK(ranges[0] == std::pair<std::uint64_t, std::uint64_t>{r.from, 256});
  CHECK(ranges[1] == std::pair<std::uint64_t, std::uint64_t>{r.to, 256});
  CHECK(ranges[2].second == 0);
  CHECK(ranges[3] == std::pair<std::uint64_t, std::uint64_t>{last, 3});
  CHECK(ptx::copied_ranges(ptx::device_memory()).empty());
}
