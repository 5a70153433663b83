// SPDX-License-Identifier: BSL-1.0
//
// The one table of a run or a replay, as text for people, or CSV or JSON for programs.
//
//   warp instr     instructions issued, each for a group of lanes; the mechanism's own operations are `overhead`
//   thread instr   instructions executed by single lanes, with a true guard or not: the same under every policy,
//                  unless a path can depend on the schedule
//   pred. on       thread instructions with no guard or a true guard (CSV, JSON: thread_instructions_on). Guards of
//                  branches, exits and calls switch nothing off; traces have no guards, so every instruction is on
//   SIMD eff.      thread instr / (warp instr * warp width): which lanes are issued, as in the literature
//   eff. on        pred. on / (warp instr * warp width): lanes on which it has an effect (simd_efficiency_on)
//   activity       SIMD eff., with the threads that a warp started with instead of the warp width
//   depth          most entries the policy held; merges: groups of lanes that joined another
//   x bound        warp instructions / lower bound: each block as often as the busiest lane of the warp visits it;
//                  `-` where the lanes may have taken other paths than the oracle's
#pragma once

#include "lab/branch_table.hpp"
#include "lab/metrics.hpp"
#include <simtflow/io/recording.hpp>
#include <simtflow/simt/observers/counts.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lab {

enum class report_format : unsigned char { text, csv, json };

/// One policy's run of one kernel.
struct report_row {
  std::string kernel;
  std::string policy;
  simtflow::counts counts;
  std::uint64_t bound = 0;  ///< lower bound on warp instructions; 0: none, because the run did not finish
  std::string verdict;
  std::vector<metric>
      metrics;  ///< all of them, if asked for; the same names in every row of a kernel where a policy has
                ///< them
  std::optional<branch_rows> branches = std::nullopt;  ///< if they were asked for
  std::string other_order = {};  ///< that it ran in, and why not in the default order; empty: in the order asked for
};

struct report {
  std::vector<report_row> rows;
  std::vector<std::string> remarks;  ///< below the table: what was compared, what went wrong
  bool good = true;                  ///< every verdict and comparison is as it must be
  std::string memory = {};           ///< of a kernel: "= reference", "= serial", "WRONG"; empty: nothing was compared
};

/// How messages and reports call a graph: its name, and where it comes from if that is known.
[[nodiscard]] std::string full_name(const simtflow::recorded_graph& g);

/// "1 thread", "2 threads".
[[nodiscard]] std::string counted(std::uint64_t n, std::string_view one, std::string_view many);

/// A field of a CSV line: in quotation marks if it has to be.
[[nodiscard]] std::string csv_word(const std::string& s);

/// The whole report as text that ends in a newline. CSV has the branches in place of the runs if there are any.
[[nodiscard]] std::string to_text(const report& r, report_format format);

}  // namespace lab
