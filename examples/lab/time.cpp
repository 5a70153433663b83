// SPDX-License-Identifier: BSL-1.0
#include "lab/time.hpp"

#include "lab/diagnostics.hpp"
#include "lab/files.hpp"
#include "lab/launches.hpp"
#include "lab/own_parts.hpp"
#include "lab/spelling.hpp"
#include <simtflow/io/machine_text.hpp>
#include <simtflow/timing/machine_check.hpp>
#include <simtflow/timing/machine_fields.hpp>
#include <simtflow/timing/machines.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace lab {

using namespace simtflow;

namespace {

// The messages of diagnostics without a place, a line for each.
void refuse_values(const diagnostics& why, const std::string& what) {
  std::string all;
  for (const diagnostic& d : why) all += fmt::format("{}{}: {}", all.empty() ? "" : "\n", what, d.message);
  if (!all.empty()) throw input_error(all);
}

// Says the cycles of all launches under each policy that ran all of them.
void add_sums(time_report& all, std::size_t launches) {
  struct sum {
    std::string policy;
    std::uint64_t cycles = 0;
    std::size_t number = 0;
  };
  std::vector<sum> sums;
  for (const timed_row& row : all.rows) {
    auto at = std::find_if(sums.begin(), sums.end(), [&](const sum& s) { return s.policy == row.policy; });
    if (at == sums.end()) at = sums.insert(at, {row.policy});
    at->cycles += row.report.cycles;
    ++at->number;
  }
  std::string text;
  for (const sum& s : sums)
    text += s.number == launches ? fmt::format("{}{} {}", text.empty() ? "" : ", ", s.policy, s.cycles)
                                 : fmt::format("{}{} ran {} only", text.empty() ? "" : ", ", s.policy, s.number);
  all.remarks.push_back(fmt::format("cycles of all {} launches: {}", launches, text));
}

}  // namespace

timing::machine machine_of(const time_machine& asked) {
  timing::machine m;
  if (asked.name.ends_with(".json") || asked.name.find('/') != std::string::npos) {
    m = value_of(read_machine(read_text(asked.name)), asked.name);
  } else if (const auto own = std::find_if(own_machines().begin(), own_machines().end(),
                                           [&](const own_machine& one) { return one.name == asked.name; });
             own != own_machines().end()) {
    m = own->machine;
  } else {
    result<timing::machine> shipped = timing::machine_named(asked.name);
    if (!shipped) {
      std::vector<std::string> names;
      for (const own_machine& one : own_machines()) names.push_back(one.name);
      throw input_error(fmt::format(
          "--machine {}: {}{}{}{}; or a file that ends in .json", asked.name, shipped.diagnostics()[0].message,
          names.empty() ? "" : "; registered: ", fmt::join(names, ", "), did_you_mean(asked.name, names)));
    }
    m = *std::move(shipped);
  }
  for (const std::string& change : asked.set) refuse_values(timing::set(m, change), "--set " + change);
  refuse_values(timing::diagnose(m), "machine " + asked.name);
  return m;
}

std::string changes_of(const time_machine& asked) { return fmt::format("{}", fmt::join(asked.set, " ")); }

std::string machine_list() {
  std::string text;
  for (const timing::shipped_machine& m : timing::shipped_machines())
    text += fmt::format("{:<36}{}\n", m.name, m.summary);
  for (const own_machine& m : own_machines()) text += fmt::format("{:<36}{}\n", m.name, m.summary);
  return text;
}

time_report time_kernel(const time_options& options) {
  const std::vector<chosen_policy> chosen =
      chosen_policies(options.policies.empty() ? std::vector<std::string>{timed_policies} : options.policies);
  if (options.events != nullptr && chosen.size() != 1)
    throw input_error("--events records one policy: name it with --policy");
  time_report out{machine_of(options.machine), {}, {}, true, changes_of(options.machine)};
  std::vector<launch_file> launches = read_launches(options.kernel_path, options.launch_path, options);
  if (options.events != nullptr && launches.size() > 1)
    throw input_error(fmt::format("--events records one launch, and {} has {}: name it with --launch-number",
                                  options.launch_path, launches.size()));
  const bool several = launches.size() > 1;
  std::vector<kernel_paths> kernels;
  for (launch_file& launch : launches) {
    const std::string name =
        several ? fmt::format("{} ({})", launch.kernel.empty() ? "kernel" : launch.kernel, number_of(launch)) : "";
    kernels.push_back(
        {name, options.kernel_path, options.launch_path, std::make_shared<const launch_file>(std::move(launch))});
  }
  (void)time_kernels(kernels, chosen, options, out);
  if (several) add_sums(out, kernels.size());
  if (options.events != nullptr && options.events->text.empty())
    throw input_error("--events: there is no run: " + out.remarks.front());
  return out;
}

}  // namespace lab
