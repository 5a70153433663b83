// SPDX-License-Identifier: BSL-1.0
//
// The values that atom and red write: the new value of one element from the old one and the operands.
//
// Literature: NVIDIA, Parallel Thread Execution ISA, sections "atom" and "red".
#pragma once

#include <simtflow/ptx/machine/values/float_arithmetic.hpp>
#include <simtflow/ptx/machine/values/float_selection.hpp>
#include <simtflow/ptx/machine/values/half.hpp>
#include <simtflow/ptx/machine/values/integers.hpp>
#include <simtflow/ptx/text/module.hpp>
#include <simtflow/ptx/text/opcode.hpp>

#include <bit>
#include <cstdint>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

template <class T>
[[nodiscard]] constexpr T updated_integer(atomic_op how, T old, T b, T c) {
  switch (how) {
    case atomic_op::add:
      return i_add<T>(old, b);
    case atomic_op::min:
      return i_min<T>(old, b);
    case atomic_op::max:
      return i_max<T>(old, b);
    case atomic_op::exch:
      return b;
    case atomic_op::cas:
      return old == b ? c : old;
    case atomic_op::and_:
      return static_cast<T>(old & b);
    case atomic_op::or_:
      return static_cast<T>(old | b);
    case atomic_op::xor_:
      return static_cast<T>(old ^ b);
    case atomic_op::inc:
      return old >= b ? T{0} : static_cast<T>(old + 1);
    case atomic_op::dec:
      return old == 0 || old > b ? b : static_cast<T>(old - 1);
    default:
      return old;
  }
}

/// The same for one or two numbers of half precision in a word.
template <class Format>
[[nodiscard]] constexpr std::uint32_t updated_halves(atomic_op how, std::uint64_t old, std::uint64_t b) {
  const auto x = static_cast<std::uint32_t>(old);
  const auto y = static_cast<std::uint32_t>(b);
  return how == atomic_op::add   ? half_add<Format>(x, y)
         : how == atomic_op::min ? half_min<Format, false, false>(x, y)
                                 : half_min<Format, true, false>(x, y);
}

/// The new value. Values are the low bits of the type's size. `flushes`: a sum of singles reads and writes subnormal
/// numbers as zeros, as global memory does and shared memory does not.
[[nodiscard]] inline std::uint64_t updated(atomic_op how, scalar_type type, std::uint64_t old, std::uint64_t b,
                                           std::uint64_t c, bool flushes = false) {
  const bool sum = how == atomic_op::add;
  switch (type) {
    case scalar_type::f32:
      if (!sum) break;
      {
        const auto kept = [flushes](std::uint32_t v) { return flushes ? flush(v) : v; };
        const float x = std::bit_cast<float>(kept(static_cast<std::uint32_t>(old)));
        const float y = std::bit_cast<float>(kept(static_cast<std::uint32_t>(b)));
        return kept(std::bit_cast<std::uint32_t>(f_add<float>(x, y)));
      }
    case scalar_type::f64:
      if (!sum) break;
      return std::bit_cast<std::uint64_t>(f_add<double>(std::bit_cast<double>(old), std::bit_cast<double>(b)));
    case scalar_type::f16:
    case scalar_type::f16x2:
      return updated_halves<f16_format>(how, old, b) & (type == scalar_type::f16 ? 0xFFFFU : 0xFFFF'FFFFU);
    case scalar_type::bf16:
    case scalar_type::bf16x2:
      return updated_halves<bf16_format>(how, old, b) & (type == scalar_type::bf16 ? 0xFFFFU : 0xFFFF'FFFFU);
    case scalar_type::s32:
      return static_cast<std::uint32_t>(updated_integer(how, static_cast<std::int32_t>(old),
                                                        static_cast<std::int32_t>(b), static_cast<std::int32_t>(c)));
    case scalar_type::s64:
      return static_cast<std::uint64_t>(updated_integer(how, static_cast<std::int64_t>(old),
                                                        static_cast<std::int64_t>(b), static_cast<std::int64_t>(c)));
    case scalar_type::b16:
    case scalar_type::u16:
    case scalar_type::s16:
      return updated_integer(how, static_cast<std::uint16_t>(old), static_cast<std::uint16_t>(b),
                             static_cast<std::uint16_t>(c));
    case scalar_type::u32:
    case scalar_type::b32:
      return updated_integer(how, static_cast<std::uint32_t>(old), static_cast<std::uint32_t>(b),
                             static_cast<std::uint32_t>(c));
    default:
      break;
  }
  return updated_integer(how, old, b, c);
}

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
