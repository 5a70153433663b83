// SPDX-License-Identifier: BSL-1.0
//
// The lanes of a chunk that run an operation, and their registers: structure-of-arrays, 32 lanes of a register side by
// side (ptx/machine/units/register_file.hpp owns them). Operands are read as whole arrays; results go to the lanes of a
// mask.
//
//   full  a mask that holds every lane of the chunk that has not ended: results then go straight to the register
#pragma once

#include <simtflow/ptx/machine/decoded_op.hpp>
#include <simtflow/ptx/machine/values/lanes.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

inline constexpr std::uint32_t all_lanes = 0xFFFF'FFFFU;

/// The number of lanes in a mask; not std::popcount, which is a call where the processor may lack the instruction.
[[nodiscard]] constexpr std::uint32_t count_of(std::uint32_t mask) {
  mask -= (mask >> 1) & 0x5555'5555U;
  mask = (mask & 0x3333'3333U) + ((mask >> 2) & 0x3333'3333U);
  return (((mask + (mask >> 4)) & 0x0F0F'0F0FU) * 0x0101'0101U) >> 24;
}

/// The lanes of a mask from one array to another.
inline void merge32(std::uint32_t* __restrict to, const std::uint32_t* __restrict from, std::uint32_t mask) {
  constexpr std::uint32_t few_lanes = 8;  // cheaper one by one than all 32
  if (count_of(mask) <= few_lanes) {
    for (; mask != 0; mask &= mask - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(mask));
      to[i] = from[i];
    }
    return;
  }
  for (std::size_t i = 0; i < chunk_lanes; ++i) to[i] = (mask & bit_of_lane.at[i]) != 0 ? from[i] : to[i];
}
inline void merge64(std::uint64_t* __restrict to, const std::uint64_t* __restrict from, std::uint32_t mask) {
  for (; mask != 0; mask &= mask - 1) {
    const auto i = static_cast<std::size_t>(std::countr_zero(mask));
    to[i] = from[i];
  }
}

/// Registers are written through it, although it is const itself.
struct lane_set {
  unsigned char* base[4] = {};  // by the top bits of a slot: 32-bit and 64-bit registers, 32-bit and 64-bit constants
  std::uint32_t* predicates = nullptr;
  std::uint32_t mask = 0;          // lanes that run
  std::uint32_t live = 0;          // lanes that have not ended
  std::uint32_t first_thread = 0;  // of lane 0
  std::size_t first_lane = 0;      // of the chunk, counted over all chunks

  /// The 32 lanes of a register or constant.
  [[nodiscard]] void* destination(slot_ref r) const { return base[r >> 30] + slot_offset(r); }
  [[nodiscard]] const void* source(slot_ref r) const { return destination(r); }

  [[nodiscard]] std::uint64_t read(slot_ref r, std::size_t lane) const {
    return is_wide(r) ? static_cast<const std::uint64_t*>(source(r))[lane]
                      : static_cast<const std::uint32_t*>(source(r))[lane];
  }
  void write(slot_ref r, std::size_t lane, std::uint64_t value) const {
    if (is_wide(r))
      static_cast<std::uint64_t*>(destination(r))[lane] = value;
    else
      static_cast<std::uint32_t*>(destination(r))[lane] = static_cast<std::uint32_t>(value);
  }

  /// Lanes of a mask from an array that is not the register itself.
  void deliver(slot_ref r, const void* from, std::uint32_t lanes, bool full) const {
    void* to = destination(r);
    if (is_wide(r)) {
      if (full)
        std::memcpy(to, from, chunk_lanes * sizeof(std::uint64_t));
      else
        merge64(static_cast<std::uint64_t*>(to), static_cast<const std::uint64_t*>(from), lanes);
    } else if (full) {
      std::memcpy(to, from, chunk_lanes * sizeof(std::uint32_t));
    } else {
      merge32(static_cast<std::uint32_t*>(to), static_cast<const std::uint32_t*>(from), lanes);
    }
  }

  /// The lanes for which a predicate holds.
  [[nodiscard]] std::uint32_t where(predicate_ref p) const {
    const std::uint32_t v = p.index == no_index ? all_lanes : predicates[p.index];
    return p.negated ? ~v : v;
  }
  void write_predicate(std::uint32_t p, std::uint32_t value, std::uint32_t lanes) const {
    predicates[p] = (predicates[p] & ~lanes) | (value & lanes);
  }
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
