// SPDX-License-Identifier: BSL-1.0
//
// The registers that a kernel needs (simtflow/ptx/transform/register_pressure.hpp), and the occupancy that they leave.
#pragma once

#include "lab/kernel_file.hpp"
#include "lab/metrics.hpp"
#include <simtflow/diagnostic.hpp>
#include <simtflow/ptx/machine/launch.hpp>
#include <simtflow/ptx/transform/register_pressure.hpp>
#include <simtflow/timing/machine.hpp>
#include <simtflow/timing/occupancy.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace lab {

/// The registers that the kernel of a file needs.
[[nodiscard]] simtflow::ptx::register_pressure registers_of(const kernel_file& file);

/// "registers: 13 live at most (line 34), 2 predicates (line 36); 17 of a thread by the estimate".
[[nodiscard]] std::string describe(const kernel_file& file, const simtflow::ptx::register_pressure& p);

/// live_registers, live_predicates, estimated_registers.
[[nodiscard]] std::vector<metric> metrics_of(const simtflow::ptx::register_pressure& p);

/// The thread blocks of a launch that a core holds. \param registers of a thread; 0: no limit
[[nodiscard]] simtflow::result<simtflow::timing::occupancy> occupancy_of_launch(
    const simtflow::timing::machine& machine, const kernel_file& file, const simtflow::ptx::launch_config& launch,
    std::uint32_t registers);

/// The warps that fit over the warps that a core has; 0: none fits, or the core has no limit.
[[nodiscard]] double occupied_part(const simtflow::timing::machine& machine,
                                   const simtflow::result<simtflow::timing::occupancy>& fit);

/// "32 of 48 warps (0.667), limited by registers"; the reason, if not one thread block fits.
[[nodiscard]] std::string describe(const simtflow::timing::machine& machine,
                                   const simtflow::result<simtflow::timing::occupancy>& fit);

}  // namespace lab
