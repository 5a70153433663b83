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
#include "lab/rows.hpp"
#include <simtflow/io/recording.hpp>
#include <simtflow/simt/observers/counts.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lab {

enum class report_format : unsigned char { text, csv, json };

/// \{
/// The schemas of rows of runs and of their branches.
inline constexpr row_schema run_rows = "simtflow.run/1", branch_rows_of_runs = "simtflow.run-branches/1";
/// \}

/// The setting of a run. Empty or 0: that does not apply.
struct run_setting {
  std::string parameters;                ///< of the policy, all of them, as NAME=VALUE,...; the column has spaces
  std::string kernel_file, launch_file;  ///< of a trace: the file of the trace, and nothing
  std::uint32_t grid[3] = {0, 0, 0}, block[3] = {0, 0, 0};
  std::uint32_t warp_width = 0;
  std::string order, barriers;  ///< priority order; how warps come to a barrier

  /// As columns.
  [[nodiscard]] table_row columns() const;
};

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
  run_setting setting = {};
  std::string memory = {};  ///< report::memory, in rows of a suite
  std::string next = {};    ///< the column `try next`, in rows of a suite
  /// The row as an earlier file has it (`suite --resume`); the fields above have what the overview needs.
  std::optional<table_row> kept = std::nullopt;

  /// The columns of a table, without branches.
  [[nodiscard]] table_row columns() const;
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

/// The whole report as text that ends in a newline. CSV has the branches in place of the runs if there are any.
[[nodiscard]] std::string to_text(const report& r, report_format format);

}  // namespace lab
