// SPDX-License-Identifier: BSL-1.0
//
// Selects the operations that an instruction on values becomes: the code that computes it, and the work on its operands
// before and on its result after. detail/instruction_decoder.hpp has memory and the lanes of a warp, detail/decoder.hpp
// control flow.
//
// An instruction may become several operations under one guard. They hand values to each other in scratch slots and
// predicates, which are dead between instructions. The carry flag CC.CF is a predicate like any other; it lives from
// one instruction to the next.
//
// Literature: NVIDIA, Parallel Thread Execution ISA, chapter "Instruction Set".
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/ptx/decode/code_of.hpp>
#include <simtflow/ptx/decode/detail/compare_code.hpp>
#include <simtflow/ptx/decode/detail/float_code.hpp>
#include <simtflow/ptx/decode/detail/operation_writer.hpp>
#include <simtflow/ptx/machine/decoded_op.hpp>
#include <simtflow/ptx/machine/values/floats.hpp>
#include <simtflow/ptx/machine/values/half.hpp>
#include <simtflow/ptx/machine/values/integers.hpp>
#include <simtflow/ptx/machine/values/lanes.hpp>
#include <simtflow/ptx/machine/values/video.hpp>
#include <simtflow/ptx/text/isa.hpp>
#include <simtflow/ptx/text/module.hpp>
#include <simtflow/ptx/text/operation.hpp>
#include <simtflow/ptx/text/signature.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

// The part of the decoder that knows values.
class code_selector {
 public:
  explicit code_selector(operation_writer& w) : w_(w) {}

  /// Emits the operations of an instruction. \pre it is verified, and not the decoder's.
  void select(const instruction& i, const operation& o) {
    const std::span<const operand> given = w_.operands_of(i);
    switch (o.name) {
      case mnemonic::setp:
        set_predicate(o, given);
        return;
      case mnemonic::set:
        set(o, given);
        return;
      case mnemonic::testp: {
        decoded_op op = w_.start(op_kind::compare);
        op.compare = test_code_of(o);
        op.result = first_predicate(given[0]);
        op.source[0] = op.source[1] = w_.value(given[1], o.type);
        w_.append(op);
        return;
      }
      case mnemonic::selp:
        choose(w_.register_slot(given[0]), w_.predicate(given[3]), w_.value(given[1], o.type),
               w_.value(given[2], o.type));
        return;
      case mnemonic::mov:
        if (o.width > 1) {
          move_vector(o, given);
          return;
        }
        if (given[0].kind == operand_kind::vector || given[1].kind == operand_kind::vector) {
          move_parts(o, given);
          return;
        }
        [[fallthrough]];
      case mnemonic::not_:
      case mnemonic::and_:
      case mnemonic::or_:
      case mnemonic::xor_:
        if (o.type == scalar_type::pred) {
          predicates(o, given);
          return;
        }
        if (o.name == mnemonic::mov) {
          const slot_ref to = w_.register_slot(given[0]);
          const slot_ref from = w_.value(given[1], o.type);
          w_.copy(to, from);
          if (info(o.type).size == 16) w_.copy(w_.upper_half(to), w_.upper_half(from));
          return;
        }
        break;
      case mnemonic::lop3:
        if (o.combine != boolean_op::none) {
          logic_with_predicate(o, given);
          return;
        }
        break;
      case mnemonic::cvt:
        conversion(o, given);
        return;
      case mnemonic::ex2:
      case mnemonic::tanh:
        if (is_half(o.type)) {
          half_function(o, given);
          return;
        }
        break;
      default:
        break;
    }
    if (o.carry_in || o.carry_out)
      carry(o, given);
    else if (is_half(o.type))
      half_arithmetic(o, given);
    else
      arithmetic(o, given);
  }

