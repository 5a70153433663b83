// SPDX-License-Identifier: BSL-1.0
//
// The words and measures of a schedule picture (svg_timeline.hpp).
#pragma once

#include <simtflow/config.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace simtflow {
inline namespace v0 {

/// The meaning of an issue slot.
enum class timeline_clock : unsigned char {
  each_warp,  ///< every warp has slots of its own, as if all ran side by side; after a barrier they go on together
  shared      ///< one slot issues one instruction of one warp: the order in which the executor ran them
};

/// The clock's name: "each warp" or "shared".
[[nodiscard]] constexpr std::string_view to_string(timeline_clock clock) {
  switch (clock) {
    case timeline_clock::each_warp:
      return "each warp";
    case timeline_clock::shared:
      return "shared";
  }
  return "";
}

/// The words of one run in the picture.
struct timeline_panel {
  std::string title;           ///< the policy, for instance
  std::string note = {};       ///< after the title, in plain type
  std::string rows = "lanes";  ///< the rows; "threads" under a policy that forms warps anew
  std::string group = "warp";  ///< an instance of the policy, where a run has several
  /// Lanes of a warp, where an instance of the policy has several warps (thread block compaction). A live lane is
  /// masked while its static warp runs others, and not scheduled while other warps run. 0: an instance is one warp.
  std::uint32_t warp_width = 0;
  std::string bad_end = {};  ///< the verdict of a run that did not finish: a red line marks where it ended
};

/// The picture as a whole.
struct timeline_style {
  std::string title = {};                            ///< above all; none if empty
  std::string axis = "issue slots";                  ///< below the axis
  timeline_clock clock = timeline_clock::each_warp;  ///< the unit of the axis
  double width = 960;                                ///< at most, in points
  double widest_slot = 26;                           ///< short runs make the picture narrower and do not stretch
  bool tooltips = true;                              ///< every executed block has a text that appears when pointed at
  std::size_t rows = 2048;                     ///< at most in one run; the picture tells how many rows are left out
  std::size_t legend = 54;                     ///< blocks named in the legend at most
  std::uint64_t first_slot = 0;                ///< the picture begins there
  std::uint64_t end_slot = ~std::uint64_t{0};  ///< the slot after the last one; later slots are left out
};

}  // namespace v0
}  // namespace simtflow
