// SPDX-License-Identifier: BSL-1.0
//
// The events of a kernel's run: memory accesses, and whether its state has come back.
#include "ptx/run_support.hpp"
#include <simtflow/analysis/priorities.hpp>
#include <simtflow/ptx/machine/instruction_figures.hpp>
#include <simtflow/simt/observers/counts.hpp>
#include <simtflow/simt/observers/event_trace.hpp>
#include <simtflow/simt/observers/instruction_profile.hpp>
#include <simtflow/simt/observers/memory_metrics.hpp>
#include <simtflow/simt/policies/lane_serial.hpp>
#include <simtflow/simt/policies/thread_frontier.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace simtflow;
using namespace simtflow_tests;

namespace {

struct seen {
  memory_space space;
  bool store;
  std::uint32_t bytes;
  std::vector<std::pair<std::uint32_t, std::uint64_t>> lanes;
  bool operator==(const seen&) const = default;
};

struct recorder {
  std::vector<seen> all;
  template <class Mask>
  void operator()(const event::memory_access<Mask>& e) {
    seen a{e.space, e.store, e.bytes, {}};
    e.lanes.for_each([&](std::uint32_t lane) { a.lanes.emplace_back(lane, e.addresses[lane]); });
    all.push_back(std::move(a));
  }
};

template <class Observer>
void observed_run(std::string_view body, std::uint32_t threads, std::uint32_t width, Observer& o, std::uint64_t& out) {
  const ptx::decoded_kernel k = decoded(with_thread_number(body));
  const ptx::launch_config l = block_of(threads, width);
  ptx::device_memory memory;
  ptx::arguments args(k);
  args.set(0, memory.allocate(4096, "in"));
  out = memory.allocate(4096, "out");
  args.set(1, out);
  args.set(2, 0U);
  ptx::interpreter<lane_mask, Observer> program(k, l, memory, args, o);
  REQUIRE(executor<policies::lane_serial>(policies::lane_serial())
              .run(program, {threads, width, 0, barrier_model::thread_arrival})
              .finished());
  o = {};
  const std::vector<std::uint32_t> ranks(k.blocks.size(), 0);
  const auto order = loop_contiguous_order(k.cfg());
  REQUIRE(executor<policies::thread_frontier>(policies::thread_frontier(order.ranks()))
              .run(program, {threads, width, 0, barrier_model::thread_arrival})
              .finished());
}

// One thread block of a kernel with the parameters in and out, in priority order of its blocks.
template <class Policy, class Observer>
void run_watched(const ptx::decoded_kernel& k, Policy policy, std::uint32_t threads, std::uint32_t width, Observer& o) {
  ptx::device_memory memory;
  ptx::arguments args(k);
  args.set(0, memory.allocate(4096, "in"));
  args.set(1, memory.allocate(4096, "out"));
  args.set(2, 0U);
  ptx::interpreter<> program(k, block_of(threads, width), memory, args);
  REQUIRE(executor<Policy>(std::move(policy))
              .run(program, {threads, width, 0, barrier_model::thread_arrival}, o)
              .finished());
}

}  // namespace

TEST_CASE("observers: each access to global and shared memory, with the lanes and addresses of its group") {
  recorder r;
  std::uint64_t out = 0;
  observed_run(
      ".shared .b32 s[64]; .local .b32 l[4]; setp.lt.u32 %p1, %t, 3; shl.b32 %r1, %t, 3; mov.u32 %r2, s; add.u32 "
      "%r1, %r1, %r2; @%p1 st.shared.v2.u32 [%r1+8], {%t, %t}; st.local.u32 [l], %t; @!%p1 ld.global.u16 %r3, "
      "[%out+2]; red.global.add.u32 [%out], 1; cvta.shared.u64 %rd1, s; selp.b64 %rd2, %rd1, %out, %p1; ld.u32 "
      "%r4, [%rd2];",
      5, 64, r, out);
  using list = std::vector<std::pair<std::uint32_t, std::uint64_t>>;
  REQUIRE(r.all.size() == 5);
  CHECK(r.all[0] == seen{memory_space::shared, true, 8, list{{0, 8}, {1, 16}, {2, 24}}});
  CHECK(r.all[1] == seen{memory_space::global, false, 2, list{{3, out + 14}, {4, out + 18}}});
  CHECK(r.all[2] ==
        seen{memory_space::global, true, 4, list{{0, out}, {1, out + 4}, {2, out + 8}, {3, out + 12}, {4, out + 16}}});
  CHECK(r.all[3] == seen{memory_space::global, false, 4, list{{3, out + 12}, {4, out + 16}}});
  CHECK(r.all[4] == seen{memory_space::shared, false, 4, list{{0, 0}, {1, 0}, {2, 0}}});
}

