// SPDX-License-Identifier: BSL-1.0
//
// The code of integers: arithmetic, shifts, carries, dot products, two numbers in a word.
#pragma once

#include <simtflow/ptx/decode/detail/typed_code.hpp>
#include <simtflow/ptx/machine/values/bits.hpp>
#include <simtflow/ptx/machine/values/carries.hpp>
#include <simtflow/ptx/machine/values/integers.hpp>
#include <simtflow/ptx/machine/values/lanes.hpp>
#include <simtflow/ptx/machine/values/packed_integers.hpp>
#include <simtflow/ptx/text/operation.hpp>
#include <simtflow/ptx/text/types.hpp>

#include <cstdint>
#include <type_traits>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

/// Two 16-bit integers in a word.
inline lane_code pairs_code(const operation& o) {
  const bool is_signed = o.type == scalar_type::s16x2;
  switch (o.name) {
    case mnemonic::add:
      return light<&add_pairs>();
    case mnemonic::min:
      return is_signed ? light<&both_halves<std::int16_t, &i_min<std::int16_t>>>()
                       : light<&both_halves<std::uint16_t, &i_min<std::uint16_t>>>();
    case mnemonic::max:
      return is_signed ? light<&both_halves<std::int16_t, &i_max<std::int16_t>>>()
                       : light<&both_halves<std::uint16_t, &i_max<std::uint16_t>>>();
    default:
      return {};
  }
}

template <class T>
lane_code int_code_of(const operation& o) {
  switch (o.name) {
    case mnemonic::add:
      return light<&i_add<T>>();
    case mnemonic::sub:
      return light<&i_sub<T>>();
    case mnemonic::mul:
      if (o.part == product_part::lo) return light<&i_mul<T>>();
      if (o.part == product_part::hi) return light<&mul_hi<T>>();
      if constexpr (sizeof(T) == 2 || sizeof(T) == 4) return light<&mul_wide<T>>();
      return {};
    case mnemonic::mad:
      if (o.part == product_part::lo) return light<&i_mad<T>>();
      if (o.part == product_part::hi) return light<&mad_hi<T>>();
      if constexpr (sizeof(T) == 2 || sizeof(T) == 4) return light<&mad_wide<T>>();
      return {};
    case mnemonic::sad:
      return light<&i_sad<T>>();
    case mnemonic::div:
      return each<&i_div<T>>();
    case mnemonic::rem:
      return each<&i_rem<T>>();
    case mnemonic::min:
      return light<&i_min<T>>();
    case mnemonic::max:
      return light<&i_max<T>>();
    default:
      break;
  }
  if constexpr (std::is_signed_v<T>) {
    if (o.name == mnemonic::neg) return light<&i_neg<T>>();
    if (o.name == mnemonic::abs) return light<&i_abs<T>>();
  }
  if constexpr (sizeof(T) == 4 || sizeof(T) == 8) {
    if (o.name == mnemonic::bfe) return each<&i_bfe<T>>();
    if (o.name == mnemonic::bfind) return o.shift_amount ? each<&i_bfind<T, true>>() : each<&i_bfind<T, false>>();
  }
  if constexpr (sizeof(T) == 4) {
    if (o.name == mnemonic::mul24) return o.part == product_part::lo ? light<&mul24_lo<T>>() : light<&mul24_hi<T>>();
    if (o.name == mnemonic::mad24) return o.part == product_part::lo ? light<&mad24_lo<T>>() : light<&mad24_hi<T>>();
  }
  return {};
}

inline lane_code integer_code(const operation& o) {
  if (o.sat) {
    switch (o.name) {
      case mnemonic::add:
        return light<&add_sat>();
      case mnemonic::sub:
        return light<&sub_sat>();
      case mnemonic::mad:
        return light<&mad_hi_sat>();
      case mnemonic::mad24:
        return light<&mad24_hi_sat>();
      default:
        return {};
    }
  }
  switch (o.type) {
    case scalar_type::u16:
      return int_code_of<std::uint16_t>(o);
    case scalar_type::s16:
      return int_code_of<std::int16_t>(o);
    case scalar_type::u32:
      return int_code_of<std::uint32_t>(o);
    case scalar_type::s32:
      return int_code_of<std::int32_t>(o);
    case scalar_type::u64:
      return int_code_of<std::uint64_t>(o);
    case scalar_type::s64:
      return int_code_of<std::int64_t>(o);
    default:
      return {};
  }
}

template <bool Uniform>
lane_code shift_code(const operation& o) {
  if (o.name == mnemonic::shr && info(o.type).kind == type_class::signed_integer) {
    switch (o.type) {
      case scalar_type::s16:
        return Uniform ? lane_code{&lanes<&i_shr<std::int16_t>>::light_uniform, nullptr}
                       : light<&i_shr<std::int16_t>>();
      case scalar_type::s32:
        return Uniform ? lane_code{&lanes<&i_shr<std::int32_t>>::light_uniform, nullptr}
                       : light<&i_shr<std::int32_t>>();
      default:
        return Uniform ? lane_code{&lanes<&i_shr<std::int64_t>>::light_uniform, nullptr}
                       : light<&i_shr<std::int64_t>>();
    }
  }
  return for_bits(o.type, [&]<class T>() -> lane_code {
    if (o.name == mnemonic::shl)
      return Uniform ? lane_code{&lanes<&i_shl<T>>::light_uniform, nullptr} : light<&i_shl<T>>();
    return Uniform ? lane_code{&lanes<&i_shr<T>>::light_uniform, nullptr} : light<&i_shr<T>>();
  });
}

template <class T>
carry_code carry_typed(const operation& o, bool is_signed) {
  switch (o.name) {
    case mnemonic::add:
      return &carry_lanes<T, &add_carry<T>>;
    case mnemonic::sub:
      return &carry_lanes<T, &sub_carry<T>>;
    default:
      if (o.part == product_part::lo) return &carry_lanes<T, &mad_lo_carry<T>>;
      return is_signed ? &carry_lanes<T, &mad_hi_carry<T, true>> : &carry_lanes<T, &mad_hi_carry<T, false>>;
  }
}

inline lane_code dot_code(const operation& o) {
  const bool a = o.type == scalar_type::s32;
  const bool b = o.source == scalar_type::s32;
  using s8 = std::int8_t;
  using u8 = std::uint8_t;
  using s16 = std::int16_t;
  using u16 = std::uint16_t;
  if (o.name == mnemonic::dp4a)
    return a   ? b ? light<&dot4<s8, s8>>() : light<&dot4<s8, u8>>()
             : b ? light<&dot4<u8, s8>>()
               : light<&dot4<u8, u8>>();
  if (o.part == product_part::lo)
    return a   ? b ? light<&dot2<s16, s8, false>>() : light<&dot2<s16, u8, false>>()
             : b ? light<&dot2<u16, s8, false>>()
               : light<&dot2<u16, u8, false>>();
  return a   ? b ? light<&dot2<s16, s8, true>>() : light<&dot2<s16, u8, true>>()
           : b ? light<&dot2<u16, s8, true>>()
             : light<&dot2<u16, u8, true>>();
}

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