  /// Writes 1 where a predicate holds and 0 where it does not; predicate_from() is the reverse.
  void predicate_to(slot_ref to, predicate_ref p) { choose(to, p, w_.literal(false, 1), w_.literal(false, 0)); }
  void predicate_from(std::uint32_t to, slot_ref from) {
    compare_slots(compare_of(scalar_type::b32, comparison::ne), to, from, w_.literal(false, 0), boolean_op::none, {});
  }
  /// Another function with a numbering of its own begins: scratch and carry flag are made anew.
  void begin_function() {
    scratch32_.clear();
    scratch64_.clear();
    scratch_predicates_.clear();
    carry_ = no_index;
  }

 private:
  static constexpr predicate_ref never{no_index, true};

  slot_ref scratch(bool wide, std::size_t n) {
    std::vector<slot_ref>& list = wide ? scratch64_ : scratch32_;
    while (list.size() <= n) list.push_back(w_.fresh(wide));
    return list[n];
  }
  std::uint32_t scratch_predicate(std::size_t n) {
    while (scratch_predicates_.size() <= n) scratch_predicates_.push_back(w_.fresh_predicate());
    return scratch_predicates_[n];
  }
  std::uint32_t carry_flag() {
    if (carry_ == no_index) carry_ = w_.fresh_predicate();
    return carry_;
  }
  /// The p and the q of p|q.
  std::uint32_t first_predicate(const operand& o) {
    return o.kind == operand_kind::sink ? no_index : w_.register_slot(o);
  }
  std::uint32_t second_predicate(operand o) {
    o.index = o.second;
    return o.second == no_index ? no_index : w_.register_slot(o);
  }

  // --- single operations -----------------------------------------------------------------------------------------

  void choose(slot_ref result, predicate_ref p, slot_ref yes, slot_ref no) {
    decoded_op op = w_.start(op_kind::select);
    op.result = result;
    op.source[0] = yes;
    op.source[1] = no;
    op.predicate[0] = p;
    w_.append(op);
  }
  void copy_predicate(std::uint32_t to, std::uint32_t from) {
    decoded_op op = w_.start(op_kind::predicate);
    op.result = to;
    op.predicate[0] = {from, false};
    w_.append(op);
  }
  void compare_slots(compare_code code, std::uint32_t result, slot_ref a, slot_ref b, boolean_op combine,
                     predicate_ref with, std::uint32_t second = no_index, bool flush = false) {
    decoded_op op = w_.start(op_kind::compare);
    op.compare = code;
    op.result = result;
    op.second = second;
    op.source[0] = a;
    op.source[1] = b;
    op.combine = combine;
    op.predicate[0] = with;
    if (flush) op.flush = 3;
    w_.append(op);
  }

  // --- arithmetic ------------------------------------------------------------------------------------------------

