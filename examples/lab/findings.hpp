// SPDX-License-Identifier: BSL-1.0
//
// The library's findings about a text, as the tool prints them: FILE:LINE:COLUMN: message.
#pragma once

#include <simtflow/diagnostic.hpp>

#include <string>

namespace lab {

/// \throws input_error with a line for each finding, if there are any.
void refuse(const simtflow::diagnostics& findings, const std::string& path);

}  // namespace lab
