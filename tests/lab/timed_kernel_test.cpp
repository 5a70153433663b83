// SPDX-License-Identifier: BSL-1.0
//
// The shipped kernels in the cycle model: one instruction at a time, with warps in any order, they do what they do
// block by block; and on every machine they leave the same memory.
#include "lab/device.hpp"
#include "lab/experiment.hpp"
#include "lab/files.hpp"
#include "lab/policies.hpp"
#include "lab/timed_run.hpp"
#include "support/long_run.hpp"
#include "support/shipped_kernels.hpp"
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/ptx/machine/grid.hpp>
#include <simtflow/ptx/timed/timed_kernel.hpp>
#include <simtflow/simt/observers/counts.hpp>
#include <simtflow/simt/policies/ipdom_stack.hpp>
#include <simtflow/timing/device.hpp>
#include <simtflow/timing/machines.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace {

using namespace simtflow;

// A shipped kernel on its launch; memory is copied for each run.
struct loaded {
  explicit loaded(const std::string& path)
      : e(path + ".ptx", path + ".launch.json", {}),
        config(lab::config_of(e.launch())),
        args(lab::arguments_for(e.kernel(), e.launch(), e.memory())),
        tree(post_dominators(e.bodies())),
        table(e.kernel()) {}

  [[nodiscard]] policies::ipdom_stack pdom() const { return policies::ipdom_stack(tree.ipdoms()); }

  lab::experiment e;
  ptx::launch_config config;
  ptx::arguments args;
  decltype(post_dominators(std::declval<const csr_graph&>())) tree;
  ptx::instruction_table table;
};

// The path of each thread of a thread block, in a number; work of all.
struct walk {
  explicit walk(std::uint32_t threads) : path(threads, 0) {}
  void step(std::uint32_t first_thread, const lane_mask& group, block_id b) {
    group.for_each([&](std::uint32_t lane) {
      std::uint64_t& p = path[first_thread + lane];
      p = (p ^ (b + 1)) * 0x100'0000'01B3U;
    });
  }
  std::vector<std::uint64_t> path;
  std::uint64_t instructions = 0, lanes = 0, off = 0;
};

bool same_memory(const ptx::device_memory& a, const ptx::device_memory& b) {
  if (a.allocations().size() != b.allocations().size()) return false;
  for (std::size_t i = 0; i < a.allocations().size(); ++i)
    if (a.allocations()[i].bytes != b.allocations()[i].bytes) return false;
  return true;
}

// True if the kernel finishes under pdom, and its threads take the same paths in any order of warps and thread blocks.
bool runs_alike(loaded& k) {
  (void)k.e.oracle();
  return k.e.expected_verdict(lab::parse_policy("pdom")) == "finished" && k.e.schedule_matters().empty() &&
         !ptx::order_of_blocks_shows(k.e.kernel());
}

// True if every barrier is for the whole thread block.
bool plain_barriers(const ptx::decoded_kernel& k) {
  for (const ptx::decoded_block& b : k.blocks)
    if (b.end == ptx::block_exit::arrive ||
        (b.end == ptx::block_exit::barrier && k.barrier_list[b.detail].count != ptx::no_slot))
      return false;
  return true;
}