  void arithmetic(const operation& o, std::span<const operand> given) {
    const signature s = signature_of(o, static_cast<std::uint32_t>(given.size()));
    const std::size_t how = o.name == mnemonic::shl || o.name == mnemonic::shr ? 2
                            : o.name == mnemonic::prmt                         ? 3
                            : o.name == mnemonic::lop3                         ? 4
                                                                               : 0;
    const lane_code code = code_of(o, how != 0 && given[how].kind == operand_kind::integer);
    SIMTFLOW_EXPECTS(code.light != nullptr || code.each != nullptr, "every instruction that verifies has code");
    decoded_op op = w_.start(code.light != nullptr ? op_kind::light : op_kind::each);
    op.light = code.light;
    op.each = code.each;
    const slot_ref result = w_.register_slot(given[0]);
    op.result = result;
    for (std::uint32_t n = 1; n < s.count; ++n) op.source[n - 1] = w_.value(given[n], s.at[n].type);
    switch (o.name) {  // operands that the text does not have
      case mnemonic::prmt:
        op.source[3] = w_.literal(false, static_cast<std::uint64_t>(o.permute));
        break;
      case mnemonic::cvt_pack: {
        const bool is_signed = info(o.type).kind == type_class::signed_integer;
        if (o.third == scalar_type::none) op.source[2] = w_.literal(false, 0);
        op.source[3] = w_.literal(false, 8 * info(o.type).size + (is_signed ? 32U : 0U));
        break;
      }
      default:
        if (is_video(o)) {
          if (s.count < 4) op.source[2] = w_.literal(false, 0);
          op.source[3] = w_.literal(false, video_word(o, given));
          if (o.width > 1) gather(op, given);
        }
        if (o.type == scalar_type::f64 && is_directed(o.round))
          op.source[s.count - 1] = w_.literal(false, static_cast<std::uint64_t>(o.round));
        break;
    }
    float_flags(op, o, s);
    if (!o.xorsign_abs && !o.relu) {
      w_.append(op);
      return;
    }
    const slot_ref a = op.source[0];
    const slot_ref b = op.source[1];
    if (o.xorsign_abs)
      for (std::size_t n = 0; n < 2; ++n) {
        w_.run(light<&f_abs<float>>(), scratch(false, n), op.source[n]);
        op.source[n] = scratch(false, n);
      }
    op.result = scratch(false, 2);
    w_.append(op);
    if (o.xorsign_abs)
      w_.run(light<&xor_signs>(), result, op.result, a, b);
    else if (o.type == scalar_type::s16x2)
      w_.run(light<&pairs_at_least_zero>(), result, op.result);
    else
      w_.run(light<&at_least_zero<std::int32_t>>(), result, op.result);
  }

  static void float_flags(decoded_op& op, const operation& o, const signature& s) {
    op.sat = o.sat && (o.type == scalar_type::f32 || o.type == scalar_type::f64);
    if (!o.ftz) return;
    for (std::uint32_t n = 1; n < s.count && n < 4; ++n) {
      const bool condition_only = o.name == mnemonic::slct && n != 3;
      if (s.at[n].type == scalar_type::f32 && !condition_only)
        op.flush = static_cast<std::uint8_t>(op.flush | (1U << (n - 1)));
    }
    if (o.type == scalar_type::f32 && o.name != mnemonic::slct) op.flush = static_cast<std::uint8_t>(op.flush | 0x80U);
  }

  void carry(const operation& o, std::span<const operand> given) {
    decoded_op op = w_.start(op_kind::carry);
    op.carry = carry_code_of(o);
    op.result = w_.register_slot(given[0]);
    for (std::size_t n = 1; n < given.size(); ++n) op.source[n - 1] = w_.value(given[n], o.type);
    op.predicate[0] = o.carry_in ? predicate_ref{carry_flag(), false} : never;
    op.second = o.carry_out ? carry_flag() : no_index;
    w_.append(op);
  }

  std::uint32_t video_word(const operation& o, std::span<const operand> given) {
    video_code v;
    v.name = static_cast<video_code::what>(static_cast<std::uint8_t>(o.name) -
                                           static_cast<std::uint8_t>(mnemonic::vadd));  // in the same order
    v.second = o.atomic == atomic_op::add   ? video_code::merge::add
               : o.atomic == atomic_op::min ? video_code::merge::min
               : o.atomic == atomic_op::max ? video_code::merge::max
                                            : video_code::merge::none;
    v.lanes = o.width;
    v.result_signed = o.type == scalar_type::s32;
    v.a_signed = o.source == scalar_type::s32;
    v.b_signed = o.third == scalar_type::s32;
    v.sat = o.sat;
    v.wrap = o.wrap;
    v.compare = o.compare;
    v.scale = o.scale;
    v.plus_one = o.plus_one;
    v.product_negated = given[1].negated != given[2].negated;
    v.c_negated = given.size() > 3 && given[3].negated;
    if (o.width > 1) {
      v.target = mask_of(w_.selector_of(given[0]), o.width);
      return v.word();
    }
    v.target = part_number(w_.selector_of(given[0]));
    v.a_part = part_number(w_.selector_of(given[1]));
    v.b_part = part_number(w_.selector_of(given[2]));
    return v.word();
  }
  /// Puts in place what packed instructions select from both operands; without a selector each is taken as it is.
  void gather(decoded_op& op, std::span<const operand> given) {
    const slot_ref both[2] = {op.source[0], op.source[1]};
    for (std::size_t n = 0; n < 2; ++n) {
      const std::string_view chosen = w_.selector_of(given[n + 1]);
      if (chosen.empty()) continue;
      operation permute;
      permute.name = mnemonic::prmt;
      permute.type = scalar_type::b32;
      const lane_code code = code_of(permute, true);
      decoded_op pick = w_.start(code.light != nullptr ? op_kind::light : op_kind::each);
      pick.light = code.light;
      pick.each = code.each;
      pick.result = op.source[n] = scratch(false, n);
      pick.source[0] = both[0];
      pick.source[1] = both[1];
      pick.source[2] = w_.literal(false, gather_control(chosen));
      pick.source[3] = w_.literal(false, 0);
      w_.append(pick);
    }
  }

