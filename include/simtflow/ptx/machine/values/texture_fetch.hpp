// SPDX-License-Identifier: BSL-1.0
//
// The values of texture fetches: functions of a texture, its texels and coordinates, and of nothing else.
//
// A linear filter adds up the 2, 4 or 8 texels around the coordinate, each times the product of its weights along the
// axes (sampler.hpp). The guide's formula is computed on whole weights and rounded to single precision at the end; it
// fixes the weights, but not how the sum is rounded. A texel of weight 0 does not count, even if it is infinite.
// Integers that are read normalized are divided by the largest one after they were added up.
//
// Literature: NVIDIA, CUDA C++ Programming Guide, appendix "Texture Fetching" and section "Cubemap Textures"; Parallel
// Thread Execution ISA, sections "tex", "tld4".
#pragma once

#include <simtflow/ptx/machine/texture_image.hpp>
#include <simtflow/ptx/machine/textures.hpp>
#include <simtflow/ptx/machine/values/sampler.hpp>
#include <simtflow/ptx/machine/values/texel.hpp>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace simtflow {
inline namespace v0 {
namespace ptx {

/// The operands of a fetch.
struct texture_coordinates {
  double at[3] = {};       ///< x, y, z; of a cube: a direction
  std::int32_t layer = 0;  ///< of a layered texture
  float level = 0;         ///< of detail; counts if the texture has more than one
  bool integers = false;   ///< True if the coordinates count texels, whatever the sampler says, and nothing is filtered
};

namespace detail {

/// A point on a cube: the face, and the coordinates from 0 to 1 on it.
struct cube_point {
  std::uint32_t face;
  double s, t;
};
[[nodiscard]] inline cube_point on_cube(double x, double y, double z) {
  const double ax = std::fabs(x), ay = std::fabs(y), az = std::fabs(z);
  const auto on = [](std::uint32_t face, double m, double s, double t) {
    return cube_point{face, (s / m + 1) / 2, (t / m + 1) / 2};
  };
  if (ax >= ay && ax >= az) return x >= 0 ? on(0, ax, -z, -y) : on(1, ax, z, -y);
  if (ay >= az) return y >= 0 ? on(2, ay, x, z) : on(3, ay, x, -z);
  return z >= 0 ? on(4, az, x, -y) : on(5, az, -x, -y);
}

/// The texels of a level that a fetch reads: along each axis, and the slice of a texture without a third axis.
struct texel_block {
  axis_texels axis[3];
  std::uint32_t axes = 1;
};

[[nodiscard]] constexpr bool is_cube(image_shape s) { return s == image_shape::cube || s == image_shape::layered_cube; }
/// The number of coordinates of a shape, its layer not counted.
[[nodiscard]] constexpr std::uint32_t coordinates_of(image_shape s) {
  switch (s) {
    case image_shape::d2:
    case image_shape::layered_2d:
      return 2;
    case image_shape::d3:
    case image_shape::cube:
    case image_shape::layered_cube:
      return 3;
    default:
      return 1;
  }
}

/// True if fetches of a texture add up texels.
[[nodiscard]] constexpr bool filters(const texture& t, bool integers) {
  return !integers && t.how.filter == filter_mode::linear && t.image.shape != image_shape::linear &&
         (t.image.format.kind == channel_kind::floating || t.normalized_read);
}

[[nodiscard]] inline texel_block block_at(const texture& t, const image_level& l, const texture_coordinates& c,
                                          bool linear) {
  texel_block b;
  const bool cube = is_cube(t.image.shape);
  const bool normalized = cube || (t.how.normalized_coordinates && !c.integers);
  double at[3] = {c.at[0], c.at[1], c.at[2]};
  std::uint32_t slice = 0;
  if (cube) {
    const cube_point p = on_cube(at[0], at[1], at[2]);
    at[0] = p.s;
    at[1] = p.t;
    slice = p.face;
  }
  b.axes = cube ? 2 : coordinates_of(t.image.shape);
  const std::uint32_t extent[3] = {l.width, l.height, l.slices};
  for (std::uint32_t a = 0; a < b.axes; ++a) {
    address_mode mode = cube ? address_mode::clamp : effective_mode(t.how, a);
    if (c.integers && mode != address_mode::border) mode = address_mode::clamp;
    if (t.image.shape == image_shape::linear) mode = address_mode::border;
    b.axis[a] = texels_at(at[a], extent[a], mode, normalized, linear);
  }
  if (t.image.shape != image_shape::d3) {
    const std::uint32_t each = cube ? 6 : 1;
    const std::int64_t layers = l.slices / each;
    const std::int64_t layer = c.layer < 0 ? 0 : c.layer < layers ? c.layer : layers - 1;
    const std::int64_t s = layer * each + slice;
    b.axis[2] = {s, s, 0};
  }
  return b;
}

/// The number that a red, green or blue channel of 8 bits means in the sRGB color space.
[[nodiscard]] inline double from_srgb(double v) {
  return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
}

/// One texel; null: the border.
[[nodiscard]] inline const unsigned char* texel_at(const texture& t, const unsigned char* texels, const image_level& l,
                                                   std::int64_t x, std::int64_t y, std::int64_t z) {
  if (x < 0 || y < 0 || z < 0) return nullptr;
  return texels + l.at(static_cast<std::uint64_t>(x), static_cast<std::uint64_t>(y), static_cast<std::uint64_t>(z),
                       t.image.format.bytes());
}

/// Channels of a texture as numbers: the divisor that makes a normalized integer one, and the values before it.
class channel_reader {
 public:
  channel_reader(const texture& t, std::uint32_t channel)
      : f_(t.image.format),
        offset_(channel * (f_.bits / 8U)),
        normalized_(t.normalized_read && f_.is_normalizable()),
        srgb_(normalized_ && t.how.srgb && f_.bits == 8 && f_.kind == channel_kind::unsigned_integer && channel < 3),
        border_(t.image.shape == image_shape::linear ? 0 : t.how.border[channel]) {}

  /// True if values are no integers as they lie in memory.
  [[nodiscard]] bool is_number() const { return normalized_ || f_.kind == channel_kind::floating; }
  [[nodiscard]] double divisor() const { return normalized_ && !srgb_ ? largest_integer(f_) : 1; }

  [[nodiscard]] double number(const unsigned char* p) const {
    if (p == nullptr) return static_cast<double>(border_) * divisor();
    const std::uint32_t v = read_channel(f_, p + offset_);
    if (f_.kind == channel_kind::floating) return static_cast<double>(std::bit_cast<float>(v));
    if (f_.kind == channel_kind::unsigned_integer) return srgb_ ? from_srgb(v / 255.0) : v;
    const double least = -divisor();  // -128 and -127 mean -1
    const auto s = static_cast<double>(static_cast<std::int32_t>(v));
    return s < least ? least : s;
  }
  /// The 32 bits of a channel of a single texel.
  [[nodiscard]] std::uint32_t bits(const unsigned char* p) const {
    if (normalized_) return std::bit_cast<std::uint32_t>(static_cast<float>(number(p) / divisor()));
    if (p != nullptr) return read_channel(f_, p + offset_);
    if (f_.kind == channel_kind::floating) return std::bit_cast<std::uint32_t>(border_);
    return static_cast<std::uint32_t>(floor_of(static_cast<double>(border_)));
  }

 private:
  texel_format f_;
  std::uint32_t offset_;
  bool normalized_;
  bool srgb_;
  float border_;
};

/// The weighted sum of a channel over a block, in units of 256^-axes.
[[nodiscard]] inline double weighted_sum(const texture& t, const unsigned char* texels, const image_level& l,
                                         const texel_block& b, const channel_reader& channel) {
  double sum = 0;
  for (std::uint32_t corner = 0; corner < (1U << b.axes); ++corner) {
    std::int64_t at[3] = {0, 0, b.axis[2].first};
    std::uint32_t weight = 1;
    for (std::uint32_t a = 0; a < b.axes; ++a) {
      const bool second = (corner >> a & 1U) != 0;
      at[a] = second ? b.axis[a].second : b.axis[a].first;
      weight *= second ? b.axis[a].weight : 256 - b.axis[a].weight;
    }
    if (weight != 0) sum += weight * channel.number(texel_at(t, texels, l, at[0], at[1], at[2]));
  }
  return sum;
}

}  // namespace detail

/// The first texel of level 0 that a fetch reads, in bytes from the first texel of the image; no value of it is looked
/// at. A coordinate outside gives the first texel of the image. O(1).
[[nodiscard]] inline std::uint64_t first_texel(const texture& t, const texture_coordinates& c) {
  const image_level l = level_of(t.image, 0);
  const detail::texel_block b = detail::block_at(t, l, c, detail::filters(t, c.integers));
  const std::int64_t y = b.axes > 1 ? b.axis[1].first : 0;
  if (b.axis[0].first < 0 || y < 0 || b.axis[2].first < 0) return 0;
  return l.at(static_cast<std::uint64_t>(b.axis[0].first), static_cast<std::uint64_t>(y),
              static_cast<std::uint64_t>(b.axis[2].first), t.image.format.bytes());
}

/// The value of a texture at coordinates: tex. Numbers are singles; integers that are not read normalized are integers.
/// Levels of detail: with a point filter between levels the nearest one, else both with the fraction in 1/256.
/// O(channels), times 2^axes with a linear filter, plus O(levels).
/// \pre is_valid(t.image), and `texels` points to its first texel.
[[nodiscard]] inline texel fetch(const texture& t, const unsigned char* texels, const texture_coordinates& c) {
  const bool linear = detail::filters(t, c.integers);
  const texel_format& f = t.image.format;
  double level = 0;
  if (t.image.levels > 1) {
    level = static_cast<double>(c.level) + static_cast<double>(t.how.level_bias);
    if (!(level > static_cast<double>(t.how.least_level))) level = static_cast<double>(t.how.least_level);
    if (level > static_cast<double>(t.how.greatest_level)) level = static_cast<double>(t.how.greatest_level);
    if (!(level > 0)) level = 0;
    if (level > t.image.levels - 1.0) level = t.image.levels - 1.0;
  }
  const bool numbers = f.kind == channel_kind::floating || (t.normalized_read && f.is_normalizable());
  const bool between = numbers && t.how.mipmap_filter == filter_mode::linear;
  const auto upper = static_cast<std::uint32_t>(between ? level : level + 0.5);
  const auto share = between ? static_cast<std::uint32_t>((level - upper) * 256 + 0.5) : 0U;  // of the level after it
  const image_level l = level_of(t.image, upper);
  const detail::texel_block b = detail::block_at(t, l, c, linear);
  texel out;
  for (std::uint32_t channel = 0; channel < 4; ++channel) {
    if (channel >= f.channels) {
      out.at[channel] = detail::missing_channel(f, channel, t.normalized_read);
      continue;
    }
    const detail::channel_reader read(t, channel);
    if (!linear && share == 0) {
      const std::int64_t y = b.axes > 1 ? b.axis[1].first : 0;
      out.at[channel] = read.bits(detail::texel_at(t, texels, l, b.axis[0].first, y, b.axis[2].first));
      continue;
    }
    const double unit = static_cast<double>(1U << (8 * b.axes));
    double sum = detail::weighted_sum(t, texels, l, b, read) / unit;
    if (share != 0) {
      const image_level next = level_of(t.image, upper + 1);
      const detail::texel_block second = detail::block_at(t, next, c, linear);
      sum = ((256 - share) * sum + share * (detail::weighted_sum(t, texels, next, second, read) / unit)) / 256;
    }
    out.at[channel] = std::bit_cast<std::uint32_t>(static_cast<float>(sum / read.divisor()));
  }
  return out;
}

/// One channel of the four texels that a linear filter at the coordinates would read: tld4. In the order of the manual:
/// lower left, lower right, upper right, upper left, where rows are counted downwards. O(1).
/// \pre as for fetch(), and component < 4.
[[nodiscard]] inline texel gather(const texture& t, const unsigned char* texels, const texture_coordinates& c,
                                  std::uint32_t component) {
  const image_level l = level_of(t.image, 0);
  const detail::texel_block b = detail::block_at(t, l, c, true);
  const std::int64_t x[4] = {b.axis[0].first, b.axis[0].second, b.axis[0].second, b.axis[0].first};
  const std::int64_t y[4] = {b.axis[1].second, b.axis[1].second, b.axis[1].first, b.axis[1].first};
  texel out;
  for (std::uint32_t i = 0; i < 4; ++i)
    out.at[i] =
        component < t.image.format.channels
            ? detail::channel_reader(t, component).bits(detail::texel_at(t, texels, l, x[i], y[i], b.axis[2].first))
            : detail::missing_channel(t.image.format, component, t.normalized_read);
  return out;
}

/// The level of detail of a fetch with the derivatives of its coordinates along x and y of the screen: the binary
/// logarithm of the longer one, in texels. O(1).
[[nodiscard]] inline float level_of_gradients(const texture& t, const double (&dx)[3], const double (&dy)[3]) {
  const std::uint32_t extent[3] = {t.image.width, t.image.height, t.image.slices};
  const std::uint32_t axes = detail::is_cube(t.image.shape) ? 2 : detail::coordinates_of(t.image.shape);
  double x = 0, y = 0;
  for (std::uint32_t a = 0; a < axes; ++a) {
    const double n = t.how.normalized_coordinates ? extent[a] : 1;
    x += dx[a] * n * (dx[a] * n);
    y += dy[a] * n * (dy[a] * n);
  }
  return static_cast<float>(std::log2(std::sqrt(x > y ? x : y)));
}

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
