// SPDX-License-Identifier: BSL-1.0
#include "lab/time.hpp"

#include "lab/diagnostics.hpp"
#include "lab/files.hpp"
#include <simtflow/io/machine_text.hpp>
#include <simtflow/timing/machine_check.hpp>
#include <simtflow/timing/machine_fields.hpp>
#include <simtflow/timing/machines.hpp>

#include <fmt/format.h>

#include <span>
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

time_report time_kernel(const time_options& options) {
  const std::vector<chosen_policy> chosen =
      chosen_policies(options.policies.empty() ? std::vector<std::string>{timed_policies} : options.policies);
  if (options.events != nullptr && chosen.size() != 1)
    throw input_error("--events records one policy: name it with --policy");
  time_report out{machine_of(options.machine), {}, {}};
  const kernel_paths kernel{"", options.kernel_path, options.launch_path};
  (void)time_kernels(std::span(&kernel, 1), chosen, options, out);
  if (options.events != nullptr && options.events->text.empty())
    throw input_error("--events: there is no run: " + out.remarks.front());
  return out;
}

}  // namespace lab
