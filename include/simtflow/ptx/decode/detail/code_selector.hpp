// SPDX-License-Identifier: BSL-1.0
//
// Selects the operations that an instruction on values becomes: the code that computes it, and the work on its operands
// before and on its result after. Each kind of instruction has a selector: half_selector, predicate_selector,
// conversion_selector, move_selector, video_selector; arithmetic and carries are here. instruction_decoder.hpp has
// memory and the lanes of a warp, decoder.hpp control flow.
//
// An instruction may become several operations under one guard. They pass values to each other in the scratch slots of
// value_writer.
//
// Literature: NVIDIA, Parallel Thread Execution ISA, chapter "Instruction Set".
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/ptx/decode/code_of.hpp>
#include <simtflow/ptx/decode/detail/compare_code.hpp>
#include <simtflow/ptx/decode/detail/conversion_selector.hpp>
#include <simtflow/ptx/decode/detail/float_code.hpp>
#include <simtflow/ptx/decode/detail/half_selector.hpp>
#include <simtflow/ptx/decode/detail/move_selector.hpp>
#include <simtflow/ptx/decode/detail/operation_writer.hpp>
#include <simtflow/ptx/decode/detail/predicate_selector.hpp>
#include <simtflow/ptx/decode/detail/value_writer.hpp>
#include <simtflow/ptx/decode/detail/video_selector.hpp>
#include <simtflow/ptx/machine/decoded_op.hpp>
#include <simtflow/ptx/machine/values/float_selection.hpp>
#include <simtflow/ptx/machine/values/lanes.hpp>
#include <simtflow/ptx/machine/values/packed_integers.hpp>
#include <simtflow/ptx/text/isa.hpp>
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

// The part of the decoder that knows values.
class code_selector {
 public:
  explicit code_selector(operation_writer& w)
      : w_(w),
        v_(w),
        half_(w, v_),
        predicates_(w, v_, half_),
        conversions_(w, v_, half_),
        moves_(w, v_),
        video_(w, v_) {}
  code_selector(const code_selector&) = delete;  // its parts refer to each other
  code_selector& operator=(const code_selector&) = delete;

  // Emits the operations of an instruction. It is verified, and not the decoder's.
  void select(const instruction& i, const operation& o) {
    const std::span<const operand> given = w_.operands_of(i);
    switch (o.name) {
      case mnemonic::setp:
        predicates_.set_predicate(o, given);
        return;
      case mnemonic::set:
        predicates_.set(o, given);
        return;
      case mnemonic::testp:
        predicates_.test(o, given);
        return;
      case mnemonic::selp:
        v_.choose(w_.register_slot(given[0]), w_.predicate(given[3]), w_.value(given[1], o.type),
                  w_.value(given[2], o.type));
        return;
      case mnemonic::mov:
        if (o.type != scalar_type::pred || o.width > 1 || move_selector::has_parts(given)) {
          moves_.move(o, given);
          return;
        }
        [[fallthrough]];
      case mnemonic::not_:
      case mnemonic::and_:
      case mnemonic::or_:
      case mnemonic::xor_:
        if (o.type == scalar_type::pred) {
          predicates_.logic(o, given);
          return;
        }
        break;
      case mnemonic::lop3:
        if (o.combine != boolean_op::none) {
          predicates_.logic_with_predicate(o, given);
          return;
        }
        break;
      case mnemonic::cvt:
        conversions_.convert(o, given);
        return;
      case mnemonic::ex2:
      case mnemonic::tanh:
        if (is_half(o.type)) {
          half_.function_of_single(o, given);
          return;
        }
        break;
      default:
        break;
    }
    if (o.carry_in || o.carry_out)
      carry(o, given);
    else if (is_half(o.type))
      half_.arithmetic(o, given);
    else
      arithmetic(o, given);
  }

  // Writes 1 where a predicate holds and 0 where it does not; predicate_from() is the reverse.
  void predicate_to(slot_ref to, predicate_ref p) { v_.choose(to, p, w_.literal(false, 1), w_.literal(false, 0)); }
  void predicate_from(std::uint32_t to, slot_ref from) {
    v_.compare(compare_of(scalar_type::b32, comparison::ne), to, from, w_.literal(false, 0), boolean_op::none, {});
  }
  // Another function with a numbering of its own begins.
  void begin_function() { v_.begin_function(); }

 private:
  static constexpr predicate_ref never{no_index, true};

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
          op.source[3] = w_.literal(false, video_.word(o, given));
          if (o.width > 1) video_.gather(op, given);
        }
        if (o.type == scalar_type::f64 && is_directed(o.round))
          op.source[s.count - 1] = w_.literal(false, static_cast<std::uint64_t>(o.round));
        break;
    }
    v_.set_float_flags(op, o, s);
    if (!o.xorsign_abs && !o.relu) {
      w_.append(op);
      return;
    }
    const slot_ref a = op.source[0];
    const slot_ref b = op.source[1];
    if (o.xorsign_abs)
      for (std::size_t n = 0; n < 2; ++n) {
        w_.run(light<&f_abs<float>>(), v_.scratch(false, n), op.source[n]);
        op.source[n] = v_.scratch(false, n);
      }
    op.result = v_.scratch(false, 2);
    w_.append(op);
    if (o.xorsign_abs)
      w_.run(light<&xor_signs>(), result, op.result, a, b);
    else if (o.type == scalar_type::s16x2)
      w_.run(light<&pairs_at_least_zero>(), result, op.result);
    else
      w_.run(light<&at_least_zero<std::int32_t>>(), result, op.result);
  }

  void carry(const operation& o, std::span<const operand> given) {
    decoded_op op = w_.start(op_kind::carry);
    op.carry = carry_code_of(o);
    op.result = w_.register_slot(given[0]);
    for (std::size_t n = 1; n < given.size(); ++n) op.source[n - 1] = w_.value(given[n], o.type);
    op.predicate[0] = o.carry_in ? predicate_ref{v_.carry_flag(), false} : never;
    op.second = o.carry_out ? v_.carry_flag() : no_index;
    w_.append(op);
  }

  operation_writer& w_;
  value_writer v_;
  half_selector half_;
  predicate_selector predicates_;
  conversion_selector conversions_;
  move_selector moves_;
  video_selector video_;
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
