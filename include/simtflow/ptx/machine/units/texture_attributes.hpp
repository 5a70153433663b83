// SPDX-License-Identifier: BSL-1.0
//
// The attributes of textures, samplers and surfaces that txq and suq ask for, as numbers.
//
// Literature: NVIDIA, Parallel Thread Execution ISA, sections "txq", "suq" and "Channel Data Type and Channel Order
// Fields": the numbers of formats are OpenCL's.
#pragma once

#include <simtflow/ptx/machine/textures.hpp>
#include <simtflow/ptx/text/texture_words.hpp>

#include <cstdint>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

/// OpenCL's number of a channel format, as it is read.
[[nodiscard]] constexpr std::uint32_t channel_data_type(const texture& t) {
  const texel_format& f = t.image.format;
  const std::uint32_t size = f.bits == 8 ? 0 : f.bits == 16 ? 1 : 2;
  if (f.kind == channel_kind::floating) return f.bits == 16 ? 0x10DDU : 0x10DEU;
  const bool is_signed = f.kind == channel_kind::signed_integer;
  if (t.normalized_read && size < 2) return (is_signed ? 0x10D0U : 0x10D2U) + size;
  return (is_signed ? 0x10D7U : 0x10DAU) + size;
}

/// The answer to a query. Address modes count wrap, mirror, clamp_ogl, clamp_to_edge, clamp_to_border.
[[nodiscard]] constexpr std::uint32_t attribute_of(const texture& t, texture_query query, std::uint32_t level) {
  const image_level l = level_of(t.image, level < t.image.levels ? level : t.image.levels - 1);
  const bool cube = t.image.shape == image_shape::cube || t.image.shape == image_shape::layered_cube;
  const auto mode = [&](std::uint32_t axis) {
    constexpr std::uint32_t numbers[] = {0, 3, 1, 4};
    return numbers[static_cast<std::uint32_t>(t.how.address[axis])];
  };
  switch (query) {
    case texture_query::width:
      return l.width;
    case texture_query::height:
      return l.height;
    case texture_query::depth:
      return t.image.shape == image_shape::d3 ? l.slices : 1;
    case texture_query::channel_data_type:
      return channel_data_type(t);
    case texture_query::channel_order:
      return t.image.format.channels == 1 ? 0x10B0U : t.image.format.channels == 2 ? 0x10B2U : 0x10B5U;
    case texture_query::normalized_coords:
      return t.how.normalized_coordinates ? 1 : 0;
    case texture_query::array_size:
      return t.image.shape == image_shape::d3 ? 1 : cube ? t.image.slices / 6 : t.image.slices;
    case texture_query::num_mipmap_levels:
      return t.image.levels;
    case texture_query::num_samples:
      return 1;
    case texture_query::force_unnormalized_coords:
      return t.how.normalized_coordinates ? 0 : 1;
    case texture_query::filter_mode:
      return t.how.filter == filter_mode::linear ? 1 : 0;
    case texture_query::addr_mode_0:
      return mode(0);
    case texture_query::addr_mode_1:
      return mode(1);
    case texture_query::addr_mode_2:
      return mode(2);
    case texture_query::memory_layout:
      return t.image.shape == image_shape::linear ? 1 : 0;
    case texture_query::none:
      break;
  }
  return 0;
}

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
