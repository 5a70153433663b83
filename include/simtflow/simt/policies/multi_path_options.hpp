// SPDX-License-Identifier: BSL-1.0
//
// The options of multi-path execution: ElTantawy, Ma, O'Connor, Aamodt: A Scalable Multi-Path Microarchitecture for
// Efficient GPU Control Flow (HPCA 2014); the time-out of AWARE (aware.hpp).
#pragma once

#include <cstdint>

namespace simtflow {
inline namespace v0 {
namespace policies {

/// The rule that picks the split that runs next.
enum class split_schedule : unsigned char {
  depth_first,        ///< the split that came last; after a branch, the first path
  first_in_first_out  ///< the split that has not run for longest
};

/// "depth-first", "first-in-first-out".
[[nodiscard]] constexpr const char* to_string(split_schedule schedule) {
  switch (schedule) {
    case split_schedule::depth_first:
      return "depth-first";
    case split_schedule::first_in_first_out:
      return "first-in-first-out";
  }
  return "";
}

/// How multi-path execution behaves where the papers leave a choice.
struct multi_path_options {
  split_schedule schedule = split_schedule::depth_first;  ///< which split runs next
  bool early_join = false;    ///< splits with the same block and the same meeting become one
  std::uint64_t timeout = 0;  ///< executed blocks after which lanes that wait at a meeting go on; 0: never
};

}  // namespace policies
}  // namespace v0
}  // namespace simtflow
