// SPDX-License-Identifier: BSL-1.0
#include "lab/time.hpp"

#include "lab/compare.hpp"
#include "lab/diagnostics.hpp"
#include "lab/files.hpp"
#include "lab/timed_run.hpp"
#include <simtflow/io/machine_text.hpp>
#include <simtflow/ptx/machine/grid.hpp>
#include <simtflow/ptx/machine/other_threads.hpp>
#include <simtflow/timing/machine_check.hpp>
#include <simtflow/timing/machine_fields.hpp>
#include <simtflow/timing/machines.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace lab {

using namespace simtflow;

namespace {

// The messages of diagnostics without a place, a line for each.
void refuse_values(const diagnostics& why, const std::string& what) {
  std::string all;
  for (const diagnostic& d : why) all += fmt::format("{}{}: {}", all.empty() ? "" : "\n", what, d.message);
  if (!all.empty()) throw input_error(all);
}

// The instructions of each block by line, in the order of the text.
std::vector<line_costs> by_line(const kernel_file& file, const timing::program_costs& costs) {
  std::map<std::uint32_t, line_costs> lines;
  for (block_id b = 0; b < file.kernel.blocks.size(); ++b) {
    const auto rows = costs.of_block(b);
    if (rows.empty()) continue;
    const std::string code = file.code_of(b);
    const ptx::decoded_block& block = file.kernel.blocks[b];
    std::string_view rest = code;
    for (std::uint32_t i = 0; i < rows.size(); ++i) {
      const std::uint32_t number = file.kernel.positions[block.last_instruction + 1 - block.weight + i].line;
      line_costs& line = lines[number];
      line.line = number;
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      line.code += fmt::format("{}{}", line.code.empty() ? "" : "; ", rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
      line.costs += rows[i];
    }
  }
  std::vector<line_costs> all;
  for (auto& [number, line] : lines) all.push_back(std::move(line));
  return all;
}

}  // namespace

timing::machine machine_of(const time_machine& asked) {
  timing::machine m;
  if (asked.name.ends_with(".json") || asked.name.find('/') != std::string::npos) {
    m = value_of(read_machine(read_text(asked.name)), asked.name);
  } else {
    result<timing::machine> shipped = timing::machine_named(asked.name);
    if (!shipped)
      throw input_error(
          fmt::format("--machine {}: {}; or a file that ends in .json", asked.name, shipped.diagnostics()[0].message));
    m = *std::move(shipped);
  }
  for (const std::string& change : asked.set) refuse_values(timing::set(m, change), "--set " + change);
  refuse_values(timing::diagnose(m), "machine " + asked.name);
  return m;
}

std::string machine_list() {
  std::string text;
  for (const timing::shipped_machine& m : timing::shipped_machines())
    text += fmt::format("{:<36}{}\n", m.name, m.summary);
  return text;
}

void time_policies(experiment& e, const std::vector<chosen_policy>& chosen, const time_options& options,
                   const std::string& prefix, time_report& out) {
  if (e.launch().warp_width != out.machine.core.warp_width)
    throw input_error(
        fmt::format("{}: warps of {} threads, but the machine '{}' has warps of {}; --warp-width {} or "
                    "--set core.warp_width={} makes them equal",
                    e.launch().path, e.launch().warp_width, out.machine.name, out.machine.core.warp_width,
                    out.machine.core.warp_width, e.launch().warp_width));
  policy_progress progress(options.progress);
  const auto remark = [&](const std::string& words) { out.remarks.push_back(prefix + words); };
  const auto wrong = [&](const std::string& words) {
    out.good = false;
    out.remarks.push_back(fmt::format("{}WRONG  {}", prefix, words));
  };

  progress.begin(std::string(oracle_name));
  const grid_run& oracle = e.oracle(progress.meter());
  const bool company = ptx::first_view_of_company(e.kernel()) != ptx::no_index;
  const bool judged =
      oracle.how == outcome::finished && !company && e.not_applicable(parse_policy(oracle_name)).empty();
  std::optional<ptx::device_memory> kept;  // that others are compared with, if not the oracle's
  std::string against(oracle_name);
  std::vector<std::string> agree;
  const std::size_t first = out.rows.size();
  double pdom_cycles = 0;
  for (const chosen_policy& c : chosen) {
    if (const std::string reason = e.not_applicable(c); !reason.empty()) {
      remark(fmt::format("{}: left out, {}", c.name, reason));
      continue;
    }
    if (const std::string expected = e.expected_verdict(c); expected != to_string(outcome::finished)) {
      remark(fmt::format("{}: left out, the launch file expects: {}", c.name, expected));
      continue;
    }
    progress.begin(c.name);
    timed_run run = e.run_timed(c, {out.machine, options.machine.registers, progress.meter()});
    if (!run.other_order.empty()) remark(fmt::format("{}: {}", c.name, run.other_order));
    if (run.how != outcome::finished) {
      wrong(fmt::format("{}: {} after {} cycles: {}", c.name, to_string(run.how), run.report.cycles, run.words));
      continue;
    }
    if (c.name == "pdom") pdom_cycles = static_cast<double>(run.report.cycles);
    out.rows.push_back({e.kernel().name, c.name, std::move(run.report)});
    if (options.lines) out.rows.back().lines = by_line(e.file(), out.rows.back().report.costs);

    if (!judged && !kept) {
      against = c.name;
      agree.push_back(c.name);
      kept = std::move(run.memory);
      for (const std::string& broken : check_expectations(*kept, e.launch()).broken) wrong(c.name + ": " + broken);
      continue;
    }
    const std::string difference = first_difference(run.memory, judged ? oracle.memory : *kept, e.launch());
    if (difference.empty()) {
      agree.push_back(c.name);
      continue;
    }
    // Thread blocks run side by side here, one after the other elsewhere.
    const bool blocks_show = ptx::order_of_blocks_shows(e.kernel());
    const std::string why = blocks_show && !company
                                ? "atomic operations tell the order of thread blocks, which run side by side"
                                : e.schedule_matters();
    if (!company && !blocks_show) {
      wrong(fmt::format("{}: memory differs from {}'s: {}{}", c.name, against, difference,
                        why.empty() ? "" : "; " + why));
      continue;
    }
    remark(fmt::format("{}: memory differs from {}'s: {}; that is no error: {}", c.name, against, difference, why));
    for (const std::string& broken : check_expectations(run.memory, e.launch()).broken) wrong(c.name + ": " + broken);
  }
  for (std::size_t i = first; i < out.rows.size(); ++i)
    if (out.rows[i].report.cycles != 0)
      out.rows[i].speedup = pdom_cycles / static_cast<double>(out.rows[i].report.cycles);
  if (judged && !agree.empty()) {
    agree.emplace_back(oracle_name);
    for (const std::string& broken : check_expectations(oracle.memory, e.launch()).broken) wrong(broken);
  }
  if (prefix.empty() && !agree.empty()) remark(fmt::format("memory: {}", fmt::join(agree, " = ")));
}

time_report time_kernel(const time_options& options) {
  const std::vector<chosen_policy> chosen =
      chosen_policies(options.policies.empty() ? std::vector<std::string>{timed_policies} : options.policies);
  time_report out{machine_of(options.machine), {}, {}};
  experiment e(options.kernel_path, options.launch_path, options);
  time_policies(e, chosen, options, "", out);
  return out;
}

}  // namespace lab
