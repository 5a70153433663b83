// SPDX-License-Identifier: BSL-1.0
//
// Laws of timed runs, on random programs, machines and grids, under every policy that ships.
#include "simt/policy_table.hpp"
#include "support/long_run.hpp"
#include "timing/random_programs.hpp"
#include <simtflow/simt/any_policy.hpp>
#include <simtflow/simt/executor.hpp>
#include <simtflow/timing/branch_costs.hpp>
#include <simtflow/timing/device.hpp>
#include <simtflow/timing/timed_trace.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace {

using namespace simtflow;
using random_timing::code;
using timing::branch_cost;
using timing::cycle;
using timing::cycle_class;
using timing::instruction_class;

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
  timing::branch_costs* branches = nullptr;
  timing::timed_trace* trace = nullptr;
  std::vector<timing::instruction_issued<lane_mask>> issues{};  // if there are branches
  timing::memory_counts counted{};

  void operator()(std::uint64_t block, const event::issued<lane_mask>& e) {
    if (e.lanes.count() > warp_width) breach = "more lanes than a warp";
    e.lanes.for_each([&](std::uint32_t lane) { paths[{block, e.first_thread + lane}].push_back(e.block); });
  }
  void operator()(std::uint64_t block, const event::diverged<lane_mask>& e) {
    if (branches != nullptr) (*branches)(block, e);
  }
  void operator()(const timing::thread_block_started& e) {
    if (branches != nullptr) (*branches)(e);
  }
  void operator()(const timing::memory_counted& e) {
    (*trace)(e);
    counted = e.partitions;
  }
  [[nodiscard]] cycle counts_every() const { return trace == nullptr ? timing::never : trace->counts_every(); }
  void operator()(const timing::instruction_issued<lane_mask>& e) {
    if (branches != nullptr) (*branches)(e);
    if (branches != nullptr) issues.push_back(e);
    if (trace != nullptr) (*trace)(e);
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
    if (trace != nullptr) (*trace)(e);
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

// The costs as the header defines them, by a search back through all issues.
struct searched {
  std::map<block_id, branch_cost> by_block{};  // no_block: no branch

  searched(const std::vector<timing::instruction_issued<lane_mask>>& issues, bool by_warp, std::uint32_t threads,
           std::uint32_t width) {
    for (std::size_t i = 0; i < issues.size(); ++i) {
      const auto& e = issues[i];
      const std::uint32_t base = by_warp ? e.warp * width : 0;
      std::vector<std::uint32_t> group;
      e.lanes.for_each([&](std::uint32_t lane) { group.push_back(base + lane); });
      std::uint32_t idle = width - static_cast<std::uint32_t>(group.size());
      const std::uint32_t warp = group.front() / width;
      std::size_t latest = 0;
      block_id charged = no_block;
      for (std::uint32_t home = 0; home < width && idle != 0; ++home) {
        if (std::any_of(group.begin(), group.end(), [&](std::uint32_t t) { return t % width == home; })) continue;
        --idle;
        const std::uint32_t thread = warp * width + home;
        std::size_t k = i;  // one after the issue at which they were together
        while (k > 0 && !(issues[k - 1].kind == instruction_class::control &&
                          has(issues[k - 1], e.thread_block, by_warp, width, thread) &&
                          has(issues[k - 1], e.thread_block, by_warp, width, group.front())))
          --k;
        if (thread >= threads) k = 0;
        const block_id by = k == 0 ? no_block : issues[k - 1].block;
        if (!e.replays) ++by_block[by].idle_lanes;
        if (k > latest) charged = by;
        latest = std::max(latest, k);
      }
      if (!e.replays) ++by_block[charged].issues;
      by_block[charged].wait_cycles += e.waited;
      if (e.for_memory) by_block[charged].memory_cycles += e.waited;
      if (e.kind == instruction_class::control && !e.replays) ++by_block[e.block].executions;
    }
  }
  static bool has(const timing::instruction_issued<lane_mask>& e, std::uint64_t thread_block, bool by_warp,
                  std::uint32_t width, std::uint32_t thread) {
    const std::uint32_t base = by_warp ? e.warp * width : 0;
    return e.thread_block == thread_block && thread >= base && thread - base < lane_mask::capacity &&
           e.lanes.test(thread - base);
  }
};

// Idle lanes charged to branches, and traces cut, over all trials.
struct seen {
  std::uint64_t charged = 0, cut = 0;
};

// Costs of branches and traces of a run. No template: policies are boxed.
void check_observers(const policy_table::about& what, const any_policy& policy, const trial& t, seen& sums) {
  const std::uint32_t width = t.machine.core.warp_width;
  const policy_scope scope = abilities_of(policy).scope;
  const std::string where = std::string(what.name) + ", seed " + std::to_string(t.seed);
  const auto holds = [&](bool law, const char* words) {
    if (!law) FAIL_CHECK(where << ": " << words);
  };

  timing::branch_costs branches(scope, t.grid.threads, width);
  timing::timed_trace trace(100'000, 16);
  witness all{&t.program, scope == policy_scope::block};
  all.warp_width = width;
  all.branches = &branches;
  all.trace = &trace;
  const auto program = [&](std::uint32_t) { return random_timing::program<>(t.program, t.grid.threads); };
  const auto made = timing::run(policy, program, t.grid, t.machine, {.cycles = 10'000'000}, all);
  REQUIRE(made);
  REQUIRE(made->verdict.finished());

  // Costs, as found by a search; and their sums.
  const searched expected(all.issues, scope == policy_scope::warp, t.grid.threads, width);
  branch_cost sum = branches.no_branch();
  std::map<block_id, branch_cost> got{{no_block, branches.no_branch()}};
  for (block_id b = 0; b < branches.by_block().size(); ++b) {
    branch_cost one = branches.by_block()[b];
    sum += one;
    sums.charged += one.idle_lanes;
    holds(one.divergences <= one.executions, "fewer divergences than executions");
    one.divergences = 0;
    if (one != branch_cost{}) got[b] = one;
  }
  std::map<block_id, branch_cost> wanted = expected.by_block;
  (void)wanted[no_block];
  holds(got == wanted, "costs as found by a search");
  timing::instruction_costs total;
  for (block_id b = 0; b < made->costs.num_blocks(); ++b)
    for (const timing::instruction_costs& one : made->costs.of_block(b)) total += one;
  holds(sum.issues == total.issues, "the sum of issues");
  holds(sum.idle_lanes + total.lanes == total.issues * width, "the sum of lanes");
  holds(sum.wait_cycles == total.wait_cycles, "the sum of waits");
  holds(sum.memory_cycles == total.memory_cycles, "the sum of waits for memory");

  // Slices: one after the other in each scheduler; the classes sum up to the report's.
  timing::cycle_counts classes;
  std::map<std::pair<std::uint32_t, std::uint32_t>, cycle> until;
  std::uint64_t operations = 0, lanes = 0;
  for (const timing::timed_slice& s : trace.slices()) {
    cycle& end = until[{s.core, s.scheduler}];
    if (s.first < end || s.count == 0) FAIL_CHECK("slices overlap at cycle " << s.first);
    end = s.first + s.count;
    classes.by_class[static_cast<std::size_t>(s.kind)] += s.count;
    if (s.kind == cycle_class::issued && s.block == no_block) ++operations;
    if (s.kind != cycle_class::issued && s.block != no_block) FAIL_CHECK("an instruction that did not issue");
    lanes += s.lanes;
  }
  for (std::size_t k = 0; k < timing::num_cycle_classes; ++k)
    holds(classes.by_class[k] == made->schedulers.by_class[k], "the classes of cycles");
  holds(operations == made->overhead, "issues without lanes");
  holds(lanes == made->schedulers.lanes, "active lanes");
  holds(trace.ends_at() == timing::never, "a trace of the whole run");

  // Periods: one after the other, with the traffic of the report.
  timing::cache_traffic l1, l2;
  timing::dram_traffic dram;
  cycle end = 0;
  for (std::size_t i = 0; i < trace.periods().size(); ++i) {
    const timing::memory_traffic& p = trace.periods()[i];
    holds(p.first >= end, "periods in order");
    end = p.first + p.count;
    l1 = {l1.hits + p.l1.hits, l1.merges + p.l1.merges, l1.misses + p.l1.misses};
    l2 = {l2.hits + p.l2.hits, l2.merges + p.l2.merges, l2.misses + p.l2.misses};
    REQUIRE(trace.channels(i).size() == t.machine.dram.channels);
    for (const timing::dram_traffic& d : trace.channels(i))
      dram = {dram.reads + d.reads, dram.writes + d.writes, dram.row_misses + d.row_misses};
  }
  const timing::cache_counts &l1_all = made->core_memory.l1, &l2_all = made->memory.l2;
  holds(l1 == timing::cache_traffic{l1_all.hits, l1_all.merges, l1_all.misses}, "traffic of the L1");
  holds(l2 == timing::cache_traffic{l2_all.hits, l2_all.merges, l2_all.misses}, "traffic of the L2");
  holds(dram == timing::dram_traffic{made->memory.dram_reads, made->memory.dram_writes, made->memory.row_misses},
        "traffic of the DRAM");
  holds(all.counted == made->memory, "the last counts");

  // A trace for fewer records is the whole one up to a cycle.
  const std::size_t most = 1 + t.seed * 7919 % trace.slices().size();
  timing::timed_trace part(most, 16);
  witness again{&t.program, scope == policy_scope::block};
  again.warp_width = width;
  again.trace = &part;
  REQUIRE(timing::run(policy, program, t.grid, t.machine, {.cycles = 10'000'000}, again));
  const cycle last = part.ends_at();
  if (last == timing::never) return;
  ++sums.cut;
  holds(part.slices().size() + part.periods().size() <=
            most + std::size_t{t.machine.core.cores} * t.machine.core.schedulers,
        "records of a part");
  std::vector<timing::timed_slice> whole;
  for (timing::timed_slice s : trace.slices())
    if (s.first < last) {
      s.count = std::min(s.count, last - s.first);
      whole.push_back(s);
    }
  const auto in_order = [](std::vector<timing::timed_slice> all_slices) {
    std::sort(all_slices.begin(), all_slices.end(), [](const timing::timed_slice& a, const timing::timed_slice& b) {
      return std::pair(std::pair(a.core, a.scheduler), a.first) < std::pair(std::pair(b.core, b.scheduler), b.first);
    });
    return all_slices;
  };
  const auto kept = in_order({part.slices().begin(), part.slices().end()});
  whole = in_order(whole);
  REQUIRE(kept.size() == whole.size());
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const timing::timed_slice &a = kept[i], &b = whole[i];
    if (a.first != b.first || a.count != b.count || a.kind != b.kind || a.block != b.block ||
        a.instruction != b.instruction)
      FAIL_CHECK("another slice at cycle " << b.first);
  }
  for (const timing::memory_traffic& p : part.periods()) holds(p.first + p.count <= last, "periods of a part");
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

// Issues written by hand, on one core.
TEST_CASE("branch costs: idle lanes belong to the branch at which they diverged, instructions to the latest of those") {
  timing::branch_costs costs(policy_scope::warp, 6, 4);
  costs(timing::thread_block_started{0, 0, 0, 7});
  timing::cycle at = 0;
  const auto issue = [&](std::uint32_t warp, block_id b, std::uint64_t lanes, instruction_class kind,
                         timing::cycle waited = 0, bool for_memory = false) {
    lane_mask m;
    for (std::uint32_t i = 0; i < 4; ++i)
      if ((lanes >> i & 1) != 0) m.set(i);
    costs(timing::instruction_issued<lane_mask>{at++, 0, 0, 0, 7, warp, b, 0, kind, m, m, false, waited, for_memory});
  };
  constexpr auto branch = instruction_class::control;
  constexpr auto add = instruction_class::int_add;
  issue(0, 0, 0b1111, branch);         // outer: lanes 0 and 1 go to 1, 2 and 3 to 4
  issue(1, 0, 0b0011, branch);         // a warp of two threads
  issue(0, 1, 0b0011, branch, 5);      // inner: lane 0 goes to 2, lane 1 to 3
  issue(0, 2, 0b0001, add, 10, true);  // lane 1 idle by the inner branch, 2 and 3 by the outer one
  issue(0, 3, 0b0010, add, 100);
  issue(0, 4, 0b1100, add, 1000);
  issue(1, 4, 0b0011, add, 1);
  issue(0, 5, 0b1111, branch);  // together again; lane 3 ends
  issue(0, 6, 0b0111, add);
  REQUIRE(costs.by_block().size() == 6);
  CHECK(costs.by_block()[0] == branch_cost{2, 0, 1 + 1, 2 + 2 * 2 + 2, 5 + 1000, 0});
  CHECK(costs.by_block()[1] == branch_cost{1, 0, 2, 2, 10 + 100, 10});
  CHECK(costs.by_block()[5] == branch_cost{1, 0, 1, 1, 0, 0});
  CHECK(costs.no_branch() == branch_cost{0, 0, 4, 2 * 2, 1, 0});  // lanes without a thread

  // In the next thread block at this place nothing has diverged yet.
  costs(timing::thread_block_started{at, 0, 0, 7});
  issue(0, 1, 0b0011, add);
  CHECK(costs.no_branch().idle_lanes == 6);

  // Under a policy of thread blocks, thread 4 stands in for thread 0: the lanes of the first thread's warp count.
  timing::branch_costs of_block(policy_scope::block, 8, 4);
  of_block(timing::thread_block_started{0, 0, 0, 0});
  const auto issue_threads = [&](block_id b, std::uint64_t threads, instruction_class kind) {
    lane_mask m;
    for (std::uint32_t i = 0; i < 8; ++i)
      if ((threads >> i & 1) != 0) m.set(i);
    of_block(timing::instruction_issued<lane_mask>{at++, 0, 0, 0, 0, 0, b, 0, kind, m, m, false, 0, false});
  };
  issue_threads(0, 0b0000'1111, branch);
  issue_threads(0, 0b1111'0000, branch);
  issue_threads(1, 0b0001'1110, add);  // all four lanes are used
  issue_threads(2, 0b1110'0000, add);  // thread 4 is apart from thread 5
  issue_threads(2, 0b0000'0001, add);  // thread 0, alone: three lanes
  CHECK(of_block.by_block()[0].idle_lanes == 1 + 3);
  CHECK(of_block.no_branch().issues == 3);
}

TEST_CASE("branch costs and traces: random programs on random machines, under policies of warps and thread blocks") {
  seen sums;
  policy_table::each_policy([&](const policy_table::about& what, auto make) {
    for (std::uint64_t seed = 1; seed <= simtflow_tests::times(5); ++seed) {
      testing::rng r(seed * 6'700'417);
      const bool barriers = seed % 3 == 0;
      trial t(seed, r, {.barriers = barriers}, seed % 2 == 0 ? 4 : 8, barriers);
      t.machine.dram.channels = static_cast<std::uint32_t>(r.between(1, 3));
      if (what.is(policy_table::structured_only) && t.material.code.empty()) continue;
      const any_policy policy(make(t.material));
      if (!barriers || abilities_of(policy).parks) check_observers(what, policy, t, sums);
    }
  });
  CHECK(sums.charged > 10'000);
  CHECK(sums.cut > 20);
}
