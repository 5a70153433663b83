// SPDX-License-Identifier: BSL-1.0
#include "lab/commands.hpp"
#include "lab/device.hpp"
#include "lab/experiment.hpp"
#include "lab/files.hpp"
#include "lab/report.hpp"
#include <simtflow/io/trace_text.hpp>
#include <simtflow/ptx/machine/other_threads.hpp>
#include <simtflow/ptx/timed/access_record.hpp>
#include <simtflow/ptx/timed/instruction_table.hpp>
#include <simtflow/ptx/timed/timed_kernel.hpp>
#include <simtflow/simt/executor.hpp>
#include <simtflow/simt/observers/thread_paths.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace lab {

using namespace simtflow;

namespace {

// A name as the formats take it: without blanks.
std::string word(std::string name) {
  for (char& c : name)
    if (c == ' ' || c == '\t' || c == '\r' || c == '\n') c = '_';
  return name;
}

// One of the kernel's graphs. A block after which threads may end although it has successors leads to a sentinel.
recorded_graph graph_of(const experiment& e, const csr_graph& g, const std::vector<trace_barrier>& barriers,
                        const std::string& suffix) {
  const auto n = static_cast<block_id>(g.num_blocks());
  bool sentinel = false;
  for (block_id b = 0; b < n; ++b) sentinel = sentinel || (g.is_exit(b) && !g.successors(b).empty());
  csr_builder builder(n + (sentinel ? 1U : 0U), g.entry());
  recorded_graph r;
  r.strong_reads = ptx::strong_reads(e.kernel());
  for (block_id b = 0; b < n; ++b) {
    for (const block_id s : g.successors(b)) builder.add_edge(b, s);
    if (sentinel && g.is_exit(b)) builder.add_edge(b, n);
    const bool real = b < e.kernel().blocks.size();
    r.weights.push_back(real ? e.kernel().weight(b) : 0);
    r.barriers.push_back(real && (e.barrier_blocks()[b] != 0 || !barriers[b].waits) ? 1 : 0);
  }
  if (std::any_of(barriers.begin(), barriers.end(), [](const trace_barrier& b) { return b != trace_barrier{}; }))
    r.named = barriers;
  r.named.resize(r.named.empty() ? 0 : g.num_blocks());
  r.graph = builder.build();
  if (sentinel) {
    r.sentinel = n;
    r.weights.push_back(0);
    r.barriers.push_back(0);
    if (!r.named.empty()) r.named.emplace_back();
  }
  r.branches.assign(r.weights.size(), branch_kind::unmarked);
  const bool reads = std::find(r.strong_reads.begin(), r.strong_reads.end(), 1) != r.strong_reads.end();
  r.strong_reads.resize(reads ? r.weights.size() : 0);
  r.suite = recorded_suite;
  if (e.bodies().num_blocks() != e.graph().num_blocks()) r.variant = calls_variant;
  r.stem = word(std::filesystem::path(e.file().path).stem().string());
  r.symbol = word(e.kernel().name) + suffix;
  r.kind = suffix.empty() ? graph_kind::kernel : graph_kind::function;
  return r;
}

}  // namespace

template <class Policy>
outcome experiment::record_accesses_as(const chosen_policy& chosen, ptx::access_record& to) {
  ptx::launch_config config = config_of(launch_);
  if (scope_managed(chosen) != policy_scope::warp)
    config.group_width = static_cast<std::uint32_t>(config.num_threads());
  ptx::device_memory memory = memory_;
  ptx::recording_kernel<typename Policy::mask_type> program(to, config, memory, *arguments_);
  plan_.set_depths(program.depths());
  executor<Policy> machine(std::get<Policy>(make_policy(chosen, plan_)));
  plan_.set_depths({});
  const bool alone = chosen.info->name == oracle_name;
  const simtflow::launch shape{program.num_threads(), program.warp_width(), 0,
                               barriers_for(chosen, alone ? std::nullopt : conditions_.barriers)};
  for (std::uint64_t n = 0; n < config.num_blocks(); ++n) {
    program.select_block_number(n);
    const auto verdict = machine.run(program, shape, no_observer{}, {.steps = conditions_.most_blocks});
    if (!verdict.finished()) return verdict.how;
  }
  return outcome::finished;
}

