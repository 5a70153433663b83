// SPDX-License-Identifier: BSL-1.0
#include "lab/experiment.hpp"
#include "lab/suite.hpp"
#include "lab/time.hpp"
#include <simtflow/timing/accounting.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lab {

namespace {

using namespace simtflow;

// The rows of a kernel that were kept; none unless each policy that the machine can run it under has one.
std::vector<timed_row> kept_rows(const suite_options& suite, const kernel_paths& paths,
                                 const std::vector<chosen_policy>& chosen, const time_report& all) {
  std::vector<timed_row> rows;
  if (std::none_of(suite.kept.begin(), suite.kept.end(),
                   [&](const table_row& one) { return one.text("kernel") == paths.name; }))
    return rows;
  run_conditions conditions = suite;
  conditions.launch_number = 1;  // of launch files with several
  const experiment e(paths.kernel, paths.launch, conditions);
  for (const chosen_policy& c : chosen) {
    if (!e.not_applicable(c).empty() || e.expected_verdict(c) != to_string(outcome::finished)) continue;
    const table_row* kept = find_kept(suite.kept, paths.name, c, e.setting(c, {}));
    if (kept == nullptr || kept->text("machine") != all.machine.name || kept->text("machine_changes") != all.changes)
      return {};
    timed_row row{paths.name, c.name, {}, kept->number("speedup")};
    const auto number = [&](std::string_view name) { return static_cast<std::uint64_t>(kept->number(name)); };
    row.report.cycles = number("cycles");
    for (std::size_t k = 0; k < timing::num_cycle_classes; ++k)
      row.report.schedulers.by_class[k] = number(to_string(static_cast<timing::cycle_class>(k)));
    row.kept = *kept;
    rows.push_back(std::move(row));
  }
  return rows;
}

// The table of speed-ups, and the remarks.
std::string speedups(const time_report& all, std::span<const std::string> ran,
                     const std::vector<chosen_policy>& chosen) {
  std::vector<std::vector<std::string>> lines{{"kernel", "cycles"}};
  for (const chosen_policy& c : chosen) lines[0].push_back(c.name);
  std::vector<double> inverse(chosen.size(), 0);  // sums of 1 / speed-up
  std::vector<std::size_t> number(chosen.size(), 0);
  for (const std::string& name : ran) {
    std::vector<std::string> cells{name, "-"};
    for (std::size_t p = 0; p < chosen.size(); ++p) {
      const auto row = std::find_if(all.rows.begin(), all.rows.end(),
                                    [&](const timed_row& r) { return r.kernel == name && r.policy == chosen[p].name; });
      if (row != all.rows.end() && row->policy == "pdom") cells[1] = fmt::format("{}", row->report.cycles);
      if (row == all.rows.end() || row->speedup == 0) {
        cells.emplace_back("-");
        continue;
      }
      cells.push_back(fmt::format("{:.3f}", row->speedup));
      inverse[p] += 1 / row->speedup;
      ++number[p];
    }
    lines.push_back(std::move(cells));
  }
  std::vector<std::string> mean{"harmonic mean", ""};
  for (std::size_t p = 0; p < chosen.size(); ++p)
    mean.push_back(number[p] == 0 ? "-" : fmt::format("{:.3f}", static_cast<double>(number[p]) / inverse[p]));
  lines.push_back(std::move(mean));
  std::string text = table(fmt::format("Cycles under pdom on {}, and speed-ups over pdom", all.machine.name), lines) +
                     "-: left out, as said here, or pdom has no cycles\n";
  for (const std::string& remark : all.remarks) text += remark + '\n';
  return text;
}

}  // namespace

std::string to_text(const timed_suite& r, report_format format) {
  return format == report_format::text ? r.text : to_text(r.report, format);
}

timed_suite time_suite(const suite_options& suite, const time_machine& machine,
                       const std::function<void(const timed_suite&)>& so_far) {
  const std::vector<chosen_policy> chosen =
      chosen_policies(suite.policies.empty() ? std::vector<std::string>{timed_policies} : suite.policies);
  timed_suite result{{}, {machine_of(machine), {}, {}, true, changes_of(machine)}};
  time_report& all = result.report;
  const std::vector<std::string> names = kernels_in(suite, all.remarks);
  keep_inputs(suite, names);

  time_options options;
  static_cast<policy_options&>(options) = suite;
  options.machine = machine;
  options.launch_number = 1;  // of launch files with several
  std::vector<kernel_paths> kernels;
  std::vector<timed_row> kept;
  std::vector<std::string> ran;
  for (const std::string& name : names) {
    kernel_paths paths{name, (std::filesystem::path(suite.folder) / (name + ".ptx")).string(),
                       launch_path(suite, name)};
    std::vector<timed_row> rows = kept_rows(suite, paths, chosen, all);
    if (rows.empty()) {
      kernels.push_back(std::move(paths));
      continue;
    }
    ran.push_back(name);
    std::move(rows.begin(), rows.end(), std::back_inserter(kept));
  }
  // Kept rows and new ones, in the order of the kernels.
  const auto place = [&](const std::string& name) { return std::find(names.begin(), names.end(), name); };
  const auto merged = [&](time_report some, std::vector<std::string> there) {
    some.rows.insert(some.rows.end(), kept.begin(), kept.end());
    std::stable_sort(some.rows.begin(), some.rows.end(),
                     [&](const timed_row& a, const timed_row& b) { return place(a.kernel) < place(b.kernel); });
    there.insert(there.end(), ran.begin(), ran.end());
    std::sort(there.begin(), there.end(), [&](const auto& a, const auto& b) { return place(a) < place(b); });
    timed_suite now{{}, std::move(some)};
    now.text = speedups(now.report, there, chosen);
    return now;
  };
  if (so_far)
    options.timed_so_far = [&](const time_report& some) {
      time_report stopped = some;
      std::vector<std::string> there;
      for (const timed_row& row : some.rows)
        if (there.empty() || there.back() != row.kernel) there.push_back(row.kernel);
      if (there.size() + ran.size() != names.size())
        stopped.remarks.push_back(
            fmt::format("stopped: {} of {} kernels are there", there.size() + ran.size(), names.size()));
      so_far(merged(std::move(stopped), std::move(there)));
    };
  std::vector<std::string> fresh = time_kernels(kernels, chosen, options, all);
  return merged(std::move(all), std::move(fresh));
}

}  // namespace lab
