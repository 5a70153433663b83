// SPDX-License-Identifier: BSL-1.0
//
// Kernels from text for the tests of ptx/.
#pragma once

#include "ptx/support.hpp"
#include <simtflow/ptx/decode/decode.hpp>

namespace simtflow_tests {

/// The first kernel of a text that must be in order.
ptx::decoded_kernel decoded(std::string_view text);

}  // namespace simtflow_tests
