// SPDX-License-Identifier: BSL-1.0
//
// A launch file as the interpreter wants it: the shape, the device memory, the arguments.
#pragma once

#include "lab/launch_file.hpp"
#include <simtflow/ptx/decode/decode.hpp>
#include <simtflow/ptx/machine/interpreter.hpp>
#include <simtflow/ptx/machine/memory.hpp>

namespace lab {

[[nodiscard]] simtflow::ptx::launch_config config_of(const launch_file& launch);

/// Device memory with a launch file's buffers; buffer i is allocation i.
[[nodiscard]] simtflow::ptx::device_memory device_memory_for(const launch_file& launch);

/// The launch file's values as the kernel's arguments.
/// \throws input_error that names every parameter that does not fit.
[[nodiscard]] simtflow::ptx::arguments arguments_for(const simtflow::ptx::decoded_kernel& kernel,
                                                     const launch_file& launch,
                                                     const simtflow::ptx::device_memory& memory);

}  // namespace lab
