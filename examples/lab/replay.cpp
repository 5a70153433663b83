// SPDX-License-Identifier: BSL-1.0
#include "lab/commands.hpp"
#include "lab/diagnostics.hpp"
#include "lab/files.hpp"
#include "lab/graph_transforms.hpp"
#include "lab/time.hpp"
#include "lab/timed_run.hpp"
#include "lab/view.hpp"
#include "lab/watch.hpp"
#include <simtflow/analysis/loops.hpp>
#include <simtflow/io/describe.hpp>
#include <simtflow/io/event_trace.hpp>
#include <simtflow/io/graph_text.hpp>
#include <simtflow/io/timed_replay.hpp>
#include <simtflow/io/trace_text.hpp>
#include <simtflow/simt/executor.hpp>
#include <simtflow/simt/observers/counts.hpp>
#include <simtflow/simt/ordered_trace.hpp>
#include <simtflow/simt/trace.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace lab {
namespace {

using namespace simtflow;

struct replayed {
  simtflow::counts counts;
  outcome how = outcome::finished;  // of the thread block where the replay ended
  std::string words;                // on that, unless it finished
  std::string other_order;          // that it ran in, and why not in the default order; empty: in the order asked for
  policy_work work;
};

constexpr std::uint32_t usual_width = 32, widest = wide_mask::capacity;

// One kernel's traces with their graph; the sentinel is not a block but the end of the blocks before it.
class replayer {
 public:
  /// \param bodies of a kernel with calls; null if there is none.
  replayer(const recorded_trace& trace, const recorded_graph* bodies, const replay_options& options)
      : trace_(trace),
        options_(options),
        graph_(without_sentinel(trace.graph)),
        own_bodies_(bodies == nullptr ? csr_graph() : without_sentinel(*bodies)),
        bodies_(bodies == nullptr ? &graph_ : &own_bodies_),
        loops_(loops(*bodies_)),
        width_(options.warp_width != 0         ? options.warp_width
               : trace.machine.warp_width != 0 ? trace.machine.warp_width
                                               : usual_width),
        barriers_(options.barriers ? options.barriers : trace.machine.barriers),
        waits_(waiting(trace.graph)),
        plan_(graph_, *bodies_, options.order, waits_, trace.graph.weights, width_) {
    for (std::size_t b = 0; b < trace.num_thread_blocks(); ++b)
      most_threads_ = std::max(most_threads_, trace.thread_block(b).size());
    std::vector<unsigned char> reads = trace.graph.strong_reads;
    reads.resize(std::min(reads.size(), graph_.num_blocks()));  // without the sentinel
    plan_.set_strong_reads(std::move(reads));
  }

  // The machine, and where each setting comes from.
  [[nodiscard]] std::string machine() const {
    const bool says = trace_.machine.warp_width != 0;
    const char* of_trace = says ? "from the trace" : "the trace does not say";
    return fmt::format("{}: warp width {} ({}), barriers {} ({})", trace_.graph.symbol, width_,
                       options_.warp_width != 0 ? "--warp-width" : of_trace,
                       barriers_ ? to_string(*barriers_) : "as fits each policy",
                       options_.barriers ? "--barriers" : of_trace);
  }

