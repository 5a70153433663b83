// SPDX-License-Identifier: BSL-1.0
//
// Video instructions, for one lane: on one number of 8, 16 or 32 bits, or on two or four packed ones.
//
//   part     the byte or half of an operand that a scalar instruction reads, or puts its result into
//   mask     the bytes or halves of the result that a packed instruction makes; the others come from the third operand
//   merge    what becomes of the result and the third operand: their sum, least, greatest
//
// The manual contradicts itself; its formulas count, not its sentences: positions outside the mask come from c,
// and vmad takes c as signed whenever its result is.
//
// Literature: NVIDIA, Parallel Thread Execution ISA, chapters "Scalar Video Instructions", "SIMD Video Instructions".
#pragma once

#include <simtflow/ptx/text/opcode.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

/// The work of a video instruction, packed into a word that travels as an operand.
struct video_code {
  enum class what : std::uint8_t {
    add,
    sub,
    average,
    difference,
    min,
    max,
    shift_left,
    shift_right,
    set,
    multiply_add
  };
  enum class merge : std::uint8_t { none, add, min, max };
  what name = what::add;
  merge second = merge::none;
  std::uint8_t lanes = 1;  ///< 1, 2, 4
  bool result_signed = false;
  bool a_signed = false;
  bool b_signed = false;
  bool sat = false;
  bool wrap = false;        ///< shifts: amounts modulo 32
  std::uint8_t a_part = 0;  ///< 0: all of it; 1 to 4: byte 0 to 3; 5, 6: half 0, 1
  std::uint8_t b_part = 0;
  std::uint8_t target = 0;                ///< the part that the result goes to; of packed ones: the mask
  comparison compare = comparison::none;  ///< of set
  std::uint8_t scale = 0;                 ///< of multiply_add: the result moves right by so many bits
  bool plus_one = false;
  bool product_negated = false;
  bool c_negated = false;

  [[nodiscard]] constexpr std::uint32_t word() const {
    const auto flag = [](bool b, int at) { return b ? 1U << at : 0U; };
    return static_cast<std::uint32_t>(name) | static_cast<std::uint32_t>(second) << 4 |
           static_cast<std::uint32_t>(lanes) << 6 | flag(result_signed, 9) | flag(a_signed, 10) | flag(b_signed, 11) |
           flag(sat, 12) | flag(wrap, 13) | static_cast<std::uint32_t>(a_part) << 14 |
           static_cast<std::uint32_t>(b_part) << 17 | static_cast<std::uint32_t>(target) << 20 |
           (name == what::set ? static_cast<std::uint32_t>(compare) << 24
                              : (static_cast<std::uint32_t>(scale) + 1) / 8 << 24 | flag(plus_one, 26) |
                                    flag(product_negated, 27) | flag(c_negated, 28));
  }
  [[nodiscard]] static constexpr video_code from(std::uint32_t w) {
    const auto field = [&](int at, std::uint32_t bits) {
      return static_cast<std::uint8_t>(w >> at & ((1U << bits) - 1));
    };
    video_code v;
    v.name = static_cast<what>(field(0, 4));
    v.second = static_cast<merge>(field(4, 2));
    v.lanes = field(6, 3);
    v.result_signed = field(9, 1) != 0;
    v.a_signed = field(10, 1) != 0;
    v.b_signed = field(11, 1) != 0;
    v.sat = field(12, 1) != 0;
    v.wrap = field(13, 1) != 0;
    v.a_part = field(14, 3);
    v.b_part = field(17, 3);
    v.target = field(20, 4);
    if (v.name == what::set) {
      v.compare = static_cast<comparison>(field(24, 5));
    } else if (v.name == what::multiply_add) {
      v.scale = static_cast<std::uint8_t>(field(24, 2) == 0 ? 0 : 8 * field(24, 2) - 1);
      v.plus_one = field(26, 1) != 0;
      v.product_negated = field(27, 1) != 0;
      v.c_negated = field(28, 1) != 0;
    }
    return v;
  }
};

