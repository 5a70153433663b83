// SPDX-License-Identifier: BSL-1.0
//
// The common parts of the versions of a function.
#pragma once

#include "cudart/core/calls.hpp"

namespace cudart {

/// Everything but reserved words. A pointer that CUDA does not know is memory of the host and no error.
error get_pointer_attributes(pointer_attributes& to, const void* pointer);

/// Everything that CUDA 11 has; later versions add clusters. \returns an error if the function is no kernel
error get_function_attributes(function_attributes& to, const void* function);

}  // namespace cudart