  void compare(report& out) {
    out.remarks.push_back(machine());
    edge_counter edges(graph_);
    const chosen_policy alone = parse_policy(oracle_name);
    const replayed oracle = run(alone, {.bound = &bound_, .edges = &edges});
    plan_.set_profile(edges.profile());
    for (const chosen_policy& c : chosen_policies(options_.policies)) {
      const bool is_oracle = c.info->name == oracle_name;
      const auto barriers = is_oracle ? std::nullopt : barriers_;
      const std::string& kernel = trace_.graph.symbol;
      if (const std::string reason = not_applicable(c, plan_, most_threads_, barriers); !reason.empty()) {
        out.remarks.push_back(fmt::format("{}, {}: left out, {}", kernel, c.name, reason));
        continue;
      }
      if (yields_unknown(c)) out.remarks.push_back(fmt::format("{}, {}: {}", kernel, c.name, yields_nowhere));
      std::optional<full_metrics> metrics;
      if (options_.metrics) metrics.emplace(options_.machine, loops_, plan_.frontier_sizes(), width_, nullptr);
      branch_profile branches;
      const replayed r = is_oracle && !metrics && !options_.branches && options_.events == nullptr
                             ? oracle
                             : run(c, {.metrics = metrics ? &*metrics : nullptr,
                                       .branches = options_.branches ? &branches : nullptr,
                                       .events = options_.events});
      const bool finished = r.how == outcome::finished;
      const bool bounded = finished && scope_managed(c) == policy_scope::warp;
      if (!r.other_order.empty()) out.remarks.push_back(fmt::format("{}, {}: {}", kernel, c.name, r.other_order));
      report_row row{kernel, c.name, r.counts, bounded ? bound_.warp_instructions : 0, std::string(to_string(r.how)),
                     {}};
      if (metrics) row.metrics = metrics->values(r.counts, scope_managed(c), bounded ? &bound_ : nullptr, r.work);
      if (options_.branches)
        row.branches = branch_rows_of(branches, graph_, trace_.graph.branches, [](block_id) { return branch_place{}; });
      row.setting = setting(c, r.other_order);
      out.rows.push_back(std::move(row));
      if (!finished) {
        out.good = false;
        out.remarks.push_back(fmt::format("{}, {}: {}", kernel, c.name, r.words));
      } else if (r.counts.thread_instructions != oracle.counts.thread_instructions) {
        out.good = false;
        out.remarks.push_back(fmt::format("{}, {}: {} thread instructions, but {} under {}", kernel, c.name,
                                          r.counts.thread_instructions, oracle.counts.thread_instructions,
                                          oracle_name));
      }
    }
  }

  // The setting of a run of the policy.
  [[nodiscard]] run_setting setting(const chosen_policy& c, const std::string& other_order) const {
    run_setting out;
    out.parameters = c.settings.text();
    out.kernel_file = options_.trace_path;
    out.warp_width = width_;
    out.order = to_string(other_order.empty() ? plan_.order() : priority_rule::barrier_aware);
    const bool alone = c.info->name == oracle_name;
    out.barriers = to_string(barriers_for(c, alone ? std::nullopt : barriers_));
    return out;
  }

  // Adds the runs in the cycle model to a report with a machine.
  void time(const std::vector<chosen_policy>& chosen, const time_options& options, const std::string& path,
            time_report& out) {
    const std::string& kernel = trace_.graph.symbol;
    const auto refuse = [&](const std::string& why) {
      throw input_error(fmt::format("{}: kernel {} cannot be timed: {}", path, kernel, why));
    };
    if (!is_timed(trace_))
      refuse("the trace has no instructions and addresses; `record --addresses` writes a trace that has them");
    if (has_unequal_thread_blocks(trace_)) refuse("its thread blocks differ in their number of threads");
    if (width_ != out.machine.core.warp_width)
      refuse(
          fmt::format("warps of {0} threads, but the machine '{1}' has warps of {2}; --warp-width {2} or "
                      "--set core.warp_width={0} makes them equal",
                      width_, out.machine.name, out.machine.core.warp_width));
    out.remarks.push_back(machine());
    edge_counter edges(graph_);
    (void)run(parse_policy(oracle_name), {.edges = &edges});
    plan_.set_profile(edges.profile());
    const std::size_t first = out.rows.size();
    double pdom_cycles = 0;
    for (const chosen_policy& c : chosen) {
      const barrier_model barriers = barriers_for(c, barriers_);
      if (const std::string reason = not_applicable(c, plan_, most_threads_, barriers_); !reason.empty()) {
        out.remarks.push_back(fmt::format("{}, {}: left out, {}", kernel, c.name, reason));
        continue;
      }
      if (yields_unknown(c)) out.remarks.push_back(fmt::format("{}, {}: {}", kernel, c.name, yields_nowhere));
      const timed_grid grid{out.machine, options.machine.registers, nullptr};
      const auto run_once = [&] {
        return run_timed_trace(c, plan_, {trace_, graph_, *bodies_, barriers, options_.most_blocks}, grid);
      };
      timed_run r = run_in_safe_order(plan_, c, barriers, run_once, run_once);
      if (!r.other_order.empty()) out.remarks.push_back(fmt::format("{}, {}: {}", kernel, c.name, r.other_order));
      if (r.how != outcome::finished) {
        out.good = false;
        out.remarks.push_back(fmt::format("WRONG  {}, {}: {} after {} cycles: {}", kernel, c.name, to_string(r.how),
                                          r.report.cycles, r.words));
        continue;
      }
      if (c.name == "pdom") pdom_cycles = static_cast<double>(r.report.cycles);
      out.rows.push_back({kernel, c.name, std::move(r.report)});
      out.rows.back().setting = setting(c, r.other_order);
    }
    for (std::size_t i = first; i < out.rows.size(); ++i)
      if (out.rows[i].report.cycles != 0)
        out.rows[i].speedup = pdom_cycles / static_cast<double>(out.rows[i].report.cycles);
  }

