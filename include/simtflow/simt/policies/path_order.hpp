// SPDX-License-Identifier: BSL-1.0
//
// The path of a divergent branch that runs first. The papers leave it open and machines differ, so the stacks take it
// as a parameter. As long as threads do not communicate, it changes neither their actions nor the number of fetched
// blocks. It decides which thread wins a lock, and how many paths wait at the same time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace policies {

/// The path of a divergent branch that runs first. If a program names a branch's target before its fall-through, the
/// first target is the taken path. A plain callable names targets in the order of the lanes that go there.
enum class path_order : unsigned char {
  first_target,   ///< in the order in which the program names the targets
  last_target,    ///< in the reverse order
  smaller_first,  ///< fewest lanes first; a two-way branch then leaves at most log2(warp width) paths waiting
  larger_first    ///< most lanes first
};

/// "first-target", "last-target", "smaller-first", "larger-first".
[[nodiscard]] constexpr const char* to_string(path_order order) {
  switch (order) {
    case path_order::first_target:
      return "first-target";
    case path_order::last_target:
      return "last-target";
    case path_order::smaller_first:
      return "smaller-first";
    case path_order::larger_first:
      return "larger-first";
  }
  return "";
}

namespace detail {

// Arranges the paths stack[first ..], which are in the order in which the program named them, so that the path to run
// first is last. Paths of one size keep the order of first_target. O(paths), O(paths^2) by size.
template <class Entry>
constexpr void arrange_paths(std::vector<Entry>& stack, std::size_t first, path_order order) {
  if (order == path_order::last_target) return;
  for (std::size_t i = first, j = stack.size(); i + 1 < j; ++i) {
    --j;
    const Entry kept = stack[i];
    stack[i] = stack[j];
    stack[j] = kept;
  }
  if (order == path_order::first_target) return;
  for (std::size_t i = first + 1; i < stack.size(); ++i) {
    const Entry moved = stack[i];
    const std::uint32_t size = moved.lanes.count();
    std::size_t at = i;
    for (; at > first; --at) {
      const std::uint32_t below = stack[at - 1].lanes.count();
      if (order == path_order::smaller_first ? below >= size : below <= size) break;
      stack[at] = stack[at - 1];
    }
    stack[at] = moved;
  }
}

}  // namespace detail
}  // namespace policies
}  // namespace v0
}  // namespace simtflow
