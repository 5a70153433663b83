// SPDX-License-Identifier: BSL-1.0
//
// Loads, stores and reductions on surfaces, lane by lane. Coordinates along a row count bytes, or elements in formatted
// forms. An access lies inside if all its bytes lie in one row.
//
// Literature: NVIDIA, Parallel Thread Execution ISA, section "Surface Instructions".
#pragma once

#include <simtflow/ptx/machine/decoded_kernel.hpp>
#include <simtflow/ptx/machine/decoded_op.hpp>
#include <simtflow/ptx/machine/texture_operation.hpp>
#include <simtflow/ptx/machine/textures.hpp>
#include <simtflow/ptx/machine/units/atomic_unit.hpp>
#include <simtflow/ptx/machine/units/lane_addresses.hpp>
#include <simtflow/ptx/machine/units/lane_set.hpp>
#include <simtflow/ptx/machine/units/memory_spaces.hpp>
#include <simtflow/ptx/machine/units/texture_finder.hpp>
#include <simtflow/ptx/machine/values/texel.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

/// Operations are false, with a fault recorded, if a lane does what cannot be done; lanes before it have done theirs.
class surface_unit {
 public:
  /// suld
  static bool load(memory_spaces& m, const decoded_kernel& k, const decoded_op& op, const lane_set& s,
                   std::uint32_t mask) {
    const texture_operation t = texture_of(op);
    const slot_ref* data = k.lists.data() + op.list;
    texture_finder found(m, op);
    for (; mask != 0; mask &= mask - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(mask));
      unsigned char* p = nullptr;
      if (!found.find(s, i, t.geometry, true) ||
          !place(found, m, op, t, data + op.count, s, i, std::uint32_t{op.size} * op.count, p))
        return false;
      for (std::uint32_t n = 0; n < op.count; ++n)
        if (data[n] != no_slot)
          s.write(data[n], i, p == nullptr ? 0 : load_bytes(p + std::size_t{n} * op.size, op.size, false));
    }
    return true;
  }

  /// sust, sured
  static bool write(memory_spaces& m, atomic_unit& atomics, const decoded_kernel& k, const decoded_op& op,
                    const lane_set& s, std::uint32_t mask) {
    const texture_operation t = texture_of(op);
    const slot_ref* data = k.lists.data() + op.list;
    texture_finder found(m, op);
    decoded_op one = op;  // of sured.p: the surface says the type
    for (; mask != 0; mask &= mask - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(mask));
      if (!found.find(s, i, t.geometry, true)) return false;
      const texel_format& f = found.what->image.format;
      const std::uint32_t bytes =
          t.integers && t.what == mnemonic::sust ? f.bytes() : std::uint32_t{op.size} * op.count;
      unsigned char* p = nullptr;
      if (!place(found, m, op, t, data + op.count, s, i, bytes, p)) return false;
      if (p == nullptr) continue;
      if (t.what == mnemonic::sured) {
        if (op.type == scalar_type::b32 || op.type == scalar_type::b64) {
          const bool is_signed = f.kind == channel_kind::signed_integer;
          one.type = op.size == 8 ? (is_signed ? scalar_type::s64 : scalar_type::u64)
                                  : (is_signed ? scalar_type::s32 : scalar_type::u32);
        }
        atomics.update(one, p, s.read(data[0], i), 0, false);
      } else if (t.integers) {
        for (std::uint32_t c = 0; c < f.channels && c < op.count; ++c)
          write_channel(f, p + std::size_t{c} * (f.bits / 8U), static_cast<std::uint32_t>(s.read(data[c], i)));
      } else {
        for (std::uint32_t n = 0; n < op.count; ++n) {
          const std::uint64_t v = s.read(data[n], i);
          std::memcpy(p + std::size_t{n} * op.size, &v, op.size);
        }
      }
    }
    return true;
  }

  /// The place of a lane's access on a surface, in bytes from its first texel; clamped where the text says so.
  /// \returns false if it lies outside.
  static bool inside(const texture& what, const texture_operation& t, const slot_ref* at, const lane_set& s,
                     std::size_t lane, std::uint32_t bytes, std::uint64_t& offset) {
    const image_level l = level_of(what.image, 0);
    const std::uint32_t texel_bytes = what.image.format.bytes();
    std::int64_t c[4] = {};
    for (std::uint32_t n = 0; n < t.coordinates; ++n) c[n] = static_cast<std::int32_t>(s.read(at[n], lane));
    const std::uint32_t first = t.has_layer() ? 1 : 0;
    const std::int64_t row = std::int64_t{l.width} * texel_bytes;
    const std::int64_t unit = t.integers ? texel_bytes : 1;
    bool ok = true;
    const auto limited = [&](std::int64_t v, std::int64_t most) {
      if (v >= 0 && v <= most) return v;
      if (t.clamp != surface_clamp::clamp) ok = false;
      return v < 0 || most < 0 ? std::int64_t{0} : most;
    };
    const std::int64_t x = limited(c[first] * unit, row - std::int64_t{bytes});
    const std::int64_t y = t.coordinates > first + 1 ? limited(c[first + 1], l.height - 1) : 0;
    const std::int64_t z = t.has_layer()                        ? limited(c[0], l.slices - 1)
                           : t.geometry == texture_geometry::d3 ? limited(c[2], l.slices - 1)
                                                                : 0;
    offset = l.at(0, static_cast<std::uint64_t>(y), static_cast<std::uint64_t>(z), texel_bytes) +
             static_cast<std::uint64_t>(x);
    return ok && row >= std::int64_t{bytes};
  }

 private:
  /// The bytes of a lane's access; null: outside, where that is allowed. \returns false with a fault if it is not.
  static bool place(texture_finder& found, memory_spaces& m, const decoded_op& op, const texture_operation& t,
                    const slot_ref* at, const lane_set& s, std::size_t lane, std::uint32_t bytes, unsigned char*& p) {
    std::uint64_t offset = 0;
    p = nullptr;
    if (!inside(*found.what, t, at, s, lane, bytes, offset)) {
      if (t.clamp == surface_clamp::zero) return true;
      std::string where;
      for (std::uint32_t n = 0; n < t.coordinates; ++n)
        where += (n == 0 ? "(" : ", ") + std::to_string(static_cast<std::int32_t>(s.read(at[n], lane)));
      const texture_image& image = found.what->image;
      return found.fail(s, lane,
                        std::to_string(bytes) + " bytes at " + where + ") lie outside the surface of " +
                            std::to_string(image.width * image.format.bytes()) + " bytes in a row, " +
                            std::to_string(image.height) + " rows and " + std::to_string(image.slices) + " slices");
    }
    if (!t.integers && offset % bytes != 0) {
      m.record(fault_kind::misaligned, op, s, lane, found.what->image.address + offset, bytes, state_space::global);
      return false;
    }
    p = found.texels + offset;
    return true;
  }
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
