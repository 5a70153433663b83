// SPDX-License-Identifier: BSL-1.0
#include "lab/commands.hpp"
#include "lab/compare.hpp"
#include "lab/data_file.hpp"
#include "lab/device.hpp"
#include "lab/experiment.hpp"
#include "lab/files.hpp"
#include "lab/launches.hpp"
#include "lab/registers.hpp"
#include <simtflow/io/describe.hpp>
#include <simtflow/ptx/machine/other_threads.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
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

// The end of a run that did not finish: its words, the place in the text, and the memory that it leaves.
std::string obituary(const experiment& e, const chosen_policy& chosen, const grid_run& run) {
  std::string text = run.how == outcome::fault ? fmt::format("{}:{}:{}: fault: {}", e.file().path, run.where.line,
                                                             run.where.column, run.words)
                                               : fmt::format("kernel '{}': {}", e.kernel().name, run.words);
  const bool gives_way =
      chosen.info->family == "volta" && chosen.settings.word<yield_rule>("yield") != yield_rule::never;
  if (run.how == outcome::livelock && !gives_way)
    text += "; if the lanes that spin wait for others, these run under volta (yield=spins), aware, none and mimd";
  if (run.how == outcome::step_limit) text += "; --most-blocks allows more";
  ptx::device_memory start = e.memory();
  start.load(e.kernel());  // its variables, as the run did
  const std::string changed = changes(run.memory, start, e.launch());
  return text + (changed.empty() ? "; nothing was written before" : "; what was written before stands: " + changed);
}

// The remark for an oracle with lanes that spin: other runs are not compared with it.
std::string spins_alone(const experiment& e, const grid_run& oracle) {
  return fmt::format("{}: left out as the judge, the policies that finish are held against each other: {}", oracle_name,
                     obituary(e, parse_policy(oracle_name), oracle));
}

}  // namespace

