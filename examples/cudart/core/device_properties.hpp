// SPDX-License-Identifier: BSL-1.0
//
// The properties that programs read from a device. The machine that was chosen says them as far as it can, else the
// compute capability (CUDA C++ Programming Guide, table of technical specifications).
#pragma once

#include "cudart/abi/device_prop.hpp"
#include "cudart/core/calls.hpp"
#include <simtflow/cuda/settings.hpp>

namespace cudart {

/// The version of the runtime and the driver: 1000 major + 10 minor. A program asks whether the driver is new enough.
inline constexpr int runtime_version = 13000;

/// All properties, CUDA 13's last ones are zero there.
CUDART_SHARED const device_prop_12& device_properties();

/// The value of an attribute of the device (enum cudaDeviceAttr, CUdevice_attribute). \returns invalid_value if there
/// is no such attribute
CUDART_SHARED error device_attribute(int attribute, int& value);

}  // namespace cudart
