// SPDX-License-Identifier: BSL-1.0
//
// Sets of blocks as bits.
#pragma once

#include <simtflow/config.hpp>

#include <bit>
#include <cstddef>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace detail {

constexpr bool has_bit(const std::vector<block_id>& bits, block_id b) { return (bits[b / 32] >> (b % 32) & 1U) != 0; }
constexpr void set_bit(std::vector<block_id>& bits, block_id b) { bits[b / 32] |= 1U << (b % 32); }
// Appends the members in ascending order and empties the set.
constexpr void take_bits(std::vector<block_id>& bits, std::vector<block_id>& members) {
  for (std::size_t w = 0; w < bits.size(); ++w) {
    for (; bits[w] != 0; bits[w] &= bits[w] - 1)
      members.push_back(static_cast<block_id>(32 * w) + static_cast<block_id>(std::countr_zero(bits[w])));
  }
}

}  // namespace detail
}  // namespace v0
}  // namespace simtflow