outcome experiment::record_accesses(const chosen_policy& chosen, ptx::access_record& to) {
  struct ending {
    outcome how;
    std::string words = {}, other_order = {};
  };
  const auto run_once = [&](ptx::access_record& record) {
    return std::visit([&]<class Policy>(const Policy&) { return ending{record_accesses_as<Policy>(chosen, record)}; },
                      make_policy(chosen, plan_));
  };
  const auto try_out = [&] {
    ptx::access_record unused(to.table());
    return run_once(unused);
  };
  return run_in_safe_order(plan_, chosen, barriers_for(chosen, conditions_.barriers), try_out,
                           [&] { return run_once(to); })
      .how;
}

recording record_kernel(const record_options& options) {
  const std::vector<chosen_policy> named =
      chosen_policies(std::span(&options.policy, 1));  // a mistake here comes first
  if (named.size() != 1)
    throw input_error(fmt::format("--policy {}: one run is recorded, so name one policy", options.policy));
  const chosen_policy& chosen = named.front();
  experiment e(options.kernel_path, options.launch_path, options);
  recorded_trace trace;
  const std::optional<std::vector<trace_barrier>> barriers = e.known_barriers();
  if (!barriers)
    throw input_error(fmt::format("{}: cannot be recorded: a barrier's number or thread count is known only in a run",
                                  options.kernel_path));
  trace.graph = graph_of(e, e.graph(), *barriers, "");
  trace.machine = {e.launch().warp_width, options.barriers};
  if (const std::string reason = e.not_applicable(chosen); !reason.empty())
    throw input_error(fmt::format("--policy {}: {}", chosen.name, reason));
  if (chosen.identity().find("profile") != std::string::npos) (void)e.oracle();

  thread_paths paths;
  std::map<std::vector<block_id>, std::uint32_t> known;
  const auto add_paths = [&] {
    const block_paths all = paths.paths();
    for (std::size_t t = 0; t < all.size(); ++t) {
      const auto path = all[t];
      const auto [at, fresh] =
          known.try_emplace({path.begin(), path.end()}, static_cast<std::uint32_t>(trace.paths.size()));
      if (fresh) trace.paths.add(path);
      trace.path_of_thread.push_back(at->second);
    }
    trace.first_thread.push_back(trace.path_of_thread.size());
  };
  const grid_run run = e.run(chosen, {.paths = &paths, .after = add_paths});
  if (run.how != outcome::finished)
    throw input_error(fmt::format("{}: only a run that finishes can be recorded; {}: {}", options.kernel_path,
                                  chosen.name, run.words));
  for (std::size_t p = 0; p < trace.paths.size(); ++p) {
    const auto path = trace.paths[p];
    for (std::size_t i = 1; i < path.size(); ++i) {
      const auto next = trace.graph.graph.successors(path[i - 1]);
      if (std::find(next.begin(), next.end(), path[i]) == next.end())
        throw input_error(
            fmt::format("{}: cannot be recorded: a thread went from {} to {}, which is no edge of the "
                        "control-flow graph",
                        options.kernel_path, e.kernel().block_name(path[i - 1]), e.kernel().block_name(path[i])));
    }
  }
  if (options.addresses) {
    const ptx::instruction_table table(e.kernel());
    ptx::access_record record(table);
    const outcome again = e.record_accesses(chosen, record);
    if (again != outcome::finished)
      throw input_error(fmt::format("{}: --addresses: the second run did not finish as the first: {}",
                                    options.kernel_path, to_string(again)));
    trace.code = record.code(trace.graph.weights.size(), ptx::grid_of(e.kernel(), config_of(e.launch())).shared_bytes);
    trace.code.copied = ptx::copied_ranges(e.memory());
    if (!trace.code.accesses.empty()) trace.addresses = record.addresses(trace.paths, trace.path_of_thread);
  }
  const std::vector<recorded_trace> traces{std::move(trace)};
  const recorded_graph& graph = traces.front().graph;
  const std::string heading = fmt::format("# {} {}, {} of {}, recorded under {}\n", graph.stem, graph.symbol,
                                          counted(e.launch().thread_blocks(), "thread block", "thread blocks"),
                                          counted(e.launch().threads_per_block(), "thread", "threads"), chosen.name);
  recording result;
  if (!run.other_order.empty()) result.remarks.push_back(fmt::format("{}: {}", chosen.name, run.other_order));
  result.trace = heading;
  for (const std::string& remark : result.remarks) result.trace += "# " + remark + '\n';
  result.trace += to_trace_text(traces);
  std::vector<recorded_graph> graphs{graph};
  if (e.bodies().num_blocks() != e.graph().num_blocks())
    graphs.push_back(graph_of(e, e.bodies(), *barriers, bodies_suffix));
  result.graph = to_graph_text(graphs);
  result.has_calls = graphs.size() > 1;
  return result;
}

}  // namespace lab
