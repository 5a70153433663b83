// SPDX-License-Identifier: BSL-1.0
//
// A kernel and what a transform has made of it, under each policy: memory must be the same; tables show what changed.
#pragma once

#include "lab/experiment.hpp"
#include "lab/policies.hpp"
#include "lab/report.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace lab {

/// One policy's run of the kernel before and after, where both finished with the same memory.
struct transform_run {
  std::string policy;
  std::uint64_t before = 0, after = 0;  ///< warp instructions
};

/// The difference between what two kernels computed, in words: how it ended, memory, what was printed. Empty: none.
/// \pre `old` finished
[[nodiscard]] std::string difference_between(const grid_run& now, const grid_run& old);

/// Figures of a comparison beyond warp instructions.
struct comparison_options {
  bool memory = false;        ///< memory instructions, which takes more time
  bool every_metric = false;  ///< rows with every metric are wanted
};
struct comparison {
  std::string text;                 ///< the tables, and remarks
  std::vector<transform_run> runs;  ///< in the order of the policies
  std::vector<report_row> rows;     ///< if wanted, two for each of these runs: before and after
  bool good = true;                 ///< every run computes what the kernel computed before
};
/// Runs both under each policy that can run both.
[[nodiscard]] comparison compare_kernels(experiment& before, experiment& after,
                                         const std::vector<chosen_policy>& chosen, const comparison_options& options);

}  // namespace lab
