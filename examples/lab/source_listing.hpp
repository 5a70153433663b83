// SPDX-License-Identifier: BSL-1.0
//
// `analyze --source`: the source files of a kernel, line by line, with what a run (or, without one, the analysis)
// says of each line in the margin. Code that was inlined has rows of its own under the line that it was inlined at.
//
// Each instruction belongs to one row, and each branch to the row of its instruction, so the rows sum to the figures of
// the run: warp instructions, thread instructions and idle lane slots.
#pragma once

#include "lab/commands.hpp"
#include "lab/report.hpp"
#include "lab/time.hpp"
#include <simtflow/simt/idle_cause.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace lab {

struct source_options : run_conditions {
  std::vector<std::string> paths;     ///< modules; one with a launch file
  std::string kernel;                 ///< only the kernel of this name; empty: all, or the launch file's
  std::string launch_path;            ///< empty: nothing is run
  std::vector<std::string> policies;  ///< texts for chosen_policies(); empty: pdom
  std::string machine;                ///< also time the runs on this one; empty: no cycles
};

/// The figures of a row.
struct line_figures {
  std::uint64_t instructions = 0;         ///< of the PTX text
  std::uint64_t warp_instructions = 0;    ///< executed
  std::uint64_t thread_instructions = 0;  ///< executed
  std::uint64_t divergences = 0;          ///< of branches of the line
  std::uint64_t idle_lanes = 0;           ///< lane slots charged to branches of the line (and exits, barriers)
  std::uint64_t cycles = 0;               ///< in which a warp issued or waited for these instructions, over all warps

  line_figures& operator+=(const line_figures& o);
};

/// A row of a listing.
struct listed_line {
  std::uint32_t line = 0;        ///< from 1; 0: lines are left out here
  std::string place;             ///< "mix.cuh:7"
  std::uint32_t depth = 0;       ///< calls that the code is inlined through
  std::string inlined_at;        ///< "walk.cu:15"; empty: it is not inlined
  std::string function;          ///< of inlined code
  std::string text;              ///< as the file has it; empty: not readable
  std::string branch;            ///< branch_row::kind of the worst branch; without a run "divergent" or "uniform"
  std::vector<std::string> why;  ///< for each divergent branch the reason
  line_figures figures;
};

struct listed_file {
  std::string name;  ///< in .file
  bool readable = false;
  std::vector<listed_line> lines;
};

/// One kernel under one policy.
struct source_listing {
  std::string kernel, path;                     ///< path of the module
  std::string policy;                           ///< empty: nothing was run
  std::string verdict = {};                     ///< unless the run finished: how it ended
  std::string machine = {};                     ///< empty: no cycles
  std::vector<listed_file> files;               ///< those with code that is not inlined
  line_figures no_line;                         ///< code that no line is said of
  line_figures all;                             ///< the run: all rows, no_line and the causes without a branch
  std::uint64_t ragged_warp = 0, schedule = 0;  ///< idle lane slots that are charged to no branch
  std::uint64_t lane_slots = 0;
};

struct source_report {
  std::vector<source_listing> listings;
  std::vector<std::string> remarks;  ///< files that cannot be read, policies that are left out
};

/// \throws input_error if files cannot be used, a graph file is among them, or no kernel has source lines.
[[nodiscard]] source_report list_sources(const source_options& options);

/// Text for people, or rows for programs: one for each row with code.
[[nodiscard]] std::string to_text(const source_report& report, report_format format);
inline constexpr row_schema source_rows = "simtflow.source/1";

/// The same as one HTML page that needs nothing else.
[[nodiscard]] std::string to_html(const source_report& report);

}  // namespace lab
