// SPDX-License-Identifier: BSL-1.0
//
// Selects the operations of cvt: between types that lanes compute with, through singles from and to halves, and packed
// conversions of two numbers at once.
#pragma once

#include <simtflow/ptx/decode/code_of.hpp>
#include <simtflow/ptx/decode/detail/float_code.hpp>
#include <simtflow/ptx/decode/detail/half_selector.hpp>
#include <simtflow/ptx/decode/detail/operation_writer.hpp>
#include <simtflow/ptx/decode/detail/typed_code.hpp>
#include <simtflow/ptx/decode/detail/value_writer.hpp>
#include <simtflow/ptx/machine/decoded_op.hpp>
#include <simtflow/ptx/machine/values/conversions.hpp>
#include <simtflow/ptx/machine/values/half.hpp>
#include <simtflow/ptx/machine/values/lanes.hpp>
#include <simtflow/ptx/text/module.hpp>
#include <simtflow/ptx/text/operation.hpp>
#include <simtflow/ptx/text/signature.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

class conversion_selector {
 public:
  conversion_selector(operation_writer& w, value_writer& v, half_selector& half) : w_(w), v_(v), half_(half) {}

  void convert(const operation& o, std::span<const operand> given) {
    const slot_ref to = w_.register_slot(given[0]);
    const type_class kind = info(o.type).kind;
    const bool integer = kind == type_class::signed_integer || kind == type_class::unsigned_integer;
    if (integer || is_wide(to) == w_.is_wide_type(o.type)) {
      conversion_to(to, o, given);
    } else {  // .b64 that takes less: the upper half is zero
      conversion_to(v_.scratch(false, 6), o, given);
      w_.convert(to, scalar_type::u64, v_.scratch(false, 6), scalar_type::u32);
    }
  }

 private:
  void conversion_to(slot_ref to, const operation& o, std::span<const operand> given) {
    if (half_selector::is_pair(o.type) || o.type == scalar_type::e4m3x2 || o.type == scalar_type::e5m2x2) {
      packed_conversion(to, o, given);
      return;
    }
    slot_ref from = w_.value(given[1], o.source);
    if (is_wide(from) != w_.is_wide_type(o.source)) {  // a 64-bit register read as something narrower
      const slot_ref low = v_.scratch(false, 0);
      w_.convert(low, scalar_type::u32, from, scalar_type::u64);
      from = low;
    }
    if (o.type == scalar_type::tf32) {
      to_tensor_single(o, to, from);
      return;
    }
    operation p = o;  // with halves replaced by singles
    if (is_half(o.source)) {
      p.source = scalar_type::f32;
      const bool done = o.type == scalar_type::f32 && !o.sat && !o.ftz;
      half_.widen(o.source, false, done ? to : v_.scratch(false, 1), from);
      if (done) return;
      from = v_.scratch(false, 1);
    }
    if (is_half(o.type)) {
      to_half(p, to, from);
      return;
    }
    const std::uint32_t whole = info(w_.register_type(given[0])).size;
    const std::uint32_t reg_size = !is_wide(to) && whole == 8 ? 4 : whole;  // the size of `to`
    const std::uint32_t size = info(p.type).size;
    const bool is_signed = info(p.type).kind == type_class::signed_integer;
    const bool extend = size < reg_size && (is_signed || reg_size == 8);
    const slot_ref narrow_result = extend ? v_.scratch(false, 2) : to;
    one_conversion(p, narrow_result, from);
    if (extend) w_.convert(to, integer_of(reg_size, is_signed), narrow_result, integer_of(size, is_signed));
  }

  // Between types that lanes compute with.
  void one_conversion(const operation& o, slot_ref to, slot_ref from) {
    const lane_code code = code_of(o);
    decoded_op op = w_.start(code.light != nullptr  ? op_kind::light
                             : code.each != nullptr ? op_kind::each
                                                    : op_kind::copy);
    op.light = code.light;
    op.each = code.each;
    op.result = to;
    op.source[0] = from;
    v_.set_float_flags(op, o, signature_of(o, 2));
    w_.append(op);
  }