TEST_CASE("observers: cp.async is a load from global memory and a store to shared memory") {
  recorder r;
  std::uint64_t out = 0;
  observed_run(
      ".shared .align 16 .b8 s[64]; shl.b32 %r1, %t, 3; mov.u32 %r2, s; add.u32 %r1, %r1, %r2; setp.eq.u32 %p1, %t, 1; "
      "selp.u32 %r3, 0, 8, %p1; cp.async.ca.shared.global [%r1], [%out], 8, %r3;",
      3, 32, r, out);
  REQUIRE(r.all.size() == 2);
  CHECK(r.all[0].space == memory_space::global);
  CHECK((!r.all[0].store && r.all[0].bytes == 8 && r.all[0].lanes.size() == 2));
  CHECK(r.all[0].lanes[1].first == 2);
  CHECK(r.all[1] == seen{memory_space::shared, true, 8, {{0, 0}, {1, 8}, {2, 16}}});
}

TEST_CASE("observers: transactions and bank conflicts of strided accesses") {
  for (const std::uint32_t stride : {1U, 2U, 4U, 8U}) {
    memory_metrics m;
    std::uint64_t out = 0;
    observed_run(".shared .b32 s[512]; mul.lo.u32 %r1, %t, " + std::to_string(4 * stride) +
                     "; mov.u32 %r2, s; add.u32 %r2, %r1, %r2; st.shared.u32 [%r2], %t; ld.param.u64 %rd1, [out]; "
                     "cvt.u64.u32 %rd2, %r1; add.s64 %rd1, %rd1, %rd2; st.global.u32 [%rd1], %t;",
                 32, 32, m, out);
    CHECK(m.global_accesses == 1);
    CHECK(m.transactions == stride);
    CHECK(m.shared_accesses == 1);
    CHECK(m.bank_passes == stride);
  }
}

TEST_CASE("observers: a spin lock that never opens is proven to go round; loops that end are not") {
  // Each thread takes the lock; under the stack those that spin keep the one that holds it from giving it back.
  const ptx::decoded_kernel k =
      decoded(with_thread_number("ld.param.u64 %rd1, [out];\nspin: atom.global.cas.b32 %r1, [%rd1], 0, 1; setp.ne.u32 "
                                 "%p1, %r1, 0; @%p1 bra spin;\n"
                                 "atom.global.exch.b32 %r2, [%rd1], 0;"));
  machine_setup setup{{}, 64};
  setup.limits = {.steps = 10000, .detect_livelock = true};
  const machine_result stuck = run_under(way::pdom, k, block_of(8), setup);
  CHECK(stuck.how == outcome::livelock);
  CHECK(stuck.steps < 100);
  CHECK(run_under(way::serial, k, block_of(8), setup).how == outcome::finished);

  const ptx::decoded_kernel counts =
      decoded(with_thread_number("mov.u32 %r1, 0; again: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 300; @%p1 bra "
                                 "again; st.global.u32 [%out], %r1;"));
  const ptx::decoded_kernel in_memory =
      decoded(with_thread_number("again: ld.global.u32 %r1, [%out]; add.u32 %r1, %r1, 1; st.global.u32 [%out], %r1; "
                                 "setp.lt.u32 %p1, %r1, 300; mov.u32 "
                                 "%r1, 0; @%p1 bra again;"));
  const ptx::decoded_kernel by_clock = decoded(
      with_thread_number("again: mov.u32 %r1, %clock; setp.lt.u32 %p1, %r1, 900; mov.u32 %r1, 0; @%p1 bra again;"));
  const ptx::decoded_kernel forever = decoded(with_thread_number("again: bra again;"));
  for (const way w : {way::pdom, way::frontier, way::serial}) {
    CHECK(run_under(w, counts, block_of(8), setup).how == outcome::finished);
    CHECK(run_under(w, in_memory, block_of(8), setup).how == outcome::finished);
    CHECK(run_under(w, by_clock, block_of(1), setup).how == outcome::finished);
    CHECK(run_under(w, forever, block_of(8), setup).how == outcome::livelock);
  }
}

