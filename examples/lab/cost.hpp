// SPDX-License-Identifier: BSL-1.0
//
// The hardware that the mechanisms cost, as a table (simtflow/timing/hardware_cost.hpp), and the entries of their
// stacks that kernels use (simtflow/timing/stack_spills.hpp).
#pragma once

#include "lab/commands.hpp"
#include <simtflow/timing/hardware_cost.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace lab {

struct cost_options {
  simtflow::timing::cost_parameters core;  ///< all sizes but the thread block's
  std::optional<std::uint32_t> threads;    ///< of the largest thread block; else 1024, or all that the core has
  bool csv = false;                        ///< a row for each part instead of a row for each mechanism
};

/// The table as text. \throws input_error if the thread block does not fit into the core.
[[nodiscard]] std::string hardware_cost_text(const cost_options& options);

/// The depth of the stacks that kernels need, as tables.
struct stack_report {
  std::string text;  ///< a line for each kernel and policy
  std::string csv;   ///< a row for each kernel, policy and number of entries
  bool good = true;  ///< every run ended as it must
};
/// Runs the kernels of a suite, under pdom and tf unless others are named.
/// \param on_chip entries of a stack on chip; the others are in memory.
/// \throws input_error as kernels_in(), and for files that cannot be used.
[[nodiscard]] stack_report stacks_of_suite(const suite_options& suite, std::size_t on_chip);

}  // namespace lab
