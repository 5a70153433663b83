// SPDX-License-Identifier: BSL-1.0
//
// Time under policies that overlap, by hand: both paths of a branch in flight, compacted warps, waits for
// reconvergence, at collectives, and for code.
#include "timing/scripts.hpp"
#include <simtflow/graph/csr.hpp>
#include <simtflow/simt/home_lanes.hpp>
#include <simtflow/simt/policies/convergence_barriers.hpp>
#include <simtflow/simt/policies/dual_path.hpp>
#include <simtflow/simt/policies/multi_path.hpp>
#include <simtflow/simt/policies/no_reconvergence.hpp>
#include <simtflow/simt/policies/thread_block_compaction.hpp>
#include <simtflow/timing/device.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace {

using namespace scripts;

const script::line branch{instruction_class::control, {}, {}};

// A branch of block 0 to 1 and 2, which meet in 3: threads t with wants(t) go to 1.
template <class Wants>
script diamond(const std::vector<script::line>& path, Wants wants) {
  script s;
  s.add({branch}).add(path).add(path).add({branch});
  s.step = [wants](std::uint64_t, std::uint32_t t, block_id b) {
    return b == 0 ? (wants(t) ? block_id{1} : block_id{2}) : b < 3 ? block_id{3} : no_block;
  };
  return s;
}
constexpr block_id ipdom[] = {3, 3, 3, no_block};

template <class Policy>
timing::basic_report<typename Policy::mask_type> run_under(const Policy& policy, const script& s, const timing::grid& g,
                                                           const timing::machine& m) {
  auto r = timing::run(
      policy, [&](std::uint32_t) { return scripted<>(s); }, g, m);
  REQUIRE(r);
  REQUIRE(r->verdict.finished());
  return *r;
}

timing::machine narrow() {
  timing::machine m;
  m.core.warp_width = 4;
  m.core.scoreboard = timing::scoreboard_kind::registers;
  return m;
}

// Lanes of a warp of four meet at a collective, instruction 1 of block 3.
class meeting {
 public:
  [[nodiscard]] std::uint32_t weight(block_id b) const { return b == 3 ? 3 : 1; }
  [[nodiscard]] const timing::instruction& instruction_at(block_id b, std::uint32_t i) const {
    return b == 3 && i == 1 ? exchange_ : control_;
  }
  [[nodiscard]] std::span<const std::uint32_t> registers() const { return {}; }
  void wait_at_collectives(bool yes) { waits_ = yes; }
  lane_mask gather(const group& g) {
    if (g.lanes != lane_mask::first_lanes(4)) return {};
    served_ = g.lanes;
    return g.lanes;
  }
  block_end run(block_id b, const group& g, partition& out) {
    if (b == 3 && g.lanes != lane_mask::first_lanes(4)) return waits_ ? block_end::collective : block_end::fault;
    return leave(b, g, out);
  }
  block_end resume(block_id b, const group& g, partition& out) { return leave(b, g, out); }
  [[nodiscard]] std::uint32_t resumed_at(block_id, const group&) const { return 1; }
  block_end issue(block_id b, std::uint32_t i, const group& g, partition& out, timing::issue_effect<lane_mask>&) {
    if (b == 3 && i == 1 && !g.lanes.is_subset_of(served_) && g.lanes != lane_mask::first_lanes(4))
      return waits_ ? block_end::collective : block_end::fault;
    return i + 1 == weight(b) ? leave(b, g, out) : block_end::next;
  }

 private:
  static block_end leave(block_id b, const group& g, partition& out) {
    g.lanes.for_each([&](std::uint32_t lane) {
      if (b != 3) out.go(b == 0 ? (lane < 2 ? 1 : 2) : 3, lane_mask::lane(lane));
    });
    return block_end::next;
  }
  timing::instruction control_{instruction_class::control, timing::address_space::none, 0, 0, 0};
  timing::instruction exchange_{instruction_class::exchange, timing::address_space::none, 0, 0, 0};
  bool waits_ = false;
  lane_mask served_{};
};

// The script at addresses of its own.
class placed : public scripted<> {
 public:
  using scripted<>::scripted;
  [[nodiscard]] std::uint64_t code_address(block_id b, std::uint32_t i) const { return b * 1024 + i * 8; }
};

}  // namespace

TEST_CASE("overlap in time: two paths in flight hide the latency of each other") {
  timing::machine m = narrow();
  m.operations[instruction_class::fp_div].latency = 20;
  const script s = diamond({{instruction_class::fp_div, {}, {1}}, {instruction_class::int_add, {1}, {2}}, branch},
                           [](std::uint32_t t) { return t < 2; });
  const timing::grid g{.threads = 4};
  // Branch at 0. Divisions at 1 and 23, additions at 21 and 43, jumps at 22 and 44, exit at 45.
  CHECK(run_under(policies::ipdom_stack(ipdom), s, g, m).cycles == 46);
  // Divisions at 1 and 2, additions at 21 and 22, jumps at 23 and 24, exit at 25.
  CHECK(run_under(policies::dual_path(ipdom), s, g, m).cycles == 26);
  CHECK(run_under(policies::multi_path(ipdom), s, g, m).cycles == 26);
}

