// SPDX-License-Identifier: BSL-1.0
//
// How a dominator or post-dominator tree is verified, and what the verification reports.
#pragma once

#include <simtflow/config.hpp>

namespace simtflow {
inline namespace v0 {

/// How much verify() may spend.
enum class effort : unsigned char {
  quick,   ///< the numbering agrees with the tree: linear in the blocks
  normal,  ///< also reachability, and for every edge u -> v the immediate dominator of v dominates u: linear
  full     ///< also the definition: remove each block and search. blocks x (blocks + edges)
};

/// The result of verify(): nothing, or one broken promise and the blocks that break it.
struct tree_check {
  const char* broken = nullptr;  ///< the promise in words; null if all hold
  block_id a = no_block,         ///< the block that the promise is about; no_block if all hold
      b = no_block;              ///< the other one; no_block if the promise is about one
  [[nodiscard]] constexpr explicit operator bool() const { return broken == nullptr; }  ///< nothing is broken
};

}  // namespace v0
}  // namespace simtflow
