// SPDX-License-Identifier: BSL-1.0
//
// Selects the operations of half-precision instructions, and converts halves to and from what lanes compute with. A
// half or a pair of halves lies in a slot of 32 bits.
#pragma once

#include <simtflow/ptx/decode/code_of.hpp>
#include <simtflow/ptx/decode/detail/operation_writer.hpp>
#include <simtflow/ptx/decode/detail/typed_code.hpp>
#include <simtflow/ptx/decode/detail/value_writer.hpp>
#include <simtflow/ptx/machine/decoded_op.hpp>
#include <simtflow/ptx/machine/values/conversions.hpp>
#include <simtflow/ptx/machine/values/float_approximations.hpp>
#include <simtflow/ptx/machine/values/half.hpp>
#include <simtflow/ptx/machine/values/lanes.hpp>
#include <simtflow/ptx/text/module.hpp>
#include <simtflow/ptx/text/operation.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

class half_selector {
 public:
  // A step before or after the operation proper.
  enum class step_kind : std::uint8_t { flush, saturate, relu, finite };

  half_selector(operation_writer& w, value_writer& v) : w_(w), v_(v) {}

  // True if the type is two halves.
  static constexpr bool is_pair(scalar_type t) { return t == scalar_type::f16x2 || t == scalar_type::bf16x2; }

  void step(step_kind s, scalar_type t, slot_ref to, slot_ref from) {
    w_.run(is_brain(t) ? step_code<bf16_format>(s) : step_code<f16_format>(s), to, from);
  }
  // To a single: the low half or the high one.
  void widen(scalar_type t, bool high, slot_ref to, slot_ref from) {
    if (is_brain(t))
      w_.run(high ? light<&half_to_float<bf16_format, true>>() : light<&half_to_float<bf16_format, false>>(), to, from);
    else
      w_.run(high ? light<&half_to_float<f16_format, true>>() : light<&half_to_float<f16_format, false>>(), to, from);
  }
  // A single to the low half of a word.
  void narrow_single(scalar_type t, rounding how, slot_ref to, slot_ref from) {
    if (how == rounding::rn || how == rounding::none) {
      w_.run(is_brain(t) ? light<&float_to_half<bf16_format>>() : light<&float_to_half<f16_format>>(), to, from);
      return;
    }
    w_.run(light<&ptx::detail::widen>(), v_.scratch(true, 0), from);
    narrow_double(t, how, to, v_.scratch(true, 0));
  }
  void narrow_double(scalar_type t, rounding how, slot_ref to, slot_ref from) {
    w_.run(is_brain(t) ? each<&double_to_half<bf16_format>>() : each<&double_to_half<f16_format>>(), to, from,
           w_.literal(false, static_cast<std::uint64_t>(how)));
  }
  void narrow_integer(scalar_type t, rounding how, bool is_signed, slot_ref to, slot_ref from) {
    const slot_ref mode = w_.literal(false, static_cast<std::uint64_t>(how));
    if (is_signed)
      w_.run(is_brain(t) ? each<&integer_to_half<bf16_format, std::int64_t>>()
                         : each<&integer_to_half<f16_format, std::int64_t>>(),
             to, from, mode);
    else
      w_.run(is_brain(t) ? each<&integer_to_half<bf16_format, std::uint64_t>>()
                         : each<&integer_to_half<f16_format, std::uint64_t>>(),
             to, from, mode);
  }

  // Arithmetic on halves or pairs.
  void arithmetic(const operation& o, std::span<const operand> given) {
    slot_ref in[3] = {no_slot, no_slot, no_slot};
    for (std::size_t n = 1; n < given.size() && n < 4; ++n) {
      in[n - 1] = w_.value(given[n], o.type);
      if (!o.ftz) continue;
      step(step_kind::flush, o.type, v_.scratch(false, n - 1), in[n - 1]);
      in[n - 1] = v_.scratch(false, n - 1);
    }
    const slot_ref a = in[0];
    const slot_ref b = in[1];
    if (o.xorsign_abs)
      for (std::size_t n = 0; n < 2; ++n) {
        w_.run(light<&half_abs>(), v_.scratch(false, n + 3), in[n]);
        in[n] = v_.scratch(false, n + 3);
      }
    const slot_ref result = w_.register_slot(given[0]);
    const bool more = o.ftz || o.sat || o.relu || o.xorsign_abs;
    const slot_ref first = more ? v_.scratch(false, 5) : result;
    w_.run(code_of(o), first, in[0], in[1], in[2]);
    if (!more) return;
    slot_ref last = first;
    if (o.xorsign_abs) {
      w_.run(light<&half_xor_signs>(), v_.scratch(false, 6), last, a, b);
      last = v_.scratch(false, 6);
    }
    if (o.ftz) {
      step(step_kind::flush, o.type, v_.scratch(false, 7), last);
      last = v_.scratch(false, 7);
    }
    if (o.sat || o.relu)
      step(o.sat ? step_kind::saturate : step_kind::relu, o.type, result, last);
    else
      w_.copy(result, last);
  }

  // Selects ex2 or tanh: in single precision, a half at a time.
  void function_of_single(const operation& o, std::span<const operand> given) {
    slot_ref from = w_.value(given[1], o.type);
    if (o.ftz) {
      step(step_kind::flush, o.type, v_.scratch(false, 0), from);
      from = v_.scratch(false, 0);
    }
    const slot_ref result = w_.register_slot(given[0]);
    const lane_code code = o.name == mnemonic::ex2 ? each<&f_ex2>() : each<&f_tanh>();
    const std::size_t halves = is_pair(o.type) ? 2 : 1;
    for (std::size_t n = 0; n < halves; ++n) {
      widen(o.type, n == 1, v_.scratch(false, 1), from);
      w_.run(code, v_.scratch(false, 2), v_.scratch(false, 1));
      narrow_single(o.type, rounding::rn, v_.scratch(false, 3 + n), v_.scratch(false, 2));
    }
    const slot_ref last = o.ftz ? v_.scratch(false, 5) : result;
    if (halves == 2)
      w_.run(light<&pack_halves>(), last, v_.scratch(false, 3), v_.scratch(false, 4));
    else
      w_.copy(last, v_.scratch(false, 3));
    if (o.ftz) step(step_kind::flush, o.type, result, last);
  }

 private:
  static constexpr bool is_brain(scalar_type t) { return t == scalar_type::bf16 || t == scalar_type::bf16x2; }
  template <class H>
  static lane_code step_code(step_kind s) {
    switch (s) {
      case step_kind::flush:
        return light<&half_flush<H>>();
      case step_kind::saturate:
        return light<&half_saturate<H>>();
      case step_kind::relu:
        return light<&half_relu<H>>();
      default:
        return light<&half_finite<H>>();
    }
  }

  operation_writer& w_;
  value_writer& v_;
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
