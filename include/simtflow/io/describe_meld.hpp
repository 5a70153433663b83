// SPDX-License-Identifier: BSL-1.0
//
// What melding did to a PTX function, in words.
#pragma once

#include <simtflow/ptx/meld.hpp>
#include <simtflow/transform/meld.hpp>
#include <simtflow/transform/meld_plan.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// Why a branch is not melded: the end of a sentence that begins with the branch.
[[nodiscard]] constexpr std::string_view describe(meld_refusal r) {
  switch (r) {
    case meld_refusal::none:
      return "can be melded";
    case meld_refusal::not_two_way:
      return "has not two ways";
    case meld_refusal::uniform:
      return "is uniform";
    case meld_refusal::no_join:
      return "has no join: threads end in an arm, or stay there";
    case meld_refusal::empty_arm:
      return "has an arm without code";
    case meld_refusal::arms_meet:
      return "has arms with a block in common";
    case meld_refusal::returns:
      return "has an arm that leads back to it";
    case meld_refusal::not_dominated:
      return "has an arm that is entered elsewhere too";
    case meld_refusal::convergent:
      return "has barriers, votes, shuffles or calls of such in an arm";
    case meld_refusal::not_a_diamond:
      return "has arms of another shape than this mode takes";
    case meld_refusal::nothing_compatible:
      return "has arms with nothing in common";
    case meld_refusal::pinned:
      return "has in common only what is beside atomics, calls or volatile accesses";
    case meld_refusal::gave_up:
      return "has arms whose shapes were compared in vain for long";
    case meld_refusal::below_threshold:
      return "saves less than the threshold asks";
  }
  return {};
}

namespace ptx {

/// A line for each branch that was melded, with its pieces, and for each that was not, with the reason.
[[nodiscard]] inline std::vector<std::string> describe(const meld_report& report) {
  const auto branch_text = [](const std::string& block, position where) {
    return "branch of " + block + (where.line == 0 ? std::string() : " (line " + std::to_string(where.line) + ")");
  };
  const auto arrow = [](std::uint64_t a, std::uint64_t b) { return std::to_string(a) + " -> " + std::to_string(b); };
  const auto costs = [&](const meld_figures& f) {
    return "weight " + arrow(f.weight_before, f.weight_after) + ", instructions " +
           arrow(f.instructions_before, f.instructions_after);
  };
  const auto hundredths = [](double x) {
    const auto n = static_cast<int>(x * 100 + 0.5);
    return std::to_string(n / 100) + (n % 100 < 10 ? ".0" : ".") + std::to_string(n % 100);
  };
  std::vector<std::string> lines;
  for (const melded_branch& b : report.melded) {
    lines.push_back("round " + std::to_string(b.round) + ": " + branch_text(b.block, b.where) + ": " +
                    std::to_string(b.figures.melded) + (b.figures.melded == 1 ? " pair melded, " : " pairs melded, ") +
                    std::to_string(b.figures.left_only) + " and " + std::to_string(b.figures.right_only) +
                    " instructions alone, " + std::to_string(b.figures.added) + " added; " + costs(b.figures));
    for (const melded_piece& p : b.pieces) {
      const auto size = [](std::uint32_t blocks, std::uint32_t instructions) {
        return std::to_string(blocks) + (blocks == 1 ? " block (" : " blocks (") + std::to_string(instructions) + ")";
      };
      std::string line = "  ";
      if (p.side == meld_side::both)
        line += size(p.left_blocks, p.left_instructions) + " with " + size(p.right_blocks, p.right_instructions) +
                ", profit " + hundredths(p.profit);
      else if (p.side == meld_side::left)
        line += size(p.left_blocks, p.left_instructions) + " of the taken arm alone";
      else
        line += size(p.right_blocks, p.right_instructions) + " of the other arm alone";
      lines.push_back(std::move(line));
    }
  }
  for (const unmelded_branch& b : report.refused)
    lines.push_back("not melded: " + branch_text(b.block, b.where) + " " +
                    (b.reason == meld_refusal::none ? "would not become cheaper: " + costs(b.figures)
                                                    : std::string(simtflow::describe(b.reason))));
  if (!report.complete) lines.emplace_back("stopped after " + std::to_string(report.rounds) + " rounds");
  return lines;
}

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
