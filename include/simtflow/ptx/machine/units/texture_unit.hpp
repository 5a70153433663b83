// SPDX-License-Identifier: BSL-1.0
//
// Texture instructions, lane by lane: coordinates become texels. Surfaces have a unit of their own.
//
// Literature: NVIDIA, Parallel Thread Execution ISA, section "Texture Instructions".
#pragma once

#include <simtflow/ptx/machine/decoded_kernel.hpp>
#include <simtflow/ptx/machine/decoded_op.hpp>
#include <simtflow/ptx/machine/memory.hpp>
#include <simtflow/ptx/machine/texture_operation.hpp>
#include <simtflow/ptx/machine/textures.hpp>
#include <simtflow/ptx/machine/units/lane_set.hpp>
#include <simtflow/ptx/machine/units/memory_spaces.hpp>
#include <simtflow/ptx/machine/units/surface_unit.hpp>
#include <simtflow/ptx/machine/units/texture_attributes.hpp>
#include <simtflow/ptx/machine/units/texture_finder.hpp>
#include <simtflow/ptx/machine/values/half.hpp>
#include <simtflow/ptx/machine/values/texture_fetch.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

/// Operations are false, with a fault recorded, if a lane does what cannot be done; lanes before it have done theirs.
class texture_unit {
 public:
  /// tex, tld4, txq, istypep, suld
  static bool read(memory_spaces& m, const decoded_kernel& k, const decoded_op& op, const lane_set& s,
                   std::uint32_t mask) {
    const texture_operation t = texture_of(op);
    switch (t.what) {
      case mnemonic::txq:
        return query(m, k, op, t, s, mask);
      case mnemonic::istypep:
        test(m, op, t, s, mask);
        return true;
      case mnemonic::suld:
        return surface_unit::load(m, k, op, s, mask);
      default:
        return fetch_all(m, k, op, t, s, mask);
    }
  }

  /// The first byte that a lane's access touches, and how many; 0 bytes if the operation touches none. No fault.
  struct touched {
    std::uint64_t address = 0;
    std::uint32_t bytes = 0;
  };
  static touched first_access(const device_memory& m, const decoded_kernel& k, const decoded_op& op, const lane_set& s,
                              std::size_t lane) {
    const texture_operation t = texture_of(op);
    if (t.what == mnemonic::txq || t.what == mnemonic::istypep) return {};
    std::uint64_t handle = s.read(op.source[0], lane);
    if (!texture_table::is_handle(handle) && !texture_finder::word_at(m, handle, handle)) return {};
    const texture* what = m.textures().find(handle);
    const bool is_surface = t.what != mnemonic::tex && t.what != mnemonic::tld4;
    if (what == nullptr || what->is_surface != is_surface || !fits(t.geometry, what->image.shape, is_surface))
      return {};
    const slot_ref* at = k.lists.data() + op.list + op.count;
    if (!is_surface) {
      return {what->image.address + first_texel(*what, point_of(t, at, s, lane)), what->image.format.bytes()};
    }
    std::uint64_t offset = 0;
    const std::uint32_t bytes = t.integers ? what->image.format.bytes() : std::uint32_t{op.size} * op.count;
    if (!surface_unit::inside(*what, t, at, s, lane, bytes, offset)) return {};
    return {what->image.address + offset, bytes};
  }

 private:
  static double number(const texture_operation& t, std::uint64_t bits) {
    const auto word = static_cast<std::uint32_t>(bits);
    return t.integers ? static_cast<double>(static_cast<std::int32_t>(word))
                      : static_cast<double>(std::bit_cast<float>(word));
  }
  static texture_coordinates point_of(const texture_operation& t, const slot_ref* at, const lane_set& s,
                                      std::size_t lane) {
    texture_coordinates c;
    c.integers = t.integers;
    std::uint32_t n = 0;
    if (t.has_layer()) c.layer = static_cast<std::int32_t>(s.read(at[n++], lane));
    for (std::uint32_t a = 0; n < t.coordinates; ++n, ++a) c.at[a] = number(t, s.read(at[n], lane));
    return c;
  }

