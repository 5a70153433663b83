// SPDX-License-Identifier: BSL-1.0
//
// The likelihood that the threads of a warp diverge at a branch, and that they agree on one side.
#pragma once

#include <simtflow/config.hpp>

namespace simtflow {
inline namespace v0 {

/// The three kinds of warps that come to a branch: *parted* warps have threads that go both ways; all threads of the
/// other warps take the first slot, or all take the second slot. Both numbers lie between 0 and 1; the defaults stand
/// for an unknown branch.
struct branch_likelihood {
  double parted = 0.5;  ///< the share of warps with threads that go both ways
  double first = 0.5;   ///< the share of the other warps with slot 0 for all threads

  /// The share of all warps with slot 0 for all threads.
  [[nodiscard]] constexpr double all_first() const { return (1 - parted) * first; }
  /// The share of all warps with slot 1 for all threads.
  [[nodiscard]] constexpr double all_second() const { return (1 - parted) * (1 - first); }

  friend constexpr bool operator==(const branch_likelihood&, const branch_likelihood&) = default;
};

}  // namespace v0
}  // namespace simtflow
