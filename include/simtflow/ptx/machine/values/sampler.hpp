// SPDX-License-Identifier: BSL-1.0
//
// The state that says how coordinates become texels: address modes and filters, and the texels and weights along one
// axis that a coordinate means.
//
// Along an axis of n texels the coordinate x (times n if coordinates are normalized) means texel floor(x), or with a
// linear filter texels i = floor(xB) and i + 1 for xB = x - 0.5. The weight of the second one is frac(xB), rounded to
// the nearest multiple of 1/256 (ties upwards), so that 1 is a weight also. Coordinates outside the axis mean
//
//   clamp    the first or the last texel
//   border   no texel: the border's color counts
//   wrap     frac(x); only with normalized coordinates, else clamp
//   mirror   frac(x), or 1 - frac(x) if floor(x) is odd; only with normalized coordinates, else clamp
//
// A coordinate that is NaN counts as 0. A coordinate beyond 2^40 texels counts as 2^40.
//
// Literature: NVIDIA, CUDA C++ Programming Guide, appendix "Texture Fetching"; the guide fixes the format of weights
// (9 bits, 8 of them a fraction), but not how a weight is rounded: to nearest is the choice here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace simtflow {
inline namespace v0 {
namespace ptx {

/// The texel for a coordinate outside a texture. The numbers are CUDA's.
enum class address_mode : std::uint8_t {
  wrap,    ///< the texture repeats
  clamp,   ///< the texel at the edge
  mirror,  ///< the texture repeats, every second time mirrored
  border   ///< the border's color
};

/// The name of an address mode.
[[nodiscard]] constexpr std::string_view to_string(address_mode e) {
  constexpr std::string_view names[] = {"wrap", "clamp", "mirror", "border"};
  return names[static_cast<std::size_t>(e)];
}

/// The texels that make up a value. The numbers are CUDA's.
enum class filter_mode : std::uint8_t {
  point,  ///< the texel that the coordinate lies in
  linear  ///< the weighted sum of the nearest texels, two along each axis
};

/// The name of a filter.
[[nodiscard]] constexpr std::string_view to_string(filter_mode e) {
  constexpr std::string_view names[] = {"point", "linear"};
  return names[static_cast<std::size_t>(e)];
}

/// The state of a sampler.
struct sampler {
  address_mode address[3] = {address_mode::clamp, address_mode::clamp, address_mode::clamp};  ///< by axis
  filter_mode filter = filter_mode::point;         ///< among the texels of a level
  filter_mode mipmap_filter = filter_mode::point;  ///< between two levels
  bool normalized_coordinates = false;             ///< True if the texture spans [0, 1) along each axis
  bool srgb = false;         ///< True if red, green and blue of 8 bits, read normalized, become linear intensities
  float border[4] = {};      ///< the border's color
  float level_bias = 0;      ///< added to a level of detail
  float least_level = 0;     ///< of detail
  float greatest_level = 0;  ///< of detail
  friend bool operator==(const sampler&, const sampler&) = default;
};

namespace detail {

/// Texels along an axis, and the weight of the second one in 1/256. An index of -1 is the border.
struct axis_texels {
  std::int64_t first = 0;
  std::int64_t second = 0;
  std::uint32_t weight = 0;
};

/// floor(x) of a number, as an integer; numbers beyond 2^40 are 2^40.
[[nodiscard]] constexpr std::int64_t floor_of(double x) {
  constexpr double limit = 1099511627776.0;
  if (x > limit) x = limit;
  if (x < -limit) x = -limit;
  const auto i = static_cast<std::int64_t>(x);
  return static_cast<double>(i) > x ? i - 1 : i;
}

/// The whole number at or below x.
[[nodiscard]] constexpr double whole_part(double x) {
  constexpr double all_whole = 4503599627370496.0;  // 2^52
  return x > -all_whole && x < all_whole ? static_cast<double>(static_cast<std::int64_t>(x)) -
                                               (static_cast<double>(static_cast<std::int64_t>(x)) > x ? 1 : 0)
                                         : x;
}

/// The address mode of an axis that counts: coordinates that are not normalized do not repeat.
[[nodiscard]] constexpr address_mode effective_mode(const sampler& s, std::size_t axis) {
  const address_mode m = s.address[axis];
  return s.normalized_coordinates || m == address_mode::border ? m : address_mode::clamp;
}

/// The texel of index i on an axis of n texels; -1: the border. An index of a wrapped axis is at most n away.
/// \pre n > 0.
[[nodiscard]] constexpr std::int64_t addressed(std::int64_t i, std::int64_t n, address_mode mode) {
  if (i >= 0 && i < n) return i;
  if (mode == address_mode::border) return -1;
  if (mode == address_mode::wrap) return i < 0 ? n - 1 : 0;
  return i < 0 ? 0 : n - 1;
}

/// The texels of a coordinate, for an effective address mode. Exact if the coordinate is a single, n is below 2^29, and
/// a wrapped coordinate is no tiny negative number. \pre n > 0.
[[nodiscard]] constexpr axis_texels texels_at(double x, std::int64_t n, address_mode mode, bool normalized,
                                              bool linear) {
  if (!(x - x == 0)) x = x > 0 ? 1.0e30 : x < 0 ? -1.0e30 : 0;  // infinite, or no number
  if (mode == address_mode::wrap || mode == address_mode::mirror) {
    const double whole = whole_part(x);
    x -= whole;
    if (mode == address_mode::mirror && whole - 2 * whole_part(whole / 2) != 0) x = 1 - x;
  }
  if (normalized) x *= static_cast<double>(n);
  if (!linear) {
    const std::int64_t i = addressed(floor_of(x), n, mode == address_mode::wrap ? address_mode::clamp : mode);
    return {i, i, 0};
  }
  const double shifted = x - 0.5;
  const std::int64_t i = floor_of(shifted);
  double fraction = shifted - static_cast<double>(i);
  if (!(fraction < 1)) fraction = 0;  // far outside
  return {addressed(i, n, mode), addressed(i + 1, n, mode), static_cast<std::uint32_t>(fraction * 256 + 0.5)};
}

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
