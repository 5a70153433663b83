// SPDX-License-Identifier: BSL-1.0
//
// The formats of texels, as the driver API numbers them (CUarray_format).
#pragma once

#include "cudart/driver/driver.hpp"

namespace cudart {

/// The format of a number and of so many channels. \returns invalid_value if textures have no such format here
error format_of(int format, unsigned channels, simtflow::ptx::texel_format& to);
/// The number of a format.
int number_of(const simtflow::ptx::texel_format& format);

}  // namespace cudart
