// SPDX-License-Identifier: BSL-1.0
//
// The hardware that the mechanisms cost, as a table (simtflow/timing/hardware_cost.hpp).
#pragma once

#include <simtflow/timing/hardware_cost.hpp>

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

}  // namespace lab
