// SPDX-License-Identifier: BSL-1.0
//
// Laws of timed runs, on random programs, machines and grids, under every policy that ships.
#include "simt/look_back.hpp"
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

// The record of a thread block, and its instructions by their place in the record.
struct costed_block {
  look_back::chronicle record{};
  std::map<std::size_t, timing::instruction_issued<lane_mask>> issues{};
};

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
  std::map<std::uint64_t, costed_block> blocks{};  // by thread block, if there are branches
  timing::memory_counts counted{};

  void operator()(std::uint64_t block, const event::issued<lane_mask>& e) {
    if (e.lanes.count() > warp_width) breach = "more lanes than a warp";
    e.lanes.for_each([&](std::uint32_t lane) { paths[{block, e.first_thread + lane}].push_back(e.block); });
    tell(block, e);
  }
  void operator()(std::uint64_t block, const event::started& e) {
    if (branches != nullptr) (*branches)(block, e);
  }
  void operator()(std::uint64_t block, const event::diverged<lane_mask>& e) { tell(block, e); }
  void operator()(std::uint64_t block, const event::exited<lane_mask>& e) { tell(block, e); }
  void operator()(std::uint64_t block, const event::waits<lane_mask>& e) { tell(block, e); }
  void operator()(std::uint64_t block, const event::released& e) { tell(block, e); }
  template <class Event>
  void tell(std::uint64_t block, const Event& e) {
    if (branches == nullptr) return;
    (*branches)(block, e);
    blocks[block].record(e);
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
    if (branches != nullptr) {
      (*branches)(e);
      costed_block& own = blocks[e.thread_block];
      own.record.add(look_back::happening::instruction, e.warp, e.block, e.lanes);
      own.issues.emplace(own.record.all.size() - 1, e);
    }
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

// The costs as the header defines them, by reading the record of a thread block backwards.
struct searched {
  std::map<block_id, branch_cost> by_block{};
  std::map<idle_cause, std::uint64_t> idle{};
  std::map<idle_cause, timing::lost_time> lost{};
  timing::lost_time converged{};

  void add(const costed_block& one, std::uint32_t threads, std::uint32_t width) {
    using look_back::happening;
    for (std::size_t i = 0; i < one.record.all.size(); ++i) {
      const happening& h = one.record.all[i];
      if (h.kind == happening::parted) ++by_block[h.block].divergences;
      if (h.kind != happening::instruction) continue;
      const timing::instruction_issued<lane_mask>& e = one.issues.at(i);
      const std::uint64_t issues = e.replays ? 0 : 1;
      if (!e.replays && (e.kind == instruction_class::control || e.kind == instruction_class::barrier)) {
        ++by_block[e.block].executions;
        by_block[e.block].lanes += e.lanes.count();
      }
      const timing::lost_time here{issues, e.waited, e.for_memory ? e.waited : 0};
      const std::vector<std::uint32_t> beside = one.record.idle_threads(i, width);
      if (beside.empty()) converged += here;
      if (beside.empty()) continue;
      std::vector<idle_blame> why;
      for (const std::uint32_t t : beside) {
        const idle_blame b = why.emplace_back(one.record.blame(i, t, threads));
        idle[b.cause] += issues;
        if (b.block == no_block) continue;
        if (b.cause == idle_cause::branch) by_block[b.block].idle_lanes += issues;
        if (b.cause == idle_cause::exited) by_block[b.block].exited_lanes += issues;
        if (b.cause == idle_cause::barrier) by_block[b.block].barrier_lanes += issues;
      }
      const idle_blame to = latest(one.record, i, beside, why, width);
      lost[to.cause] += here;
      if (to.block != no_block) by_block[to.block].lost += here;
    }
  }

 private:
  // The charge of the idle lane that has left at a branch last; without one the first cause in order.
  static idle_blame latest(const look_back::chronicle& record, std::size_t now,
                           const std::vector<std::uint32_t>& beside, const std::vector<idle_blame>& why,
                           std::uint32_t width) {
    const std::uint32_t leader = record.all[now].threads.front();
    for (std::size_t i = now; i-- > 0;) {
      const look_back::happening& h = record.all[i];
      if (h.kind != look_back::happening::parted || !h.has(leader)) continue;
      for (const idle_cause cause : {idle_cause::branch, idle_cause::exited})
        for (std::size_t k = 0; k < beside.size(); ++k)
          if (why[k] == idle_blame{cause, h.block} && h.has(beside[k]) && record.next_place(i, beside[k]) != no_block &&
              decides(record, now, i, beside[k], leader))
            return why[k];
    }
    for (const idle_cause cause : {idle_cause::exited, idle_cause::barrier, idle_cause::schedule}) {
      std::size_t first = record.all.size();
      idle_blame found{idle_cause::ragged_warp, no_block};
      for (const idle_blame& b : why)
        if (b.cause == cause)
          if (const std::size_t at = first_stop(record, now, b, leader / width, width); at <= first) {
            first = at;
            found = b;
          }
      if (found.cause == cause) return found;
    }
    return {idle_cause::ragged_warp, no_block};
  }
  // The first happening of those by which threads of a warp stand ended, or at a barrier, in a block.
  static std::size_t first_stop(const look_back::chronicle& record, std::size_t now, const idle_blame& b,
                                std::uint32_t warp, std::uint32_t width) {
    std::size_t first = record.all.size();
    for (std::size_t i = 0; i < now; ++i) {
      const look_back::happening& h = record.all[i];
      const bool stops = h.block == b.block && h.kind == (b.cause == idle_cause::exited ? look_back::happening::ended
                                                                                        : look_back::happening::waits);
      for (const std::uint32_t t : h.threads)
        if (stops && t / width == warp) first = std::min(first, i);
      if (h.kind == look_back::happening::opens && b.cause == idle_cause::barrier) first = record.all.size();
    }
    return first;
  }
  // Whether the happening at `at` is the last one before `now` that both threads took part in.
  static bool decides(const look_back::chronicle& record, std::size_t now, std::size_t at, std::uint32_t t,
                      std::uint32_t leader) {
    for (std::size_t i = now; i-- > at + 1;) {
      const look_back::happening& h = record.all[i];
      const bool runs = h.kind == look_back::happening::parted || h.kind == look_back::happening::issue ||
                        h.kind == look_back::happening::instruction;
      if (runs && h.has(t) && h.has(leader)) return false;
    }
    return true;
  }
};

// Idle lanes charged to branches, and traces cut, over all trials.
struct seen {
  std::uint64_t charged = 0, cut = 0;
  std::map<idle_cause, std::uint64_t> by_cause{};  // idle lanes
};

// Costs of branches and traces of a run. No template: policies are boxed.
void check_observers(const policy_table::about& what, const any_policy& policy, const trial& t, seen& sums) {
  const std::uint32_t width = t.machine.core.warp_width;
  const policy_scope scope = abilities_of(policy).scope;
  const std::string where = std::string(what.name) + ", seed " + std::to_string(t.seed);
  const auto holds = [&](bool law, const char* words) {
    if (!law) FAIL_CHECK(where << ": " << std::string(words));
  };

  timing::branch_costs branches(scope);
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
  searched expected;
  for (const auto& [number, one] : all.blocks) expected.add(one, t.grid.threads, width);
  timing::lost_time lost = branches.converged();
  std::uint64_t idle = 0, with_block = 0;
  for (const idle_cause cause : idle_causes) {
    holds(branches.idle(cause) == expected.idle[cause], "idle lanes by cause, as found by a search");
    holds(branches.lost(cause) == expected.lost[cause], "lost time by cause, as found by a search");
    lost += branches.lost(cause);
    idle += branches.idle(cause);
    sums.by_cause[cause] += branches.idle(cause);
    if (cause != idle_cause::schedule && cause != idle_cause::ragged_warp) with_block += branches.idle(cause);
  }
  holds(branches.converged() == expected.converged, "converged instructions, as found by a search");
  std::map<block_id, branch_cost> got;
  for (block_id b = 0; b < branches.by_block().size(); ++b) {
    const branch_cost& one = branches.by_block()[b];
    with_block -= one.blamed();
    sums.charged += one.idle_lanes;
    if (one != branch_cost{}) got[b] = one;
  }
  holds(got == expected.by_block, "costs by block, as found by a search");
  holds(with_block == 0, "the sum over blocks");
  timing::instruction_costs total;
  for (block_id b = 0; b < made->costs.num_blocks(); ++b)
    for (const timing::instruction_costs& one : made->costs.of_block(b)) total += one;
  holds(lost.issues == total.issues, "the sum of issues");
  holds(idle + total.lanes == total.issues * width, "the sum of lanes");
  holds(lost.wait_cycles == total.wait_cycles, "the sum of waits");
  holds(lost.memory_cycles == total.memory_cycles, "the sum of waits for memory");

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
    for (std::uint64_t seed = 10; seed < 10 + simtflow_tests::times(12); ++seed) {
      testing::rng r(seed * 7919);
      const bool barriers = seed % 3 == 1;
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

// A run written by hand, on one core.
TEST_CASE("branch costs: idle lanes have a cause, instructions belong to the latest branch") {
  timing::branch_costs costs(policy_scope::warp);
  const auto mask = [](std::uint64_t lanes) {
    lane_mask m;
    for (std::uint32_t i = 0; i < 8; ++i)
      if ((lanes >> i & 1) != 0) m.set(i);
    return m;
  };
  timing::cycle at = 0;
  const auto issue = [&](timing::branch_costs& to, std::uint32_t warp, block_id b, std::uint64_t lanes,
                         instruction_class kind, timing::cycle waited = 0, bool for_memory = false) {
    const lane_mask m = mask(lanes);
    to(timing::instruction_issued<lane_mask>{at++, 0, 0, 0, 7, warp, b, 0, kind, m, m, false, waited, for_memory});
  };
  const auto part = [&](timing::branch_costs& of, std::uint32_t warp, block_id b,
                        std::vector<basic_fragment<lane_mask>> to) {
    lane_mask all;
    for (const auto& f : to) all |= f.lanes;
    of(7, event::diverged<lane_mask>{0, warp, b, all, static_cast<std::uint32_t>(to.size()), to});
  };
  constexpr auto branch = instruction_class::control;
  constexpr auto add = instruction_class::int_add;

  // Warps of four; six threads, so the second warp has two.
  costs(timing::thread_block_started{0, 0, 0, 7});
  costs(7, event::started{6, 4, 2});
  costs(7, event::issued<lane_mask>{0, 0, 0, 4, 0, 1, mask(0b1111), mask(0b1111), 1, 0});
  costs(7, event::issued<lane_mask>{0, 1, 4, 2, 0, 1, mask(0b0011), mask(0b0011), 1, 0});
  issue(costs, 0, 0, 0b1111, branch);
  part(costs, 0, 0, {{1, mask(0b0011)}, {4, mask(0b1100)}});  // outer
  issue(costs, 1, 0, 0b0011, branch);                         // the warp of two threads
  issue(costs, 0, 1, 0b0011, branch, 5);
  part(costs, 0, 1, {{2, mask(0b0001)}, {3, mask(0b0010)}});  // inner
  issue(costs, 0, 2, 0b0001, add, 10, true);  // lane 1 is idle by the inner branch, 2 and 3 by the outer one
  issue(costs, 0, 3, 0b0010, add, 100);
  issue(costs, 0, 4, 0b1100, add, 1000);
  costs(7, event::exited<lane_mask>{0, 1, 4, mask(0b0010)});
  issue(costs, 1, 4, 0b0001, add, 1);  // its other thread has ended
  REQUIRE(costs.by_block().size() == 5);
  CHECK(costs.by_block()[0] == branch_cost{2, 6, 1, 2 + 2 * 2 + 2, 0, 0, {1 + 1, 5 + 1000, 0}});
  CHECK(costs.by_block()[1] == branch_cost{1, 2, 1, 2, 0, 0, {2, 10 + 100, 10}});
  CHECK(costs.by_block()[4] == branch_cost{0, 0, 0, 0, 1, 0, {1, 1, 0}});
  CHECK(costs.idle(idle_cause::ragged_warp) == 2 * 2);
  CHECK(costs.lost(idle_cause::ragged_warp) == timing::lost_time{1, 0, 0});
  CHECK(costs.lost(idle_cause::branch) == timing::lost_time{4, 5 + 10 + 100 + 1000, 10});
  CHECK(costs.lost(idle_cause::exited) == timing::lost_time{1, 1, 0});
  CHECK(costs.converged() == timing::lost_time{1, 0, 0});

  // In the next thread block at this place nothing has diverged yet.
  costs(timing::thread_block_started{at, 0, 0, 7});
  costs(7, event::started{6, 4, 2});
  issue(costs, 0, 1, 0b0011, add);
  CHECK(costs.idle(idle_cause::schedule) == 2);

  // Under core scope the threads of two thread blocks of four share an instance. Thread block 9 comes to the place of
  // one that has ended; its threads have not.
  timing::branch_costs of_core(policy_scope::core);
  of_core(timing::thread_block_started{0, 0, 1, 7});
  of_core(0, event::started{8, 4, 1, 2});
  issue(of_core, 0, 0, 0b1111'0000, branch);
  of_core(0, event::exited<lane_mask>{0, 0, 3, mask(0b1111'0000)});
  of_core(timing::thread_block_started{1, 0, 1, 9});
  issue(of_core, 0, 5, 0b0001'0000, add);
  CHECK(of_core.idle(idle_cause::exited) == 0);
  CHECK(of_core.idle(idle_cause::schedule) == 3);
}

TEST_CASE("branch costs and traces: random programs on random machines, under policies of warps and thread blocks") {
  seen sums;
  policy_table::each_policy([&](const policy_table::about& what, auto make) {
    for (std::uint64_t seed = 10; seed < 10 + simtflow_tests::times(6); ++seed) {
      testing::rng r(seed * 6'700'417);
      const bool barriers = seed % 5 <= 1;
      trial t(seed, r, {.barriers = barriers, .agree_at_barriers = false}, seed % 2 == 0 ? 4 : 8, barriers);
      t.machine.dram.channels = static_cast<std::uint32_t>(r.between(1, 3));
      if (what.is(policy_table::structured_only) && t.material.code.empty()) continue;
      const any_policy policy(make(t.material));
      if (!barriers || abilities_of(policy).parks) check_observers(what, policy, t, sums);
    }
  });
  CHECK(sums.charged > 10'000);
  CHECK(sums.cut > 20);
  for (const idle_cause cause : idle_causes) {
    INFO(std::string(to_string(cause)));
    CHECK(sums.by_cause[cause] > 20);
  }
}
