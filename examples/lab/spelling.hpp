// SPDX-License-Identifier: BSL-1.0
//
// Suggests a known word for an unknown one. (CLI11 has no such function.)
#pragma once

#include <simtflow/simt/detail/spelling.hpp>

namespace lab {

/// " (did you mean WORD?)" with the known word nearest to a word; empty if every known word is too far.
using simtflow::detail::did_you_mean;

}  // namespace lab