  // Everything on one thread block.
  [[nodiscard]] kernel_view view(const std::vector<chosen_policy>& chosen, const view_options& wanted) {
    kernel_view out;
    out.remarks.push_back(machine());
    out.name = trace_.graph.symbol;
    out.graph = graph_;
    out.bodies = *bodies_;
    out.barriers = waits_;
    out.weights = trace_.graph.weights;
    out.warp_width = width_;
    out.thread_blocks = trace_.num_thread_blocks();
    bool profile = false;
    for (const chosen_policy& c : chosen) profile = profile || c.identity().find("profile") != std::string::npos;
    if (profile) {
      edge_counter edges(graph_);
      (void)run(parse_policy(oracle_name), {.edges = &edges});
      plan_.set_profile(edges.profile());
    }
    for (const chosen_policy& c : chosen) {
      const auto barriers = c.info->name == oracle_name ? std::nullopt : barriers_;
      if (const std::string reason = not_applicable(c, plan_, most_threads_, barriers); !reason.empty()) {
        out.remarks.push_back(fmt::format("{}: left out, {}", c.name, reason));
        continue;
      }
      if (yields_unknown(c)) out.remarks.push_back(fmt::format("{}: {}", c.name, yields_nowhere));
      auto history = std::make_unique<run_history>(wanted.thread_block, wanted.most_events);
      const replayed r = run(c, {.history = history.get()});
      if (!r.other_order.empty()) out.remarks.push_back(fmt::format("{}: {}", c.name, r.other_order));
      if (r.how != outcome::finished) {
        out.good = false;
        out.remarks.push_back(fmt::format("{}: {}", c.name, r.words));
      }
      out.runs.push_back({c, std::move(history), std::string(to_string(r.how)), r.words});
    }
    return out;
  }

 private:
  static constexpr const char* yields_nowhere =
      "yields nowhere, since the trace marks no block in which a thread can see what another one did (flag w)";

  // Whether the policy would yield in loops in which lanes wait for others, and the trace has loops but marks none.
  [[nodiscard]] bool yields_unknown(const chosen_policy& c) const {
    return c.info->family == "volta" && c.settings.word<yield_rule>("yield") == yield_rule::spins &&
           loops_.num_loops() != 0 && trace_.graph.strong_reads.empty();
  }

  // By block: whether threads wait at its end, and are not only counted there.
  static std::vector<unsigned char> waiting(const recorded_graph& g) {
    std::vector<unsigned char> all = g.barriers;
    for (std::size_t b = 0; b < g.named.size(); ++b) all[b] = all[b] != 0 && g.named[b].waits ? 1 : 0;
    return all;
  }