TEST_CASE("overlap in time: compacted warps, and schedulers without a warp because threads wait") {
  timing::machine m = narrow();
  std::vector<script::line> path = independent(3);
  path.push_back(branch);
  const script s = diamond(path, [](std::uint32_t t) { return t < 2 || t > 5; });
  const timing::grid g{.threads = 8};
  const policies::thread_block_compaction compaction(ipdom, policies::compaction_options{.lanes = home_lanes{4}});
  const auto apart = run_under(policies::ipdom_stack(ipdom), s, g, m);
  CHECK(apart.instructions == 20);
  CHECK(apart.cycles == 20);
  CHECK(apart.verdict.scope == policy_scope::warp);
  const auto packed = run_under(compaction, s, g, m);
  CHECK(packed.instructions == 12);
  CHECK(packed.cycles == 12);
  CHECK(packed.verdict.scope == policy_scope::block);

  m.core.schedulers = 2;
  m.units.sp.number = 2;
  m.operations[instruction_class::control].latency = 5;
  // Branches at 0, paths at 5 .. 8 and 13 .. 16 in the slot of scheduler 0, exits at 21. Scheduler 1 has nothing to
  // issue from 5 to 20, because all other threads wait.
  const auto two = run_under(compaction, s, g, m);
  CHECK(two.cycles == 26);
  CHECK(two.schedulers[cycle_class::issued] == 12);
  CHECK(two.schedulers[cycle_class::reconvergence] == 16);
  CHECK(two.schedulers[cycle_class::scoreboard] == 24);
  CHECK(two.schedulers.total() == 52);
}

TEST_CASE("overlap in time: the single warps of several thread blocks share the schedulers") {
  timing::machine m = narrow();
  m.core.schedulers = 4;
  m.units.sp.number = 4;
  m.core.max_blocks = 4;
  std::vector<script::line> path = independent(31);
  path.push_back(branch);
  const script s = diamond(path, [](std::uint32_t t) { return t < 2 || t > 5; });
  const policies::thread_block_compaction compaction(ipdom, policies::compaction_options{.lanes = home_lanes{4}});
  const auto alone = run_under(compaction, s, {.threads = 8}, m);
  const auto four = run_under(compaction, s, {.blocks = 4, .threads = 8}, m);
  CHECK(alone.cycles == 1 + 32 + 32 + 1);  // its two warps branch and end side by side
  CHECK(four.instructions == 4 * alone.instructions);
  // Eight warps branch and end on four schedulers: a cycle more each. Each path has a scheduler of its own.
  CHECK(four.cycles <= alone.cycles + 4);
}

TEST_CASE("timed collectives: lanes that come apart wait for each other, and issue the instruction again") {
  const auto timed = timing::run(
      policies::no_reconvergence(), [](std::uint32_t) { return meeting(); }, {.threads = 4}, narrow());
  static_assert(timing::timed_program_with_collectives<meeting>);
  REQUIRE(timed);
  CHECK(timed->verdict.finished());
  CHECK(timed->instructions == 1 + 2 + 2 * 3);
  CHECK(timed->replays == 2);
  CHECK(timed->steps == 5);
}

TEST_CASE("timed code: each line of code is fetched once, and costs what the line before cost") {
  timing::machine m = narrow();
  m.instruction.size = 4096;
  m.instruction.line = 64;
  m.instruction.ways = 4;
  m.dram.latency = 100;
  std::vector<cycle> cycles;
  for (std::size_t lines = 1; lines <= 5; ++lines) {
    script s;
    s.add(chain(8 * lines));
    const std::vector<block_id> none(1, no_block);
    const auto timed = timing::run(
        policies::ipdom_stack(none), [&](std::uint32_t) { return placed(s); }, {.threads = 4}, m);
    REQUIRE(timed);
    CHECK(timed->core_memory.instruction.misses == lines);
    cycles.push_back(timed->cycles);
    timing::machine without = m;
    without.instruction.size = 0;
    const auto free = timing::run(
        policies::ipdom_stack(none), [&](std::uint32_t) { return placed(s); }, {.threads = 4}, without);
    REQUIRE(free);
    CHECK(free->cycles == 8 * lines);
  }
  const cycle each = cycles[0];
  CHECK(each == 100 + 8);
  for (std::size_t lines = 1; lines <= 5; ++lines) CHECK(cycles[lines - 1] == lines * each);
}

TEST_CASE("timed overhead: operations of the policy take issue slots") {
  timing::machine m = narrow();
  const std::vector<script::line> path{{instruction_class::int_add, {}, {1}}, branch};
  const script s = diamond(path, [](std::uint32_t t) { return t < 2; });
  const policies::convergence_table table(
      4, policies::ipdom_barriers(csr_builder(4).add_edge(0, 1).add_edge(0, 2).add_edge(1, 3).add_edge(2, 3).build(),
                                  ipdom));
  const auto timed = run_under(policies::convergence_barriers(table), s, {.threads = 4}, m);
  const auto stack = run_under(policies::ipdom_stack(ipdom), s, {.threads = 4}, m);
  CHECK(timed.instructions == stack.instructions);
  CHECK(timed.overhead > 0);
  CHECK(timed.cycles == stack.cycles + timed.overhead);
  CHECK(timed.schedulers[cycle_class::issued] == timed.instructions + timed.overhead);
}
