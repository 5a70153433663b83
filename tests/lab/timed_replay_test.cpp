// SPDX-License-Identifier: BSL-1.0
//
// Shipped kernels recorded with addresses: on the machines of the papers the trace takes the cycles of the kernel.
#include "lab/commands.hpp"
#include "lab/experiment.hpp"
#include "lab/policies.hpp"
#include "lab/schedule.hpp"
#include "lab/timed_run.hpp"
#include "support/long_run.hpp"
#include "support/shipped_kernels.hpp"
#include <simtflow/io/recording.hpp>
#include <simtflow/io/trace_text.hpp>
#include <simtflow/ptx/machine/grid.hpp>
#include <simtflow/timing/machines.hpp>
#include <simtflow/timing/occupancy.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>

namespace {

using namespace simtflow;

// True if the kernel finishes under pdom, and its threads take the same paths in any order of warps and thread blocks.
bool runs_alike(lab::experiment& e) {
  (void)e.oracle();
  return e.expected_verdict(lab::parse_policy("pdom")) == "finished" && e.schedule_matters().empty() &&
         !ptx::order_of_blocks_shows(e.kernel());
}

}  // namespace

TEST_CASE("timed replays: a trace recorded with addresses takes the cycles of its kernel") {
  // Left out are kernels with paths that depend on the schedule, and long ones.
  std::size_t cases = 0, kernels = 0, compared = 0;
  for (const std::string& path : simtflow_tests::shipped_kernels()) {
    if (!simtflow_tests::is_taken(cases++, 3)) continue;
    CAPTURE(path);
    lab::experiment e(path + ".ptx", path + ".launch.json", {});
    if (!runs_alike(e) || e.oracle().counts.thread_instructions > 1'500'000) continue;
    lab::record_options options;
    options.kernel_path = path + ".ptx";
    options.launch_path = path + ".launch.json";
    options.addresses = true;
    const auto traces = read_traces(lab::record_kernel(options).trace);
    REQUIRE(traces.has_value());
    const recorded_trace& trace = traces->front();
    REQUIRE(is_timed(trace));
    lab::schedule plan(e.graph(), e.bodies(), e.plan().order(), e.barrier_blocks(), trace.graph.weights,
                       e.launch().warp_width);
    ++kernels;
    for (const char* name : {"gtx480", "quadro_fx5800_plus_caches"}) {
      auto machine = timing::machine_named(name);
      REQUIRE(machine);
      if (machine->core.warp_width != e.launch().warp_width) continue;
      const std::uint32_t threads = static_cast<std::uint32_t>(e.launch().threads_per_block());
      if (!timing::occupancy_of(machine->core, {threads, 0, trace.code.shared_bytes})) continue;
      for (const std::string policy : {"pdom", "tbc", "dwf-majority"}) {
        const std::string words = policy + " on " + name;
        CAPTURE(words);
        if (e.expected_verdict(lab::parse_policy(policy)) != "finished") continue;
        // A trace does not know the branches that the analysis of the kernel proves uniform.
        const lab::chosen_policy chosen = lab::parse_policy(policy == "tbc" ? "tbc:uniform=jumps" : policy);
        if (!e.not_applicable(chosen).empty()) continue;
        const lab::timed_run of_kernel = e.run_timed(chosen, {*machine});
        const lab::timed_run of_trace = lab::run_timed_trace(
            chosen, plan, {trace, e.graph(), e.bodies(), lab::barriers_for(chosen, {}), 20'000'000}, {*machine});
        REQUIRE(of_kernel.how == outcome::finished);
        CHECK(of_trace.how == outcome::finished);
        CHECK(of_trace.report.cycles == of_kernel.report.cycles);
        CHECK(of_trace.report.instructions == of_kernel.report.instructions);
        CHECK(std::equal(std::begin(of_trace.report.schedulers.by_class), std::end(of_trace.report.schedulers.by_class),
                         std::begin(of_kernel.report.schedulers.by_class)));
        CHECK(of_trace.report.core_memory.l1.hits == of_kernel.report.core_memory.l1.hits);
        CHECK(of_trace.report.core_memory.shared_passes == of_kernel.report.core_memory.shared_passes);
        CHECK(of_trace.report.memory.bytes_from_dram == of_kernel.report.memory.bytes_from_dram);
        CHECK(of_trace.report.memory.row_hits == of_kernel.report.memory.row_hits);
        ++compared;
      }
    }
  }
  CHECK(kernels >= 12);
  CHECK(compared >= kernels * 5);
}
