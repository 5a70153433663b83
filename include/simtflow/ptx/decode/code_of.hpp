// SPDX-License-Identifier: BSL-1.0
//
// From an operation to the code that computes it.
#pragma once

#include <simtflow/ptx/machine/values/floats.hpp>
#include <simtflow/ptx/machine/values/half.hpp>
#include <simtflow/ptx/machine/values/integers.hpp>
#include <simtflow/ptx/machine/values/lanes.hpp>
#include <simtflow/ptx/machine/values/video.hpp>
#include <simtflow/ptx/text/isa.hpp>
#include <simtflow/ptx/text/operation.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

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

/// The code of an operation on values (not memory, control flow, predicates); none if there is no such operation.
/// An additional operand of the code (a rounding, a mode) is a constant. `uniform`: the
/// operand that says how (the amount of a shift, the table of lop3, the selectors of prmt) is the same in all lanes.
[[nodiscard]] inline lane_code code_of(const operation& o, bool uniform = false) {
  using namespace detail;  // NOLINT: the functions above
  switch (o.name) {
    case mnemonic::not_:
      return for_bits(o.type, []<class T>() { return light<&i_not<T>>(); });
    case mnemonic::cnot:
      return for_bits(o.type, []<class T>() { return light<&i_cnot<T>>(); });
    case mnemonic::and_:
      return for_bits(o.type, []<class T>() { return light<&i_and<T>>(); });
    case mnemonic::or_:
      return for_bits(o.type, []<class T>() { return light<&i_or<T>>(); });
    case mnemonic::xor_:
      return for_bits(o.type, []<class T>() { return light<&i_xor<T>>(); });
    case mnemonic::shl:
    case mnemonic::shr:
      return uniform ? shift_code<true>(o) : shift_code<false>(o);
    case mnemonic::shf:
      if (o.left) return o.wrap ? light<&funnel<true, true>>() : light<&funnel<true, false>>();
      return o.wrap ? light<&funnel<false, true>>() : light<&funnel<false, false>>();
    case mnemonic::lop3:
      return {uniform ? &lop3_uniform : &lanes<&lop3>::light, nullptr};
    case mnemonic::slct:
      return for_bits(o.type, [&]<class T>() {
        return o.source == scalar_type::f32 ? light<&select_by_sign<T, float>>()
                                            : light<&select_by_sign<T, std::int32_t>>();
      });
    case mnemonic::cvt:
      return convert_code(o);
    case mnemonic::clz:
      return info(o.type).size == 4 ? each<&i_clz<std::uint32_t>>() : each<&i_clz<std::uint64_t>>();
    case mnemonic::popc:
      return info(o.type).size == 4 ? light<&popc32>() : each<&i_popc<std::uint64_t>>();
    case mnemonic::brev:
      return info(o.type).size == 4 ? each<&i_brev<std::uint32_t>>() : each<&i_brev<std::uint64_t>>();
    case mnemonic::bfi:
      return info(o.type).size == 4 ? each<&i_bfi<std::uint32_t>>() : each<&i_bfi<std::uint64_t>>();
    case mnemonic::prmt:
      return uniform ? lane_code{&prmt_uniform, nullptr} : each<&prmt>();
    case mnemonic::bmsk:
      return o.wrap ? light<&bit_mask<true>>() : light<&bit_mask<false>>();
    case mnemonic::szext:
      if (o.type == scalar_type::s32)
        return o.wrap ? light<&sign_extend<std::int32_t, true>>() : light<&sign_extend<std::int32_t, false>>();
      return o.wrap ? light<&sign_extend<std::uint32_t, true>>() : light<&sign_extend<std::uint32_t, false>>();
    case mnemonic::fns:
      return each<&find_nth_set>();
    case mnemonic::mapa:
      return info(o.type).size == 4 ? light<&address_in_cluster<std::uint32_t>>()
                                    : light<&address_in_cluster<std::uint64_t>>();
    case mnemonic::getctarank:
      return info(o.type).size == 4 ? light<&rank_in_cluster<std::uint32_t>>()
                                    : light<&rank_in_cluster<std::uint64_t>>();
    case mnemonic::dp2a:
    case mnemonic::dp4a:
      return dot_code(o);
    case mnemonic::cvt_pack:
      return light<&pack_saturated>();
    default:
      if (is_video(o)) return each<&video>();
      if (o.type == scalar_type::f16 || o.type == scalar_type::f16x2) return half_code<f16_format>(o);
      if (o.type == scalar_type::bf16 || o.type == scalar_type::bf16x2) return half_code<bf16_format>(o);
      if (o.type == scalar_type::u16x2 || o.type == scalar_type::s16x2) return pairs_code(o);
      return info(o.type).kind == type_class::floating ? float_code(o) : integer_code(o);
  }
}

/// The code of addc, sub.cc, mad.lo.cc, ...
[[nodiscard]] inline carry_code carry_code_of(const operation& o) {
  const bool is_signed = info(o.type).kind == type_class::signed_integer;
  return info(o.type).size == 8 ? detail::carry_typed<std::uint64_t>(o, is_signed)
                                : detail::carry_typed<std::uint32_t>(o, is_signed);
}
/// The code of testp.
[[nodiscard]] inline compare_code test_code_of(const operation& o) {
  return o.type == scalar_type::f64 ? detail::test_typed<double>(o.test) : detail::test_typed<float>(o.test);
}

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

#undef SIMTFLOW_PTX_FMA_AT_RUN_TIME
