// SPDX-License-Identifier: BSL-1.0
//
// Transforms of a kernel's control flow, what they cost, and what they change when the kernel runs. Several are done
// one after the other, each on the code that the one before it has made.
#pragma once

#include "lab/commands.hpp"
#include "lab/report.hpp"
#include <simtflow/ptx/text/module.hpp>
#include <simtflow/ptx/text/warp_profile.hpp>
#include <simtflow/ptx/transform/meld_report.hpp>
#include <simtflow/transform/meld_options.hpp>
#include <simtflow/transform/plan.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lab {

enum class transform_kind : unsigned char {
  linearize,
  copies,
  hub,
  fix_irreducible,
  unify_exits,
  meld,
  fuse,
  tail_merge
};

/// A transform as the command line has it: its option, without the dashes.
struct transform_info {
  transform_kind kind;
  std::string_view option;
  std::string_view what;
};
[[nodiscard]] std::span<const transform_info> transforms();

struct transform_step {
  transform_kind kind = transform_kind::linearize;
  std::string edges = {};  ///< of a hub: "BLOCK:SLOT,...", blocks by label or number; or "unstructured"
};

/// Settings of meld, fuse and tail_merge.
struct meld_settings {
  double threshold = 0.2;  ///< simtflow::meld_options::threshold
  simtflow::ptx::meld_code_options code{};
  simtflow::meld_score score = simtflow::meld_score::expected;  ///< `paper`: with the weights of the paper
  simtflow::ptx::warp_profile profile{};                        ///< of the kernel as it is given; empty: none
};

/// The result of transforming a kernel.
struct transformed_kernel {
  simtflow::ptx::module module;  ///< with the kernel as it is now
  simtflow::plan_cost added;     ///< by all steps
  std::size_t melded = 0;        ///< branches
  std::vector<std::string> remarks;
  bool done =
      true;  ///< false: a step could not be done, and the kernel is as it was before that; the last remark says why
};

/// Transforms one kernel of a module. `path` is for messages.
/// `drawing`, if there is one, takes the plan of the last step that has one (melding has none) as DOT text.
/// \throws input_error if the kernel has mistakes, or an edge is none of it.
[[nodiscard]] transformed_kernel transformed(const simtflow::ptx::module& module, std::string_view kernel,
                                             std::span<const transform_step> steps, std::size_t most_blocks,
                                             const std::string& path, const meld_settings& melding = {},
                                             std::string* drawing = nullptr);

/// Transforms a kernel and says what has become of it, with a launch file also under each policy.
struct transform_options : run_conditions {
  std::string kernel_path;
  std::string launch_path;            ///< empty: it is not run
  std::string entry;                  ///< may be empty if the module, or the launch file, says which
  std::vector<std::string> policies;  ///< texts for chosen_policies(); empty: all
  std::vector<transform_step> steps;
  bool draws = false;                ///< the plan is wanted as a drawing
  bool every_metric = false;         ///< rows with every metric are wanted
  std::size_t most_copies = 65'536;  ///< blocks that `copies` may make of the kernel
  meld_settings melding;
  bool profiles = false;  ///< the launch is run under pdom first, and melding.profile is what that tells
};
/// One policy's run of the kernel before and after, where both finished with the same memory.
struct transform_run {
  std::string policy;
  std::uint64_t before = 0, after = 0;  ///< warp instructions
};
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
