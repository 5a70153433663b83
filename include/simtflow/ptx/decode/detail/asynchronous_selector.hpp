// SPDX-License-Identifier: BSL-1.0
//
// Selects the operations of instructions on mbarriers and of copies: cp.async, cp.async.bulk.
//
// Literature: NVIDIA, Parallel Thread Execution ISA, sections "Asynchronous copy", "mbarrier".
#pragma once

#include <simtflow/ptx/decode/detail/decode_context.hpp>
#include <simtflow/ptx/decode/detail/operation_writer.hpp>
#include <simtflow/ptx/machine/decoded_kernel.hpp>
#include <simtflow/ptx/machine/decoded_op.hpp>
#include <simtflow/ptx/machine/units/bulk_copy_unit.hpp>
#include <simtflow/ptx/machine/values/mbarrier.hpp>
#include <simtflow/ptx/text/module.hpp>
#include <simtflow/ptx/text/operation.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

class asynchronous_selector {
 public:
  asynchronous_selector(decode_context& in, operation_writer& w) : in_(in), w_(w) {}

  // cp.async: to shared memory, at once
  void copy(const operation& o, std::span<const operand> given) {
    decoded_op op = w_.start(op_kind::copy_memory);
    op.space = state_space::shared;
    op.size = static_cast<std::uint8_t>(given[2].bits);
    w_.address(op, given[0]);
    add_source(op, state_space::global, given[1]);
    const bool partly = given.size() > (o.cache_hint ? 4U : 3U);
    const bool ignores = partly && w_.is_predicate(given[3]);
    op.source[2] = partly && !ignores ? w_.value(given[3], scalar_type::u32) : no_slot;
    op.predicate[0] = ignores ? w_.predicate(given[3]) : predicate_ref{no_index, true};
    w_.append(op);
  }

  // cp.async.bulk, cp.reduce.async.bulk
  void copy_in_bulk(const operation& o, std::span<const operand> given) {
    decoded_op op = w_.start(op_kind::copy_in_bulk);
    op.space = o.space;
    op.atomic = o.atomic;
    op.type = o.type;
    op.size = static_cast<std::uint8_t>(info(o.type).size);
    op.code = static_cast<std::uint8_t>((o.from == state_space::shared ? bulk_copy_unit::from_shared : 0) |
                                        (o.reports ? bulk_copy_unit::reports : 0));
    w_.address(op, given[0]);
    add_source(op, o.from, given[1]);
    op.source[2] = w_.value(given[2], scalar_type::u32);
    if (o.reports) op.source[3] = address_value(given[3]);
    w_.append(op);
  }

  // mbarrier.*, cp.async.mbarrier.arrive; a state's count is an operation on a register
  void mbarrier(const operation& o, std::span<const operand> given) {
    const bool has_result = o.name == mnemonic::mbarrier_arrive || o.name == mnemonic::mbarrier_arrive_drop ||
                            o.name == mnemonic::mbarrier_wait;
    const std::size_t at = has_result ? 1 : 0;
    const mbarrier_action action = action_of(o);
    const bool waits = action == mbarrier_action::wait_parity || action == mbarrier_action::wait_state;
    decoded_op op = w_.start(op_kind::mbarrier);
    op.space = o.space;
    op.code = static_cast<std::uint8_t>(action);
    op.size = 8;
    w_.address(op, given[at]);
    if (given.size() > at + 1)
      op.source[1] =
          w_.value(given[at + 1], action == mbarrier_action::wait_state ? scalar_type::b64 : scalar_type::u32);
    if (waits) {
      op.second = w_.register_slot(given[0]);
      in_.out.waits_for_phases = true;
    } else if (has_result && given[0].kind == operand_kind::reg) {
      op.result = w_.register_slot(given[0]);
    }
    w_.append(op);
  }

 private:
  static mbarrier_action action_of(const operation& o) {
    using action = mbarrier_action;
    const bool expects = o.form == mbarrier_form::expect_tx, incomplete = o.form == mbarrier_form::no_complete;
    switch (o.name) {
      case mnemonic::mbarrier_init:
        return action::init;
      case mnemonic::mbarrier_inval:
        return action::inval;
      case mnemonic::mbarrier_expect_tx:
        return action::expect;
      case mnemonic::mbarrier_complete_tx:
        return action::complete;
      case mnemonic::mbarrier_arrive:
        return expects ? action::arrive_expecting : incomplete ? action::arrive_incomplete : action::arrive;
      case mnemonic::mbarrier_arrive_drop:
        return expects ? action::drop_expecting : incomplete ? action::drop_incomplete : action::drop;
      case mnemonic::mbarrier_wait:
        return o.form == mbarrier_form::parity ? action::wait_parity : action::wait_state;
      default:
        // cp.async.mbarrier.arrive: the thread's copies are done, so it arrives now; without .noinc the phase waits for
        // one arrival more, and this is the one.
        return o.form == mbarrier_form::no_increment ? action::arrive : action::none;
    }
  }

  // The address that is copied from.
  void add_source(decoded_op& op, state_space space, const operand& given) {
    decoded_op from = w_.start(op.kind);
    from.space = space;
    w_.address(from, given);
    op.source[1] = from.source[0];
    op.second_offset = from.offset;
  }
  // An address with its offset, as a value.
  slot_ref address_value(const operand& given) {
    operand inside = given;
    inside.kind = given.base;
    if (given.base == operand_kind::reg || given.base == operand_kind::integer)
      return w_.value(inside, scalar_type::u64);
    decoded_op at = w_.start(op_kind::copy);
    at.space = state_space::shared;
    w_.address(at, given);
    return at.source[0];
  }

  decode_context& in_;
  operation_writer& w_;
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
