// SPDX-License-Identifier: BSL-1.0
//
// Closed forms of the core, exact to the cycle: chains, throughput, barriers, orders of warps and thread blocks.
#include "timing/scripts.hpp"
#include <simtflow/simt/calls.hpp>
#include <simtflow/simt/policies/min_pc.hpp>
#include <simtflow/timing/device.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace {

using namespace scripts;

timing::machine machine_of(std::uint32_t latency, std::uint32_t lanes, timing::scoreboard_kind scoreboard) {
  timing::machine m;
  m.operations[instruction_class::int_add].latency = latency;
  m.units.sp.lanes = lanes;
  m.core.scoreboard = scoreboard;
  return m;
}

// (thread block, warp) of each instruction, in the order of issue; every instruction is a block of its own.
struct issue_order {
  struct issue {
    cycle at;
    std::uint64_t block;
    std::uint32_t warp;
    friend bool operator==(const issue&, const issue&) = default;
  };
  std::vector<issue>* all;
  void operator()(const timing::instruction_issued<lane_mask>& e) const {
    all->push_back({e.at, e.thread_block, e.warp});
  }
};

std::vector<issue_order::issue> order_of(const script& s, const timing::grid& g, const timing::machine& m) {
  std::vector<issue_order::issue> all;
  run(s, g, m, issue_order{&all});
  return all;
}

constexpr timing::scoreboard_kind both_scoreboards[] = {timing::scoreboard_kind::one_in_flight,
                                                        timing::scoreboard_kind::registers};

}  // namespace

TEST_CASE("core: a chain of n additions takes n latencies, in one block or over blocks, at each width") {
  for (const auto scoreboard : both_scoreboards)
    for (const std::uint32_t latency : {1U, 4U, 24U})
      for (const std::uint32_t lanes : {8U, 16U, 32U})
        for (const std::uint32_t operands : {0U, 3U})
          for (const std::size_t n : {1U, 7U}) {
            timing::machine m = machine_of(latency, lanes, scoreboard);
            m.core.operand_read = operands;
            const cycle each = operands + std::max(latency, 32 / lanes);
            script s;
            s.add(chain(n));
            CHECK(run(s, {.threads = 32}, m).cycles == n * each);
            script apart;
            for (std::size_t i = 0; i < n; ++i) apart.add(chain(1));
            const auto r = run(apart, {.threads = 32}, m);
            CHECK(r.cycles == n * each);
            CHECK(r.instructions == n);
            CHECK(r.schedulers.total() == n * each);
            CHECK(r.schedulers[cycle_class::issued] == n);
            // The last result is under way when nothing is left to issue.
            CHECK(r.schedulers[cycle_class::scoreboard] == (n - 1) * (each - 1));
            CHECK(r.schedulers[cycle_class::idle] == each - 1);
            CHECK(r.verdict.finished());
          }
}

TEST_CASE("core: n independent additions in each of k warps are bound by the width or by the latency") {
  for (const std::uint32_t lanes : {8U, 16U, 32U})
    for (const std::uint32_t k : {1U, 2U, 5U, 16U})
      for (const std::uint32_t n : {1U, 10U}) {
        constexpr std::uint32_t latency = 10;
        const cycle occupancy = 32 / lanes;
        script s;
        s.add(independent(n));
        const auto free = run(s, {.threads = 32 * k}, machine_of(latency, lanes, both_scoreboards[1]));
        CHECK(free.cycles == (k * n - 1) * occupancy + latency);
        const auto one = run(s, {.threads = 32 * k}, machine_of(latency, lanes, both_scoreboards[0]));
        const cycle round = std::max<cycle>(k * occupancy, latency);
        CHECK(one.cycles == (n - 1) * round + (k - 1) * occupancy + latency);
        CHECK(free.schedulers[cycle_class::issued] == k * n);
        CHECK(free.schedulers[cycle_class::stall_unit] == (k * n - 1) * (occupancy - 1));
        CHECK(one.schedulers.lanes == 32 * k * n);
        CHECK(one.schedulers.by_lanes[31] == k * n);
      }
}

