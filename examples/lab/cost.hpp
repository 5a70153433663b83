// SPDX-License-Identifier: BSL-1.0
//
// The hardware that the mechanisms cost, as a table (simtflow/timing/hardware_cost.hpp), and the entries of their
// stacks that kernels use (simtflow/timing/stack_spills.hpp).
#pragma once

#include "lab/commands.hpp"
#include <simtflow/timing/hardware_cost.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace lab {

struct cost_options {
  simtflow::timing::cost_parameters core;  ///< all sizes but the thread block's
  std::optional<std::uint32_t> threads;    ///< of the largest thread block; else 1024, or all that the core has
};

/// \{
/// The schemas of rows of parts and of entries.
inline constexpr row_schema cost_rows = "simtflow.cost/1", stack_rows = "simtflow.stacks/1";
/// \}

/// The table: a row for each mechanism as text, a row for each part of one as CSV and JSON.
/// \throws input_error if the thread block does not fit into the core.
[[nodiscard]] std::string hardware_cost_text(const cost_options& options, report_format format);

/// The depth of the stacks that kernels need, as tables.
struct stack_report {
  std::string text;                  ///< a line for each kernel and policy
  std::vector<table_row> rows;       ///< a row for each kernel, policy and number of entries
  std::vector<std::string> remarks;  ///< which are in the text
  bool good = true;                  ///< every run ended as it must
};
[[nodiscard]] std::string to_text(const stack_report& r, report_format format);
/// Runs the kernels of a suite, under pdom and tf unless others are named.
/// \param so_far gets what there is after each kernel; nobody if empty
/// \param on_chip entries of a stack on chip; the others are in memory.
/// \throws input_error as kernels_in(), and for files that cannot be used.
[[nodiscard]] stack_report stacks_of_suite(const suite_options& suite, std::size_t on_chip,
                                           const std::function<void(const stack_report&)>& so_far = {});

}  // namespace lab