  template <class Policy>
  replayed replay(const chosen_policy& chosen, const watch_list& watch) {
    using mask = typename Policy::mask_type;
    ordered_trace<mask> program(
        trace_program(trace_.paths, trace_.graph.weights, trace_.graph.barriers, trace_.graph.named), graph_, *bodies_,
        most_threads_);
    plan_.set_depths(program.depths());
    auto policy = std::get<Policy>(make_policy(chosen, plan_));
    if (watch.history != nullptr) policy.listen(watch.history->listener<mask>());
    plan_.set_depths({});
    const bool alone = chosen.info->name == oracle_name;
    const barrier_model barriers = barriers_for(chosen, alone ? std::nullopt : barriers_);
    replayed result;
    const auto work = policy.total_work();
    {
      executor<Policy> machine(std::move(policy));
      run_watcher<mask, false> observer(watch, graph_.num_blocks());
      for (std::size_t b = 0; b < trace_.num_thread_blocks(); ++b) {
        const auto threads = trace_.thread_block(b);
        const block_id entry = graph_.entry();
        if (threads.size() > std::numeric_limits<std::uint32_t>::max() || !program.select_block(threads, entry))
          throw input_error(fmt::format("thread block {} of {} cannot be replayed", b, trace_.graph.symbol));
        const launch shape{.threads = static_cast<std::uint32_t>(threads.size()),
                           .warp_width = width_,
                           .entry = entry,
                           .barriers = barriers};
        const auto verdict = machine.run(program, shape, observer, {.steps = options_.most_blocks});
        if (verdict.finished()) continue;
        if (watch.history != nullptr) watch.history->stopped(b, verdict);
        result.how = verdict.how;
        result.words = fmt::format("thread block {}: {}", b, describe(verdict));
        break;
      }
      observer.report(result.counts);
      const auto nothing = [](block_id) { return std::string_view(); };  // a trace has neither labels nor sources
      if (watch.events != nullptr)
        watch.events->text = watch.events->json
                                 ? trace_with(event_rows, to_trace_json(observer.events(), trace_rows::lanes,
                                                                        [](block_id b) { return slice_name(b, ""); }))
                                 : csv_with(event_rows, to_csv(observer.events(), nothing, nothing));
    }
    result.work = *work;  // complete now that the machine is gone
    return result;
  }

  replayed run(const chosen_policy& c, const watch_list& watch) {
    const auto with = [&](const watch_list& list) {  // the policy is made again when there is a program to look at
      return std::visit([&](const auto& p) { return replay<std::remove_cvref_t<decltype(p)>>(c, list); },
                        make_policy(c, plan_));
    };
    return run_in_safe_order(
        plan_, c, barriers_for(c, barriers_), [&] { return with({}); }, [&] { return with(watch); });
  }

  const recorded_trace& trace_;
  const replay_options& options_;
  csr_graph graph_, own_bodies_;
  const csr_graph* bodies_;
  loop_forest<csr_graph> loops_;
  std::uint32_t width_;
  std::optional<barrier_model> barriers_;  // none: each policy's own
  std::vector<unsigned char> waits_;
  schedule plan_;
  least_work bound_;
  std::size_t most_threads_ = 0;
};

// Whether `bodies` can be the other graph of a kernel with calls: it has the kernel's blocks, and perhaps one more.
void check_fits(const recorded_graph& kernel, const recorded_graph& bodies, const std::string& path) {
  std::size_t n = kernel.graph.num_blocks();
  if (kernel.sentinel != no_block) --n;  // it stands at the end, or the blocks differ
  bool fits = bodies.graph.num_blocks() >= n && (kernel.sentinel == no_block || kernel.sentinel == n);
  for (std::size_t b = 0; fits && b < n; ++b)
    fits = kernel.weights[b] == bodies.weights[b] && kernel.barriers[b] == bodies.barriers[b] && bodies.sentinel != b &&
           (kernel.named.empty() || bodies.named.empty() ? kernel.named.empty() == bodies.named.empty()
                                                         : kernel.named[b] == bodies.named[b]);
  if (!fits)
    throw input_error(
        fmt::format("{}: graph {} does not belong to kernel {}: other blocks", path, bodies.symbol, kernel.symbol));
}

struct loaded_traces {
  std::vector<recorded_graph> graphs;
  std::vector<recorded_trace> traces;
};

loaded_traces load_traces(const replay_options& options) {
  loaded_traces all;
  for (const std::string& path : options.graph_paths) {
    std::vector<recorded_graph> graphs = value_of(read_graphs(read_text(path)), path);
    all.graphs.insert(all.graphs.end(), std::make_move_iterator(graphs.begin()), std::make_move_iterator(graphs.end()));
  }
  all.traces = value_of(read_traces(read_text(options.trace_path), all.graphs), options.trace_path);
  if (all.traces.empty()) throw input_error(fmt::format("{}:1:1: no kernel in the trace file", options.trace_path));
  for (const recorded_trace& trace : all.traces) {
    if (trace.num_thread_blocks() == 0)
      throw input_error(fmt::format("{}: kernel {} has no thread block (c)", options.trace_path, trace.graph.symbol));
    if (options.warp_width == 0 && trace.machine.warp_width > widest)
      throw input_error(fmt::format("{}: kernel {} has warps of {} threads; {} are possible: give --warp-width",
                                    options.trace_path, trace.graph.symbol, trace.machine.warp_width, widest));
  }
  return all;
}

// The other graph of a kernel with calls; null if it has none.
const recorded_graph* bodies_of(const recorded_trace& trace, const std::vector<recorded_graph>& graphs,
                                const std::string& path) {
  const recorded_graph* bodies = nullptr;
  for (const recorded_graph& g : graphs)
    if (g.suite == trace.graph.suite && g.stem == trace.graph.stem && g.variant == trace.graph.variant &&
        g.symbol == trace.graph.symbol + bodies_suffix)
      bodies = &g;
  if (bodies == nullptr && trace.graph.suite == recorded_suite && trace.graph.variant == calls_variant)
    throw input_error(fmt::format(
        "{}: kernel {} has calls: put the graph file before the trace that was recorded with it (record --graph)", path,
        trace.graph.symbol));
  if (bodies != nullptr) check_fits(trace.graph, *bodies, path);
  return bodies;
}

// The last file is the trace, those before it hold graphs.
void take_files(replay_options& options, const std::vector<std::string>& files) {
  options.trace_path = files.back();
  options.graph_paths.assign(files.begin(), files.end() - 1);
}

}  // namespace