/// The number of a part by its name: ".b2", ".h1"; 0 for all of the word.
constexpr std::uint8_t part_number(std::string_view name) {
  if (name.size() != 3) return 0;
  return static_cast<std::uint8_t>(name[2] - '0' + (name[1] == 'b' ? 1 : 5));
}
/// The mask by its name: ".h10", ".b20"; all for an empty one.
constexpr std::uint8_t mask_of(std::string_view name, std::uint32_t lanes) {
  if (name.empty()) return static_cast<std::uint8_t>((1U << lanes) - 1);
  std::uint8_t mask = 0;
  for (const char c : name.substr(2)) mask = static_cast<std::uint8_t>(mask | 1U << (c - '0'));
  return mask;
}
/// The operand of prmt that gathers the halves or bytes of a and b that a name tells: ".h32", ".b7654", the
/// highest first.
constexpr std::uint32_t gather_control(std::string_view name) {
  std::uint32_t control = 0;
  for (const char c : name.substr(2)) {
    const auto n = static_cast<std::uint32_t>(c - '0');
    control = name[1] == 'h' ? control << 8 | (2 * n + 1) << 4 | 2 * n : control << 4 | n;
  }
  return control;
}

/// `bits` bits from a place, with or without their sign.
constexpr std::int64_t part_of(std::uint32_t v, std::uint32_t from, std::uint32_t bits, bool is_signed) {
  const std::uint64_t field = (std::uint64_t{v} >> from) & ((std::uint64_t{1} << bits) - 1);
  const std::uint64_t sign = std::uint64_t{1} << (bits - 1);
  return is_signed ? static_cast<std::int64_t>((field ^ sign) - sign) : static_cast<std::int64_t>(field);
}
/// The first bit of a part, and its number of bits.
constexpr std::uint32_t part_begin(std::uint32_t part) {
  return part == 0 ? 0 : part < 5 ? 8 * (part - 1) : 16 * (part - 5);
}
constexpr std::uint32_t part_bits(std::uint32_t part) { return part == 0 ? 32 : part < 5 ? 8 : 16; }

