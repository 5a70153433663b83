// SPDX-License-Identifier: BSL-1.0
//
// The textures and surfaces of a device memory, by handle.
//
// A handle is a 64-bit number: a texture object or a surface object of CUDA. A memory never gives a handle twice before
// 65536 others at the same place were destroyed, so that a destroyed handle is told from a live one. A .texref or
// .surfref variable is 8 bytes of global memory that hold a handle; binding a reference stores a handle there. An
// instruction may name a handle, or the address of such a variable: handles lie above all addresses. A .samplerref
// variable holds the state of its sampler itself: sampler_word().
//
// Literature: NVIDIA, Parallel Thread Execution ISA, section "Texture, Sampler and Surface Types"; CUDA C++ Programming
// Guide, section "Texture and Surface Memory".
#pragma once

#include <simtflow/ptx/machine/texture_image.hpp>
#include <simtflow/ptx/machine/values/sampler.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {

/// A texture: an image, and how it is read. The sampler of a surface means nothing.
struct texture {
  texture_image image;           ///< the texels
  sampler how;                   ///< the state of its sampler
  bool normalized_read = false;  ///< True if integers of 8 or 16 bits are read as numbers from 0 or -1 to 1
  bool is_surface = false;       ///< True if suld, sust and sured take it, and tex does not
  friend bool operator==(const texture&, const texture&) = default;
};

/// Textures and surfaces by handle.
class texture_table {
 public:
  /// A new texture or surface: its handle. Amortised O(1). \pre is_valid(t.image).
  std::uint64_t create(const texture& t) {
    std::uint32_t at = static_cast<std::uint32_t>(places_.size());
    if (free_.empty()) {
      places_.emplace_back();
    } else {
      at = free_.back();
      free_.pop_back();
    }
    places_[at].what = t;
    places_[at].live = true;
    return handle_of(at);
  }

  /// Forgets a texture or a surface; its texels stay in memory. False if there is none of that handle. O(1).
  [[nodiscard]] bool destroy(std::uint64_t handle) {
    if (find(handle) == nullptr) return false;
    const auto at = static_cast<std::uint32_t>(handle);
    places_[at].live = false;
    ++places_[at].generation;
    free_.push_back(at);
    return true;
  }

  /// Forgets all of them. O(handles).
  void destroy_all() {
    for (std::uint32_t at = 0; at < places_.size(); ++at)
      if (places_[at].live) (void)destroy(handle_of(at));
  }

  /// The texture or surface of a handle; null if there is none, or it was destroyed. Valid until the next create().
  /// O(1).
  [[nodiscard]] const texture* find(std::uint64_t handle) const {
    const auto at = static_cast<std::uint32_t>(handle);
    if (!is_handle(handle) || at >= places_.size() || !places_[at].live || handle != handle_of(at)) return nullptr;
    return &places_[at].what;
  }

  /// True for a number that is a handle by its looks, of whatever table: no address looks like one. O(1).
  [[nodiscard]] static constexpr bool is_handle(std::uint64_t number) { return number >> 48 == mark; }

 private:
  static constexpr std::uint64_t mark = 0x5458;  // addresses have 0 there

  struct place {
    texture what;
    std::uint16_t generation = 0;
    bool live = false;
  };
  [[nodiscard]] std::uint64_t handle_of(std::uint32_t at) const {
    return (mark << 48) | (std::uint64_t{places_[at].generation} << 32) | at;
  }

  std::vector<place> places_;
  std::vector<std::uint32_t> free_;
};

/// The state of a sampler as the 64 bits of a .samplerref variable: address modes, filters, whether coordinates are
/// normalized. The border's color and levels of detail are not kept. Never 0. O(1).
[[nodiscard]] constexpr std::uint64_t sampler_word(const sampler& s) {
  std::uint64_t w = std::uint64_t{0x534D} << 48;
  for (std::uint32_t a = 0; a < 3; ++a) w |= static_cast<std::uint64_t>(s.address[a]) << (2 * a);
  w |= static_cast<std::uint64_t>(s.filter) << 6;
  w |= static_cast<std::uint64_t>(s.mipmap_filter) << 7;
  return w | (s.normalized_coordinates ? 0x100U : 0U);
}
/// Sets in `s` what sampler_word() keeps. False, and `s` stays as it is, if the word is of no sampler. O(1).
[[nodiscard]] constexpr bool set_sampler(sampler& s, std::uint64_t word) {
  if (word >> 48 != 0x534D) return false;
  for (std::uint32_t a = 0; a < 3; ++a) s.address[a] = static_cast<address_mode>((word >> (2 * a)) & 3U);
  s.filter = static_cast<filter_mode>((word >> 6) & 1U);
  s.mipmap_filter = static_cast<filter_mode>((word >> 7) & 1U);
  s.normalized_coordinates = (word & 0x100U) != 0;
  return true;
}

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