report compare_policies(experiment& e, const std::vector<chosen_policy>& chosen, const policy_options& options,
                        std::optional<ptx::device_memory>* left) {
  policy_progress progress(options.progress, chosen.size() + 1);
  progress.begin(std::string(oracle_name));
  const grid_run& oracle = e.oracle(progress.meter());
  progress.end(std::string(oracle_name));
  progress.finish_one();
  const least_work& bound = e.bound();
  const std::string left_out = e.not_applicable(parse_policy(oracle_name));  // why nothing is compared with it
  const bool company = ptx::first_view_of_company(e.kernel()) != ptx::no_index;

  std::vector<metric> registers;
  if (options.metrics) registers = metrics_of(registers_of(e.file()));
  report out;
  std::optional<grid_run> kept;      // the run that others are compared with, if not the oracle
  std::string against(oracle_name);  // its name
  const auto judge = [&]() -> const grid_run* {
    if (oracle.how == outcome::finished && left_out.empty() && !company) return &oracle;
    return kept ? &*kept : nullptr;
  };
  std::vector<std::string> agree;   // policies with the same memory as that run
  std::vector<std::string> longer;  // policies with another number of thread instructions than that run
  for (const chosen_policy& c : chosen) {
    if (const std::string reason = e.not_applicable(c); !reason.empty()) {
      out.remarks.push_back(fmt::format("{}: left out, {}", c.name, reason));
      progress.finish_one();
      continue;
    }
    progress.begin(c.name);
    const bool is_oracle = c.info->name == oracle_name;
    std::optional<full_metrics> metrics;
    if (options.metrics) metrics.emplace(e.metrics(options.machine));
    branch_profile branches;
    grid_run run = is_oracle && !metrics && !options.branches && options.events == nullptr
                       ? oracle
                       : e.run(c, {.metrics = metrics ? &*metrics : nullptr,
                                   .branches = options.branches ? &branches : nullptr,
                                   .events = options.events,
                                   .progress = progress.meter()});
    progress.end(c.name);
    progress.finish_one();
    const bool finished = run.how == outcome::finished;
    const std::string expected = is_oracle ? std::string(to_string(outcome::finished)) : e.expected_verdict(c);
    const std::string verdict(to_string(run.how));
    const auto wrong = [&](const std::string& message) {
      out.good = false;
      out.remarks.push_back(fmt::format("WRONG  {}: {}", c.name, message));
    };
    const grid_run* held = judge();
    const bool same_paths =
        held == nullptr || run.counts.thread_instructions == held->counts.thread_instructions || !finished;
    // The bound holds for the oracle's paths.
    const bool bounded = finished && held == &oracle && same_paths && scope_managed(c) == policy_scope::warp;
    report_row row{e.kernel().name, c.name, run.counts, bounded ? bound.warp_instructions : 0, verdict, {}};
    if (metrics) {
      row.metrics = metrics->values(run.counts, scope_managed(c), bounded ? &bound : nullptr, run.work);
      row.metrics.insert(row.metrics.end(), registers.begin(), registers.end());
    }
    if (options.branches) row.branches = e.branch_rows_of(branches);
    row.setting = e.setting(c, run.other_order);
    if (!run.other_order.empty()) out.remarks.push_back(fmt::format("{}: {}", c.name, run.other_order));
    row.other_order = run.other_order;
    out.rows.push_back(std::move(row));
    if (options.so_far) options.so_far(out);
    if (is_oracle && e.oracle_spins())
      out.remarks.push_back(spins_alone(e, oracle));
    else if (!finished && verdict == expected)
      out.remarks.push_back(fmt::format("{}, as the launch file expects: {}", c.name, obituary(e, c, run)));
    else if (verdict != expected)
      wrong(finished ? fmt::format("finished, but the launch file expects: {}", expected) : obituary(e, c, run));
    if (!finished) continue;

    if (held == nullptr) {
      against = c.name;
      agree.push_back(c.name);
      kept = std::move(run);
      continue;
    }
    if (!same_paths && e.schedule_matters().empty())
      wrong(fmt::format("{} thread instructions, {} has {}", run.counts.thread_instructions, against,
                        held->counts.thread_instructions));
    else if (run.counts.predicated_off != held->counts.predicated_off && e.schedule_matters().empty())
      wrong(fmt::format("{} thread instructions predicated off, {} has {}", run.counts.predicated_off, against,
                        held->counts.predicated_off));
    else if (!same_paths)
      longer.push_back(fmt::format("{} {}", c.name, run.counts.thread_instructions));
    const std::string difference = first_difference(run.memory, held->memory, e.launch());
    if (difference.empty()) {
      agree.push_back(c.name);
    } else if (!company) {
      const std::string& why = e.schedule_matters();
      wrong(fmt::format("memory differs from {}'s: {}{}", against, difference, why.empty() ? "" : "; " + why));
    } else {
      out.remarks.push_back(fmt::format("{}: memory differs from {}'s: {}; that is no error: {}", c.name, against,
                                        difference, e.schedule_matters()));
      for (const std::string& broken : check_expectations(run.memory, e.launch(), e.file()).broken) wrong(broken);
    }
  }
  const grid_run* held = judge();
  if (!longer.empty()) {
    out.remarks.push_back(fmt::format("thread instructions are not the {} of {}: {}; that is no error: {}",
                                      held->counts.thread_instructions, against, joined(longer, ", "),
                                      e.schedule_matters()));
    for (report_row& row : out.rows)  // equal numbers need not come from equal paths
      if (row.policy != oracle_name) row.bound = 0;
  }
  if (company && left_out.empty() && oracle.how == outcome::finished)
    out.remarks.push_back(fmt::format("{}: left out as the judge, {}", oracle_name, e.schedule_matters()));
  const bool said = !chosen.empty() && chosen.back().info->name == oracle_name;
  if (!left_out.empty()) {
    if (!said) out.remarks.push_back(fmt::format("{}: left out, {}", oracle_name, left_out));
  } else if (e.oracle_spins()) {
    if (!said) out.remarks.push_back(spins_alone(e, oracle));
  } else if (oracle.how != outcome::finished && !said) {
    out.good = false;
    out.remarks.push_back(
        fmt::format("WRONG  {}, each lane alone: {}", oracle_name, obituary(e, parse_policy(oracle_name), oracle)));
  }
  if (held == nullptr && e.oracle_spins() && out.rows.size() == 1 && out.rows[0].policy == oracle_name)
    out.good = false;
  if (held == nullptr) {
    out.remarks.emplace_back("memory: no run finished, nothing was compared");
    return out;
  }
  const expectation_result expected = check_expectations(held->memory, e.launch(), e.file());
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
  out.memory = !out.good ? "WRONG" : expected.met.empty() ? "= " + against : "= reference";
  if (left != nullptr) *left = held->memory;
  return out;
}

namespace {

void add(counts& sum, const counts& one) {
  sum.fetches += one.fetches;
  sum.warp_instructions += one.warp_instructions;
  sum.thread_instructions += one.thread_instructions;
  sum.predicated_off += one.predicated_off;
  sum.overhead_operations += one.overhead_operations;
  sum.lane_slots += one.lane_slots;
  sum.thread_slots += one.thread_slots;
  sum.divergent_branches += one.divergent_branches;
  sum.merges += one.merges;
  sum.barrier_waits += one.barrier_waits;
  sum.max_depth = std::max(sum.max_depth, one.max_depth);
  sum.thread_blocks += one.thread_blocks;
}

// Adds a row for each policy that ran every launch: the sums of its rows.
void add_sums(report& all, std::size_t launches) {
  std::vector<report_row> sums;
  std::vector<std::size_t> number;
  for (const report_row& row : all.rows) {
    auto at = std::find_if(sums.begin(), sums.end(), [&](const report_row& s) { return s.policy == row.policy; });
    const auto i = static_cast<std::size_t>(at - sums.begin());
    if (at == sums.end()) {
      sums.push_back({fmt::format("all {} launches", launches), row.policy, row.counts, row.bound, row.verdict, {}});
      number.push_back(1);
      continue;
    }
    add(at->counts, row.counts);
    at->bound = at->bound == 0 || row.bound == 0 ? 0 : at->bound + row.bound;
    if (at->verdict == to_string(outcome::finished)) at->verdict = row.verdict;
    ++number[i];
  }
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (number[i] == launches)
      all.rows.push_back(std::move(sums[i]));
    else
      all.remarks.push_back(fmt::format("{}: no sums, it ran {} of {} launches", sums[i].policy, number[i], launches));
  }
}

