// SPDX-License-Identifier: BSL-1.0
//
// The texels of a texture or of a surface in global memory: shape, format, extents, and where each texel lies.
//
// Texels lie in rows of `pitch` bytes, rows in slices: the planes of a volume, the layers of a layered image, the faces
// of a cube (+x, -x, +y, -y, +z, -z; six for each layer). The levels of a mipmapped image follow one another; each has
// half the extents of the one before, rounded down, and at least 1. Slices that are layers or faces stay as many.
//
// Literature: NVIDIA, CUDA C++ Programming Guide, section "Texture and Surface Memory".
#pragma once

#include <simtflow/ptx/machine/values/texel.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace simtflow {
inline namespace v0 {
namespace ptx {

/// The shapes of images.
enum class image_shape : std::uint8_t {
  linear,       ///< a row in plain memory; texels outside are 0, whatever the sampler says
  d1,           ///< one dimension
  d2,           ///< two dimensions
  d3,           ///< three dimensions
  layered_1d,   ///< layers of one dimension
  layered_2d,   ///< layers of two dimensions
  cube,         ///< six square faces
  layered_cube  ///< layers of six faces
};

/// The name of a shape.
[[nodiscard]] constexpr std::string_view to_string(image_shape e) {
  constexpr std::string_view names[] = {"linear memory", "1D",         "2D",   "3D",
                                        "1D layered",    "2D layered", "cube", "layered cube"};
  return names[static_cast<std::size_t>(e)];
}

/// An image in global memory.
struct texture_image {
  image_shape shape = image_shape::d1;  ///< its shape
  texel_format format;                  ///< of its texels
  std::uint64_t address = 0;            ///< of the first texel
  std::uint64_t pitch = 0;              ///< bytes from a row to the next one; 0: rows are packed
  std::uint32_t width = 1;              ///< texels of a row
  std::uint32_t height = 1;             ///< rows of a slice
  std::uint32_t slices = 1;             ///< planes, layers, or faces: six times the cubes
  std::uint32_t levels = 1;             ///< of detail
  friend bool operator==(const texture_image&, const texture_image&) = default;
};

/// One level of an image, in texels and bytes.
struct image_level {
  std::uint64_t offset = 0;       ///< bytes from the first texel of the image
  std::uint64_t row_bytes = 0;    ///< from a row to the next one
  std::uint64_t slice_bytes = 0;  ///< from a slice to the next one
  std::uint32_t width = 1;        ///< texels of a row
  std::uint32_t height = 1;       ///< rows of a slice
  std::uint32_t slices = 1;       ///< of the level

  /// Bytes from the first texel of the image to a texel of the level. O(1).
  [[nodiscard]] constexpr std::uint64_t at(std::uint64_t x, std::uint64_t y, std::uint64_t slice,
                                           std::uint32_t texel_bytes) const {
    return offset + slice * slice_bytes + y * row_bytes + x * texel_bytes;
  }
};

/// A level of an image. O(n). \pre n < i.levels.
[[nodiscard]] constexpr image_level level_of(const texture_image& i, std::uint32_t n) {
  image_level l;
  l.width = i.width;
  l.height = i.height;
  l.slices = i.slices;
  const auto half = [](std::uint32_t extent) { return extent < 2 ? 1U : extent / 2; };
  for (std::uint32_t at = 0;; ++at) {
    const std::uint64_t packed = std::uint64_t{l.width} * i.format.bytes();
    l.row_bytes = at == 0 && i.pitch != 0 ? i.pitch : packed;
    l.slice_bytes = l.row_bytes * l.height;
    if (at == n) return l;
    l.offset += l.slice_bytes * l.slices;
    l.width = half(l.width);
    l.height = half(l.height);
    if (i.shape == image_shape::d3) l.slices = half(l.slices);
  }
}

/// Bytes from the first texel to the end of the last one: the gap at the end of the last row not counted. O(levels).
[[nodiscard]] constexpr std::uint64_t bytes_of(const texture_image& i) {
  const image_level last = level_of(i, i.levels - 1);
  return last.at(last.width - 1U, last.height - 1U, last.slices - 1U, i.format.bytes()) + i.format.bytes();
}

/// The most levels that an image of such extents can have: down to a single texel. O(log extents).
[[nodiscard]] constexpr std::uint32_t most_levels(std::uint32_t width, std::uint32_t height, std::uint32_t depth) {
  std::uint32_t n = 1;
  for (std::uint32_t e = width > height ? (width > depth ? width : depth) : (height > depth ? height : depth); e > 1;
       e /= 2)
    ++n;
  return n;
}

/// True if the image makes sense: its format exists, no extent is 0, rows do not overlap, the extents fit its shape,
/// and its bytes are fewer than 2^48. Does not look at memory. O(levels).
[[nodiscard]] constexpr bool is_valid(const texture_image& i) {
  constexpr std::uint32_t most = 1U << 28;
  if (!i.format.is_valid() || i.width == 0 || i.height == 0 || i.slices == 0 || i.levels == 0) return false;
  if (i.width > most || i.height > 131072 || i.slices > 131072) return false;
  if (i.pitch != 0 && i.pitch < std::uint64_t{i.width} * i.format.bytes()) return false;
  if (i.pitch > (std::uint64_t{1} << 31)) return false;
  const bool is_cube = i.shape == image_shape::cube || i.shape == image_shape::layered_cube;
  const bool one_row =
      i.shape == image_shape::linear || i.shape == image_shape::d1 || i.shape == image_shape::layered_1d;
  if (one_row && i.height != 1) return false;
  if ((i.shape == image_shape::linear || i.shape == image_shape::d1 || i.shape == image_shape::d2) && i.slices != 1)
    return false;
  if (is_cube && (i.width != i.height || i.slices % 6 != 0)) return false;
  if (i.shape == image_shape::cube && i.slices != 6) return false;
  const std::uint32_t depth = i.shape == image_shape::d3 ? i.slices : 1;
  if (i.levels > most_levels(i.width, i.height, depth) || (i.levels > 1 && i.shape == image_shape::linear))
    return false;
  const std::uint64_t row = i.pitch != 0 ? i.pitch : std::uint64_t{i.width} * i.format.bytes();
  return row * i.height < (std::uint64_t{1} << 48) / i.slices / 2;
}

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