// Runs a thread block; in each step a warp that `choose(n)` names, of n that can, issues an instruction.
template <class Choose>
walk issue_in_any_order(const loaded& k, ptx::timed_kernel<>& program, std::uint64_t number, const Choose& choose) {
  program.select_block_number(number);
  const launch shape{program.num_threads(), program.warp_width(), 0};
  program.begin(shape);
  struct warp {
    policies::ipdom_stack policy;
    std::optional<fragment> at{};
    std::uint32_t next = 0;
    bool waits = false, ended = false;
  };
  std::vector<warp> warps;
  for (std::uint32_t w = 0; w < program.num_warps(); ++w) {
    const std::uint32_t threads = std::min(shape.warp_width, program.num_threads() - w * shape.warp_width);
    warps.push_back({k.pdom()});
    warps.back().policy.start({0, lane_mask::first_lanes(threads)});
  }
  walk all(program.num_threads());
  partition out;
  std::vector<std::uint32_t> can;
  for (;;) {
    can.clear();
    for (std::uint32_t w = 0; w < warps.size(); ++w)
      if (!warps[w].waits && !warps[w].ended) can.push_back(w);
    if (can.empty()) {
      bool any = false;
      for (warp& w : warps) {
        any = any || w.waits;
        w.waits = false;
      }
      if (!any) return all;
      continue;
    }
    const std::uint32_t chosen = can[choose(static_cast<std::uint32_t>(can.size()))];
    warp& w = warps[chosen];
    const std::uint32_t first_thread = chosen * shape.warp_width;
    if (!w.at) {
      w.at = w.policy.next();
      w.next = 0;
      w.ended = !w.at;
      if (w.ended) continue;
      all.step(first_thread, w.at->lanes, w.at->block);
    }
    const fragment f = *w.at;
    const group g{chosen, first_thread, f.lanes};
    const std::uint32_t weight = program.weight(f.block);
    out.clear();
    block_end end = block_end::next;
    if (weight == 0) {
      end = program.run(f.block, g, out);
    } else {
      timing::issue_effect<lane_mask> effect{f.lanes, {}};
      end = program.issue(f.block, w.next, g, out, effect);
      ++all.instructions;
      all.lanes += f.lanes.count();
      all.off += (f.lanes - effect.on).count();
      if (++w.next < weight && end == block_end::next) {
        if (!out.fragments().empty()) FAIL("an instruction inside a block names targets");
        continue;
      }
    }
    if (end != block_end::next && end != block_end::barrier) FAIL("the kernel does not go on");
    w.policy.advance(f, out.fragments());
    w.at.reset();
    w.waits = end == block_end::barrier;
  }
}

// The same by the executor, block by block.
walk run_blocks(const loaded& k, ptx::interpreter<>& program, std::uint64_t number) {
  program.select_block_number(number);
  walk all(program.num_threads());
  const auto watch = [&]<class Event>(const Event& e) {
    if constexpr (std::same_as<Event, event::issued<lane_mask>>) {
      const std::uint32_t weight = program.weight(e.block);
      all.step(e.warp * program.warp_width(), e.lanes, e.block);
      all.instructions += weight;
      all.lanes += std::uint64_t{weight} * e.lanes.count();
    } else if constexpr (std::same_as<Event, event::predicated_off<lane_mask>>) {
      all.off += e.lanes.count();
    }
  };
  const auto v =
      executor<policies::ipdom_stack>(k.pdom()).run(program, {program.num_threads(), program.warp_width(), 0}, watch);
  REQUIRE(v.finished());
  return all;
}

}  // namespace

TEST_CASE("timed kernels: issued one instruction at a time, with warps in any order, a kernel does what it does run") {
  std::mt19937 random(20'261'123);
  std::size_t compared = 0;
  for (const std::string& path : simtflow_tests::shipped_kernels()) {
    CAPTURE(path);
    loaded k(path);
    if (!runs_alike(k) || !plain_barriers(k.e.kernel())) continue;
    ptx::device_memory by_block = k.e.memory(), by_instruction = k.e.memory();
    ptx::interpreter<> run(k.e.kernel(), k.config, by_block, k.args);
    ptx::timed_kernel<> issue(k.table, k.config, by_instruction, k.args);
    for (std::uint64_t b = 0; b < k.config.num_blocks(); ++b) {
      CAPTURE(b);
      const walk expected = run_blocks(k, run, b);
      const walk got = issue_in_any_order(k, issue, b, [&](std::uint32_t n) { return random() % n; });
      CHECK(got.path == expected.path);
      CHECK(got.instructions == expected.instructions);
      CHECK(got.lanes == expected.lanes);
      CHECK(got.off == expected.off);
    }
    CHECK(same_memory(by_block, by_instruction));
    ++compared;
  }
  CHECK(compared >= 40);
}

