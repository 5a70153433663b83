// SPDX-License-Identifier: BSL-1.0
//
// The code of floating point: singles, doubles, halves.
#pragma once

#include <simtflow/ptx/decode/detail/typed_code.hpp>
#include <simtflow/ptx/machine/values/float_approximations.hpp>
#include <simtflow/ptx/machine/values/float_arithmetic.hpp>
#include <simtflow/ptx/machine/values/float_rounding.hpp>
#include <simtflow/ptx/machine/values/float_selection.hpp>
#include <simtflow/ptx/machine/values/half.hpp>
#include <simtflow/ptx/machine/values/lanes.hpp>
#include <simtflow/ptx/text/operation.hpp>
#include <simtflow/ptx/text/types.hpp>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

template <rounding R>
lane_code directed_code(mnemonic m) {
  switch (m) {
    case mnemonic::add:
      return light<&add_to<R>>();
    case mnemonic::sub:
      return light<&sub_to<R>>();
    case mnemonic::mul:
      return light<&mul_to<R>>();
    case mnemonic::mad:
    case mnemonic::fma:
      return light<&fma_to<R>>();
    case mnemonic::div:
      return light<&div_to<R>>();
    case mnemonic::rcp:
      return light<&rcp_to<R>>();
    case mnemonic::sqrt:
      return each<&sqrt_to<R>>();
    default:
      return {};
  }
}

/// Rounding towards zero, down or up; the rounding is one more operand.
inline lane_code directed_f64_code(mnemonic m) {
  switch (m) {
    case mnemonic::add:
      return each<&d_add>();
    case mnemonic::sub:
      return each<&d_sub>();
    case mnemonic::mul:
      return each<&d_mul>();
    case mnemonic::mad:
    case mnemonic::fma:
      return each<&d_fma>();
    case mnemonic::div:
      return each<&d_div>();
    case mnemonic::rcp:
      return each<&d_rcp>();
    case mnemonic::sqrt:
      return each<&d_sqrt>();
    default:
      return {};
  }
}
constexpr bool is_directed(rounding r) { return r == rounding::rz || r == rounding::rm || r == rounding::rp; }

/// fma.rn.f32 for the processor at hand.
inline lane_code fma32_code() {
#if defined(SIMTFLOW_PTX_FMA_AT_RUN_TIME)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return {&fma32_light, nullptr};
#endif
  return light<&fma32>();
}

inline lane_code fma64_code() {
#if defined(SIMTFLOW_PTX_FMA_AT_RUN_TIME)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return {&fma64_light, nullptr};
#endif
  return each<&fma64>();
}

inline lane_code float_code(const operation& o) {
  if (o.type == scalar_type::f32) {
    if (o.round == rounding::rz) return directed_code<rounding::rz>(o.name);
    if (o.round == rounding::rm) return directed_code<rounding::rm>(o.name);
    if (o.round == rounding::rp) return directed_code<rounding::rp>(o.name);
  }
  if (o.type == scalar_type::f64 && is_directed(o.round)) return directed_f64_code(o.name);
  if (o.nan) return o.name == mnemonic::min ? light<&nan_wins<&f_min<float>>>() : light<&nan_wins<&f_max<float>>>();
  return for_float(o.type, [&]<class T>() -> lane_code {
    switch (o.name) {
      case mnemonic::add:
        return {&arithmetic_lanes<T, &raw_add<T>, &f_add<T>>, nullptr};
      case mnemonic::sub:
        return {&arithmetic_lanes<T, &raw_sub<T>, &f_sub<T>>, nullptr};
      case mnemonic::mul:
        return {&arithmetic_lanes<T, &raw_mul<T>, &f_mul<T>>, nullptr};
      case mnemonic::div:
        if constexpr (sizeof(T) == 4)
          if (o.approx && !o.full) return light<&div_approx>();
        return {&arithmetic_lanes<T, &raw_div<T>, &f_div<T>>, nullptr};
      case mnemonic::min:
        return light<&f_min<T>>();
      case mnemonic::max:
        return light<&f_max<T>>();
      case mnemonic::neg:
        return light<&f_neg<T>>();
      case mnemonic::abs:
        return light<&f_abs<T>>();
      case mnemonic::copysign:
        return light<&f_copysign<T>>();
      case mnemonic::rcp:
        if constexpr (sizeof(T) == 8)
          if (o.approx) return light<&rcp_gross>();
        return light<&f_rcp<T>>();
      case mnemonic::sqrt:
        return each<&f_sqrt<T>>();
      default:
        break;
    }
    if constexpr (sizeof(T) == 4) {
      switch (o.name) {
        case mnemonic::mad:
        case mnemonic::fma:
          return fma32_code();
        case mnemonic::rsqrt:
          return each<&f_rsqrt>();
        case mnemonic::ex2:
          return each<&f_ex2>();
        case mnemonic::lg2:
          return each<&f_lg2>();
        case mnemonic::sin:
          return each<&f_sin>();
        case mnemonic::cos:
          return each<&f_cos>();
        case mnemonic::tanh:
          return each<&f_tanh>();
        default:
          return {};
      }
    } else {
      if (o.name == mnemonic::mad || o.name == mnemonic::fma) return fma64_code();
      if (o.name == mnemonic::rsqrt) return o.ftz ? each<&rsqrt_gross>() : each<&d_rsqrt>();
      return {};
    }
  });
}

/// Halves, one or two of them: without .ftz, .sat, .relu, .xorsign.abs, which are operations of their own.
template <class H>
lane_code half_code(const operation& o) {
  switch (o.name) {
    case mnemonic::add:
      return light<&half_add<H>>();
    case mnemonic::sub:
      return light<&half_sub<H>>();
    case mnemonic::mul:
      return light<&half_mul<H>>();
    case mnemonic::fma:
      return light<&half_fma<H>>();
    case mnemonic::min:
      return o.nan ? light<&half_min<H, false, true>>() : light<&half_min<H, false, false>>();
    case mnemonic::max:
      return o.nan ? light<&half_min<H, true, true>>() : light<&half_min<H, true, false>>();
    case mnemonic::neg:
      return light<&half_neg>();
    case mnemonic::abs:
      return light<&half_abs>();
    default:
      return {};
  }
}

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

#undef SIMTFLOW_PTX_FMA_AT_RUN_TIME