TEST_CASE("observers: the clock counts instructions and never stands still") {
  const machine_result r =
      run_under(way::frontier,
                decoded(with_thread_number(
                    "mov.u64 %rd1, %clock64; mov.u32 %r1, %clock; mov.u64 %rd2, %globaltimer; sub.s64 %rd3, "
                    "%rd2, %rd1; cvt.u32.u64 %r2, %rd3; nanosleep.u32 100; bra next; next: mov.u32 %r3, "
                    "%clock; sub.u32 %r3, %r3, %r1; mad.lo.u32 %r2, %r3, 1000, %r2; st.global.u32 [%out], %r2;")),
                block_of(3), {{}, 3});
  CHECK(r.out == std::vector<std::uint32_t>{6002, 6002, 6002});
}

TEST_CASE("observers: the figures of instructions, counted by hand") {
  // Lanes 0 and 1 of a warp of four go to LEFT; lanes 2 and 3 run first.
  const ptx::decoded_kernel k = decoded(std::string(header) + R"(
.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n)
{ .reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<4>; .reg .f64 %d<4>; .shared .b32 s[64]; .local .b32 l[4];
  mov.u32 %r0, %tid.x;
  setp.lt.u32 %p1, %r0, 2;
  setp.eq.u32 %p2, %r0, 3;
  ld.param.u64 %rd1, [out];
  @%p1 bra LEFT;
  @%p1 mul.lo.u32 %r1, %r0, 3;
  @%p2 div.u32 %r1, %r0, 3;
  @%p1 ld.global.u32 %r2, [%rd1];
  bra DONE;
LEFT:
  @%p1 st.global.u32 [%rd1], %r0;
  @%p2 st.shared.u32 [s], %r0;
DONE:
  ld.shared.u32 %r3, [s];
  st.local.u32 [l], %r0;
  @%p2 atom.shared.add.u32 %r4, [s], 1;
  add.f64 %d1, %d1, %d1;
  ret; })");
  instruction_profile profile(k.weights());
  std::vector<std::uint32_t> rank(k.blocks.size());
  for (block_id b = 0; b < k.blocks.size(); ++b) rank[b] = b;
  run_watched(k, policies::thread_frontier(rank), 4, 4, profile);
  const ptx::instruction_figures f = figures_of(k, profile);
  const std::uint64_t entry = 3 + 3 + 3 + 10 + 3;  // the parameter is one of the class `constant`
  const std::uint64_t right = 3 + 20 + 3 + 3;      // a product and a load in no lane: an issue each
  const std::uint64_t left = 100 + 3;              // a store in no lane
  const std::uint64_t done = 30 + 100 + 30 + 10 + 3;
  CHECK(f.weighted == entry + right + left + done);
  CHECK(f.alu_instructions == 3 + 2 + 1);
  CHECK(f.alu_slots == 6 * 4);
  CHECK(f.alu_lanes == 3 * 4 + 2 * 2 + 4);
  CHECK(f.alu_lanes_on == 3 * 4 + 0 + 1 + 4);
  CHECK(f.alu_utilization() == doctest::Approx(20.0 / 24));
  CHECK(f.alu_utilization_on() == doctest::Approx(17.0 / 24));
  CHECK(f.vector_loads == 0);
  CHECK(f.vector_stores == 2);
  CHECK(f.shared_loads == 1);
  CHECK(f.shared_stores == 1);
  CHECK(figures_of(k, profile, ptx::latencies::one_each()).weighted == 16);
  CHECK(figures_of(k, instruction_profile(k.weights())).weighted == 0);
  CHECK(figures_of(k, instruction_profile(k.weights())).alu_utilization() == 1.0);
}

