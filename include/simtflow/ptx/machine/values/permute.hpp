// SPDX-License-Identifier: BSL-1.0
//
// prmt, for one lane and for all lanes with the same selectors.
//
// Literature: NVIDIA, Parallel Thread Execution ISA, section "prmt".
#pragma once

#include <simtflow/ptx/machine/values/lanes.hpp>
#include <simtflow/ptx/text/operation.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

// prmt: the mode is a permute_mode.
constexpr std::uint32_t prmt(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t mode) {
  const std::uint64_t both = (std::uint64_t{b} << 32) | a;
  const std::uint32_t s = c & 3U;
  std::uint32_t r = 0;
  for (std::uint32_t i = 0; i < 4; ++i) {
    std::uint32_t pick = 0;
    bool sign = false;
    switch (static_cast<permute_mode>(mode)) {
      case permute_mode::none:
        pick = (c >> (4 * i)) & 7U;
        sign = ((c >> (4 * i)) & 8U) != 0;
        break;
      case permute_mode::f4e:
        pick = s + i;
        break;
      case permute_mode::b4e:
        pick = (s + 8 - i) & 7U;
        break;
      case permute_mode::rc8:
        pick = s;
        break;
      case permute_mode::ecl:
        pick = (std::max)(i, s);
        break;
      case permute_mode::ecr:
        pick = (std::min)(i, s);
        break;
      case permute_mode::rc16:
        pick = ((s & 1U) << 1) + (i & 1U);
        break;
    }
    auto byte = static_cast<std::uint32_t>((both >> (8 * pick)) & 0xFFU);
    if (sign) byte = (byte & 0x80U) != 0 ? 0xFFU : 0U;
    r |= byte << (8 * i);
  }
  return r;
}
// Selectors that do in prmt's general mode what c does in another one.
constexpr std::uint32_t permute_selectors(std::uint32_t c, permute_mode mode) {
  std::uint32_t r = 0;
  for (std::uint32_t i = 0; i < 4; ++i) {
    // A byte that holds its own number says where it came from.
    const std::uint32_t low = 0x0302'0100U;
    const std::uint32_t high = 0x0706'0504U;
    r |= ((prmt(low, high, c, static_cast<std::uint32_t>(mode)) >> (8 * i)) & 7U) << (4 * i);
  }
  return mode == permute_mode::none ? c & 0xFFFFU : r;
}
// prmt where all lanes have the same selectors.
inline void prmt_uniform(void* __restrict r, const void* __restrict a, const void* __restrict b,
                         const void* __restrict c, const void* __restrict mode) {
  std::uint32_t* out = static_cast<std::uint32_t*>(r);
  const std::uint32_t selectors = permute_selectors(
      *static_cast<const std::uint32_t*>(c), static_cast<permute_mode>(*static_cast<const std::uint32_t*>(mode)));
  for (std::size_t i = 0; i < chunk_lanes; ++i) out[i] = 0;
  for (std::uint32_t n = 0; n < 4; ++n) {
    const std::uint32_t s = (selectors >> (4 * n)) & 15U;
    const std::uint32_t* from = static_cast<const std::uint32_t*>((s & 4U) != 0 ? b : a);
    const std::uint32_t up = 24 - 8 * (s & 3U);
    const std::uint32_t down = 24 - 8 * n;
    if ((s & 8U) != 0)  // the byte's sign
      for (std::size_t i = 0; i < chunk_lanes; ++i)
        out[i] |= (static_cast<std::uint32_t>(static_cast<std::int32_t>(from[i] << up) >> 31) & 0xFF00'0000U) >> down;
    else
      for (std::size_t i = 0; i < chunk_lanes; ++i) out[i] |= ((from[i] << up) & 0xFF00'0000U) >> down;
  }
}

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
