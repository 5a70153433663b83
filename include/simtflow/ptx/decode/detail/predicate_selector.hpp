// SPDX-License-Identifier: BSL-1.0
//
// Selects the operations of instructions that compute predicates or compare: setp, set, testp, logic on predicates, and
// lop3 with a predicate as its second result.
#pragma once

#include <simtflow/ptx/decode/code_of.hpp>
#include <simtflow/ptx/decode/detail/compare_code.hpp>
#include <simtflow/ptx/decode/detail/half_selector.hpp>
#include <simtflow/ptx/decode/detail/operation_writer.hpp>
#include <simtflow/ptx/decode/detail/typed_code.hpp>
#include <simtflow/ptx/decode/detail/value_writer.hpp>
#include <simtflow/ptx/machine/decoded_op.hpp>
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

class predicate_selector {
 public:
  predicate_selector(operation_writer& w, value_writer& v, half_selector& half) : w_(w), v_(v), half_(half) {}

  void set_predicate(const operation& o, std::span<const operand> given) {
    const std::uint32_t p = first_predicate(given[0]);
    const std::uint32_t q = second_predicate(given[0]);
    if (!half_selector::is_pair(o.type)) {
      compare_operands(o.type, o, given, false, p, q);
      return;
    }
    // p is about the low halves, q about the high ones. Neither may be written before both have been computed, and the
    // guard last.
    compare_operands(o.type, o, given, false, v_.scratch_predicate(0), no_index);
    compare_operands(o.type, o, given, true, v_.scratch_predicate(1), no_index);
    const bool guard_first = w_.start(op_kind::predicate).guard.index == p;
    if (!guard_first && p != no_index) v_.copy_predicate(p, v_.scratch_predicate(0));
    if (q != no_index) v_.copy_predicate(q, v_.scratch_predicate(1));
    if (guard_first && p != no_index) v_.copy_predicate(p, v_.scratch_predicate(0));
  }

  void set(const operation& o, std::span<const operand> given) {
    const slot_ref result = w_.register_slot(given[0]);
    const slot_ref zero = w_.literal(false, 0);
    compare_operands(o.source, o, given, false, v_.scratch_predicate(0), no_index);
    if (!half_selector::is_pair(o.source)) {
      v_.choose(result, {v_.scratch_predicate(0), false}, w_.literal(false, truth_of(o.type)), zero);
      return;
    }
    compare_operands(o.source, o, given, true, v_.scratch_predicate(1), no_index);
    const std::uint32_t yes = truth_of(o.type) & 0xFFFFU;
    v_.choose(v_.scratch(false, 2), {v_.scratch_predicate(0), false}, w_.literal(false, yes), zero);
    v_.choose(v_.scratch(false, 3), {v_.scratch_predicate(1), false}, w_.literal(false, yes), zero);
    w_.run(light<&pack_halves>(), result, v_.scratch(false, 2), v_.scratch(false, 3));
  }

  void test(const operation& o, std::span<const operand> given) {
    decoded_op op = w_.start(op_kind::compare);
    op.compare = test_code_of(o);
    op.result = first_predicate(given[0]);
    op.source[0] = op.source[1] = w_.value(given[1], o.type);
    w_.append(op);
  }

  // Selects mov, not, and, or, xor on predicates.
  void logic(const operation& o, std::span<const operand> given) {
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

  // Selects lop3.or.b32 d|p, a, b, c, table, q: p = (d != 0) or q.
  void logic_with_predicate(const operation& o, std::span<const operand> given) {
    const bool kept = given[0].kind == operand_kind::reg;
    operand d = given[0];
    d.second = no_index;
    const slot_ref result = kept ? w_.register_slot(d) : v_.scratch(false, 0);
    decoded_op op = w_.start(op_kind::light);
    op.light = code_of(o, given[4].kind == operand_kind::integer).light;
    op.result = result;
    for (std::size_t n = 0; n < 4; ++n) op.source[n] = w_.value(given[n + 1], scalar_type::b32);
    w_.append(op);
    const std::uint32_t p = second_predicate(given[0]);
    if (p != no_index)
      v_.compare(compare_of(scalar_type::b32, comparison::ne), p, result, w_.literal(false, 0), o.combine,
                 w_.predicate(given[5]));
  }

 private:
  // The p and the q of p|q.
  std::uint32_t first_predicate(const operand& o) {
    return o.kind == operand_kind::sink ? no_index : w_.register_slot(o);
  }
  std::uint32_t second_predicate(operand o) {
    o.index = o.second;
    return o.second == no_index ? no_index : w_.register_slot(o);
  }

  // Compares two operands: halves as singles, the low or the high ones.
  void compare_operands(scalar_type t, const operation& o, std::span<const operand> given, bool high,
                        std::uint32_t result, std::uint32_t second) {
    slot_ref in[2] = {w_.value(given[1], t), w_.value(given[2], t)};
    const predicate_ref with = o.combine == boolean_op::none ? predicate_ref{} : w_.predicate(given[3]);
    if (is_half(t)) {
      for (std::size_t n = 0; n < 2; ++n) {
        if (o.ftz) half_.step(half_selector::step_kind::flush, t, v_.scratch(false, n), in[n]);
        half_.widen(t, high, v_.scratch(false, n), o.ftz ? v_.scratch(false, n) : in[n]);
        in[n] = v_.scratch(false, n);
      }
      t = scalar_type::f32;
    }
    v_.compare(compare_of(t, o.compare), result, in[0], in[1], o.combine, with, second, o.ftz && t == scalar_type::f32);
  }

  // The value that set writes if the comparison holds.
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

  operation_writer& w_;
  value_writer& v_;
  half_selector& half_;
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
