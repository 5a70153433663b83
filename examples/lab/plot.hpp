// SPDX-License-Identifier: BSL-1.0
//
// `simtflow-lab plot`: bars, heat maps and curves from the CSV that the tool and the CUDA runtime write. The picture is
// drawn by gnuplot, a program of its own: this makes the script. The picture without options depends on the schema of
// the rows (lab/rows.hpp).
#pragma once

#include "lab/rows.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace lab {

enum class plot_kind : unsigned char {
  automatic,  ///< what suits the schema, the series and the categories
  bar,        ///< a group of bars for each value of x, a bar for each series
  heat,       ///< a cell for each value of x and each series, coloured by y
  curve       ///< a line for each series, over numbers
};

struct plot_options {
  std::vector<std::string> files;  ///< CSV; not empty
  plot_kind kind = plot_kind::automatic;
  std::string x, y, by;            ///< columns; with commas, several as one name; empty: what suits the schema
  std::vector<std::string> where;  ///< COLUMN=VALUE,...: only rows that have one of these values there
  std::string title;               ///< empty: made from the columns
  bool log = false;                ///< the axis of y, or the colours, on a logarithmic scale
};

/// A picture as a script for gnuplot.
struct plot_script {
  std::string text;                  ///< without terminal and output
  unsigned width = 0, height = 0;    ///< of the picture
  std::vector<std::string> remarks;  ///< what is left out
};

/// Reads the files and makes the script. Rows with the same x and the same series are one: whole numbers are added,
/// others averaged, and the title says so. Rows without a number in y are left out.
/// \throws input_error if a file is no CSV, a column is missing, or nothing is left to draw.
[[nodiscard]] plot_script make_plot(const plot_options& options);

/// The picture in the format of the path's ending (.svg or .png; .gp is the script); "" is SVG.
/// \throws input_error for another ending, or if gnuplot is not installed or fails
[[nodiscard]] std::string draw_plot(const plot_script& plot, const std::string& path);

/// The unit of a column, as an axis says it; empty if it has none.
[[nodiscard]] std::string_view unit_of(std::string_view column);

}  // namespace lab
