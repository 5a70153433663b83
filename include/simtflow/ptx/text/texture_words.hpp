// SPDX-License-Identifier: BSL-1.0
//
// The words of texture and surface instructions: geometries, levels of detail, queries, what happens outside a surface.
//
// Literature: NVIDIA, Parallel Thread Execution ISA, sections "Texture Instructions", "Surface Instructions".
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace simtflow {
inline namespace v0 {
namespace ptx {

/// Handles of textures, samplers and surfaces are variables of these kinds.
enum class opaque_type : std::uint8_t { none, texref, samplerref, surfref };

/// The name of an opaque type, without the dot; empty for none.
[[nodiscard]] constexpr std::string_view to_string(opaque_type e) {
  constexpr std::string_view names[] = {"", "texref", "samplerref", "surfref"};
  return names[static_cast<std::size_t>(e)];
}

/// The shape that a texture or surface instruction reads.
enum class texture_geometry : std::uint8_t { none, d1, d2, d3, a1d, a2d, cube, acube };

/// The word of a geometry, without the dot; empty for none.
[[nodiscard]] constexpr std::string_view to_string(texture_geometry e) {
  constexpr std::string_view names[] = {"", "1d", "2d", "3d", "a1d", "a2d", "cube", "acube"};
  return names[static_cast<std::size_t>(e)];
}

/// How tex finds the level of detail.
enum class texture_level : std::uint8_t {
  none,   ///< nothing is said: the first one
  base,   ///< the first one
  level,  ///< an operand says it; of txq also
  grad    ///< from derivatives of the coordinates
};

/// The word of a level, without the dot; empty for none.
[[nodiscard]] constexpr std::string_view to_string(texture_level e) {
  constexpr std::string_view names[] = {"", "base", "level", "grad"};
  return names[static_cast<std::size_t>(e)];
}

/// The attribute that txq or suq asks for.
enum class texture_query : std::uint8_t {
  none,
  width,
  height,
  depth,
  channel_data_type,
  channel_order,
  normalized_coords,
  array_size,
  num_mipmap_levels,
  num_samples,
  force_unnormalized_coords,
  filter_mode,
  addr_mode_0,
  addr_mode_1,
  addr_mode_2,
  memory_layout
};

/// The word of a query, without the dot; empty for none.
[[nodiscard]] constexpr std::string_view to_string(texture_query e) {
  constexpr std::string_view names[] = {"",
                                        "width",
                                        "height",
                                        "depth",
                                        "channel_data_type",
                                        "channel_order",
                                        "normalized_coords",
                                        "array_size",
                                        "num_mipmap_levels",
                                        "num_samples",
                                        "force_unnormalized_coords",
                                        "filter_mode",
                                        "addr_mode_0",
                                        "addr_mode_1",
                                        "addr_mode_2",
                                        "memory_layout"};
  return names[static_cast<std::size_t>(e)];
}

/// The effect of an access outside a surface.
enum class surface_clamp : std::uint8_t {
  none,   ///< nothing is said: as trap
  trap,   ///< a fault
  clamp,  ///< the nearest element inside is accessed
  zero    ///< loads give 0, stores do nothing
};

/// The word of a clamp, without the dot; empty for none.
[[nodiscard]] constexpr std::string_view to_string(surface_clamp e) {
  constexpr std::string_view names[] = {"", "trap", "clamp", "zero"};
  return names[static_cast<std::size_t>(e)];
}

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
