// SPDX-License-Identifier: BSL-1.0
//
// The code of cvt between integers, singles and doubles.
#pragma once

#include <simtflow/ptx/decode/detail/typed_code.hpp>
#include <simtflow/ptx/machine/values/conversions.hpp>
#include <simtflow/ptx/machine/values/float_rounding.hpp>
#include <simtflow/ptx/machine/values/lanes.hpp>
#include <simtflow/ptx/text/operation.hpp>
#include <simtflow/ptx/text/types.hpp>

#include <cstddef>
#include <type_traits>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

template <class D, class S>
lane_code convert_numbers(const operation& o) {
  constexpr bool to_float = std::is_floating_point_v<D>;
  constexpr bool from_float = std::is_floating_point_v<S>;
  if constexpr (!to_float && !from_float) {
    return o.sat ? light<&int_to_int_sat<D, S>>() : light<&int_to_int<D, S>>();
  } else if constexpr (to_float && !from_float) {
    switch (o.round) {
      case rounding::rz:
        return each<&int_to_float_to<D, S, rounding::rz>>();
      case rounding::rm:
        return each<&int_to_float_to<D, S, rounding::rm>>();
      case rounding::rp:
        return each<&int_to_float_to<D, S, rounding::rp>>();
      default:
        return sizeof(S) == 8 ? each<&int_to_float<D, S>>() : light<&int_to_float<D, S>>();
    }
  } else if constexpr (!to_float) {
    switch (o.round) {
      case rounding::rni:
        return each<&float_to_int_by<D, S, rounding::rni>>();
      case rounding::rmi:
        return each<&float_to_int_by<D, S, rounding::rmi>>();
      case rounding::rpi:
        return each<&float_to_int_by<D, S, rounding::rpi>>();
      default:
        return sizeof(D) == 8 ? each<&float_to_int<D, S>>() : light<&float_to_int<D, S>>();
    }
  } else if constexpr (sizeof(D) == sizeof(S)) {
    switch (o.round) {
      case rounding::rni:
        return each<&to_integral<D, rounding::rni>>();
      case rounding::rzi:
        return each<&to_integral<D, rounding::rzi>>();
      case rounding::rmi:
        return each<&to_integral<D, rounding::rmi>>();
      case rounding::rpi:
        return each<&to_integral<D, rounding::rpi>>();
      default:
        return {};  // a copy; the caller makes one
    }
  } else if constexpr (sizeof(D) == 8) {
    return light<&widen>();
  } else {
    switch (o.round) {
      case rounding::rz:
        return light<&narrow<rounding::rz>>();
      case rounding::rm:
        return light<&narrow<rounding::rm>>();
      case rounding::rp:
        return light<&narrow<rounding::rp>>();
      default:
        return light<&narrow<rounding::rn>>();
    }
  }
}

/// The code of cvt; none if it is a plain copy.
inline lane_code convert_code(const operation& o) {
  const auto from = [&]<class D>() -> lane_code {
    const auto to = [&]<class S>() -> lane_code { return convert_numbers<D, S>(o); };
    return info(o.source).kind == type_class::floating ? for_float(o.source, to) : for_int(o.source, to);
  };
  return info(o.type).kind == type_class::floating ? for_float(o.type, from) : for_int(o.type, from);
}

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
