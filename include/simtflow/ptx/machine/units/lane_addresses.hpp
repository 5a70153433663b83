// SPDX-License-Identifier: BSL-1.0
//
// Addresses that lanes access, and single accesses.
#pragma once

#include <simtflow/ptx/machine/decoded_op.hpp>
#include <simtflow/ptx/machine/units/lane_set.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

// Addresses of all lanes, also of those that are switched off.
inline void addresses_of(const decoded_op& op, const lane_set& s, std::uint64_t* __restrict out) {
  const void* base = s.source(op.source[0]);
  if (is_wide(op.source[0])) {
    const auto* a = static_cast<const std::uint64_t*>(base);
    const std::uint64_t offset = op.offset;
    for (std::size_t i = 0; i < chunk_lanes; ++i) out[i] = a[i] + offset;
  } else {
    const auto* a = static_cast<const std::uint32_t*>(base);
    const auto offset = static_cast<std::uint32_t>(op.offset);
    for (std::size_t i = 0; i < chunk_lanes; ++i) out[i] = a[i] + offset;
  }
}

// The number in `size` bytes, extended by zeros or by its sign.
inline std::uint64_t load_bytes(const unsigned char* p, std::uint32_t size, bool sign) {
  std::uint64_t v = 0;
  std::memcpy(&v, p, size);
  if (sign && size < 8) {
    const std::uint64_t top = std::uint64_t{1} << (8 * size - 1);
    v = (v ^ top) - top;
  }
  return v;
}

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
