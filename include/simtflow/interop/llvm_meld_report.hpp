// SPDX-License-Identifier: BSL-1.0
//
// The report of simtflow::meld() for LLVM functions (llvm_meld.hpp), as plain data and in words:
//
//   melded: 2 branches, 1 not
//     round 1: branch of %out: 4 pairs, 1 and 0 instructions alone; weight 146.0 -> 91.5, instructions 9 -> 8
//     round 2: ...
//     branch of %in is not melded: it has an arm without code
//
// With debug information a branch has its place in the source: "branch of %out (my.cu:17:5)".
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/diagnostic.hpp>
#include <simtflow/io/describe_meld_plan.hpp>
#include <simtflow/transform/meld_options.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// Costs of melding one branch: of its arms and itself before, of what took their place after.
struct llvm_meld_figures {
  double weight_before = 0,               ///< expected for a warp that comes to the branch
      weight_after = 0;                   ///< the same
  std::uint32_t instructions_before = 0,  ///< without phis, jumps and what weighs nothing
      instructions_after = 0;             ///< the same
  std::uint32_t pairs = 0;                ///< of instructions that have become one
  std::uint32_t left_only = 0,            ///< instructions of the left arm that have not
      right_only = 0;                     ///< instructions of the right arm that have not

  friend constexpr bool operator==(const llvm_meld_figures&, const llvm_meld_figures&) = default;
};

/// A branch that was melded.
struct llvm_melded_branch {
  std::uint32_t round = 0;    ///< from 1
  std::string block;          ///< the name of its block in the function of that round: "%out"
  llvm_meld_figures figures;  ///< what it came to
  std::string source = {};    ///< its place in the source: "my.cu:17:5" (llvm_debug_place.hpp); empty: not known

  friend bool operator==(const llvm_melded_branch&, const llvm_melded_branch&) = default;
};

/// A branch that was not melded.
struct llvm_unmelded_branch {
  std::string block;                         ///< the name of its block
  meld_refusal reason = meld_refusal::none;  ///< none: there was a plan
  std::string obstacle;                      ///< why the plan cannot be written; empty: it would not become cheaper
  llvm_meld_figures figures;                 ///< of what was written, if it would not become cheaper
  std::string source = {};                   ///< its place in the source: "my.cu:17:5"; empty: not known

  friend bool operator==(const llvm_unmelded_branch&, const llvm_unmelded_branch&) = default;
};

/// The report on a function.
struct llvm_meld_report {
  diagnostics obstacles;                      ///< why the function stays as it is; empty: branches were looked at
  std::vector<llvm_melded_branch> melded;     ///< in the order in which that was done
  std::vector<llvm_unmelded_branch> refused;  ///< in the last round, inner branches first
  bool complete = true;                       ///< false: most_rounds have passed, and more might be found
  std::uint32_t wrong_plans = 0;              ///< not applied, since the proof failed: mistakes of the planner
};

/// The report in lines, as at the top of this header. O(size of the text)
[[nodiscard]] inline std::string describe(const llvm_meld_report& report) {
  const auto tenths = [](double x) {
    const auto n = static_cast<std::uint64_t>(x < 0 ? 0 : x * 10 + 0.5);
    return std::to_string(n / 10) + '.' + std::to_string(n % 10);
  };
  const auto costs = [&](const llvm_meld_figures& f) {
    return "weight " + tenths(f.weight_before) + " -> " + tenths(f.weight_after) + ", instructions " +
           std::to_string(f.instructions_before) + " -> " + std::to_string(f.instructions_after) + '\n';
  };
  const auto branch_of = [](const auto& b) {
    return "branch of " + b.block + (b.source.empty() ? "" : " (" + b.source + ")");
  };
  std::string text = "melded: ";
  if (!report.obstacles.empty()) return text + "none, " + report.obstacles.front().message + '\n';
  text += std::to_string(report.melded.size()) + (report.melded.size() == 1 ? " branch, " : " branches, ") +
          std::to_string(report.refused.size()) + " not\n";
  for (const llvm_melded_branch& b : report.melded)
    text += "  round " + std::to_string(b.round) + ": " + branch_of(b) + ": " + std::to_string(b.figures.pairs) +
            (b.figures.pairs == 1 ? " pair, " : " pairs, ") + std::to_string(b.figures.left_only) + " and " +
            std::to_string(b.figures.right_only) + " instructions alone; " + costs(b.figures);
  for (const llvm_unmelded_branch& b : report.refused) {
    text += "  " + branch_of(b) + " is not melded: ";
    if (b.reason != meld_refusal::none)
      text += "it " + std::string(describe(b.reason)) + '\n';
    else if (!b.obstacle.empty())
      text += b.obstacle + '\n';
    else
      text += "it would not become cheaper: " + costs(b.figures);
  }
  if (!report.complete) text += "  stopped: more might be melded\n";
  return text;
}

}  // namespace v0
}  // namespace simtflow
