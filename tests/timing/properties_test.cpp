// SPDX-License-Identifier: BSL-1.0
//
// Laws of timed runs, on random programs, machines and grids, under every policy that ships.
#include "simt/policy_table.hpp"
#include "support/long_run.hpp"
#include "timing/random_programs.hpp"
#include <simtflow/simt/any_policy.hpp>
#include <simtflow/simt/executor.hpp>
#include <simtflow/timing/device.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace {

using namespace simtflow;
using random_timing::code;
using timing::cycle;
using timing::cycle_class;

// The doings of a run, by thread and by scheduler, and a breach of a law if it sees one.
struct witness {
  struct place {
    block_id block = no_block;
    std::uint32_t next = 0;  // instruction
    cycle at = 0;
    bool any = false;
  };
  const code* c;
  bool by_block = false;
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::vector<block_id>> paths{};
  std::map<std::pair<std::uint64_t, std::uint32_t>, place> threads{};
  std::map<std::tuple<std::uint32_t, std::uint32_t>, cycle> last_issue{}, covered{};
  std::uint64_t scheduler_cycles = 0, issued = 0, lanes = 0;
  std::string breach{};
  std::uint32_t warp_width = 0;

  void operator()(std::uint64_t block, const event::issued<lane_mask>& e) {
    if (e.lanes.count() > warp_width) breach = "more lanes than a warp";
    e.lanes.for_each([&](std::uint32_t lane) { paths[{block, e.first_thread + lane}].push_back(e.block); });
  }
  void operator()(const timing::instruction_issued<lane_mask>& e) {
    ++issued;
    lanes += e.lanes.count();
    const auto scheduler = std::make_tuple(e.core, e.scheduler);
    if (const auto last = last_issue.find(scheduler); last != last_issue.end() && last->second >= e.at)
      breach = "a scheduler issues twice in cycle " + std::to_string(e.at);
    last_issue[scheduler] = e.at;
    const std::uint32_t first = by_block ? 0 : e.warp * warp_width;
    e.lanes.for_each([&](std::uint32_t lane) {
      place& p = threads[{e.thread_block, first + lane}];
      if (p.any && p.at >= e.at) breach = "a thread issues twice in cycle " + std::to_string(e.at);
      if (e.instruction != 0 && (p.block != e.block || p.next != e.instruction))
        breach = "out of order in block " + std::to_string(e.block);
      p = {e.block, e.instruction + 1, e.at, true};
    });
  }
  void operator()(const timing::cycles_passed& e) {
    scheduler_cycles += e.count;
    cycle& until = covered[std::make_tuple(e.core, e.scheduler)];
    if (e.first < until) breach = "a cycle counts twice";
    if (e.count == 0) breach = "an event of no cycle";
    until = e.first + e.count;
  }
};

struct trial {
  std::uint64_t seed;
  code program;
  timing::machine machine;
  timing::grid grid;
  policy_table::material material;

  trial(std::uint64_t s, testing::rng& r, const random_timing::options& o, std::uint32_t width, bool parks)
      : seed(s),
        program(s, o),
        machine(random_timing::random_machine(r, width)),
        material(program.program.graph, width) {
    grid.blocks = r.between(1, 6);
    grid.threads = static_cast<std::uint32_t>(r.between(1, 3 * width));
    grid.entry = program.program.graph.entry();
    grid.barriers = parks ? barrier_model::thread_arrival : barrier_model::whole_warp;
  }
};

const char* text(cycle_class kind) { return timing::to_string(kind); }

