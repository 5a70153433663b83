// SPDX-License-Identifier: BSL-1.0
//
// The names of loops and of the edges that leave them (loops.hpp).
#pragma once

#include <simtflow/strong_id.hpp>

#include <cstdint>

namespace simtflow {
inline namespace v0 {

/// A loop of a loop_forest: 0 .. num_loops() - 1, outer loops before the loops in them, siblings by RPO of their
/// headers.
enum class loop_id : std::uint32_t {};

/// "In no loop", "no parent".
inline constexpr loop_id no_loop{0xFFFF'FFFFU};

/// An edge that leaves a loop: the successor in that slot of `from`, a block of the loop, is `to`, which is not.
template <class V>
struct loop_exit {
  V from;                  ///< a block of the loop
  std::uint32_t slot = 0;  ///< which successor of `from`
  V to;                    ///< the block outside
  friend constexpr bool operator==(const loop_exit&, const loop_exit&) = default;
};

}  // namespace v0
}  // namespace simtflow
