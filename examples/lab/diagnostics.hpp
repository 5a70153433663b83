// SPDX-License-Identifier: BSL-1.0
//
// The library's diagnostics about a text, as the tool prints them: FILE:LINE:COLUMN: message.
#pragma once

#include <simtflow/diagnostic.hpp>

#include <string>
#include <utility>

namespace lab {

/// \throws input_error with a line for each diagnostic, if there are any.
void refuse(const simtflow::diagnostics& why, const std::string& path);

/// The value of a result about the file `path`. \throws input_error with a line for each diagnostic if there is no
/// value.
template <class T>
T value_of(simtflow::result<T> r, const std::string& path) {
  refuse(r.diagnostics(), path);
  return *std::move(r);
}

}  // namespace lab
