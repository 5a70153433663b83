// SPDX-License-Identifier: BSL-1.0
//
// The environment variables that choose how a program's kernels run.
#pragma once

#include <simtflow/cuda/settings.hpp>
#include <simtflow/diagnostic.hpp>

#include <string>
#include <string_view>

namespace cudart {

/// All that the environment chooses.
struct environment {
  simtflow::cuda::settings device;
  std::string report;   ///< SIMTFLOW_REPORT: a file of a row for each launch, CSV or JSON by its name; empty: none
  std::string profile;  ///< SIMTFLOW_PROFILE: a CSV file of a row for each branch of each launch; empty: none
  std::string record;   ///< SIMTFLOW_RECORD: a folder for launch files; empty: none
  bool leaks = false;   ///< SIMTFLOW_LEAKS: says at the end what the program has not freed
};

/// Looks an environment variable up, as getenv() does.
using variable_lookup = const char* (*)(const char* name);

/// Reads the variables. \returns a diagnostic that names the variable and what there is instead if a value is no good.
/// An empty value counts as none.
[[nodiscard]] simtflow::result<environment> read_environment(variable_lookup look_up);

}  // namespace cudart
