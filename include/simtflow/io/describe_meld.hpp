// SPDX-License-Identifier: BSL-1.0
//
// The outcome of melding a PTX function, in words.
#pragma once

#include <simtflow/io/describe_meld_plan.hpp>
#include <simtflow/ptx/transform/meld_report.hpp>
#include <simtflow/transform/meld_plan.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {

namespace ptx {

/// A line for each melded branch, with its pieces, and for each other branch, with the reason. `source(position)` says
/// the line of the source that an instruction of the text comes from, such as "my.cu:17"; it may be empty.
template <class Source>
  requires requires(Source& source, position where, std::string& s) { s += source(where); }
[[nodiscard]] inline std::vector<std::string> describe(const meld_report& report, Source&& source) {
  const auto branch_text = [&](const std::string& block, position where) {
    std::string text = "branch of " + block;
    if (where.line == 0) return text;
    text += " (line " + std::to_string(where.line);
    const std::string from(source(where));
    return text + (from.empty() ? ")" : ", " + from + ")");
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

/// The same for a text without source lines.
[[nodiscard]] inline std::vector<std::string> describe(const meld_report& report) {
  return describe(report, [](position) { return std::string_view(); });
}

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
