// SPDX-License-Identifier: BSL-1.0
//
// The ways in which the path through a partially linearized graph goes on after a block (partial_linearization.hpp).
#pragma once

#include <string_view>

namespace simtflow {
inline namespace v0 {

/// How the path goes on after a block.
enum class linear_end : unsigned char {
  /// It ends.
  stop,
  /// To the only successor, whatever the lanes want.
  jump,
  /// Successor k for outcome k, on which the active lanes agree; any of them if no lane is active. If threads may end
  /// here, one more successor is for the case that all active lanes end (without it the path ends then).
  branch,
  /// Decides about a loop: to successor 0 if a lane goes on in the loop, else to successor 1, or to the end without
  /// one. A latch asks if an active lane goes to the header, a header if an active lane goes to successor 0, a turn if
  /// a lane waits for the header.
  repeat
};

/// The end in a word: "stop", "jump", "branch" or "repeat".
[[nodiscard]] constexpr std::string_view to_string(linear_end end) {
  switch (end) {
    case linear_end::stop:
      return "stop";
    case linear_end::jump:
      return "jump";
    case linear_end::branch:
      return "branch";
    case linear_end::repeat:
      return "repeat";
  }
  return "";
}

}  // namespace v0
}  // namespace simtflow
