// SPDX-License-Identifier: BSL-1.0
//
// The options of thread block compaction: Fung, Aamodt (HPCA 2011), sections 3 and 4; Rhu, Erez: CAPRI (ISCA 2012).
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/simt/home_lanes.hpp>

#include <span>

namespace simtflow {
inline namespace v0 {
namespace policies {

/// The action of a thread block's warps at a branch.
enum class compaction : unsigned char {
  always,        ///< they wait for each other and are packed
  static_warps,  ///< they wait, but threads stay in their static warps (for code that relies on static warps)
  predicted      ///< they wait and are packed at branches where packing saved warps last time (CAPRI)
};

/// "always", "static-warps", "predicted".
[[nodiscard]] constexpr const char* to_string(compaction mode) {
  switch (mode) {
    case compaction::always:
      return "always";
    case compaction::static_warps:
      return "static-warps";
    case compaction::predicted:
      return "predicted";
  }
  return "";
}

/// The options of thread block compaction. The spans must outlive the policy.
struct compaction_options {
  home_lanes lanes{};                    ///< width of a warp, and the lane of each thread
  compaction mode = compaction::always;  ///< when warps are packed
  /// By block: non-zero if all threads of the thread block leave it for one and the same block (a jump, an annotated
  /// branch, a branch that uniformity analysis proves uniform). Blocks beyond its end are not uniform.
  std::span<const unsigned char> uniform{};
  /// By block: where the paths of the branch that ends it probably reconverge before its post-dominator; no_block:
  /// nowhere. The paper takes the closest enclosing block that jumps backwards, which finds the reconvergence that
  /// `break` delays.
  std::span<const block_id> likely{};
};

}  // namespace policies
}  // namespace v0
}  // namespace simtflow