TEST_CASE("core: registers that were read do not wait, registers that are written twice do") {
  timing::machine m = machine_of(6, 0, timing::scoreboard_kind::registers);
  script s;
  s.add({{instruction_class::int_add, {}, {1}},      // at 0
         {instruction_class::int_add, {2}, {3}},     // at 1: nothing to wait for
         {instruction_class::int_add, {4}, {2}},     // at 2: 2 has been read
         {instruction_class::int_add, {}, {1}},      // at 6: written once before (WAW)
         {instruction_class::int_add, {3, 1}, {5}},  // at 12 (RAW)
         {instruction_class::control, {5}, {}}});    // at 18
  CHECK(run(s, {}, m).cycles == 19);
}

TEST_CASE("core: a barrier opens in the cycle after its last arrival") {
  for (const auto scoreboard : both_scoreboards)
    for (const std::uint32_t w : {1U, 2U, 7U})
      for (const std::uint32_t latency : {1U, 5U}) {
        timing::machine m = machine_of(1, 0, scoreboard);
        m.operations[instruction_class::barrier].latency = latency;
        script s;
        s.add({{instruction_class::int_add, {}, {0}}, {instruction_class::barrier, {}, {}}}, true).add(chain(1));
        const auto r = run(s, {.threads = 32 * w}, m);
        // w additions, w arrivals, the opening, w additions.
        CHECK(r.cycles == 3 * w + latency - 1);
        CHECK(r.schedulers[cycle_class::barrier] == latency - 1);
      }
}

TEST_CASE("core: the next block waits for the outcome of a branch") {
  timing::machine m = machine_of(1, 0, timing::scoreboard_kind::registers);
  m.operations[instruction_class::control].latency = 4;
  m.core.branch_resolve = 3;
  script s;
  s.add({{instruction_class::control, {}, {}}}).add(independent(1)).add({{instruction_class::control, {}, {}}});
  // Branch at 0, addition at 7, exit at 8.
  const auto r = run(s, {}, m);
  CHECK(r.cycles == 8 + 4 + 3);
  CHECK(r.schedulers[cycle_class::scoreboard] == 6 + 6);
}

TEST_CASE("core: a load keeps its dependants waiting, and the thread block in its place") {
  timing::machine m = machine_of(1, 0, timing::scoreboard_kind::registers);
  m.shared.latency = m.l1.latency = 20;
  script s;
  const script::line load{instruction_class::load, {0}, {1}, timing::address_space::shared, 4};
  s.add({load, {instruction_class::int_add, {2}, {3}}, {instruction_class::int_add, {1}, {4}}});
  const auto r = run(s, {.blocks = 2}, m);
  CHECK(r.cycles % 2 == 0);
  CHECK(r.schedulers[cycle_class::memory] > 0);
  CHECK(r.schedulers.total() == r.cycles);
  CHECK(r.schedulers[cycle_class::issued] == 6);
  CHECK(r.costs.of_block(0)[2].memory_cycles == r.schedulers[cycle_class::memory]);
}

TEST_CASE("core: the L2 begins with what the host copied, if copies go through it") {
  timing::machine m = machine_of(1, 0, timing::scoreboard_kind::registers);
  m.l2 = {8192, 128, 0, 4, 20};
  m.dram.latency = 100;
  script s;  // a warp loads line 0
  s.add({{instruction_class::load, {}, {1}, timing::address_space::global, 4}, {instruction_class::int_add, {1}, {2}}});
  const auto cycles = [&](const std::vector<timing::memory_range>& copied) {
    return run(s, {.copied = copied}, m).cycles;
  };
  const std::vector<timing::memory_range> low{{0, 8192}}, low_high{{0, 8192}, {8192, 8192}},
      high_low{{8192, 8192}, {0, 8192}}, both{{0, 16384}};
  const cycle cold = cycles({});
  CHECK(cycles(low) == cold);  // the host writes to the DRAM
  m.coherence.copies = timing::copy_kind::l2;
  CHECK(cycles({}) == cold);
  CHECK(cycles(low) == cold - 100);
  CHECK(cycles({{64, 1}}) == cold - 100);
  CHECK(cycles({{128, 1024}}) == cold);
  CHECK(cycles(low_high) == cold);
  CHECK(cycles(high_low) == cold - 100);
  CHECK(cycles(both) == cold);
  CHECK(run(s, {.copied = low}, m).memory.bytes_from_dram == 0);
}

