// SPDX-License-Identifier: BSL-1.0
//
// From a type of PTX to code for the C++ type of its values.
#pragma once

#include <simtflow/ptx/machine/values/lanes.hpp>
#include <simtflow/ptx/text/types.hpp>

#include <cstdint>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

// Calls v.operator()<T>() for the C++ type of an integer type; bits count as unsigned.
template <class V>
lane_code for_int(scalar_type t, V v) {
  switch (t) {
    case scalar_type::b8:
    case scalar_type::u8:
      return v.template operator()<std::uint8_t>();
    case scalar_type::s8:
      return v.template operator()<std::int8_t>();
    case scalar_type::b16:
    case scalar_type::u16:
      return v.template operator()<std::uint16_t>();
    case scalar_type::s16:
      return v.template operator()<std::int16_t>();
    case scalar_type::b32:
    case scalar_type::u32:
      return v.template operator()<std::uint32_t>();
    case scalar_type::s32:
      return v.template operator()<std::int32_t>();
    case scalar_type::b64:
    case scalar_type::u64:
      return v.template operator()<std::uint64_t>();
    case scalar_type::s64:
      return v.template operator()<std::int64_t>();
    default:
      return {};
  }
}
template <class V>
lane_code for_bits(scalar_type t, V v) {
  switch (info(t).size) {
    case 2:
      return v.template operator()<std::uint16_t>();
    case 4:
      return v.template operator()<std::uint32_t>();
    case 8:
      return v.template operator()<std::uint64_t>();
    default:
      return {};
  }
}
template <class V>
lane_code for_float(scalar_type t, V v) {
  if (t == scalar_type::f32) return v.template operator()<float>();
  if (t == scalar_type::f64) return v.template operator()<double>();
  return {};
}

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
