// SPDX-License-Identifier: BSL-1.0
//
// Masks of sectors of one size as masks of another size.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/timing/machine.hpp>

#include <cstdint>

namespace simtflow {
inline namespace v0 {
namespace timing {
namespace detail {

// Bits for n sectors, n in 0 .. 32.
[[nodiscard]] constexpr std::uint32_t low_bits(std::uint32_t n) { return n == 0 ? 0 : ~std::uint32_t{0} >> (32 - n); }

// Groups of `group` sectors that have a sector in the mask.
[[nodiscard]] constexpr std::uint32_t coarsen(std::uint32_t mask, std::uint32_t group) {
  if (group == 1) return mask;
  std::uint32_t out = 0;
  for (std::uint32_t g = 0; mask != 0; ++g) {
    if ((mask & low_bits(group)) != 0) out |= 1U << g;
    mask = group == 32 ? 0 : mask >> group;
  }
  return out;
}

// Groups of `group` sectors that are in the mask with all their sectors.
[[nodiscard]] constexpr std::uint32_t coarsen_whole(std::uint32_t mask, std::uint32_t group) {
  if (group == 1) return mask;
  std::uint32_t out = 0;
  for (std::uint32_t g = 0; mask != 0; ++g) {
    if ((mask & low_bits(group)) == low_bits(group)) out |= 1U << g;
    mask = group == 32 ? 0 : mask >> group;
  }
  return out;
}

// All sectors of the groups in the mask.
[[nodiscard]] constexpr std::uint32_t refine(std::uint32_t mask, std::uint32_t group) {
  if (group == 1) return mask;
  std::uint32_t out = 0;
  for (std::uint32_t g = 0; mask != 0; ++g, mask >>= 1)
    if ((mask & 1U) != 0) out |= low_bits(group) << (g * group);
  return out;
}

// Bytes that a cache fetches at a time.
[[nodiscard]] constexpr std::uint32_t fetched_bytes(const cache_parameters& c) {
  return c.sector == 0 ? c.line : c.sector;
}

// The largest sector of requests, at most 32 bytes, that divides the lines and sectors of every cache.
[[nodiscard]] constexpr std::uint32_t request_sector(const machine& m) {
  std::uint32_t bytes = 32;
  for (const cache_parameters* c : {&m.l1, &m.constant, &m.texture, &m.instruction, &m.l2})
    if (fetched_bytes(*c) < bytes) bytes = fetched_bytes(*c);
  return bytes;
}

// The longest request: it stays within a line of the L2 and within a slice.
[[nodiscard]] constexpr std::uint32_t request_line(const machine& m) {
  std::uint32_t bytes = 32 * request_sector(m);
  if (m.l2.line < bytes) bytes = m.l2.line;
  while (m.partition.interleave % bytes != 0) bytes /= 2;
  return bytes;
}

}  // namespace detail
}  // namespace timing
}  // namespace v0
}  // namespace simtflow