// A buffer or a variable as the text of a file.
dumped_file dump_of(const std::string& asked, const ptx::device_memory& memory, const experiment& e) {
  const std::size_t equals = asked.find('=');
  const std::string name = asked.substr(0, equals);
  dumped_file file{asked.substr(equals + 1), {}};
  for (std::size_t i = 0; i < e.launch().buffers.size(); ++i) {
    const buffer& b = e.launch().buffers[i];
    if (b.name != name) continue;
    const ptx::allocation& a = allocation_of(memory, e.launch(), i);
    file.text = data_file_text(file.path, {a.bytes.data(), a.bytes.size()}, b.type);
    return file;
  }
  const variable_in_memory v = find_variable(memory, e.file(), name, "--dump " + asked);
  if (v.bytes.empty()) throw input_error(fmt::format("--dump {}: no kernel that ran reaches the variable", asked));
  file.text = data_file_text(file.path, v.bytes, v.type);
  return file;
}

}  // namespace

report run_kernel(const run_options& options, std::vector<dumped_file>* dumps) {
  const std::vector<chosen_policy> chosen = chosen_policies(options.policies);
  if (options.events != nullptr && chosen.size() != 1)
    throw input_error("--events records one policy: name it with --policy");
  if (options.jobs != 1 && (options.metrics || options.events != nullptr))
    throw input_error("--jobs: metrics and events are taken on one host thread; leave out --metrics and --events");
  for (const std::string& asked : options.dumps)
    if (const std::size_t equals = asked.find('=');
        equals == std::string::npos || equals == 0 || equals + 1 == asked.size())
      throw input_error(fmt::format("--dump {}: is no NAME=FILE", asked));
  launch_file launch = parse_launch_file(read_text(options.launch_path), options.launch_path);
  const std::size_t launches = options.launch_number == 0 ? launch.launches.size() : 1;
  if (launches > 1 && options.overrides.any()) refuse_overrides(launch);
  if (launches > 1 && options.events != nullptr)
    throw input_error(
        fmt::format("--events records one launch, and {} has {}: name it with --launch-number", launch.path, launches));
  if (launches == 1) launch = read_launch(options.kernel_path, options.launch_path, options);
  report all;
  for (std::size_t i = 0; i < launches; ++i) {
    policy_options told = options;
    if (const auto& tell = options.progress; tell && launches > 1)
      told.progress = [&](const std::string& what) { tell(fmt::format("{}: {}", number_of(launch), what)); };
    experiment e(options.kernel_path, launch, options);
    std::optional<ptx::device_memory> left;
    const std::string number = number_of(launch);
    const auto add_to = [&](report& sum, const report& part) {
      for (report_row row : part.rows) {
        if (!number.empty()) row.kernel += fmt::format(" ({})", number);
        sum.rows.push_back(std::move(row));
      }
      for (const std::string& remark : part.remarks)
        sum.remarks.push_back(number.empty() ? remark : fmt::format("{}: {}", number, remark));
    };
    if (options.so_far)
      told.so_far = [&](const report& part) {
        report there = all;
        add_to(there, part);
        there.remarks.emplace_back("stopped: these are the runs that were over");
        options.so_far(there);
      };
    report one = compare_policies(e, chosen, told, &left);
    one.remarks.push_back(describe(e.file(), registers_of(e.file())));
    add_to(all, one);
    all.good = all.good && one.good;
    all.memory = all.good ? one.memory : "WRONG";
    if (!left) {
      if (i + 1 < launches) {
        all.good = false;
        all.remarks.push_back(
            fmt::format("{}: no run finished, so the launches after it have no memory to begin with", number));
      }
      if (!options.dumps.empty()) all.remarks.emplace_back("--dump: no run finished, nothing is written");
      return all;
    }
    if (i + 1 < launches) {
      launch = continued(e.launch(), *left);
    } else if (dumps != nullptr) {
      for (const std::string& asked : options.dumps) dumps->push_back(dump_of(asked, *left, e));
    }
  }
  if (launches > 1) add_sums(all, launches);
  return all;
}

}  // namespace lab
