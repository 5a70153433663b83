// SPDX-License-Identifier: BSL-1.0
//
// `simtflow-lab transform --all`: every transform of a kernel and every combination that makes sense, a row each, with
// what it costs, what it saves, and whether the kernel still computes the same.
#pragma once

#include "lab/code_figures.hpp"
#include "lab/time.hpp"
#include "lab/transform.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lab {

/// Steps that are done one after the other, and their settings.
struct transform_recipe {
  std::vector<transform_step> steps;
  std::optional<simtflow::guard_optimization> guards = {};
  bool always = false;  ///< every region is linearized, whether or not it pays

  /// As the command line has it: "--linearize --guards o1".
  [[nodiscard]] std::string text() const;
};
/// The recipes of the rows. A new one is a line of the list in transform_table.cpp.
[[nodiscard]] const std::vector<transform_recipe>& all_recipes();

/// Figures of a run under one policy.
struct transform_figures {
  std::uint64_t warp_instructions = 0;
  std::uint64_t weighted = 0;            ///< latency-weighted warp instructions
  std::uint64_t shared = 0, global = 0;  ///< warp instructions that access such memory
  std::uint64_t cycles = 0;              ///< on the machine; 0: no machine was named
  double occupancy = 0;                  ///< resident warps over the warps of a core, by the estimated registers
};

struct transform_table_row {
  std::string transform;                         ///< as the command line has it; empty: the kernel as it is
  std::vector<code_figure> code;                 ///< of the kernel after it; empty: there is none, the verdict says why
  std::optional<transform_figures> run;          ///< under the first policy, if it was run
  std::vector<std::uint64_t> warp_instructions;  ///< by policy of the table; 0: it was not run
  std::string verdict;
  bool good = true;  ///< it computes what the kernel computed, or is not there
};

struct transform_table {
  std::string kernel;
  std::vector<std::string> policies;      ///< the first one is the policy of the figures
  std::vector<transform_table_row> rows;  ///< the first one is the kernel as it is
  std::optional<std::size_t> best;        ///< the row with the fewest cycles, or else warp instructions; if it was run
  std::vector<std::string> remarks;
  bool has_cycles = false;
  std::string machine, changes;  ///< the machine of the cycles, and its changes as they were given
  run_setting setting;           ///< of the runs under the first policy
  bool good = true;
};

/// Transforms the kernel by every recipe. Rows with the same code are run once. `options.steps` are not looked at, and
/// without policies it is run under pdom, tf, volta and serial.
/// \param machine for the cycles; empty: there are none
/// \throws input_error if files or options cannot be used.
[[nodiscard]] transform_table tabulate_transforms(const transform_options& options,
                                                  const std::optional<time_machine>& machine);

/// The schema of its rows.
inline constexpr row_schema transform_rows = "simtflow.transform/1";

/// The table. CSV and JSON have a column for the warp instructions under each policy.
[[nodiscard]] std::string to_text(const transform_table& table, report_format format);

}  // namespace lab