TEST_CASE("core: orders of warps") {
  script s;
  for (int i = 0; i < 3; ++i) s.add(chain(1));
  using list = std::vector<issue_order::issue>;
  timing::machine m = machine_of(2, 0, timing::scoreboard_kind::one_in_flight);
  const timing::grid three{.threads = 96};
  m.core.scheduler = timing::scheduler_kind::loose_round_robin;
  CHECK(order_of(s, three, m) ==
        list{{0, 0, 0}, {1, 0, 1}, {2, 0, 2}, {3, 0, 0}, {4, 0, 1}, {5, 0, 2}, {6, 0, 0}, {7, 0, 1}, {8, 0, 2}});
  m.core.scheduler = timing::scheduler_kind::oldest;
  CHECK(order_of(s, three, m) ==
        list{{0, 0, 0}, {1, 0, 1}, {2, 0, 0}, {3, 0, 1}, {4, 0, 0}, {5, 0, 1}, {6, 0, 2}, {8, 0, 2}, {10, 0, 2}});
  m.core.scheduler = timing::scheduler_kind::greedy_then_oldest;
  CHECK(order_of(s, three, m) ==
        list{{0, 0, 0}, {1, 0, 1}, {2, 0, 0}, {3, 0, 1}, {4, 0, 0}, {5, 0, 1}, {6, 0, 2}, {8, 0, 2}, {10, 0, 2}});
  m = machine_of(1, 0, timing::scoreboard_kind::one_in_flight);
  m.core.scheduler = timing::scheduler_kind::greedy_then_oldest;
  CHECK(order_of(s, {.threads = 64}, m) == list{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 1}, {4, 0, 1}, {5, 0, 1}});
  // Two active warps take turns; an addition does not cost a warp its place, the end of the warp does.
  m.core.scheduler = timing::scheduler_kind::two_level;
  m.core.active_warps = 2;
  CHECK(order_of(s, three, m) ==
        list{{0, 0, 0}, {1, 0, 1}, {2, 0, 0}, {3, 0, 1}, {4, 0, 0}, {5, 0, 1}, {6, 0, 2}, {7, 0, 2}, {8, 0, 2}});
}

TEST_CASE("core: two-level scheduling gives the place of a warp that waits for memory to another") {
  timing::machine m = machine_of(1, 0, timing::scoreboard_kind::registers);
  m.core.scheduler = timing::scheduler_kind::two_level;
  m.core.active_warps = 1;
  script s;
  s.add({{instruction_class::load, {}, {1}, timing::address_space::shared, 4}, {instruction_class::int_add, {1}, {2}}});
  m.shared.latency = m.l1.latency = 3;
  const auto order = order_of(s, {.threads = 64}, m);
  REQUIRE(order.size() == 4);
  CHECK(order[0] == issue_order::issue{0, 0, 0});
  CHECK(order[1] == issue_order::issue{1, 0, 1});
}