  // --- half precision --------------------------------------------------------------------------------------------

  enum class half_step : std::uint8_t { flush, saturate, relu, finite };

  static constexpr bool is_brain(scalar_type t) { return t == scalar_type::bf16 || t == scalar_type::bf16x2; }
  static constexpr bool is_pair(scalar_type t) { return t == scalar_type::f16x2 || t == scalar_type::bf16x2; }

  template <class H>
  static lane_code step_code(half_step s) {
    switch (s) {
      case half_step::flush:
        return light<&half_flush<H>>();
      case half_step::saturate:
        return light<&half_saturate<H>>();
      case half_step::relu:
        return light<&half_relu<H>>();
      default:
        return light<&half_finite<H>>();
    }
  }
  void step(half_step s, scalar_type t, slot_ref to, slot_ref from) {
    w_.run(is_brain(t) ? step_code<bf16_format>(s) : step_code<f16_format>(s), to, from);
  }
  /// To a single: the low half or the high one.
  void widen(scalar_type t, bool high, slot_ref to, slot_ref from) {
    if (is_brain(t))
      w_.run(high ? light<&half_to_float<bf16_format, true>>() : light<&half_to_float<bf16_format, false>>(), to, from);
    else
      w_.run(high ? light<&half_to_float<f16_format, true>>() : light<&half_to_float<f16_format, false>>(), to, from);
  }
  /// A single to the low half of a word.
  void narrow_single(scalar_type t, rounding how, slot_ref to, slot_ref from) {
    if (how == rounding::rn || how == rounding::none) {
      w_.run(is_brain(t) ? light<&float_to_half<bf16_format>>() : light<&float_to_half<f16_format>>(), to, from);
      return;
    }
    w_.run(light<&ptx::detail::widen>(), scratch(true, 0), from);
    narrow_double(t, how, to, scratch(true, 0));
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

  void half_arithmetic(const operation& o, std::span<const operand> given) {
    slot_ref in[3] = {no_slot, no_slot, no_slot};
    for (std::size_t n = 1; n < given.size() && n < 4; ++n) {
      in[n - 1] = w_.value(given[n], o.type);
      if (!o.ftz) continue;
      step(half_step::flush, o.type, scratch(false, n - 1), in[n - 1]);
      in[n - 1] = scratch(false, n - 1);
    }
    const slot_ref a = in[0];
    const slot_ref b = in[1];
    if (o.xorsign_abs)
      for (std::size_t n = 0; n < 2; ++n) {
        w_.run(light<&half_abs>(), scratch(false, n + 3), in[n]);
        in[n] = scratch(false, n + 3);
      }
    const slot_ref result = w_.register_slot(given[0]);
    const bool more = o.ftz || o.sat || o.relu || o.xorsign_abs;
    const slot_ref first = more ? scratch(false, 5) : result;
    w_.run(code_of(o), first, in[0], in[1], in[2]);
    if (!more) return;
    slot_ref last = first;
    if (o.xorsign_abs) {
      w_.run(light<&half_xor_signs>(), scratch(false, 6), last, a, b);
      last = scratch(false, 6);
    }
    if (o.ftz) {
      step(half_step::flush, o.type, scratch(false, 7), last);
      last = scratch(false, 7);
    }
    if (o.sat || o.relu)
      step(o.sat ? half_step::saturate : half_step::relu, o.type, result, last);
    else
      w_.copy(result, last);
  }

  /// ex2 and tanh: in single precision, a half at a time.
  void half_function(const operation& o, std::span<const operand> given) {
    slot_ref from = w_.value(given[1], o.type);
    if (o.ftz) {
      step(half_step::flush, o.type, scratch(false, 0), from);
      from = scratch(false, 0);
    }
    const slot_ref result = w_.register_slot(given[0]);
    const lane_code code = o.name == mnemonic::ex2 ? each<&f_ex2>() : each<&f_tanh>();
    const std::size_t halves = is_pair(o.type) ? 2 : 1;
    for (std::size_t n = 0; n < halves; ++n) {
      widen(o.type, n == 1, scratch(false, 1), from);
      w_.run(code, scratch(false, 2), scratch(false, 1));
      narrow_single(o.type, rounding::rn, scratch(false, 3 + n), scratch(false, 2));
    }
    const slot_ref last = o.ftz ? scratch(false, 5) : result;
    if (halves == 2)
      w_.run(light<&pack_halves>(), last, scratch(false, 3), scratch(false, 4));
    else
      w_.copy(last, scratch(false, 3));
    if (o.ftz) step(half_step::flush, o.type, result, last);
  }

  // --- comparison and logic --------------------------------------------------------------------------------------

  /// Compares two operands: halves as singles, the low or the high ones.
  void compare_operands(scalar_type t, const operation& o, std::span<const operand> given, bool high,
                        std::uint32_t result, std::uint32_t second) {
    slot_ref in[2] = {w_.value(given[1], t), w_.value(given[2], t)};
    const predicate_ref with = o.combine == boolean_op::none ? predicate_ref{} : w_.predicate(given[3]);
    if (is_half(t)) {
      for (std::size_t n = 0; n < 2; ++n) {
        if (o.ftz) step(half_step::flush, t, scratch(false, n), in[n]);
        widen(t, high, scratch(false, n), o.ftz ? scratch(false, n) : in[n]);
        in[n] = scratch(false, n);
      }
      t = scalar_type::f32;
    }
    compare_slots(compare_of(t, o.compare), result, in[0], in[1], o.combine, with, second,
                  o.ftz && t == scalar_type::f32);
  }

  void set_predicate(const operation& o, std::span<const operand> given) {
    const std::uint32_t p = first_predicate(given[0]);
    const std::uint32_t q = second_predicate(given[0]);
    if (!is_pair(o.type)) {
      compare_operands(o.type, o, given, false, p, q);
      return;
    }
    // p is about the low halves, q about the high ones. Neither may be written before both have been computed, and the
    // guard last.
    compare_operands(o.type, o, given, false, scratch_predicate(0), no_index);
    compare_operands(o.type, o, given, true, scratch_predicate(1), no_index);
    const bool guard_first = w_.start(op_kind::predicate).guard.index == p;
    if (!guard_first && p != no_index) copy_predicate(p, scratch_predicate(0));
    if (q != no_index) copy_predicate(q, scratch_predicate(1));
    if (guard_first && p != no_index) copy_predicate(p, scratch_predicate(0));
  }

  /// The value that set writes if the comparison holds.
  static std::uint32_t truth_of(scalar_type t) {
    switch (t) {
      case scalar_type::f32:
        return 0x3F80'0000U;
      case scalar_type::f16:
      case scalar_type::f16x2:
        return f16_format::one;
      case scalar_type::bf16:
      case scalar_type::bf16x2:
        return bf16_format::one;
      default:
        return 0xFFFF'FFFFU;
    }
  }
  void set(const operation& o, std::span<const operand> given) {
    const slot_ref result = w_.register_slot(given[0]);
    const slot_ref zero = w_.literal(false, 0);
    compare_operands(o.source, o, given, false, scratch_predicate(0), no_index);
    if (!is_pair(o.source)) {
      choose(result, {scratch_predicate(0), false}, w_.literal(false, truth_of(o.type)), zero);
      return;
    }
    compare_operands(o.source, o, given, true, scratch_predicate(1), no_index);
    const std::uint32_t yes = truth_of(o.type) & 0xFFFFU;
    choose(scratch(false, 2), {scratch_predicate(0), false}, w_.literal(false, yes), zero);
    choose(scratch(false, 3), {scratch_predicate(1), false}, w_.literal(false, yes), zero);
    w_.run(light<&pack_halves>(), result, scratch(false, 2), scratch(false, 3));
  }

  void predicates(const operation& o, std::span<const operand> given) {
    decoded_op op = w_.start(op_kind::predicate);
    op.result = w_.register_slot(given[0]);
    op.predicate[0] = w_.predicate(given[1]);
    if (o.name == mnemonic::not_) op.predicate[0].negated = !op.predicate[0].negated;
    if (given.size() > 2) op.predicate[1] = w_.predicate(given[2]);
    op.combine = o.name == mnemonic::and_   ? boolean_op::and_
                 : o.name == mnemonic::or_  ? boolean_op::or_
                 : o.name == mnemonic::xor_ ? boolean_op::xor_
                                            : boolean_op::none;
    w_.append(op);
  }

  /// lop3.or.b32 d|p, a, b, c, table, q: p = (d != 0) or q.
  void logic_with_predicate(const operation& o, std::span<const operand> given) {
    const bool kept = given[0].kind == operand_kind::reg;
    operand d = given[0];
    d.second = no_index;
    const slot_ref result = kept ? w_.register_slot(d) : scratch(false, 0);
    decoded_op op = w_.start(op_kind::light);
    op.light = code_of(o, given[4].kind == operand_kind::integer).light;
    op.result = result;
    for (std::size_t n = 0; n < 4; ++n) op.source[n] = w_.value(given[n + 1], scalar_type::b32);
    w_.append(op);
    const std::uint32_t p = second_predicate(given[0]);
    if (p != no_index)
      compare_slots(compare_of(scalar_type::b32, comparison::ne), p, result, w_.literal(false, 0), o.combine,
                    w_.predicate(given[5]));
  }

  // --- conversions -----------------------------------------------------------------------------------------------

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

  void conversion(const operation& o, std::span<const operand> given) {
    const slot_ref to = w_.register_slot(given[0]);
    const type_class kind = info(o.type).kind;
    const bool integer = kind == type_class::signed_integer || kind == type_class::unsigned_integer;
    if (integer || is_wide(to) == w_.is_wide_type(o.type)) {
      conversion_to(to, o, given);
    } else {  // .b64 that takes less: the upper half is zero
      conversion_to(scratch(false, 6), o, given);
      w_.convert(to, scalar_type::u64, scratch(false, 6), scalar_type::u32);
    }
  }
  void conversion_to(slot_ref to, const operation& o, std::span<const operand> given) {
    if (is_pair(o.type) || o.type == scalar_type::e4m3x2 || o.type == scalar_type::e5m2x2) {
      packed_conversion(to, o, given);
      return;
    }
    slot_ref from = w_.value(given[1], o.source);
    if (is_wide(from) != w_.is_wide_type(o.source)) {  // a 64-bit register read as something narrower
      const slot_ref low = scratch(false, 0);
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
      widen(o.source, false, done ? to : scratch(false, 1), from);
      if (done) return;
      from = scratch(false, 1);
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
    const slot_ref narrow_result = extend ? scratch(false, 2) : to;
    one_conversion(p, narrow_result, from);
    if (extend) w_.convert(to, integer_of(reg_size, is_signed), narrow_result, integer_of(size, is_signed));
  }
  /// Between types that lanes compute with.
  void one_conversion(const operation& o, slot_ref to, slot_ref from) {
    const lane_code code = code_of(o);
    decoded_op op = w_.start(code.light != nullptr  ? op_kind::light
                             : code.each != nullptr ? op_kind::each
                                                    : op_kind::copy);
    op.light = code.light;
    op.each = code.each;
    op.result = to;
    op.source[0] = from;
    float_flags(op, o, signature_of(o, 2));
    w_.append(op);
  }

  void to_half(const operation& o, slot_ref to, slot_ref from) {
    const bool more = o.sat || o.relu || o.satfinite;
    const slot_ref first = more ? scratch(false, 3) : to;
    const bool integral = o.round >= rounding::rni && o.round <= rounding::rpi;
    const type_class kind = info(o.source).kind;
    if (kind == type_class::floating) {
      if (integral || o.ftz) {
        operation whole = o;
        whole.type = o.source;
        whole.sat = false;
        if (!integral) whole.round = rounding::none;
        one_conversion(whole, scratch(w_.is_wide_type(o.source), 2), from);
        from = scratch(w_.is_wide_type(o.source), 2);
      }
      const rounding how = integral ? rounding::rn : o.round;
      if (o.source == scalar_type::f64)
        narrow_double(o.type, how, first, from);
      else
        narrow_single(o.type, how, first, from);
    } else {
      const bool is_signed = kind == type_class::signed_integer;
      if (!w_.is_wide_type(o.source)) {
        w_.convert(scratch(true, 1), integer_of(8, is_signed), from, o.source);
        from = scratch(true, 1);
      }
      narrow_integer(o.type, o.round, is_signed, first, from);
    }
    if (o.sat) step(half_step::saturate, o.type, to, first);
    if (o.relu) step(half_step::relu, o.type, o.satfinite ? scratch(false, 4) : to, first);
    if (o.satfinite) step(half_step::finite, o.type, to, o.relu ? scratch(false, 4) : first);
  }

  void to_tensor_single(const operation& o, slot_ref to, slot_ref from) {
    const lane_code code = o.round == rounding::rna  ? light<&to_tf32<rounding::rna>>()
                           : o.round == rounding::rz ? light<&to_tf32<rounding::rz>>()
                                                     : light<&to_tf32<rounding::rn>>();
    slot_ref last = o.relu || o.satfinite ? scratch(false, 2) : to;
    w_.run(code, last, from);
    if (o.satfinite) {
      w_.run(light<&finite_tf32>(), o.relu ? scratch(false, 3) : to, last);
      last = scratch(false, 3);
    }
    if (o.relu) w_.run(light<&single_relu>(), to, last);
  }

  /// Two numbers at once.
  void packed_conversion(slot_ref to, const operation& o, std::span<const operand> given) {
    const bool small_source = o.source == scalar_type::e4m3x2 || o.source == scalar_type::e5m2x2;
    if (small_source) {
      const slot_ref last = o.relu ? scratch(false, 0) : to;
      w_.run(o.source == scalar_type::e4m3x2 ? each<&from_8_bits<true>>() : each<&from_8_bits<false>>(), last,
             w_.value(given[1], o.source));
      if (o.relu) step(half_step::relu, o.type, to, last);
      return;
    }
    slot_ref high = w_.value(given[1], o.source);
    slot_ref low = given.size() > 2 ? w_.value(given[2], o.source) : high;
    if (o.source == scalar_type::f16x2) {
      widen(o.source, false, scratch(false, 0), low);
      widen(o.source, true, scratch(false, 1), high);
      low = scratch(false, 0);
      high = scratch(false, 1);
    }
    if (!is_pair(o.type)) {
      const bool e4m3 = o.type == scalar_type::e4m3x2;
      w_.run(e4m3     ? o.relu ? each<&to_8_bits<true, true>>() : each<&to_8_bits<true, false>>()
                 : o.relu ? each<&to_8_bits<false, true>>()
                      : each<&to_8_bits<false, false>>(),
             to, high, low);
      return;
    }
    narrow_single(o.type, o.round, scratch(false, 2), low);
    narrow_single(o.type, o.round, scratch(false, 3), high);
    const bool more = o.relu || o.satfinite;
    w_.run(light<&pack_halves>(), more ? scratch(false, 4) : to, scratch(false, 2), scratch(false, 3));
    if (o.relu) step(half_step::relu, o.type, o.satfinite ? scratch(false, 5) : to, scratch(false, 4));
    if (o.satfinite) step(half_step::finite, o.type, to, scratch(false, o.relu ? 5 : 4));
  }

  /// mov.v2, mov.v4: all elements are read before any is written.
  void move_vector(const operation& o, std::span<const operand> given) {
    const std::span<const operand> to = w_.elements_of(given[0]), from = w_.elements_of(given[1]);
    slots_.clear();
    for (const operand& e : from) slots_.push_back(w_.value(e, o.type));
    const auto slot_of = [&](const operand& e) { return e.kind == operand_kind::sink ? no_slot : w_.register_slot(e); };
    for (std::size_t n = 1; n < slots_.size(); ++n)
      for (std::size_t before = 0; before < n; ++before)
        if (slots_[n] == slot_of(to[before])) {
          const slot_ref kept = scratch(w_.is_wide_type(o.type), n);
          w_.copy(kept, slots_[n]);
          slots_[n] = kept;
        }
    for (std::size_t n = 0; n < slots_.size(); ++n)
      if (slot_of(to[n]) != no_slot) w_.copy(slot_of(to[n]), slots_[n]);
  }

  void move_parts(const operation& o, std::span<const operand> given) {
    const bool pack = given[1].kind == operand_kind::vector;
    const operand& parts = pack ? given[1] : given[0];
    const operand& whole = pack ? given[0] : given[1];
    const std::uint32_t size = info(o.type).size / parts.count;
    const scalar_type t = size == 2 ? scalar_type::b16 : size == 4 ? scalar_type::b32 : scalar_type::b64;
    slots_.clear();
    for (const operand& e : w_.elements_of(parts))
      slots_.push_back(e.kind == operand_kind::sink ? no_slot : w_.value(e, t));
    const slot_ref all = pack ? w_.register_slot(whole) : w_.value(whole, o.type);
    const std::span<const slot_ref> list(slots_);
    if (info(o.type).size < 16) {
      parts_of(pack, size, all, list);
      return;
    }
    parts_of(pack, size, all, list.first(list.size() / 2));
    parts_of(pack, size, w_.upper_half(all), list.last(list.size() / 2));
  }
  /// One slot from its parts or the other way round, the lowest first.
  void parts_of(bool pack, std::uint32_t size, slot_ref whole, std::span<const slot_ref> parts) {
    if (parts.size() == 1) {
      if (parts[0] != no_slot) w_.copy(pack ? whole : parts[0], pack ? parts[0] : whole);
      return;
    }
    decoded_op op = w_.start(pack ? op_kind::pack : op_kind::unpack);
    op.count = static_cast<std::uint8_t>(parts.size());
    op.size = static_cast<std::uint8_t>(size);
    op.list = w_.add_list(parts);
    (pack ? op.result : op.source[0]) = whole;
    w_.append(op);
  }

  operation_writer& w_;
  std::vector<slot_ref> scratch32_;
  std::vector<slot_ref> scratch64_;
  std::vector<std::uint32_t> scratch_predicates_;
  std::uint32_t carry_ = no_index;
  std::vector<slot_ref> slots_;
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