void check_laws(const policy_table::about& what, const any_policy& policy, const trial& t) {
  const std::string where = std::string(what.name) + ", seed " + std::to_string(t.seed);
  CAPTURE(where);
  const bool by_block = abilities_of(policy).scope == policy_scope::block;
  witness w{&t.program, by_block};
  w.warp_width = t.machine.core.warp_width;
  const auto make = [&](std::uint32_t) { return random_timing::program<>(t.program, t.grid.threads); };
  const timing::limits limit{.cycles = 10'000'000};
  const auto r = timing::run(policy, make, t.grid, t.machine, limit, w);
  REQUIRE_MESSAGE(r, where);
  const auto again = timing::run(policy, make, t.grid, t.machine, limit);
  REQUIRE(again);
  CHECK(*r == *again);
  if (!r->verdict.finished()) {
    FAIL_CHECK(where << ": " << std::string(to_string(r->verdict.how)) << " after " << r->cycles << " cycles");
    return;
  }
  CHECK_MESSAGE(w.breach.empty(), where << ": " << w.breach);
  CHECK(w.issued == r->instructions);
  CHECK(w.lanes == r->schedulers.lanes);
  CHECK(w.scheduler_cycles == r->schedulers.total());
  CHECK(r->schedulers[cycle_class::issued] == r->instructions + r->overhead);
  CHECK(r->thread_blocks == t.grid.blocks);
  CHECK(r->schedulers.total() <= r->cycles * t.machine.core.cores * t.machine.core.schedulers);
  for (std::size_t k = 0; k < timing::num_cycle_classes; ++k) CAPTURE(text(static_cast<cycle_class>(k)));
  for (std::uint64_t b = 0; b < t.grid.blocks; ++b)
    for (std::uint32_t thread = 0; thread < t.grid.threads; ++thread)
      if (w.paths[{b, thread}] != t.program.walks.path(b * 1024 + thread))
        FAIL_CHECK(where << ": thread " << thread << " of thread block " << b << " goes another way");
}

// Instructions and lanes of the executor's runs of all thread blocks.
std::pair<std::uint64_t, std::uint64_t> counts_of_executor(const any_policy& policy, const trial& t) {
  std::uint64_t instructions = 0, lanes = 0;
  random_timing::program<> program(t.program, t.grid.threads);
  for (std::uint64_t b = 0; b < t.grid.blocks; ++b) {
    program.select_block_number(b);
    const auto v = run(policy, program,
                       {.threads = t.grid.threads,
                        .warp_width = t.machine.core.warp_width,
                        .entry = t.grid.entry,
                        .barriers = t.grid.barriers},
                       [&](const event::issued<lane_mask>& e) {
                         instructions += e.weight;
                         lanes += std::uint64_t{e.weight} * e.lanes.count();
                       });
    REQUIRE(v.finished());
  }
  return {instructions, lanes};
}

}  // namespace

TEST_CASE("timed runs: laws of every policy on random programs and machines") {
  policy_table::each_policy([&](const policy_table::about& what, auto make) {
    for (std::uint64_t seed = 1; seed <= simtflow_tests::times(12); ++seed) {
      testing::rng r(seed * 7919);
      const bool barriers = seed % 3 == 0;
      const auto width = static_cast<std::uint32_t>(r.between(1, 3) == 1 ? 4 : 8);
      const trial t(seed, r, {.barriers = barriers}, width, barriers);
      if (what.is(policy_table::structured_only) && t.material.code.empty()) continue;
      const any_policy policy(make(t.material));
      if (barriers && !abilities_of(policy).parks) continue;
      check_laws(what, policy, t);
    }
  });
}

TEST_CASE("timed runs: the ideal machine issues what the executor counts, under policies of warps without overlap") {
  policy_table::each_policy([&](const policy_table::about& what, auto make) {
    for (std::uint64_t seed = 100; seed <= 100 + simtflow_tests::times(6); ++seed) {
      testing::rng r(seed * 104729);
      trial t(seed, r, {}, 8, false);
      t.machine = timing::machine{};
      t.machine.core.warp_width = 8;
      if (what.is(policy_table::structured_only) && t.material.code.empty()) continue;
      const any_policy policy(make(t.material));
      const policy_abilities can = abilities_of(policy);
      if (can.scope != policy_scope::warp || can.overlaps) continue;
      const auto make_program = [&](std::uint32_t) { return random_timing::program<>(t.program, t.grid.threads); };
      const auto timed = timing::run(policy, make_program, t.grid, t.machine);
      REQUIRE(timed);
      const auto [instructions, lanes] = counts_of_executor(policy, t);
      CAPTURE(std::string(what.name));
      CAPTURE(seed);
      CHECK(timed->instructions == instructions);
      CHECK(timed->schedulers.lanes == lanes);
    }
  });
}

