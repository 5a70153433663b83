// SPDX-License-Identifier: BSL-1.0
//
// Pieces of global memory.
#pragma once

#include <simtflow/config.hpp>

#include <cstdint>

namespace simtflow {
inline namespace v0 {
namespace timing {

/// A piece of global memory.
struct memory_range {
  std::uint64_t address = 0;  ///< of its first byte
  std::uint64_t bytes = 0;    ///< its length; address + bytes <= 2^62
  /// The same piece.
  friend constexpr bool operator==(const memory_range&, const memory_range&) = default;
};

}  // namespace timing
}  // namespace v0
}  // namespace simtflow