kernel_view view_traces(const view_options& options, const std::vector<chosen_policy>& chosen) {
  replay_options as_replay;
  static_cast<run_conditions&>(as_replay) = options;
  take_files(as_replay, options.files);
  const auto [graphs, traces] = load_traces(as_replay);
  if (traces.size() > 1)
    throw input_error(fmt::format("{}: {} kernels; a picture shows one", as_replay.trace_path, traces.size()));
  const recorded_trace& trace = traces.front();
  if (options.thread_block >= trace.num_thread_blocks())
    throw input_error(fmt::format("--block {}: the trace has thread blocks 0 to {}", options.thread_block,
                                  trace.num_thread_blocks() - 1));
  return replayer(trace, bodies_of(trace, graphs, as_replay.trace_path), as_replay).view(chosen, options);
}

namespace {

// The trace as threads would have left it in the transformed kernel; nullopt, with the reason, if that cannot be.
std::optional<recorded_trace> transformed_recording(const recorded_trace& trace, const recorded_graph* bodies,
                                                    const replay_options& options, report& out) {
  const std::string& kernel = trace.graph.symbol;
  const auto left_out = [&](const std::string& why) {
    out.good = false;
    out.remarks.push_back(fmt::format("{}: not transformed: {}", kernel, why));
    return std::nullopt;
  };
  if (bodies != nullptr) return left_out("its graph leads through functions that it calls");
  const csr_graph graph = without_sentinel(trace.graph);
  std::vector<std::uint64_t> taken(graph.targets().size(), 0);
  std::vector<std::uint64_t> threads(trace.paths.size(), 0);
  for (const std::uint32_t p : trace.path_of_thread) ++threads[p];
  for (std::size_t p = 0; p < trace.paths.size(); ++p) {
    const auto path = trace.paths[p];
    for (std::size_t i = 0; i + 1 < path.size(); ++i) {
      const auto successors = graph.successors(path[i]);
      const auto at = std::find(successors.begin(), successors.end(), path[i + 1]);
      taken[static_cast<std::size_t>(successors.data() - graph.targets().data()) +
            static_cast<std::size_t>(at - successors.begin())] += threads[p];
    }
  }
  const graph_outcome made = transformed_graph({graph, trace.graph.weights, trace.graph.barriers, taken},
                                               options.transforms, options.most_copies);
  for (const std::string& remark : made.remarks) out.remarks.push_back(fmt::format("{}: {}", kernel, remark));
  if (!made.refused.empty()) return left_out(made.why);
  const plan_cost cost = made.plan.cost();
  if (cost.guards + cost.copies + cost.empties == 0)
    out.remarks.push_back(fmt::format("{}: nothing had to be changed", kernel));
  else
    out.remarks.push_back(fmt::format("{}: {} blocks, after that {}: {}, {}, {}", kernel, cost.originals, cost.blocks(),
                                      counted(cost.guards, "guard", "guards"),
                                      counted(cost.copies, "copy of a block", "copies of blocks"),
                                      counted(cost.empties, "empty block", "empty blocks")));
  return transformed_trace(trace, made.plan);
}

// Rows before and rows after, side by side in words.
void compare_rows(const report& before, const report& after, report& out) {
  if (before.rows.empty()) return;
  const std::string& kernel = before.rows.front().kernel;
  out.remarks.push_back(
      fmt::format("{}: policy, fetches before and after, warp instructions before and after, ratio", kernel));
  for (const report_row& a : before.rows)
    for (const report_row& b : after.rows)
      if (a.policy == b.policy)
        out.remarks.push_back(
            fmt::format("  {:<20} {:>12} {:>12} {:>14} {:>14} {:>7.3f}", a.policy, a.counts.fetches, b.counts.fetches,
                        a.counts.warp_instructions, b.counts.warp_instructions,
                        static_cast<double>(b.counts.warp_instructions) /
                            static_cast<double>(std::max<std::uint64_t>(a.counts.warp_instructions, 1))));
}

}  // namespace