TEST_CASE("timed kernels: on every machine a kernel issues what an untimed run issues, and leaves the same memory") {
  struct setting {
    const char *machine, *policy;
  };
  // Under `serial` lanes wait at exchanges; `tbc` manages whole thread blocks.
  constexpr setting settings[] = {{"ideal", "pdom"},    {"gtx480", "pdom"},
                                  {"volta", "pdom"},    {"quadro_fx5800_plus_caches", "pdom"},
                                  {"gtx480", "serial"}, {"gtx480", "tbc"}};
  std::size_t taken = 0, cases = 0, compared = 0, replays = 0;
  for (const std::string& path : simtflow_tests::shipped_kernels()) {
    CAPTURE(path);
    loaded k(path);
    if (!runs_alike(k)) continue;
    ++cases;  // the next kernel meets the next machine
    for (const setting& one : settings) {
      if (!simtflow_tests::is_taken(cases++, 3)) continue;
      ++taken;
      const std::string words = std::string(one.policy) + " on " + one.machine;
      CAPTURE(words);
      const lab::chosen_policy chosen = lab::parse_policy(one.policy);
      const auto run = [&]<class Policy>(const Policy& policy) {
        using mask = typename Policy::mask_type;
        const lab::grid_run expected = k.e.run(chosen);
        REQUIRE(expected.how == outcome::finished);
        auto machine = timing::machine_named(one.machine);
        REQUIRE(machine);
        machine->core.warp_width = k.config.warp_width;
        ptx::launch_config config = k.config;
        if (abilities_of(policy).scope != policy_scope::warp)
          config.group_width = static_cast<std::uint32_t>(config.num_threads());
        ptx::device_memory memory = k.e.memory();
        const auto make = [&](std::uint32_t) { return ptx::timed_kernel<mask>(k.table, config, memory, k.args); };
        const auto r = timing::run(policy, make, ptx::grid_of(k.e.kernel(), config, 0, lab::barriers_for(chosen, {})),
                                   *machine, {.steps = 20'000'000});
        if (!r) return;  // a thread block, or its warps, do not fit into the machine
        ++compared;
        replays += static_cast<std::size_t>(r->replays);
        CHECK(r->verdict.finished());
        CHECK(same_memory(memory, expected.memory));
        CHECK(r->instructions == expected.counts.warp_instructions);
        std::uint64_t lanes = 0, off = 0;
        for (block_id b = 0; b < r->costs.num_blocks(); ++b)
          for (const timing::instruction_costs& c : r->costs.of_block(b)) {
            lanes += c.lanes;
            off += c.predicated_off;
          }
        CHECK(lanes == expected.counts.thread_instructions);
        CHECK(off == expected.counts.predicated_off);
      };
      if (chosen.name == "serial" && !k.e.kernel().talks) continue;  // slow, and no lane waits
      if (k.e.not_applicable(chosen).empty() && k.e.expected_verdict(chosen) == "finished")
        std::visit(run, lab::make_policy(chosen, k.e.plan()));
    }
  }
  CHECK(compared >= taken / 6 * 5 - 10);
  CHECK(replays > 0);
}

TEST_CASE("timed kernels: warps of all threads of a core leave the memory of lanes that run alone") {
  struct setting {
    const char *machine, *policy;
  };
  constexpr setting settings[] = {{"gtx480", "dwf-core"}, {"quadro_fx5800_plus_caches", "dwf-barrier-core"}};
  std::size_t cases = 0, kernels = 0, compared = 0, fuller = 0;
  for (const std::string& path : simtflow_tests::shipped_kernels()) {
    if (!simtflow_tests::is_taken(cases++, 3)) continue;
    CAPTURE(path);
    loaded k(path);
    if (!runs_alike(k)) continue;
    ++kernels;
    const lab::grid_run& alone = k.e.oracle();
    for (const setting& one : settings) {
      const lab::chosen_policy chosen = lab::parse_policy(one.policy);
      const std::string words = std::string(one.policy) + " on " + one.machine;
      CAPTURE(words);
      if (!k.e.not_applicable(chosen).empty() || k.e.expected_verdict(chosen) != "finished") continue;
      lab::timed_grid how{*timing::machine_named(one.machine)};
      how.machine.core.warp_width = k.config.warp_width;
      lab::timed_run r;
      try {
        r = k.e.run_timed(chosen, how);
      } catch (const lab::input_error&) {
        continue;  // a thread block does not fit into the machine
      }
      ++compared;
      CHECK(r.words == "");
      CHECK(same_memory(r.memory, alone.memory));
      std::uint64_t lanes = 0, issues = 0;
      for (block_id b = 0; b < r.report.costs.num_blocks(); ++b)
        for (const timing::instruction_costs& c : r.report.costs.of_block(b)) {
          lanes += c.lanes;
          issues += c.issues;
        }
      CHECK(lanes == alone.counts.thread_instructions);
      CHECK(issues == r.report.instructions);
      fuller += r.report.instructions < k.e.run(lab::parse_policy("pdom")).counts.warp_instructions ? 1 : 0;
    }
  }
  CHECK(kernels >= 12);
  CHECK(compared >= 2 * kernels - 4);
  CHECK(fuller > kernels / 3);
}
