// SPDX-License-Identifier: BSL-1.0
//
// The rules by which thread frontiers are computed, and the figures of a result.
#pragma once

#include <cstddef>

namespace simtflow {
inline namespace v0 {

/// The way to compute frontiers; thread_frontiers.hpp and frontier_baselines.hpp define them.
enum class frontier_rule : unsigned char {
  fixpoint,     ///< the definition: sound for every order
  algorithm_1,  ///< the paper's Algorithm 1 as printed: unsound
  ocelot        ///< GPU Ocelot's variant: unsound on loops
};

/// The name of a rule: "fixpoint". (Text is const char* in the analyses: `<string_view>` costs as much as a sixth of
/// `<vector>` and `<span>`.)
[[nodiscard]] constexpr const char* to_string(frontier_rule rule) {
  switch (rule) {
    case frontier_rule::fixpoint:
      return "fixpoint";
    case frontier_rule::algorithm_1:
      return "algorithm_1";
    case frontier_rule::ocelot:
      return "ocelot";
  }
  return "";
}

/// The figures of merit of a graph under a priority order.
struct frontier_statistics {
  std::size_t blocks = 0;       ///< blocks that were considered, the sentinel left out
  double average_size = 0;      ///< mean frontier size over them; 0 if there are none
  std::size_t max_size = 0;     ///< largest frontier among them
  std::size_t check_edges = 0;  ///< edges from them into their own frontier, parallel edges each
  std::size_t join_blocks = 0;  ///< distinct targets of those edges
};

}  // namespace v0
}  // namespace simtflow
