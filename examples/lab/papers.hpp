// SPDX-License-Identifier: BSL-1.0
//
// Figures and tables of the papers beside ours: the linearization paper's worked examples and its Tables 1 and 4, and
// what the thread frontiers paper says of STRUCT.
#pragma once

#include "lab/report.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace lab {

/// A figure of a paper beside ours.
struct paper_row {
  std::string table;     ///< "CFL Figure 2", "TF Figure 5", ...
  std::string item;      ///< "limit 4", "hotspot, o4"
  std::string quantity;  ///< in words, with its unit
  std::string paper;     ///< the paper's figure; empty: it has none
  std::string ours;
  /// "holds" or "FAILS" for a claim; empty for a figure that is only shown.
  std::string verdict = {};
  std::string reason = {};  ///< why it differs, or what the claim is
};

struct papers_options {
  std::string folder = "examples/kernels";  ///< the counterparts of the papers' kernels, with launch files
  std::string graphs;                       ///< a graph file with the kernels of the thread frontiers paper; or empty
  std::vector<std::string> only;            ///< tables as paper_tables() names them; empty: all
  std::function<void(const std::string&)> progress{};  ///< told which table is made; nobody if empty
};
struct papers_result {
  std::string text;  ///< the tables for people
  std::vector<paper_row> rows;
  bool good = true;  ///< every claim holds
};
/// The schema of its rows.
inline constexpr row_schema papers_rows = "simtflow.papers/1";
[[nodiscard]] std::string to_text(const papers_result& r, report_format format);

/// \throws input_error if a kernel is missing, or a table is unknown
[[nodiscard]] papers_result compare_with_papers(const papers_options& options);

/// The names that papers_options::only takes: "figure-2", "figure-3", "figure-6d", "table-1", "table-4", "struct".
[[nodiscard]] std::vector<std::string> paper_tables();

/// \{
/// The rows of single tables.
[[nodiscard]] std::vector<paper_row> loop_merging_rows();                         ///< CFL Figure 2
[[nodiscard]] std::vector<paper_row> stack_depth_rows();                          ///< CFL Figure 3
[[nodiscard]] std::vector<paper_row> guard_rows();                                ///< CFL Figure 6d
[[nodiscard]] std::vector<paper_row> growth_rows(const std::string& folder);      ///< CFL Table 1
[[nodiscard]] std::vector<paper_row> level_rows(const std::string& folder);       ///< CFL Table 4
[[nodiscard]] std::vector<paper_row> struct_rows(const papers_options& options);  ///< TF Figure 5
/// \}

}  // namespace lab
