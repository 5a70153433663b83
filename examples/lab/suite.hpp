// SPDX-License-Identifier: BSL-1.0
//
// The kernels of a suite after they have run, and the overview of them: a line for each kernel.
//
//   kernel   its name; the kernel that loses most under the stack comes first
//   lost     % of the lane slots that pdom issues without an active lane: 100 * (1 - SIMD efficiency); or the verdict,
//            if pdom does not finish
//   best     the policy that issues the fewest warp instructions, overhead included, among the policies that finish and
//            reconverge; `pdom` unless another one saves half a percent. `none`, `mimd` and `serial` never stand here:
//            they show what a kernel costs without reconvergence, and are not a mechanism to build.
//   x pdom   its warp instructions over pdom's; `-` if pdom does not finish
//   memory   `= reference`: every policy that finishes leaves the memory that the launch file expects; `= serial`: it
//            leaves the memory of the oracle, and the launch file expects nothing; `WRONG`: remarks say what differs
//   try next a transform, with the warp instructions after it over those before, under pdom; `analyze` if no transform
//            saves 2 % and pdom loses 10 % or more; `explore` if pdom does not finish
#pragma once

#include "lab/analyze.hpp"
#include "lab/commands.hpp"
#include "lab/policies.hpp"
#include "lab/report.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lab {

/// One kernel of the suite: the runs of all policies, and the figures of its graph.
struct suite_kernel {
  std::string name;
  graph_facts facts = {};
  std::vector<std::optional<report_row>> runs = {};    ///< by policy; none: left out
  std::vector<std::optional<double>> activities = {};  ///< by policy: activity factor with one warp a thread block
  std::string memory = {};                             ///< report::memory
  std::string next = {};                               ///< the column `try next`
};

/// True if there is a run and it finished.
[[nodiscard]] bool finished(const std::optional<report_row>& row);

/// The first chosen policy of that name, whatever its parameters; chosen.size() if there is none.
[[nodiscard]] std::size_t find_policy(std::span<const chosen_policy> chosen, std::string_view name);

/// The launch file of a kernel at the size that the options say.
[[nodiscard]] std::string launch_path(const suite_options& options, const std::string& kernel);

/// The kernels of the folder that have a launch file, by name, or only the kernels that are asked for.
/// \param remarks is added what is left out. \throws input_error if there is no such folder or kernel.
[[nodiscard]] std::vector<std::string> kernels_in(const suite_options& options, std::vector<std::string>& remarks);

/// Refuses options.not_over if one of the files belongs to a kernel. \throws input_error
void keep_inputs(const suite_options& options, std::span<const std::string> kernels);

/// The kept row of a kernel's run with this setting; null if there is none.
[[nodiscard]] const table_row* find_kept(std::span<const table_row> kept, const std::string& kernel,
                                         const chosen_policy& chosen, const run_setting& setting);

/// A table: the title, then lines. The first line has the heads. The first column is flush left.
[[nodiscard]] std::string table(const std::string& title, const std::vector<std::vector<std::string>>& lines);

/// The column `try next` of a kernel under pdom. \param pdom its run; none: pdom is not among the policies.
[[nodiscard]] std::string try_next(const suite_options& options, const suite_kernel& kernel,
                                   const std::optional<report_row>& pdom);

/// The whole overview, with the legend and the commands that say more.
[[nodiscard]] std::string overview(const suite_options& options, std::span<const suite_kernel> kernels,
                                   std::span<const chosen_policy> chosen);

}  // namespace lab