TEST_CASE("core: orders of thread blocks (TBC paper, 6.2)") {
  script s;
  for (int i = 0; i < 3; ++i) s.add(chain(1));
  using list = std::vector<issue_order::issue>;
  timing::machine m = machine_of(2, 0, timing::scoreboard_kind::one_in_flight);
  m.core.max_blocks = 2;
  const timing::grid two{.blocks = 2, .threads = 64};
  m.core.block_priority = timing::block_priority_kind::age;
  CHECK(order_of(s, two, m) == list{{0, 0, 0},
                                    {1, 0, 1},
                                    {2, 0, 0},
                                    {3, 0, 1},
                                    {4, 0, 0},
                                    {5, 0, 1},
                                    {6, 1, 0},
                                    {7, 1, 1},
                                    {8, 1, 0},
                                    {9, 1, 1},
                                    {10, 1, 0},
                                    {11, 1, 1}});
  m.core.block_priority = timing::block_priority_kind::round_robin;
  CHECK(order_of(s, two, m) == list{{0, 0, 0},
                                    {1, 1, 0},
                                    {2, 0, 1},
                                    {3, 1, 1},
                                    {4, 0, 0},
                                    {5, 1, 0},
                                    {6, 0, 1},
                                    {7, 1, 1},
                                    {8, 0, 0},
                                    {9, 1, 0},
                                    {10, 0, 1},
                                    {11, 1, 1}});
  // Latency 3: after two issues thread block 0 has nothing ready, and priority goes to 1 until that has nothing ready.
  m.operations[instruction_class::int_add].latency = 3;
  m.core.block_priority = timing::block_priority_kind::sticky_round_robin;
  CHECK(order_of(s, two, m) == list{{0, 0, 0},
                                    {1, 0, 1},
                                    {2, 1, 0},
                                    {3, 1, 1},
                                    {4, 0, 0},
                                    {5, 0, 1},
                                    {6, 1, 0},
                                    {7, 1, 1},
                                    {8, 0, 0},
                                    {9, 0, 1},
                                    {10, 1, 0},
                                    {11, 1, 1}});
  // AGE returns to the older thread block as soon as one of its warps is ready.
  m.core.block_priority = timing::block_priority_kind::age;
  CHECK(order_of(s, two, m) == list{{0, 0, 0},
                                    {1, 0, 1},
                                    {2, 1, 0},
                                    {3, 0, 0},
                                    {4, 0, 1},
                                    {5, 1, 1},
                                    {6, 0, 0},
                                    {7, 0, 1},
                                    {8, 1, 0},
                                    {9, 1, 1},
                                    {11, 1, 0},
                                    {12, 1, 1}});
}

TEST_CASE("core: schedulers share the warps, and issue in the same cycle") {
  timing::machine m = machine_of(1, 0, timing::scoreboard_kind::one_in_flight);
  m.core.schedulers = 2;
  m.units.sp.number = 2;
  script s;
  s.add(chain(5));
  const auto r = run(s, {.threads = 64}, m);
  CHECK(r.cycles == 5);
  CHECK(r.schedulers.total() == 10);
  m.units.sp.number = 1;
  CHECK(run(s, {.threads = 64}, m).cycles == 10);
  CHECK(run(s, {.threads = 32}, m).schedulers[cycle_class::idle] == 5);
}

TEST_CASE("device: thread blocks go round robin to the cores, as many as fit") {
  timing::machine m = machine_of(4, 0, timing::scoreboard_kind::one_in_flight);
  m.core.cores = 3;
  m.core.max_blocks = 8;
  m.core.max_threads = 128;  // two thread blocks of 64
  script s;
  s.add(chain(3));
  struct where {
    std::vector<std::vector<std::uint64_t>>* by_core;
    void operator()(const timing::instruction_issued<lane_mask>& e) const {
      auto& mine = (*by_core)[e.core];
      if (std::find(mine.begin(), mine.end(), e.thread_block) == mine.end()) mine.push_back(e.thread_block);
    }
  };
  std::vector<std::vector<std::uint64_t>> by_core(3);
  const auto r = run(s, {.blocks = 8, .threads = 64}, m, where{&by_core});
  CHECK(r.fit.blocks == 2);
  CHECK(r.thread_blocks == 8);
  CHECK(by_core[0] == std::vector<std::uint64_t>{0, 3, 6});
  CHECK(by_core[1] == std::vector<std::uint64_t>{1, 4, 7});
  CHECK(by_core[2] == std::vector<std::uint64_t>{2, 5});
  // Two warps in a core: the second one issues its third addition at 9.
  CHECK(run(s, {.blocks = 3, .threads = 64}, m).cycles == 13);
}