TEST_CASE("timed runs: a warp that gets stuck has the verdict of the executor") {
  std::uint64_t stuck = 0;
  policy_table::each_policy([&](const policy_table::about& what, auto make) {
    for (std::uint64_t seed = 1; seed <= simtflow_tests::times(60); ++seed) {
      testing::rng r(seed * 15485863);
      const barrier_model models[] = {barrier_model::whole_warp, barrier_model::warp_arrival,
                                      barrier_model::uniformity_error};
      trial t(seed, r, {.barriers = true, .agree_at_barriers = false}, 8, false);
      t.grid.barriers = models[seed % 3];
      t.grid.blocks = 1;
      t.grid.threads = static_cast<std::uint32_t>(r.between(2, 8));
      if (what.is(policy_table::structured_only) && t.material.code.empty()) continue;
      const any_policy policy(make(t.material));
      const policy_abilities can = abilities_of(policy);
      if (can.scope != policy_scope::warp || can.overlaps) continue;
      const auto make_program = [&](std::uint32_t) { return random_timing::program<>(t.program, t.grid.threads); };
      const auto timed = timing::run(policy, make_program, t.grid, t.machine);
      REQUIRE(timed);
      random_timing::program<> program(t.program, t.grid.threads);
      const auto expected =
          run(policy, program,
              {.threads = t.grid.threads, .warp_width = 8, .entry = t.grid.entry, .barriers = t.grid.barriers});
      CAPTURE(std::string(what.name));
      CAPTURE(seed);
      CHECK(std::string(to_string(timed->verdict.how)) == to_string(expected.how));
      CHECK(timed->verdict.steps == expected.steps);
      REQUIRE(timed->verdict.standing.size() == expected.standing.size());
      for (std::size_t i = 0; i < expected.standing.size(); ++i) {
        const auto &a = timed->verdict.standing[i], &b = expected.standing[i];
        const bool same = a.warp == b.warp && a.block == b.block && a.lanes == b.lanes && a.reason == b.reason &&
                          a.barrier == b.barrier;
        CHECK(same);
      }
      stuck += expected.finished() ? 0 : 1;
    }
  });
  CHECK(stuck > 20);
}

TEST_CASE("timed runs: less latency never costs cycles, for a single warp") {
  for (std::uint64_t seed = 1; seed <= simtflow_tests::times(60); ++seed) {
    testing::rng r(seed * 31337);
    trial t(seed, r, {}, 8, false);
    t.grid.blocks = 1;
    t.grid.threads = 8;
    const policies::ipdom_stack policy(t.material.ipdoms);
    const auto cycles = [&](const timing::machine& m) {
      const auto make = [&](std::uint32_t) { return random_timing::program<>(t.program, t.grid.threads); };
      const auto timed = timing::run(policy, make, t.grid, m);
      REQUIRE(timed);
      return timed->cycles;
    };
    const cycle before = cycles(t.machine);
    for (std::size_t k = 0; k < timing::num_instruction_classes + 3; ++k) {
      timing::machine faster = t.machine;
      std::uint32_t& latency = k < timing::num_instruction_classes        ? faster.operations.of[k].latency
                               : k == timing::num_instruction_classes     ? faster.core.branch_resolve
                               : k == timing::num_instruction_classes + 1 ? faster.core.operand_read
                                                                          : faster.shared.latency;
      if (latency < 2) continue;
      latency /= 2;
      CAPTURE(seed);
      CAPTURE(k);
      CHECK(cycles(faster) <= before);
    }
  }
}
