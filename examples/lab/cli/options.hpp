// SPDX-License-Identifier: BSL-1.0
//
// Options that several commands have.
#pragma once

#include "lab/cli/output.hpp"
#include "lab/commands.hpp"
#include "lab/report.hpp"
#include "lab/time.hpp"
#include "lab/view.hpp"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace lab::cli {

/// The files that describe machines, as the help of an option calls them.
inline const std::string launch_says = "launch file", trace_says = "trace";

struct shared_flags {
  row_output rows;
  std::string events;
};

/// --csv and --json. \param of what the rows are: "a row for each run"
void add_rows(CLI::App& command, row_output& rows, const std::string& of);

/// A check of an option's value: one of these words, and what is meant if it is nearly one.
[[nodiscard]] std::function<std::string(const std::string&)> one_of(std::vector<std::string> words);

void add_order(CLI::App& command, simtflow::priority_rule& order);

/// An option for a file that is written: "" is a name that a script has forgotten.
CLI::Option* add_output(CLI::App& command, const std::string& flags, std::string& path, const std::string& what);

CLI::Option* add_jobs(CLI::App& command, std::uint32_t& jobs, const std::string& what);

/// The options of every command that runs something. \param says the file that describes the machine: launch_says, ...
void add_conditions(CLI::App& command, lab::run_conditions& options, const std::string& says);

/// The options of every command that takes one launch file: which launch of it, and what the command line changes of
/// it.
void add_launch(CLI::App& command, lab::run_conditions& options, bool sets = true);

/// --set means the machine where there is one; what has no dot before the = means the launch.
void take_data(lab::time_machine& machine, lab::run_conditions& options);

/// The machine of the metrics.
void add_machine(CLI::App& command, lab::machine_model& machine);

/// --policy. \param normal what is run without it
void add_policy_names(CLI::App& command, std::vector<std::string>& policies, const std::string& normal);

/// The options of every command that runs policies and reports counts.
void add_policy_runs(CLI::App& command, lab::policy_options& options, shared_flags& flags, const std::string& says);

/// \throws input_error if these options ask for two tables of CSV
void refuse_two_tables(const lab::policy_options& options, const shared_flags& flags);

/// The machine of timed runs.
void add_timed_machine(CLI::App& command, lab::time_machine& machine, bool with_launch);

/// Options that `timeline` and `explore` have in common.
void add_view(CLI::App& command, lab::view_options& view, std::string& output, const std::string& kind,
              const std::string& policies);

}  // namespace lab::cli
