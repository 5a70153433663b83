// SPDX-License-Identifier: BSL-1.0
//
// The likelihood that the threads of a warp part at a branch, and that they agree on one side.
#pragma once

#include <simtflow/config.hpp>

namespace simtflow {
inline namespace v0 {

/// The three kinds of warps that come to a branch: their threads part, all of them take the first slot, or all of them
/// take the second slot. Both numbers lie between 0 and 1. The default is what nothing is known about.
struct branch_likelihood {
  double parted = 0.5;  ///< the part of warps whose threads go both ways
  double first = 0.5;   ///< of the other warps, the part whose threads all take slot 0

  /// The part of all warps whose threads all take slot 0.
  [[nodiscard]] constexpr double all_first() const { return (1 - parted) * first; }
  /// The part of all warps whose threads all take slot 1.
  [[nodiscard]] constexpr double all_second() const { return (1 - parted) * (1 - first); }

  friend constexpr bool operator==(const branch_likelihood&, const branch_likelihood&) = default;
};

}  // namespace v0
}  // namespace simtflow