report replay_traces(const replay_options& options) {
  const std::vector<chosen_policy> chosen = chosen_policies(options.policies);  // a mistake there is found first
  const auto [graphs, traces] = load_traces(options);
  if (options.events != nullptr && (chosen.size() != 1 || traces.size() != 1))
    throw input_error("--events records one policy on one kernel: name the policy with --policy");

  report out;
  const time_left clock;
  for (std::size_t i = 0; i < traces.size(); ++i) {
    const recorded_trace& trace = traces[i];
    if (options.progress)
      options.progress(
          fmt::format("[{}/{}{}] {}", i, traces.size(), clock.words(i, traces.size()), trace.graph.symbol));
    if (options.so_far && !out.rows.empty()) options.so_far(out);
    const recorded_graph* bodies = bodies_of(trace, graphs, options.trace_path);
    if (options.transforms.empty()) {
      replayer(trace, bodies, options).compare(out);
      continue;
    }
    report before, after;
    replayer(trace, bodies, options).compare(before);
    std::optional<recorded_trace> again = transformed_recording(trace, bodies, options, after);
    if (again) {
      for (const graph_step& step : options.transforms) again->graph.symbol += " --" + step.text();
      replayer(*again, nullptr, options).compare(after);
    }
    for (report* part : {&before, &after}) {
      for (report_row& row : part->rows) {
        if (!options.metrics) row.metrics.push_back({"fetches", static_cast<double>(row.counts.fetches), true});
        out.rows.push_back(row);
      }
      out.remarks.insert(out.remarks.end(), part->remarks.begin(), part->remarks.end());
      out.good = out.good && part->good;
    }
    if (again) compare_rows(before, after, out);
  }
  return out;
}

time_report time_traces(const time_options& options) {
  const std::vector<chosen_policy> chosen =
      chosen_policies(options.policies.empty() ? std::vector<std::string>{timed_policies} : options.policies);
  time_report out{machine_of(options.machine), {}, {}, true, changes_of(options.machine)};
  replay_options as_replay;
  static_cast<policy_options&>(as_replay) = options;
  take_files(as_replay, options.files);
  const auto [graphs, traces] = load_traces(as_replay);
  for (const recorded_trace& trace : traces)
    replayer(trace, bodies_of(trace, graphs, as_replay.trace_path), as_replay)
        .time(chosen, options, as_replay.trace_path, out);
  return out;
}

}  // namespace lab
