// SPDX-License-Identifier: BSL-1.0
//
// The part of a decoded texture or surface operation that only such operations have: eight bytes, kept as
// decoded_op::second_offset.
//
// source[0] of the operation is the handle or the address of a reference, source[1] the sampler if the text names one.
// The list holds decoded_op::count slots of data (results, or what is stored), then the coordinates, then a level of
// detail or two derivatives.
#pragma once

#include <simtflow/ptx/machine/decoded_op.hpp>
#include <simtflow/ptx/text/operation.hpp>

#include <bit>
#include <cstdint>

namespace simtflow {
inline namespace v0 {
namespace ptx {

/// The work of a texture or surface operation.
struct texture_operation {
  mnemonic what = mnemonic::tex;                       ///< tex, tld4, txq, istypep, suld, sust, sured
  texture_geometry geometry = texture_geometry::none;  ///< of the access
  texture_level level = texture_level::none;           ///< how it finds the level of detail
  texture_query query = texture_query::none;           ///< of txq
  surface_clamp clamp = surface_clamp::none;           ///< of surfaces
  std::uint8_t component = 0;                          ///< of tld4: 0 to 3; of istypep: the opaque_type
  bool integers = false;         ///< coordinates are .s32; of surfaces: they count elements, not bytes
  std::uint8_t coordinates = 0;  ///< how many slots

  /// How many slots follow the data in the list. O(1).
  [[nodiscard]] constexpr std::uint32_t sources() const {
    const std::uint32_t along = coordinates - (has_layer() ? 1U : 0U);
    return coordinates + (level == texture_level::level ? 1U : level == texture_level::grad ? 2 * along : 0U);
  }
  /// True if the first coordinate is a layer. O(1).
  [[nodiscard]] constexpr bool has_layer() const {
    return geometry == texture_geometry::a1d || geometry == texture_geometry::a2d ||
           geometry == texture_geometry::acube;
  }
};
static_assert(sizeof(texture_operation) == sizeof(std::uint64_t));

/// The number that decoded_op::second_offset holds for it. O(1).
[[nodiscard]] constexpr std::uint64_t packed(const texture_operation& t) { return std::bit_cast<std::uint64_t>(t); }
/// The texture operation of a decoded one. \pre op is of kind texture or surface. O(1).
[[nodiscard]] constexpr texture_operation texture_of(const decoded_op& op) {
  return std::bit_cast<texture_operation>(op.second_offset);
}

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
