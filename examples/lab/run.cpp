// SPDX-License-Identifier: BSL-1.0
#include "lab/commands.hpp"
#include "lab/compare.hpp"
#include "lab/experiment.hpp"
#include "lab/files.hpp"
#include <simtflow/io/describe.hpp>

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lab {

using namespace simtflow;

namespace {

std::string joined(const std::vector<std::string>& parts, const char* between) {
  return fmt::format("{}", fmt::join(parts, between));
}

// What became of a run that did not finish: its words, the place in the text, and what it leaves.
std::string obituary(const experiment& e, const grid_run& run) {
  std::string text = run.how == outcome::fault ? fmt::format("{}:{}:{}: fault: {}", e.file().path, run.where.line,
                                                             run.where.column, run.words)
                                               : fmt::format("kernel '{}': {}", e.kernel().name, run.words);
  if (run.how == outcome::step_limit) text += "; --most-blocks allows more";
  const std::string changed = changes(run.memory, e.memory(), e.launch());
  return text + (changed.empty() ? "; nothing was written before" : "; what was written before stands: " + changed);
}

}  // namespace

report compare_policies(experiment& e, const std::vector<chosen_policy>& chosen, const policy_options& options) {
  std::string now;  // runs
  std::optional<progress_meter> meter;
  if (options.progress)
    meter.emplace([&](std::uint64_t blocks) {
      options.progress(fmt::format("{}, {:.1f} million blocks", now, static_cast<double>(blocks) / 1e6));
    });
  progress_meter* const progress = meter ? &*meter : nullptr;
  const auto begin = [&](const std::string& name) {
    now = name;
    if (options.progress) options.progress(name);
  };
  begin(std::string(oracle_name));
  const grid_run& oracle = e.oracle(progress);
  const least_work& bound = e.bound();

  report out;
  std::optional<grid_run> kept;      // the run that others are held against, if the oracle cannot be
  std::string against(oracle_name);  // its name
  std::vector<std::string> agree;    // policies whose memory is that run's
  for (const chosen_policy& c : chosen) {
    if (const std::string reason = e.not_applicable(c); !reason.empty()) {
      out.remarks.push_back(fmt::format("{}: left out, {}", c.name, reason));
      continue;
    }
    begin(c.name);
    const bool is_oracle = c.info->name == oracle_name;
    std::optional<full_metrics> metrics;
    if (options.metrics) metrics.emplace(e.metrics(options.machine));
    grid_run run =
        is_oracle && !metrics && options.events == nullptr
            ? oracle
            : e.run(c, {.metrics = metrics ? &*metrics : nullptr, .events = options.events, .progress = progress});
    const bool finished = run.how == outcome::finished;
    const std::string expected = is_oracle ? to_string(outcome::finished) : e.expected_verdict(c);
    const std::string verdict = to_string(run.how);
    const auto wrong = [&](const std::string& message) {
      out.good = false;
      out.remarks.push_back(fmt::format("WRONG  {}: {}", c.name, message));
    };
    const bool bounded = finished && oracle.how == outcome::finished && scope_managed(c) == policy_scope::warp;
    report_row row{e.kernel().name, c.name, run.counts, bounded ? bound.warp_instructions : 0, verdict, {}};
    if (metrics) row.metrics = metrics->values(run.counts, scope_managed(c), bounded ? &bound : nullptr, run.work);
    out.rows.push_back(std::move(row));
    if (!finished && verdict == expected)
      out.remarks.push_back(fmt::format("{}, as the launch file expects: {}", c.name, obituary(e, run)));
    else if (verdict != expected)
      wrong(finished ? fmt::format("finished, but the launch file expects: {}", expected) : obituary(e, run));
    if (!finished) continue;

    const grid_run* held = oracle.how == outcome::finished ? &oracle : kept ? &*kept : nullptr;
    if (held == nullptr) {
      against = c.name;
      agree.push_back(c.name);
      kept = std::move(run);
      continue;
    }
    if (run.counts.thread_instructions != held->counts.thread_instructions)
      wrong(fmt::format("{} thread instructions, {} has {}", run.counts.thread_instructions, against,
                        held->counts.thread_instructions));
    const std::string difference = first_difference(run.memory, held->memory, e.launch());
    if (!difference.empty())
      wrong(fmt::format("memory is not that of {}: {}", against, difference));
    else
      agree.push_back(c.name);
  }
  if (oracle.how != outcome::finished &&
      (chosen.empty() || chosen.back().info->name != oracle_name)) {  // else it has been said
    out.good = false;
    out.remarks.push_back(fmt::format("WRONG  {}, each lane alone: {}", oracle_name, obituary(e, oracle)));
  }
  const grid_run* held = oracle.how == outcome::finished ? &oracle : kept ? &*kept : nullptr;
  if (held == nullptr) {
    out.remarks.emplace_back("memory: no run finished, nothing was compared");
    return out;
  }
  const expectation_result expected = check_expectations(held->memory, e.launch());
  if (held == &oracle && (agree.empty() || agree.back() != oracle_name)) agree.emplace_back(oracle_name);
  std::string line = fmt::format("memory: {}", joined(agree, " = "));
  line += expected.met.empty() ? std::string() : fmt::format("; {}", joined(expected.met, "; "));
  out.remarks.push_back(line);
  for (const std::string& broken : expected.broken) {
    out.good = false;
    out.remarks.push_back(fmt::format("WRONG  {}", broken));
  }
  if (!held->printed.empty()) {
    std::string text = held->printed;
    if (text.back() == '\n') text.pop_back();
    out.remarks.push_back(fmt::format("printed under {}:\n{}", against, text));
    if (held->lost_output) out.remarks.emplace_back("the kernel printed more than is kept; that was the beginning");
  }
  if (e.launch().expect.empty()) out.remarks.emplace_back("the launch file expects nothing of the result");
  return out;
}

report run_kernel(const run_options& options) {
  const std::vector<chosen_policy> chosen = chosen_policies(options.policies);
  if (options.events != nullptr && chosen.size() != 1)
    throw input_error("--events records one policy: name it with --policy");
  if (options.jobs != 1 && (options.metrics || options.events != nullptr))
    throw input_error("--jobs: metrics and events are taken on one host thread; leave out --metrics and --events");
  experiment e(options.kernel_path, options.launch_path, options);
  return compare_policies(e, chosen, options);
}

}  // namespace lab
