// SPDX-License-Identifier: BSL-1.0
//
// How long tests over random programs run: as long as they say, or SIMTFLOW_LONG times as long (`ctest --preset long`).
#pragma once

#include <cstdint>
#include <cstdlib>

namespace simtflow_tests {

/// n, times the number in the environment variable SIMTFLOW_LONG.
inline std::uint64_t times(std::uint64_t n) {
  static const std::uint64_t factor = [] {
    const char* text = std::getenv("SIMTFLOW_LONG");
    const unsigned long long number = text == nullptr ? 1 : std::strtoull(text, nullptr, 10);
    return number == 0 ? 1 : static_cast<std::uint64_t>(number);
  }();
  return n * factor;
}

}  // namespace simtflow_tests