TEST_CASE("observers: the figures of instructions are sums over the event trace") {
  // Lanes leave a loop one after the other, with guards that hold for some, all and no lanes.
  const ptx::decoded_kernel k = decoded(with_thread_number(R"(
    and.b32 %r1, %t, 7; mov.u32 %r2, 0; .shared .b32 s[64];
    again: setp.gt.u32 %p1, %r1, 3; @%p1 mul.lo.u32 %r3, %r2, 5; @%p1 ld.global.u32 %r4, [%out]; @!%p1 bra small;
    setp.eq.u32 %p2, %r2, 4; @%p2 st.shared.u32 [s], %r2; @%p2 sqrt.approx.f32 %f1, %f2; bra next;
    small: @%p1 st.global.u32 [%out], %r1; rem.u32 %r5, %r1, 3; setp.eq.u32 %p3, %r5, 1;
    @%p3 ld.shared.u32 %r6, [s]; @%p3 bra next; @!%p3 red.shared.add.u32 [s], 1;
    next: add.u32 %r2, %r2, 1; setp.lt.u32 %p4, %r2, %r1; @%p4 bra again; bar.sync 0;)"));
  const auto pdom_order = loop_contiguous_order(k.cfg());
  for (const std::uint32_t width : {1U, 5U, 32U}) {
    for (const bool alone : {false, true}) {
      CAPTURE(width);
      CAPTURE(alone);
      instruction_profile profile(k.weights());
      basic_event_trace<lane_mask> trace;
      both watched(profile, trace);
      if (alone)
        run_watched(k, policies::lane_serial(), 40, width, watched);
      else
        run_watched(k, policies::thread_frontier(pdom_order.ranks()), 40, width, watched);
      // Lanes with a true guard, by instruction, of each executed block.
      const ptx::latencies weigh;
      ptx::instruction_figures sum;
      std::vector<lane_mask> on;
      block_id block = no_block;
      const auto finish = [&] {
        for (std::uint32_t i = 0; i < on.size(); ++i) {
          const ptx::decoded_block& b = k.blocks[block];
          const std::string& opcode = k.opcodes[b.last_instruction + 1 - b.weight + i];
          const std::uint32_t weight = weigh(*ptx::parse_operation(opcode));
          sum.weighted += on[i].any() ? weight : std::min(weight, 3U);
          const auto is = [&](std::string_view begin) { return opcode.starts_with(begin); };
          if (on[i].any() && is("ld.global")) ++sum.vector_loads;
          if (on[i].any() && is("st.global")) ++sum.vector_stores;
          if (on[i].any() && is("ld.shared")) ++sum.shared_loads;
          if (on[i].any() && (is("st.shared") || is("red.shared"))) ++sum.shared_stores;
          if (is("ld") || is("st") || is("red") || is("bra") || is("bar") || is("ret")) continue;
          sum.alu_slots += width;
          sum.alu_lanes_on += on[i].count();
        }
      };
      for (const trace_record& r : trace.records()) {
        if (r.kind == trace_kind::issued) {
          finish();
          block = r.block;
          on.assign(r.weight, r.lanes);
        } else if (r.kind == trace_kind::predicated_off) {
          on[r.value] -= r.lanes;
        }
      }
      finish();
      const ptx::instruction_figures f = figures_of(k, profile);
      CHECK(f.weighted == sum.weighted);
      CHECK(f.alu_slots == sum.alu_slots);
      CHECK(f.alu_lanes_on == sum.alu_lanes_on);
      CHECK(f.vector_loads == sum.vector_loads);
      CHECK(f.vector_stores == sum.vector_stores);
      CHECK(f.shared_loads == sum.shared_loads);
      CHECK(f.shared_stores == sum.shared_stores);
      CHECK(f.shared_loads + f.shared_stores > 0);
    }
  }
}

TEST_CASE("observers: the profile of instructions adds up to the counts, also where lanes wait inside a block") {
  // Lanes exchange values in pairs; alone, each lane waits in the middle of a block for its partner.
  const ptx::decoded_kernel k = decoded(with_thread_number(R"(
    and.b32 %r1, %t, 2; setp.ne.u32 %p1, %r1, 0; setp.gt.u32 %p2, %t, 40; and.b32 %r3, %t, 30; mov.u32 %r4, 3;
    and.b32 %r3, %r3, 31; shl.b32 %r4, %r4, %r3; @%p1 add.u32 %r2, %t, 1; shfl.sync.bfly.b32 %r5, %t, 1, 31, %r4; @%p1 mul.lo.u32 %r5, %r5, 3;
    @%p2 ld.global.u32 %r6, [%out]; @%p1 bra over; add.u32 %r5, %r5, 1; over: st.global.u32 [%out], %r5;)"));
  const auto order = loop_contiguous_order(k.cfg());
  const auto check = [&](auto policy) {
    instruction_profile profile(k.weights());
    counts count;
    both watched(profile, count);
    run_watched(k, std::move(policy), 32, 32, watched);
    instruction_issues sum;
    for (block_id b = 0; b < profile.num_blocks(); ++b)
      for (std::uint32_t i = 0; i < profile.weight(b); ++i) {
        const instruction_issues n = profile.of(b, i);
        CHECK(n.executed <= n.issues);
        CHECK(n.lanes_on <= n.lanes);
        sum.issues += n.issues;
        sum.lanes += n.lanes;
        sum.lanes_on += n.lanes_on;
      }
    CHECK(sum.issues == count.warp_instructions);
    CHECK(sum.lanes == count.thread_instructions);
    CHECK(sum.lanes_on == count.thread_instructions_on());
    return figures_of(k, profile);
  };
  CHECK(check(policies::thread_frontier(order.ranks())).vector_loads == 0);  // no thread has the number 41
  CHECK(check(policies::lane_serial()).vector_loads <= 32);                  // lanes that waited count as executing
}

TEST_CASE("observers: a texture read is a load of its first texel, sust a store") {
  const ptx::decoded_kernel k = decoded(kernel_text(
      ".reg .b32 %r<4>; .reg .b64 %d<4>; .reg .f32 %f<5>;\nld.param.u64 %d1, [in];\nld.param.u64 %d2, [out];\n"
      "mov.u32 %r1, %tid.x;\ntex.1d.v4.f32.s32 {%f1, _, _, _}, [%d1, {%r1}];\nshl.b32 %r2, %r1, 2;\n"
      "sust.b.2d.b32.zero [%d2, {%r2, 1}], %r1;\nret;"));
  ptx::device_memory memory;
  ptx::texture t;
  t.image.shape = ptx::image_shape::d1;
  t.image.format = {ptx::channel_kind::floating, 32, 4};
  t.image.width = 3;
  t.image.address = memory.allocate(48, "texture");
  ptx::texture s;
  s.is_surface = true;
  s.image.shape = ptx::image_shape::d2;
  s.image.width = s.image.height = 3;
  s.image.address = memory.allocate(36, "surface");
  ptx::arguments args(k);
  args.set(0, memory.textures().create(t));
  args.set(1, memory.textures().create(s));
  args.set(2, 0U);
  recorder o;
  ptx::interpreter<lane_mask, recorder> program(k, block_of(4, 32), memory, args, o);
  REQUIRE(executor<policies::thread_frontier>(policies::thread_frontier(std::vector<std::uint32_t>(k.blocks.size(), 0)))
              .run(program, {4, 32, 0, barrier_model::thread_arrival})
              .finished());
  const std::uint64_t from = t.image.address, to = s.image.address + 12;
  CHECK(o.all == std::vector<seen>{
                     {memory_space::global, false, 16, {{0, from}, {1, from + 16}, {2, from + 32}, {3, from + 32}}},
                     {memory_space::global, true, 4, {{0, to}, {1, to + 4}, {2, to + 8}}}});
}
