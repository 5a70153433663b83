// SPDX-License-Identifier: BSL-1.0
//
// The texture or surface that a handle or a reference means, and its texels.
//
// A handle is checked where it is used: a number that is no handle, a texture that was destroyed, texels that were
// freed, and an instruction of another shape are faults. An image of one shape is read as that shape only, but the
// faces of cubes are also layers of a surface.
//
// Literature: NVIDIA, Parallel Thread Execution ISA, section "Texture, Sampler and Surface Types".
#pragma once

#include <simtflow/ptx/machine/decoded_op.hpp>
#include <simtflow/ptx/machine/fault.hpp>
#include <simtflow/ptx/machine/memory.hpp>
#include <simtflow/ptx/machine/textures.hpp>
#include <simtflow/ptx/machine/units/lane_set.hpp>
#include <simtflow/ptx/machine/units/memory_spaces.hpp>
#include <simtflow/ptx/machine/values/texture_fetch.hpp>
#include <simtflow/ptx/text/texture_words.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

/// True if an instruction of that geometry reads images of that shape.
[[nodiscard]] constexpr bool fits(texture_geometry g, image_shape s, bool is_surface) {
  switch (g) {
    case texture_geometry::d1:
      return s == image_shape::d1 || s == image_shape::linear;
    case texture_geometry::d2:
      return s == image_shape::d2;
    case texture_geometry::d3:
      return s == image_shape::d3;
    case texture_geometry::a1d:
      return s == image_shape::layered_1d;
    case texture_geometry::a2d:
      return s == image_shape::layered_2d || (is_surface && is_cube(s));
    case texture_geometry::cube:
      return s == image_shape::cube;
    case texture_geometry::acube:
      return s == image_shape::layered_cube;
    case texture_geometry::none:
      break;
  }
  return true;
}

/// The textures that an operation reads, one after another: most often one for all lanes.
class texture_finder {
 public:
  texture_finder(memory_spaces& m, const decoded_op& op) : m_(m), op_(op) {}

  /// Finds the texture or surface of a handle or of a reference. \returns false if there is none; why() tells.
  bool find(std::uint64_t number) {
    if (found_ && number == number_) return true;
    found_ = false;
    number_ = number;
    std::uint64_t handle = number;
    if (!texture_table::is_handle(number) && !word_at(m_.global(), number, handle)) {
      why_ = hexadecimal(number) + " is neither a texture object nor a reference";
      return false;
    }
    const texture* t = m_.global().textures().find(handle);
    if (t == nullptr) {
      why_ = handle == 0                        ? "nothing is bound to the reference"
             : texture_table::is_handle(handle) ? "the object " + hexadecimal(handle) + " was destroyed"
                                                : hexadecimal(handle) + " is no texture object";
      return false;
    }
    what = t;
    found_ = true;
    return true;
  }
  /// Finds the texels of the texture that was found. \returns false if they are not there; why() tells.
  bool find_texels(texture_geometry g, bool is_surface) {
    if (what == seen_) return true;
    if (what->is_surface != is_surface) {
      why_ = is_surface ? "the object is a texture, no surface" : "the object is a surface, no texture";
    } else if (!fits(g, what->image.shape, is_surface)) {
      why_ = "the image is " + std::string(to_string(what->image.shape)) + ", not ." + std::string(to_string(g));
    } else {
      allocation* a = m_.allocation_at(op_, what->image.address);
      const std::uint64_t bytes = bytes_of(what->image);
      if (a != nullptr && bytes <= a->bytes.size() && what->image.address - a->address <= a->bytes.size() - bytes) {
        texels = a->bytes.data() + (what->image.address - a->address);
        seen_ = what;
        return true;
      }
      why_ = "its texels are not in memory";
      if (const std::string gone = m_.global().freed_at(what->image.address); !gone.empty()) why_ += ": " + gone;
    }
    found_ = false;
    return false;
  }
  /// Finds the texture or surface of a lane, and its texels. \returns false with a fault recorded if there is none.
  bool find(const lane_set& s, std::size_t lane, texture_geometry g, bool is_surface) {
    return (find(s.read(op_.source[0], lane)) && find_texels(g, is_surface)) || fail(s, lane, why_);
  }
  /// Records a fault of a lane. False.
  bool fail(const lane_set& s, std::size_t lane, std::string why) {
    m_.record_texture(op_, s, lane, s.read(op_.source[0], lane), std::move(why));
    return false;
  }
  [[nodiscard]] const std::string& why() const { return why_; }

  /// The 64 bits at an address of global memory. \returns false if there are none.
  static bool word_at(const device_memory& m, std::uint64_t address, std::uint64_t& word) {
    const allocation* from = m.holding(address, sizeof word);
    if (from == nullptr) return false;
    std::memcpy(&word, from->bytes.data() + (address - from->address), sizeof word);
    return true;
  }

  const texture* what = nullptr;    ///< that was found
  unsigned char* texels = nullptr;  ///< its first texel

 private:
  memory_spaces& m_;
  const decoded_op& op_;
  const texture* seen_ = nullptr;  // the texture with the texels that were found
  std::uint64_t number_ = 0;
  bool found_ = false;
  std::string why_;
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
