// SPDX-License-Identifier: BSL-1.0
#include "lab/commands.hpp"
#include "lab/files.hpp"
#include "lab/findings.hpp"
#include <simtflow/io/cfg_text.hpp>
#include <simtflow/io/describe.hpp>
#include <simtflow/simt/events.hpp>
#include <simtflow/simt/executor.hpp>
#include <simtflow/simt/lower_bound.hpp>
#include <simtflow/simt/observers/counts.hpp>
#include <simtflow/simt/policies/lane_serial.hpp>
#include <simtflow/simt/trace.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

namespace lab {
namespace {

using namespace simtflow;

struct replayed {
  simtflow::counts counts;
  outcome how = outcome::finished;  // of the thread block where the replay ended
  std::string words;                // on that, unless it finished
};

template <class Policy, class Observer>
replayed replay_one(const recorded_trace& trace, Policy policy, barrier_model barriers, Observer& bound,
                    const replay_options& options) {
  trace_program program(trace.paths, trace.graph.weights, trace.graph.barriers);
  executor<Policy> machine(std::move(policy));
  replayed result;
  both observer(result.counts, bound);
  for (std::size_t b = 0; b < trace.num_thread_blocks(); ++b) {
    const auto paths = trace.thread_block(b);
    const block_id entry = trace.graph.graph.entry();
    if (paths.size() > std::numeric_limits<std::uint32_t>::max() || !program.begin_block(paths, entry))
      throw input_error(fmt::format("thread block {} of {} cannot be replayed", b, trace.graph.symbol));
    const launch shape{.threads = static_cast<std::uint32_t>(paths.size()),
                       .warp_width = options.warp_width,
                       .entry = entry,
                       .barriers = barriers};
    const auto verdict = machine.run(shape, program, observer, {.steps = options.most_blocks});
    if (verdict.finished()) continue;
    result.how = verdict.how;
    result.words = fmt::format("thread block {}: {}", b, describe(verdict));
    break;
  }
  return result;
}

void replay_kernel(const recorded_trace& trace, const replay_options& options, report& out) {
  const schedule plan = schedule_for(trace.graph.graph, options.order, trace.graph.barriers, options.warp_width);
  std::size_t most_threads = 0;
  for (std::size_t b = 0; b < trace.num_thread_blocks(); ++b)
    most_threads = std::max(most_threads, trace.thread_block(b).size());
  lower_bound bound(trace.graph.graph.num_blocks());
  no_observer nothing;
  const replayed oracle = replay_one(trace, lane_serial(), barrier_model::thread_arrival, bound, options);

  for (const policy_info& info : chosen_policies(options.policies)) {
    const std::string_view name = info.name;
    if (const std::string reason = not_applicable(info, plan, most_threads); !reason.empty()) {
      out.remarks.push_back(fmt::format("{}, {}: left out, {}", trace.graph.symbol, name, reason));
      continue;
    }
    const replayed r = name == oracle_name ? oracle : with_policy(info, plan, [&](auto policy, barrier_model barriers) {
      return replay_one(trace, std::move(policy), barriers, nothing, options);
    });
    const bool finished = r.how == outcome::finished;
    out.rows.push_back({trace.graph.symbol, std::string(name), r.counts,
                        finished && scope_managed(info) == policy_scope::warp ? bound.warp_instructions() : 0,
                        to_string(r.how)});
    if (!finished) {
      out.good = false;
      out.remarks.push_back(fmt::format("{}, {}: {}", trace.graph.symbol, name, r.words));
    } else if (r.counts.thread_instructions != oracle.counts.thread_instructions) {
      out.good = false;
      out.remarks.push_back(fmt::format("{}, {}: {} thread instructions, but {} under {}", trace.graph.symbol, name,
                                        r.counts.thread_instructions, oracle.counts.thread_instructions, oracle_name));
    }
  }
}

}  // namespace

report replay_traces(const replay_options& options) {
  std::vector<recorded_graph> graphs;
  for (const std::string& path : options.graph_paths) {
    graph_file file = read_graphs(read_text(path));
    refuse(file.findings, path);
    graphs.insert(graphs.end(), std::make_move_iterator(file.graphs.begin()),
                  std::make_move_iterator(file.graphs.end()));
  }
  const trace_file traces = read_traces(read_text(options.trace_path), graphs);
  refuse(traces.findings, options.trace_path);
  if (traces.traces.empty()) throw input_error(fmt::format("{}:1:1: no kernel in the trace file", options.trace_path));

  for (const recorded_trace& trace : traces.traces)
    if (trace.num_thread_blocks() == 0)
      throw input_error(fmt::format("{}: kernel {} has no thread block (c)", options.trace_path, trace.graph.symbol));

  report out;
  for (const recorded_trace& trace : traces.traces) replay_kernel(trace, options, out);
  return out;
}

}  // namespace lab
