// SPDX-License-Identifier: BSL-1.0
//
// Figures of the text of a kernel: a row each of the table that `transform` prints before and after.
#pragma once

#include <simtflow/ptx/text/verifier.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lab {

/// A figure of a kernel's text.
struct code_figure {
  std::string_view name;    ///< of the row
  std::string_view column;  ///< of CSV and JSON; empty: the table alone has it
  std::string text;         ///< as the table has it
  double value = 0;         ///< as CSV has it
};

/// All of them, in the order of the rows. A new figure is a row of the list in code_figures.cpp.
/// Complexity: O(blocks log blocks + instructions).
[[nodiscard]] std::vector<code_figure> code_figures(const simtflow::ptx::checked_function& code);

}  // namespace lab