TEST_CASE("device: what cannot run is said") {
  timing::machine m;
  m.core.max_threads = 64;
  script s;
  s.add(chain(1));
  const std::vector<block_id> ipdom(1, no_block);
  const auto make = [&](std::uint32_t) { return scripted<>(s); };
  const auto big = timing::run(policies::ipdom_stack(ipdom), make, {.threads = 65}, m);
  REQUIRE(!big);
  CHECK(big.diagnostics()[0].message.find("core.max_threads") != std::string::npos);
  m.units.sp.number = 0;
  CHECK(!timing::run(policies::ipdom_stack(ipdom), make, {}, m));
  const auto nothing = timing::run(policies::ipdom_stack(ipdom), make, {.blocks = 0}, timing::machine{});
  REQUIRE(nothing);
  CHECK(nothing->cycles == 0);
  CHECK(nothing->verdict.finished());
}

TEST_CASE("device: endless loops end at the limits, deadlocks with the executor's verdict") {
  script endless;
  endless.add(chain(1));
  endless.step = [](std::uint64_t, std::uint32_t, block_id) { return block_id{0}; };
  auto r = run(endless, {}, timing::machine{}, timing::no_timed_observer{}, {.cycles = 100});
  CHECK(r.verdict.how == outcome::step_limit);
  CHECK(r.out_of_cycles);
  CHECK(r.verdict.standing.size() == 1);
  r = run(endless, {}, timing::machine{}, timing::no_timed_observer{}, {.steps = 7});
  CHECK(r.verdict.how == outcome::step_limit);
  CHECK(r.steps == 7);
  CHECK(!r.out_of_cycles);
  endless.blocks[0].code.clear();  // a loop without instructions
  r = run(endless, {}, timing::machine{}, timing::no_timed_observer{}, {.cycles = 100});
  CHECK(r.out_of_cycles);

  script half;  // thread 0 of thread block 1 comes to another barrier than the other threads of its warp
  const std::vector<script::line> barrier{{instruction_class::barrier, {}, {}}};
  half.add(chain(1)).add(barrier, true).add(barrier, true);
  half.step = [](std::uint64_t block, std::uint32_t thread, block_id b) {
    if (b == 0 && block == 1 && thread == 0) return block_id{2};
    return b < 2 ? b + 1 : no_block;
  };
  r = run(half, {.blocks = 3}, timing::machine{});
  CHECK(r.verdict.how == outcome::barrier_deadlock);
  CHECK(r.stopped_block == 1);
  REQUIRE(!r.verdict.standing.empty());
  std::uint32_t standing = 0;
  for (const auto& x : r.verdict.standing) standing += x.lanes.count();
  CHECK(standing == 32);
}

TEST_CASE("device: a policy that looks up call depths gets them from the program of its thread block") {
  // 0 calls 2 or 4, and 1 follows; 2 and 4 call 6, and 3 and 5 follow; 3, 5 and 7 return. By place in memory alone the
  // function at 6 runs once, by depth once for each caller: the first caller comes out before the other one goes in.
  constexpr block_id returns[] = {1, no_block, 3, no_block, 5, no_block, no_block, no_block};
  constexpr std::uint32_t in_memory[] = {0, 1, 2, 6, 3, 7, 4, 5};
  callable_program step([](std::uint32_t thread, block_id b) -> block_id {
    if (b == 0) return 2 + 2 * (thread % 2);
    if (b == 1) return no_block;
    return b == 2 || b == 4 ? 6 : b == 6 ? 7 : return_to_caller;
  });
  const auto fetches_of_6 = [&](const auto& policy) {
    int fetches = 0;
    const auto make = [&](std::uint32_t) {
      return timing::plain_program<call_program<decltype(step)>>(step, std::span(returns), 4U);
    };
    const auto r = timing::run(policy, make, {.blocks = 3, .threads = 4}, timing::machine{}, {},
                               [&](std::uint64_t, const event::issued<lane_mask>& e) { fetches += e.block == 6; });
    REQUIRE(r);
    CHECK(r->verdict.finished());
    return fetches;
  };
  CHECK(fetches_of_6(policies::min_pc(in_memory)) == 3);
  CHECK(fetches_of_6([&](const auto& p) { return policies::min_pc(in_memory, p.depths()); }) == 6);
}
