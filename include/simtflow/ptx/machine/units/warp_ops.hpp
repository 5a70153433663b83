// SPDX-License-Identifier: BSL-1.0
//
// Exchanges among the lanes of a warp: shuffles, votes, matches, reductions, elections. Plain functions on arrays of
// lanes; the caller decides who takes part.
//
//   piece        up to 32 neighbouring lanes of one warp, which is all that these instructions know of: a warp of fewer
//                lanes is one piece, a wider one has a piece for each 32 of its lanes
//   member mask  the lanes of the piece that an instruction says it is for
//
// The manual leaves open what a lane reads from one that takes no part; here it keeps its own value.
//
// Literature: NVIDIA, Parallel Thread Execution ISA, sections "shfl.sync", "vote.sync", "match.sync", "redux.sync",
// "elect.sync", "activemask".
#pragma once

#include <simtflow/ptx/text/opcode.hpp>

#include <bit>
#include <cstdint>
#include <string>

namespace simtflow {
inline namespace v0 {
namespace ptx {

namespace detail {

/// The lane that a lane reads from, and whether it lies in its segment (if not, it is the lane itself). `amount` is the
/// operand b, `clamp` c.
struct shuffle_source {
  std::uint32_t lane;
  bool in_range;
};
[[nodiscard]] constexpr shuffle_source shuffled_from(shuffle_mode mode, std::uint32_t lane, std::uint32_t amount,
                                                     std::uint32_t clamp) {
  const std::uint32_t b = amount & 31U;
  const std::uint32_t c = clamp & 31U;
  const std::uint32_t segment = (clamp >> 8) & 31U;
  const std::uint32_t least = lane & segment;
  const std::uint32_t most = least | (c & ~segment);
  std::uint32_t from = lane;
  bool in_range = false;
  switch (mode) {
    case shuffle_mode::up:
      in_range = lane >= most + b;
      from = lane - b;
      break;
    case shuffle_mode::down:
      from = lane + b;
      in_range = from <= most;
      break;
    case shuffle_mode::bfly:
      from = lane ^ b;
      in_range = from <= most;
      break;
    default:
      from = least | (b & ~segment);
      in_range = from <= most;
      break;
  }
  return {in_range ? from : lane, in_range};
}

/// Lanes from the lowest to the highest in words: "lanes 3, 8-15".
template <class String>
void append_lanes(String& out, std::uint32_t lanes) {
  out += std::popcount(lanes) == 1 ? "lane " : "lanes ";
  bool first = true;
  for (std::uint32_t i = 0; i < 32; ++i) {
    if (((lanes >> i) & 1U) == 0) continue;
    std::uint32_t last = i;
    while (last + 1 < 32 && ((lanes >> (last + 1)) & 1U) != 0) ++last;
    if (!first) out += ", ";
    first = false;
    out += std::to_string(i);
    if (last > i + 1) out += "-" + std::to_string(last);
    if (last == i + 1) --last;  // two neighbours: one after the other
    i = last;
  }
}

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
