// SPDX-License-Identifier: BSL-1.0
//
// Runs of a flow_program, as the parts of a picture (lab/view.hpp).
#pragma once

#include "lab/policies.hpp"
#include "lab/view.hpp"
#include "playground/flow_program.hpp"

#include <vector>

namespace playground {

/// Runs the program under each policy. Policies that cannot run it are left out with a remark. O(steps of the runs).
/// \param options the limits of a run; its files are not used
[[nodiscard]] lab::kernel_view view_flow(const flow_program& program, const lab::view_options& options,
                                         const std::vector<lab::chosen_policy>& chosen);

}  // namespace playground
