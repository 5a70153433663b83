// SPDX-License-Identifier: BSL-1.0
//
// Branches: blocks that threads can leave for two blocks.
#pragma once

#include <simtflow/config.hpp>

#include <span>

namespace simtflow {
inline namespace v0 {
namespace detail {

// True if two successors differ. O(successors).
[[nodiscard]] constexpr bool has_two_arms(std::span<const block_id> out) {
  for (const block_id s : out)
    if (s != out[0]) return true;
  return false;
}

}  // namespace detail
}  // namespace v0
}  // namespace simtflow
