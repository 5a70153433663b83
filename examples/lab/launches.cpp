// SPDX-License-Identifier: BSL-1.0
#include "lab/launches.hpp"

#include "lab/device.hpp"
#include "lab/experiment.hpp"
#include "lab/files.hpp"
#include "lab/policies.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <optional>
#include <utility>

namespace lab {

using namespace simtflow;

namespace {

// The file with its next launch taken, on the memory that this one leaves.
launch_file after(const std::string& kernel_path, const launch_file& launch, const run_conditions& conditions) {
  run_conditions plain = conditions;
  plain.overrides = {};
  experiment e(kernel_path, launch, plain);
  std::string reasons;
  for (const char* policy : {"pdom", "volta", oracle_name.data()}) {
    const chosen_policy chosen = parse_policy(policy);
    std::string reason = e.not_applicable(chosen);
    if (reason.empty()) {
      const grid_run run = e.run(chosen);
      if (run.how == outcome::finished) return continued(e.launch(), run.memory);
      reason = run.words;
    }
    reasons += fmt::format("\n{}: {}", policy, reason);
  }
  throw input_error(fmt::format("{}: {} does not finish, so later ones have no memory to begin with{}", launch.path,
                                number_of(launch), reasons));
}

// The file with a launch taken, counted from 1.
launch_file taken(const std::string& kernel_path, launch_file file, std::size_t number,
                  const run_conditions& conditions) {
  if (number > file.launches.size())
    throw input_error(fmt::format("--launch-number {}: {} has {} {}", number, file.path, file.launches.size(),
                                  file.launches.size() == 1 ? "launch" : "launches"));
  while (file.taken + 1 < number) file = after(kernel_path, file, conditions);
  override_launch(file, conditions.overrides);
  return file;
}

}  // namespace

std::string module_of(const launch_file& launch, const std::string& kernel_path) {
  if (!launch.module.empty()) return launch.module;
  if (kernel_path.empty()) throw input_error(fmt::format("KERNEL.ptx is required: {} names no module", launch.path));
  return kernel_path;
}

std::string number_of(const launch_file& launch) {
  if (launch.launches.size() == 1) return {};
  return fmt::format("launch {} of {}", launch.taken + 1, launch.launches.size());
}

void refuse_overrides(const launch_file& file) {
  throw input_error(
      fmt::format("--grid, --block, --dynamic-shared, --arg and --set change one launch, and {} has {}: name it with "
                  "--launch-number",
                  file.path, file.launches.size()));
}

launch_file read_launch(const std::string& kernel_path, const std::string& launch_path,
                        const run_conditions& conditions) {
  launch_file file = parse_launch_file(read_text(launch_path), launch_path);
  if (conditions.launch_number == 0 && file.launches.size() > 1)
    throw input_error(fmt::format("{}: has {} launches, and one is taken here: name it with --launch-number",
                                  launch_path, file.launches.size()));
  return taken(kernel_path, std::move(file), conditions.launch_number == 0 ? 1 : conditions.launch_number, conditions);
}

std::vector<launch_file> read_launches(const std::string& kernel_path, const std::string& launch_path,
                                       const run_conditions& conditions) {
  launch_file file = parse_launch_file(read_text(launch_path), launch_path);
  std::vector<launch_file> all;
  if (conditions.launch_number != 0 || file.launches.size() == 1) {
    all.push_back(
        taken(kernel_path, std::move(file), conditions.launch_number == 0 ? 1 : conditions.launch_number, conditions));
    return all;
  }
  if (conditions.overrides.any()) refuse_overrides(file);
  all.push_back(file);
  while (all.size() < all.front().launches.size()) all.push_back(after(kernel_path, all.back(), conditions));
  return all;
}

}  // namespace lab