  static bool fetch_all(memory_spaces& m, const decoded_kernel& k, const decoded_op& op, const texture_operation& t,
                        const lane_set& s, std::uint32_t mask) {
    const slot_ref* data = k.lists.data() + op.list;
    const slot_ref* at = data + op.count;
    const slot_ref* extra = at + t.coordinates;
    texture_finder found(m, op);
    texture other;  // with the sampler that the text names
    if (op.second != no_index) s.write_predicate(op.second, all_lanes, mask);
    for (; mask != 0; mask &= mask - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(mask));
      if (!found.find(s, i, t.geometry, false)) return false;
      const texture* how = found.what;
      if (op.source[1] != no_slot) {
        other = *how;
        std::uint64_t word = s.read(op.source[1], i);
        if (!set_sampler(other.how, word) &&
            !(texture_finder::word_at(m.global(), word, word) && set_sampler(other.how, word)))
          return found.fail(s, i, "the sampler is none");
        how = &other;
      }
      texture_coordinates c = point_of(t, at, s, i);
      if (t.level == texture_level::level) c.level = static_cast<float>(number(t, s.read(extra[0], i)));
      if (t.level == texture_level::grad) {
        double dx[3] = {}, dy[3] = {};
        const std::uint32_t along = t.coordinates - (t.has_layer() ? 1U : 0U);
        for (std::uint32_t a = 0; a < along; ++a) {
          dx[a] = number(t, s.read(extra[a], i));
          dy[a] = number(t, s.read(extra[along + a], i));
        }
        c.level = level_of_gradients(*how, dx, dy);
      }
      const texel v =
          t.what == mnemonic::tld4 ? gather(*how, found.texels, c, t.component) : fetch(*how, found.texels, c);
      for (std::uint32_t n = 0; n < op.count; ++n)
        if (data[n] != no_slot) s.write(data[n], i, delivered(op.type, *how, v, n));
    }
    return true;
  }
  /// Element n of the result: 32 bits, a half, or two halves.
  static std::uint32_t delivered(scalar_type type, const texture& t, const texel& v, std::uint32_t n) {
    const bool numbers = t.normalized_read || t.image.format.kind == channel_kind::floating;
    const auto half = [&](std::uint32_t bits) {
      return (numbers ? f16_format::narrow(std::bit_cast<float>(bits)) : bits) & 0xFFFFU;
    };
    if (type == scalar_type::f16) return half(v.at[n]);
    if (type == scalar_type::f16x2) return half(v.at[2 * n]) | half(v.at[2 * n + 1]) << 16;
    return v.at[n];
  }

  static bool query(memory_spaces& m, const decoded_kernel& k, const decoded_op& op, const texture_operation& t,
                    const lane_set& s, std::uint32_t mask) {
    const slot_ref* data = k.lists.data() + op.list;
    texture_finder found(m, op);
    for (; mask != 0; mask &= mask - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(mask));
      std::uint64_t word = s.read(op.source[0], i);
      texture of_sampler;
      const texture* what = &of_sampler;
      if (texture_table::is_handle(word) || !texture_finder::word_at(m.global(), word, word) ||
          !set_sampler(of_sampler.how, word)) {
        if (!found.find(s.read(op.source[0], i))) return found.fail(s, i, found.why());
        what = found.what;
      }
      const std::uint32_t level = t.level == texture_level::level ? static_cast<std::uint32_t>(s.read(data[1], i)) : 0;
      if (data[0] != no_slot) s.write(data[0], i, attribute_of(*what, t.query, level));
    }
    return true;
  }

  static void test(memory_spaces& m, const decoded_op& op, const texture_operation& t, const lane_set& s,
                   std::uint32_t mask) {
    std::uint32_t yes = 0;
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(rest));
      std::uint64_t word = s.read(op.source[0], i);
      if (!texture_table::is_handle(word) && !texture_finder::word_at(m.global(), word, word)) continue;
      sampler ignored;
      const texture* what = m.global().textures().find(word);
      const opaque_type is = what != nullptr ? (what->is_surface ? opaque_type::surfref : opaque_type::texref)
                             : set_sampler(ignored, word) ? opaque_type::samplerref
                                                          : opaque_type::none;
      if (is == static_cast<opaque_type>(t.component)) yes |= std::uint32_t{1} << i;
    }
    s.write_predicate(op.second, yes, mask);
  }
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
