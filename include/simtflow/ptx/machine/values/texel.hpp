// SPDX-License-Identifier: BSL-1.0
//
// Texels: how an element of a texture or of a surface lies in memory, and the values of its channels.
//
// Literature: NVIDIA, CUDA C++ Programming Guide, section "Texture and Surface Memory"; Parallel Thread Execution ISA,
// section "Texture, Sampler and Surface Types".
#pragma once

#include <simtflow/ptx/machine/values/half.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace simtflow {
inline namespace v0 {
namespace ptx {

/// The meaning of the bits of a channel.
enum class channel_kind : std::uint8_t {
  signed_integer,    ///< two's complement
  unsigned_integer,  ///< no sign
  floating           ///< IEEE half or single precision
};

/// The name of a kind of channel.
[[nodiscard]] constexpr std::string_view to_string(channel_kind e) {
  constexpr std::string_view names[] = {"signed integer", "unsigned integer", "floating point"};
  return names[static_cast<std::size_t>(e)];
}

/// The format of a texel: channels of one kind and one size, one after another.
struct texel_format {
  channel_kind kind = channel_kind::unsigned_integer;  ///< of every channel
  std::uint8_t bits = 32;                              ///< of a channel: 8, 16 or 32
  std::uint8_t channels = 1;                           ///< 1, 2 or 4

  /// Bytes of a texel. O(1).
  [[nodiscard]] constexpr std::uint32_t bytes() const { return std::uint32_t{bits} / 8 * channels; }
  /// True if there is such a format: 1, 2 or 4 channels of 8, 16 or 32 bits; floating point has 16 or 32. O(1).
  [[nodiscard]] constexpr bool is_valid() const {
    return (channels == 1 || channels == 2 || channels == 4) && (bits == 16 || bits == 32 || bits == 8) &&
           !(kind == channel_kind::floating && bits == 8);
  }
  /// True if its integers can be read as fractions of the largest one: integers of 8 or 16 bits. O(1).
  [[nodiscard]] constexpr bool is_normalizable() const { return kind != channel_kind::floating && bits != 32; }
  friend bool operator==(const texel_format&, const texel_format&) = default;
};

/// The four values that a texture instruction delivers, as 32 bits each: the bits of a single, or of an integer.
struct texel {
  std::uint32_t at[4] = {0, 0, 0, 0};  ///< red, green, blue, alpha
  friend bool operator==(const texel&, const texel&) = default;
};

namespace detail {

/// A channel in memory as 32 bits: an integer with its sign extended, a half as the single of the same value.
[[nodiscard]] inline std::uint32_t read_channel(const texel_format& f, const unsigned char* p) {
  if (f.bits == 32) {
    std::uint32_t v;
    std::memcpy(&v, p, sizeof v);
    return v;
  }
  if (f.bits == 8)
    return f.kind == channel_kind::signed_integer ? static_cast<std::uint32_t>(static_cast<std::int8_t>(*p)) : *p;
  std::uint16_t v;
  std::memcpy(&v, p, sizeof v);
  if (f.kind == channel_kind::floating) return std::bit_cast<std::uint32_t>(f16_format::widen(v));
  return f.kind == channel_kind::signed_integer ? static_cast<std::uint32_t>(static_cast<std::int16_t>(v)) : v;
}

/// Stores 32 bits as a channel: an integer loses its upper bits, a single is rounded to the nearest half.
inline void write_channel(const texel_format& f, unsigned char* p, std::uint32_t v) {
  if (f.bits == 16 && f.kind == channel_kind::floating) v = f16_format::narrow(std::bit_cast<float>(v));
  std::memcpy(p, &v, f.bits / 8U);
}

/// The value of a channel that the format lacks: 0, and 1 for the last one. The manual leaves it open; OpenCL says so.
[[nodiscard]] constexpr std::uint32_t missing_channel(const texel_format& f, std::uint32_t channel, bool as_number) {
  if (channel != 3) return 0;
  return as_number || f.kind == channel_kind::floating ? 0x3F80'0000U : 1U;
}

/// The largest integer of a format that is read normalized.
[[nodiscard]] constexpr double largest_integer(const texel_format& f) {
  const double all = f.bits == 8 ? 255 : 65535;
  return f.kind == channel_kind::signed_integer ? (all - 1) / 2 : all;
}

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
