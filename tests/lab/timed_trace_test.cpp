// SPDX-License-Identifier: BSL-1.0
//
// The trace of a timed run as JSON for Perfetto, read by a JSON library, and as CSV.
#include "lab/experiment.hpp"
#include "lab/policies.hpp"
#include "lab/timed_run.hpp"
#include <simtflow/io/timed_trace.hpp>
#include <simtflow/timing/machines.hpp>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <sstream>
#include <string>
#include <utility>

namespace {

using namespace simtflow;
using nlohmann::json;

lab::timed_run run_bfs(const char* policy, std::size_t most_records) {
  const std::string path = std::string(SIMTFLOW_SOURCE_DIR) + "/examples/kernels/bfs";
  lab::experiment e(path + ".ptx", path + ".launch.json", {});
  (void)e.oracle();
  auto machine = timing::machine_named("gtx480");
  REQUIRE(machine);
  return e.run_timed(lab::parse_policy(policy), {*machine, 0, nullptr, most_records, false});
}

}  // namespace

TEST_CASE(
    "timed trace: slices of a scheduler do not overlap and sum up to the classes; counters sum up to the counts") {
  for (const char* policy : {"pdom", "tbc", "volta"}) {
    CAPTURE(policy);
    const lab::timed_run run = run_bfs(policy, 1'000'000);
    REQUIRE(run.trace);
    CHECK(run.trace->ends_at() == timing::never);
    const json all = json::parse(to_trace_json(*run.trace, [](block_id b, std::uint32_t i) {
      return "\"" + std::to_string(b) + "\\" + std::to_string(i);  // in any characters
    }));
    std::map<std::string, std::uint64_t> classes, processes;
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> until;
    std::map<std::string, std::map<std::string, std::uint64_t>> counters;
    std::map<std::pair<std::string, std::uint64_t>, int> at;
    std::uint64_t lanes = 0, off = 0;
    for (const json& e : all) {
      const std::string kind = e.at("ph");
      if (kind == "M" && e.at("name") == "process_name") processes[e.at("args").at("name")] = e.at("pid");
      if (kind == "C") {
        CHECK(e.at("pid") == processes.at("memory"));
        CHECK(++at[{e.at("name"), e.at("ts")}] == 1);
        for (const auto& [key, value] : e.at("args").items()) counters[e.at("name")][key] += value.get<std::uint64_t>();
      }
      if (kind != "X") continue;
      std::uint64_t& end = until[{e.at("pid"), e.at("tid")}];
      if (e.at("ts") < end) FAIL_CHECK("slices overlap at " << e.dump());
      end = e.at("ts").get<std::uint64_t>() + e.at("dur").get<std::uint64_t>();
      classes[e.at("cat")] += e.at("dur").get<std::uint64_t>();
      if (e.at("cat") != "issued") CHECK(e.at("name") == e.at("cat"));
      if (!e.contains("args")) continue;
      if (e.at("dur") != 1) FAIL_CHECK("an issue takes one cycle: " << e.dump());
      lanes += e.at("args").at("lanes").get<std::uint64_t>();
      off += e.at("args").at("predicated off").get<std::uint64_t>();
    }
    const timing::report& r = run.report;
    for (std::size_t k = 0; k < timing::num_cycle_classes; ++k)
      CHECK(classes[to_string(static_cast<timing::cycle_class>(k))] == r.schedulers.by_class[k]);
    CHECK(lanes == r.schedulers.lanes);
    CHECK(off == r.schedulers.predicated_off);
    CHECK(until.size() == (processes.size() - 1) * 2);  // two schedulers a core
    CHECK(counters["L1"]["hits"] == r.core_memory.l1.hits);
    CHECK(counters["L1"]["merges"] == r.core_memory.l1.merges);
    CHECK(counters["L1"]["misses"] == r.core_memory.l1.misses);
    CHECK(counters["L2"]["hits"] == r.memory.l2.hits);
    CHECK(counters["L2"]["misses"] == r.memory.l2.misses);
    CHECK(counters.count("instruction cache") == (r.core_memory.instruction.accesses != 0 ? 1U : 0U));
    std::uint64_t reads = 0, row_misses = 0, channels = 0;
    for (auto& [name, values] : counters)
      if (name.rfind("DRAM channel ", 0) == 0) {
        ++channels;
        reads += values["reads"];
        row_misses += values["row misses"];
      }
    CHECK(channels == 6);
    CHECK(reads == r.memory.dram_reads);
    CHECK(row_misses == r.memory.row_misses);

    // The CSV has the same slices.
    std::istringstream csv(to_csv(*run.trace));
    std::string line;
    std::getline(csv, line);
    const auto commas = std::count(line.begin(), line.end(), ',');
    std::size_t lines = 0;
    for (; std::getline(csv, line); ++lines)
      if (std::count(line.begin(), line.end(), ',') != commas) FAIL_CHECK(line);
    CHECK(lines == run.trace->slices().size());
  }
  CHECK(json::parse(to_trace_json(timing::timed_trace())).size() == 1);  // the name of the memory
}

TEST_CASE("timed trace: with too many records it ends at a cycle, for all schedulers") {
  const lab::timed_run whole = run_bfs("pdom", 1'000'000), part = run_bfs("pdom", 2000);
  CHECK(whole.report == part.report);
  const timing::cycle end = part.trace->ends_at();
  REQUIRE(end < whole.report.cycles);
  CHECK(part.trace->slices().size() + part.trace->periods().size() <= 2000 + 15 * 2);
  std::map<std::pair<std::uint32_t, std::uint32_t>, timing::cycle> until;
  for (const timing::timed_slice& s : part.trace->slices()) until[{s.core, s.scheduler}] = s.first + s.count;
  timing::cycle last = 0;  // a core without work has no slices
  for (const auto& [scheduler, cycle] : until) last = std::max(last, cycle);
  CHECK(last == end);
}
