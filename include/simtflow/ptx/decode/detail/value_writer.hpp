// SPDX-License-Identifier: BSL-1.0
//
// Writes single operations on values, and hands out the scratch slots and predicates in which the operations of one
// instruction pass values to each other. Scratch is dead between instructions. The carry flag CC.CF is a predicate like
// any other; it lives from one instruction to the next.
#pragma once

#include <simtflow/ptx/decode/code_of.hpp>
#include <simtflow/ptx/decode/detail/operation_writer.hpp>
#include <simtflow/ptx/machine/decoded_op.hpp>
#include <simtflow/ptx/text/module.hpp>
#include <simtflow/ptx/text/operation.hpp>
#include <simtflow/ptx/text/signature.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

class value_writer {
 public:
  explicit value_writer(operation_writer& w) : w_(w) {}

  // Another function with a numbering of its own begins: scratch and carry flag are made anew.
  void begin_function() {
    scratch32_.clear();
    scratch64_.clear();
    scratch_predicates_.clear();
    carry_ = no_index;
  }

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
  void compare(compare_code code, std::uint32_t result, slot_ref a, slot_ref b, boolean_op combine, predicate_ref with,
               std::uint32_t second = no_index, bool flush = false) {
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

  // Sets saturation, and the operands and the result that lose subnormal numbers.
  static void set_float_flags(decoded_op& op, const operation& o, const signature& s) {
    op.sat = o.sat && (o.type == scalar_type::f32 || o.type == scalar_type::f64);
    if (!o.ftz) return;
    for (std::uint32_t n = 1; n < s.count && n < 4; ++n) {
      const bool condition_only = o.name == mnemonic::slct && n != 3;
      if (s.at[n].type == scalar_type::f32 && !condition_only)
        op.flush = static_cast<std::uint8_t>(op.flush | (1U << (n - 1)));
    }
    if (o.type == scalar_type::f32 && o.name != mnemonic::slct) op.flush = static_cast<std::uint8_t>(op.flush | 0x80U);
  }

 private:
  operation_writer& w_;
  std::vector<slot_ref> scratch32_;
  std::vector<slot_ref> scratch64_;
  std::vector<std::uint32_t> scratch_predicates_;
  std::uint32_t carry_ = no_index;
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