  void to_half(const operation& o, slot_ref to, slot_ref from) {
    const bool more = o.sat || o.relu || o.satfinite;
    const slot_ref first = more ? v_.scratch(false, 3) : to;
    const bool integral = o.round >= rounding::rni && o.round <= rounding::rpi;
    const type_class kind = info(o.source).kind;
    if (kind == type_class::floating) {
      if (integral || o.ftz) {
        operation whole = o;
        whole.type = o.source;
        whole.sat = false;
        if (!integral) whole.round = rounding::none;
        one_conversion(whole, v_.scratch(w_.is_wide_type(o.source), 2), from);
        from = v_.scratch(w_.is_wide_type(o.source), 2);
      }
      const rounding how = integral ? rounding::rn : o.round;
      if (o.source == scalar_type::f64)
        half_.narrow_double(o.type, how, first, from);
      else
        half_.narrow_single(o.type, how, first, from);
    } else {
      const bool is_signed = kind == type_class::signed_integer;
      if (!w_.is_wide_type(o.source)) {
        w_.convert(v_.scratch(true, 1), integer_of(8, is_signed), from, o.source);
        from = v_.scratch(true, 1);
      }
      half_.narrow_integer(o.type, o.round, is_signed, first, from);
    }
    if (o.sat) half_.step(half_selector::step_kind::saturate, o.type, to, first);
    if (o.relu) half_.step(half_selector::step_kind::relu, o.type, o.satfinite ? v_.scratch(false, 4) : to, first);
    if (o.satfinite) half_.step(half_selector::step_kind::finite, o.type, to, o.relu ? v_.scratch(false, 4) : first);
  }

  void to_tensor_single(const operation& o, slot_ref to, slot_ref from) {
    const lane_code code = o.round == rounding::rna  ? light<&to_tf32<rounding::rna>>()
                           : o.round == rounding::rz ? light<&to_tf32<rounding::rz>>()
                                                     : light<&to_tf32<rounding::rn>>();
    slot_ref last = o.relu || o.satfinite ? v_.scratch(false, 2) : to;
    w_.run(code, last, from);
    if (o.satfinite) {
      w_.run(light<&finite_tf32>(), o.relu ? v_.scratch(false, 3) : to, last);
      last = v_.scratch(false, 3);
    }
    if (o.relu) w_.run(light<&single_relu>(), to, last);
  }

  // Two numbers at once.
  void packed_conversion(slot_ref to, const operation& o, std::span<const operand> given) {
    const bool small_source = o.source == scalar_type::e4m3x2 || o.source == scalar_type::e5m2x2;
    if (small_source) {
      const slot_ref last = o.relu ? v_.scratch(false, 0) : to;
      w_.run(o.source == scalar_type::e4m3x2 ? each<&from_8_bits<true>>() : each<&from_8_bits<false>>(), last,
             w_.value(given[1], o.source));
      if (o.relu) half_.step(half_selector::step_kind::relu, o.type, to, last);
      return;
    }
    slot_ref high = w_.value(given[1], o.source);
    slot_ref low = given.size() > 2 ? w_.value(given[2], o.source) : high;
    if (o.source == scalar_type::f16x2) {
      half_.widen(o.source, false, v_.scratch(false, 0), low);
      half_.widen(o.source, true, v_.scratch(false, 1), high);
      low = v_.scratch(false, 0);
      high = v_.scratch(false, 1);
    }
    if (!half_selector::is_pair(o.type)) {
      const bool e4m3 = o.type == scalar_type::e4m3x2;
      w_.run(e4m3     ? o.relu ? each<&to_8_bits<true, true>>() : each<&to_8_bits<true, false>>()
                 : o.relu ? each<&to_8_bits<false, true>>()
                      : each<&to_8_bits<false, false>>(),
             to, high, low);
      return;
    }
    half_.narrow_single(o.type, o.round, v_.scratch(false, 2), low);
    half_.narrow_single(o.type, o.round, v_.scratch(false, 3), high);
    const bool more = o.relu || o.satfinite;
    w_.run(light<&pack_halves>(), more ? v_.scratch(false, 4) : to, v_.scratch(false, 2), v_.scratch(false, 3));
    if (o.relu)
      half_.step(half_selector::step_kind::relu, o.type, o.satfinite ? v_.scratch(false, 5) : to, v_.scratch(false, 4));
    if (o.satfinite) half_.step(half_selector::step_kind::finite, o.type, to, v_.scratch(false, o.relu ? 5 : 4));
  }

  static scalar_type integer_of(std::uint32_t size, bool is_signed) {
    switch (size) {
      case 1:
        return is_signed ? scalar_type::s8 : scalar_type::u8;
      case 2:
        return is_signed ? scalar_type::s16 : scalar_type::u16;
      case 4:
        return is_signed ? scalar_type::s32 : scalar_type::u32;
      default:
        return is_signed ? scalar_type::s64 : scalar_type::u64;
    }
  }

  operation_writer& w_;
  value_writer& v_;
  half_selector& half_;
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
