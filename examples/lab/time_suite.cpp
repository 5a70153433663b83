// SPDX-License-Identifier: BSL-1.0
#include "lab/suite.hpp"
#include "lab/time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace lab {

timed_suite time_suite(const suite_options& suite, const time_machine& machine) {
  const std::vector<chosen_policy> chosen =
      chosen_policies(suite.policies.empty() ? std::vector<std::string>{timed_policies} : suite.policies);
  timed_suite result{{}, {machine_of(machine), {}, {}}};
  time_report& all = result.report;
  const std::vector<std::string> names = kernels_in(suite, all.remarks);
  keep_inputs(suite, names);

  std::vector<std::vector<std::string>> lines{{"kernel", "cycles"}};
  for (const chosen_policy& c : chosen) lines[0].push_back(c.name);
  std::vector<double> inverse(chosen.size(), 0);  // sums of 1 / speed-up
  std::vector<std::size_t> number(chosen.size(), 0);
  time_options options;
  static_cast<policy_options&>(options) = suite;
  options.machine = machine;
  options.launch_number = 1;  // of launch files with several
  std::vector<kernel_paths> kernels;
  for (const std::string& name : names)
    kernels.push_back(
        {name, (std::filesystem::path(suite.folder) / (name + ".ptx")).string(), launch_path(suite, name)});
  for (const std::string& name : time_kernels(kernels, chosen, options, all)) {
    std::vector<std::string> line{name, "-"};
    for (std::size_t p = 0; p < chosen.size(); ++p) {
      const auto row = std::find_if(all.rows.begin(), all.rows.end(),
                                    [&](const timed_row& r) { return r.kernel == name && r.policy == chosen[p].name; });
      if (row != all.rows.end() && row->policy == "pdom") line[1] = fmt::format("{}", row->report.cycles);
      if (row == all.rows.end() || row->speedup == 0) {
        line.emplace_back("-");
        continue;
      }
      line.push_back(fmt::format("{:.3f}", row->speedup));
      inverse[p] += 1 / row->speedup;
      ++number[p];
    }
    lines.push_back(std::move(line));
  }
  std::vector<std::string> mean{"harmonic mean", ""};
  for (std::size_t p = 0; p < chosen.size(); ++p)
    mean.push_back(number[p] == 0 ? "-" : fmt::format("{:.3f}", static_cast<double>(number[p]) / inverse[p]));
  lines.push_back(std::move(mean));

  result.text = table(fmt::format("Cycles under pdom on {}, and speed-ups over pdom", all.machine.name), lines) +
                "-: left out, as said here, or pdom has no cycles\n";
  for (const std::string& remark : all.remarks) result.text += remark + '\n';
  return result;
}

}  // namespace lab
