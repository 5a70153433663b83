// SPDX-License-Identifier: BSL-1.0
//
// The code of comparisons and of testp.
#pragma once

#include <simtflow/ptx/machine/values/comparisons.hpp>
#include <simtflow/ptx/machine/values/float_selection.hpp>
#include <simtflow/ptx/machine/values/lanes.hpp>
#include <simtflow/ptx/text/operation.hpp>
#include <simtflow/ptx/text/types.hpp>

#include <cstdint>
#include <type_traits>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

template <class T, comparison C>
constexpr compare_code compare_for() {
  return &compare_lanes<T, &compare<T, C>>;
}
template <class T>
compare_code compare_typed(comparison c) {
  switch (c) {
    case comparison::eq:
      return compare_for<T, comparison::eq>();
    case comparison::ne:
      return compare_for<T, comparison::ne>();
    case comparison::lt:
    case comparison::lo:
      return compare_for<T, comparison::lt>();
    case comparison::le:
    case comparison::ls:
      return compare_for<T, comparison::le>();
    case comparison::gt:
    case comparison::hi:
      return compare_for<T, comparison::gt>();
    case comparison::ge:
    case comparison::hs:
      return compare_for<T, comparison::ge>();
    default:
      break;
  }
  if constexpr (std::is_floating_point_v<T>) {
    switch (c) {
      case comparison::equ:
        return compare_for<T, comparison::equ>();
      case comparison::neu:
        return compare_for<T, comparison::neu>();
      case comparison::ltu:
        return compare_for<T, comparison::ltu>();
      case comparison::leu:
        return compare_for<T, comparison::leu>();
      case comparison::gtu:
        return compare_for<T, comparison::gtu>();
      case comparison::geu:
        return compare_for<T, comparison::geu>();
      case comparison::num:
        return compare_for<T, comparison::num>();
      case comparison::nan:
        return compare_for<T, comparison::nan>();
      default:
        break;
    }
  }
  return nullptr;
}
template <class T>
compare_code test_typed(float_test p) {
  switch (p) {
    case float_test::finite:
      return &test_lanes<T, &has_property<T, float_test::finite>>;
    case float_test::infinite:
      return &test_lanes<T, &has_property<T, float_test::infinite>>;
    case float_test::number:
      return &test_lanes<T, &has_property<T, float_test::number>>;
    case float_test::notanumber:
      return &test_lanes<T, &has_property<T, float_test::notanumber>>;
    case float_test::normal:
      return &test_lanes<T, &has_property<T, float_test::normal>>;
    default:
      return &test_lanes<T, &has_property<T, float_test::subnormal>>;
  }
}
inline compare_code compare_of(scalar_type t, comparison c) {
  switch (t) {
    case scalar_type::b16:
    case scalar_type::u16:
      return compare_typed<std::uint16_t>(c);
    case scalar_type::s16:
      return compare_typed<std::int16_t>(c);
    case scalar_type::b32:
    case scalar_type::u32:
      return compare_typed<std::uint32_t>(c);
    case scalar_type::s32:
      return compare_typed<std::int32_t>(c);
    case scalar_type::b64:
    case scalar_type::u64:
      return compare_typed<std::uint64_t>(c);
    case scalar_type::s64:
      return compare_typed<std::int64_t>(c);
    case scalar_type::f32:
      return compare_typed<float>(c);
    case scalar_type::f64:
      return compare_typed<double>(c);
    default:
      return nullptr;
  }
}

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