/// One number, with all the bits that it has.
constexpr std::int64_t video_number(const video_code& v, std::int64_t x, std::int64_t y) {
  switch (v.name) {
    case video_code::what::add:
      return x + y;
    case video_code::what::sub:
      return x - y;
    case video_code::what::average:
      return (x + y + (x + y >= 0 ? 1 : 0)) >> 1;
    case video_code::what::difference:
      return x < y ? y - x : x - y;
    case video_code::what::min:
      return (std::min)(x, y);
    case video_code::what::max:
      return (std::max)(x, y);
    case video_code::what::set:
      switch (v.compare) {
        case comparison::eq:
          return x == y;
        case comparison::ne:
          return x != y;
        case comparison::lt:
          return x < y;
        case comparison::le:
          return x <= y;
        case comparison::gt:
          return x > y;
        default:
          return x >= y;
      }
    default: {
      const auto n = static_cast<std::uint64_t>(y & 0xFFFF'FFFF);
      const std::uint64_t by = v.wrap ? n & 31U : (std::min<std::uint64_t>)(n, 32);
      const std::int64_t beyond = x == 0 ? 0 : x < 0 ? -(std::int64_t{1} << 62) : std::int64_t{1} << 62;
      if (v.name == video_code::what::shift_right) return x >> by;
      return by == 32 ? beyond : x * (std::int64_t{1} << by);  // all its low 32 bits are zero
    }
  }
}

/// vmad: a product of 64 bits, a sum of 65; it keeps 32.
constexpr std::uint32_t video_multiply_add(const video_code& v, std::int64_t x, std::int64_t y, std::uint32_t c) {
  const bool result_signed = v.a_signed || v.b_signed || v.product_negated || v.c_negated;
  const std::uint64_t product = static_cast<std::uint64_t>(x) * static_cast<std::uint64_t>(y);
  const bool below_zero = product != 0 && (x < 0) != (y < 0);
  // In two words, so nothing is lost: high * 2^32 + low.
  std::int64_t high = static_cast<std::int64_t>(product >> 32);
  std::int64_t low = static_cast<std::int64_t>(product & 0xFFFF'FFFFU);
  if (below_zero) high -= std::int64_t{1} << 32;
  if (v.product_negated) {
    high = -high;
    low = -low;
  }
  const std::int64_t addend = part_of(c, 0, 32, result_signed);
  low += (v.c_negated ? -addend : addend) + (v.plus_one ? 1 : 0);
  high += low >> 32;
  low &= 0xFFFF'FFFF;
  const auto bits = static_cast<std::uint32_t>(static_cast<std::uint64_t>(high) << (32 - v.scale) |
                                               static_cast<std::uint64_t>(low) >> v.scale);
  if (!v.sat) return bits;
  const std::int64_t beyond = high >> v.scale;  // what does not fit 32 bits
  if (!result_signed) return beyond == 0 ? bits : 0xFFFF'FFFFU;
  if (beyond == (bits >> 31 != 0 ? -1 : 0)) return bits;
  return beyond < 0 ? 0x8000'0000U : 0x7FFF'FFFFU;
}

constexpr std::uint32_t video_merge(video_code::merge how, std::int64_t x, std::int64_t c) {
  const std::int64_t r = how == video_code::merge::add   ? x + c
                         : how == video_code::merge::min ? (std::min)(x, c)
                                                         : (std::max)(x, c);
  return static_cast<std::uint32_t>(static_cast<std::uint64_t>(r));
}

/// The result, in full.
constexpr std::uint32_t video(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t code) {
  const video_code v = video_code::from(code);
  const bool packed = v.lanes > 1;
  const std::uint32_t bits = packed ? 32U / v.lanes : part_bits(v.target);
  const std::int64_t most = (std::int64_t{1} << (v.result_signed ? bits - 1 : bits)) - 1;
  const std::int64_t least = v.result_signed ? -most - 1 : 0;
  const std::int64_t before = part_of(c, 0, 32, v.result_signed);
  const auto saturated = [&](std::int64_t z) { return v.sat ? std::clamp(z, least, most) : z; };
  const auto placed = [&](std::uint32_t into, std::int64_t z, std::uint32_t from) {
    const std::uint32_t field = (bits == 32 ? 0xFFFF'FFFFU : (1U << bits) - 1U) << from;
    return (into & ~field) | (static_cast<std::uint32_t>(static_cast<std::uint64_t>(z)) << from & field);
  };
  if (!packed) {
    const std::int64_t x = part_of(a, part_begin(v.a_part), part_bits(v.a_part), v.a_signed);
    const std::int64_t y = part_of(b, part_begin(v.b_part), part_bits(v.b_part), v.b_signed);
    if (v.name == video_code::what::multiply_add) return video_multiply_add(v, x, y, c);
    const std::int64_t z = saturated(video_number(v, x, y));
    if (v.target != 0) return placed(c, z, part_begin(v.target));
    const std::uint32_t r = placed(0, z, 0);
    return v.second == video_code::merge::none ? r : video_merge(v.second, part_of(r, 0, 32, v.result_signed), before);
  }
  std::uint32_t r = c;
  std::int64_t total = 0;
  for (std::uint32_t i = 0; i < v.lanes; ++i) {
    if ((v.target >> i & 1U) == 0) continue;
    const std::int64_t z =
        saturated(video_number(v, part_of(a, i * bits, bits, v.a_signed), part_of(b, i * bits, bits, v.b_signed)));
    total += z;
    r = placed(r, z, i * bits);
  }
  return v.second == video_code::merge::none ? r : video_merge(v.second, total, before);
}

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
