// SPDX-License-Identifier: BSL-1.0
//
// `simtflow-lab transform`: transforms a kernel step by step and reports what has become of it: its text, and with a
// launch file what changes when it runs.
#pragma once

#include "lab/commands.hpp"
#include "lab/kernel_file.hpp"
#include "lab/launch_file.hpp"
#include "lab/report.hpp"
#include "lab/time.hpp"
#include "lab/transform_comparison.hpp"
#include "lab/transform_steps.hpp"
#include <simtflow/ptx/text/module.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace lab {

struct transform_table;

/// Transforms a kernel and says what has become of it, with a launch file also under each policy.
struct transform_options : run_conditions, step_settings {
  std::string kernel_path;
  std::string launch_path;            ///< empty: it is not run
  std::string entry;                  ///< may be empty if the module, or the launch file, says which
  std::vector<std::string> policies;  ///< texts for chosen_policies(); empty: all
  std::vector<transform_step> steps;
  bool draws = false;                                    ///< the plan is wanted as a drawing
  bool every_metric = false;                             ///< rows with every metric are wanted
  std::optional<time_machine> machine = {};              ///< tells the occupancy, with a launch
  std::function<void(const std::string&)> progress{};    ///< with --all: told how far it is; nobody if empty
  std::function<void(const transform_table&)> so_far{};  ///< with --all: gets the rows that are there
  bool profiles = false;  ///< the launch is run under pdom first, and melding.profile is what that tells
};
/// The files of the options, read, with the profile if one is wanted.
struct transform_input {
  std::optional<launch_file> launch;  ///< of the options' warp width
  kernel_file file;
  simtflow::ptx::module module;
  step_settings settings;  ///< of the options, with the profile
};
/// \throws input_error if they cannot be used, or the run for the profile does not finish.
[[nodiscard]] transform_input read_input(const transform_options& options);
/// A module printed and read again: what runs. \param name of the kernel \param path of the module before, for messages
[[nodiscard]] kernel_file printed_kernel(const simtflow::ptx::module& m, const std::string& name,
                                         const std::string& path);

struct transform_result {
  std::string report;
  std::string text;     ///< the whole module as PTX
  std::string drawing;  ///< the plan of the last step that has one, as DOT text
  std::vector<transform_run> runs;
  lab::report rows;  ///< if wanted, two rows for each of these runs: before and after
  bool good = true;  ///< the transform could be done, and every run computes what the kernel computed before
};
[[nodiscard]] transform_result transform_kernel(const transform_options& options);

}  // namespace lab
