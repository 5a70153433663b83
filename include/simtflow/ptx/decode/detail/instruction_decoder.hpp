// SPDX-License-Identifier: BSL-1.0
//
// Instructions on memory and among the lanes of a warp. code_selector.hpp has the instructions on values.
#pragma once

#include <simtflow/ptx/decode/code_of.hpp>
#include <simtflow/ptx/decode/detail/asynchronous_selector.hpp>
#include <simtflow/ptx/decode/detail/code_selector.hpp>
#include <simtflow/ptx/decode/detail/decode_context.hpp>
#include <simtflow/ptx/decode/detail/operation_writer.hpp>
#include <simtflow/ptx/decode/detail/texture_decoder.hpp>
#include <simtflow/ptx/machine/decoded_kernel.hpp>
#include <simtflow/ptx/machine/decoded_op.hpp>
#include <simtflow/ptx/machine/values/matrix_fragment.hpp>
#include <simtflow/ptx/text/module.hpp>
#include <simtflow/ptx/text/operation.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

class instruction_decoder {
 public:
  instruction_decoder(decode_context& in, operation_writer& w, code_selector& select)
      : in_(in), w_(w), select_(select), textures_(in, w), asynchronous_(in, w) {}

  // Writes the operations of an instruction that is neither control flow, nor a call, nor a barrier.
  void decode(const instruction& i, const operation& o) {
    const auto given = in_.text().operands_of(i);
    switch (o.name) {
      case mnemonic::cvta: {
        if (o.space != state_space::shared && o.space != state_space::local && o.space != state_space::param) {
          w_.copy(in_.registers()[given[0].index], w_.value(given[1], o.type));
          return;
        }
        operation sum;
        sum.name = o.to ? mnemonic::sub : mnemonic::add;
        sum.type = o.type;
        decoded_op op = w_.start(op_kind::light);
        op.light = code_of(sum).light;
        op.result = in_.registers()[given[0].index];
        op.source[0] = w_.value(given[1], o.type);
        op.source[1] = w_.literal(w_.is_wide_type(o.type), window_of(o.space));
        w_.append(op);
        return;
      }
      case mnemonic::ld:
      case mnemonic::st: {
        const bool load = o.name == mnemonic::ld;
        decoded_op op = w_.start(load ? op_kind::load : op_kind::store);
        op.space = o.space;
        op.size = static_cast<std::uint8_t>(info(o.type).size);
        op.sign = info(o.type).kind == type_class::signed_integer;
        op.count = o.width;
        w_.address(op, given[load ? 1 : 0]);
        add_data(op, given[load ? 0 : 1], o.type);
        w_.append(op);
        return;
      }
      case mnemonic::atom:
      case mnemonic::red: {
        const bool result = o.name == mnemonic::atom;
        const std::size_t at = result ? 1 : 0;
        decoded_op op = w_.start(op_kind::atomic);
        op.space = o.space;
        op.atomic = o.atomic;
        op.type = o.type;
        op.size = static_cast<std::uint8_t>(info(o.type).size);
        op.count = o.width;
        w_.address(op, given[at]);
        if (o.width > 1) {
          add_cells(op, result ? given[0] : operand{}, given[at + 1], o.type);
          w_.append(op);
          return;
        }
        if (result && given[0].kind == operand_kind::reg) op.result = in_.registers()[given[0].index];
        op.source[1] = w_.value(given[at + 1], o.type);
        if (o.atomic == atomic_op::cas) op.source[2] = w_.value(given[at + 2], o.type);
        w_.append(op);
        return;
      }
      case mnemonic::isspacep: {
        decoded_op op = w_.start(op_kind::space_test);
        op.space = o.space;
        op.result = in_.registers()[given[0].index];
        op.source[0] = w_.value(given[1], in_.address_type());
        w_.append(op);
        return;
      }
      case mnemonic::alloca_:
      case mnemonic::stacksave:
      case mnemonic::stackrestore:
        stack(o, given);
        return;
      case mnemonic::cp_async:
        asynchronous_.copy(o, given);
        return;
      case mnemonic::bulk_copy:
      case mnemonic::bulk_reduce:
        asynchronous_.copy_in_bulk(o, given);
        return;
      case mnemonic::mbarrier_init:
      case mnemonic::mbarrier_inval:
      case mnemonic::mbarrier_expect_tx:
      case mnemonic::mbarrier_complete_tx:
      case mnemonic::mbarrier_arrive:
      case mnemonic::mbarrier_arrive_drop:
      case mnemonic::mbarrier_wait:
      case mnemonic::cp_async_arrive:
        asynchronous_.mbarrier(o, given);
        return;
      case mnemonic::shfl: {
        decoded_op op = start_talk(op_kind::shuffle, given[0], o.sync ? &given[4] : nullptr);
        op.code = static_cast<std::uint8_t>(o.shuffle);
        for (std::size_t n = 0; n < 3; ++n) op.source[n] = w_.value(given[n + 1], n == 0 ? o.type : scalar_type::u32);
        w_.append(op);
        return;
      }
      case mnemonic::vote: {
        decoded_op op = start_talk(op_kind::vote, given[0], o.sync ? &given[2] : nullptr);
        op.code = static_cast<std::uint8_t>(o.vote);
        op.predicate[0] = w_.predicate(given[1]);
        if (o.vote != vote_mode::ballot) {
          op.second = op.result;
          op.result = no_slot;
        }
        w_.append(op);
        return;
      }
      case mnemonic::match: {
        decoded_op op = start_talk(op_kind::match, given[0], &given[2]);
        op.code = static_cast<std::uint8_t>(o.vote);
        op.source[0] = w_.value(given[1], o.type);
        w_.append(op);
        return;
      }
      case mnemonic::redux: {
        decoded_op op = start_talk(op_kind::reduce, given[0], &given[2]);
        op.atomic = o.atomic;
        op.type = o.type;
        op.source[0] = w_.value(given[1], o.type);
        w_.append(op);
        return;
      }
      case mnemonic::elect:
        w_.append(start_talk(op_kind::elect, given[0], &given[1]));
        return;
      case mnemonic::activemask:
        w_.append(start_talk(op_kind::active_mask, given[0], nullptr));
        return;
      case mnemonic::bar_warp: {
        const operand nowhere{};
        w_.append(start_talk(op_kind::warp_barrier, nowhere, &given[0]));
        return;
      }
      case mnemonic::mma:
      case mnemonic::wmma_mma:
      case mnemonic::wmma_load:
      case mnemonic::wmma_store:
      case mnemonic::ldmatrix:
      case mnemonic::stmatrix:
      case mnemonic::movmatrix:
        matrix(o, given);
        return;
      case mnemonic::wgmma_mma:
        warpgroup_product(o, given);
        return;
      case mnemonic::createpolicy:
        w_.copy(in_.registers()[given[0].index], w_.literal(true, 0));
        return;
      case mnemonic::membar:
      case mnemonic::prefetch:
      case mnemonic::cp_async_wait:
      case mnemonic::wgmma_fence:
      case mnemonic::nanosleep:
      case mnemonic::brkpt:
      case mnemonic::nop:
        return;
      case mnemonic::tex:
      case mnemonic::tld4:
      case mnemonic::txq:
      case mnemonic::istypep:
      case mnemonic::suld:
      case mnemonic::sust:
      case mnemonic::sured:
        textures_.decode(i, o);
        return;
      default:
        select_.select(i, o);
        return;
    }
  }

 private:
  static std::uint64_t window_of(state_space s) {
    return s == state_space::shared ? shared_window : s == state_space::local ? local_window : param_window;
  }

  // An operation on the stack of a thread.
  void stack(const operation& o, std::span<const operand> given) {
    constexpr std::uint64_t default_alignment = 8;
    const bool restores = o.name == mnemonic::stackrestore;
    decoded_op op = w_.start(op_kind::stack);
    op.code = static_cast<std::uint8_t>(restores                        ? stack_call::restore
                                        : o.name == mnemonic::stacksave ? stack_call::save
                                                                        : stack_call::allocate);
    if (!restores) op.result = in_.registers()[given[0].index];
    if (o.name != mnemonic::stacksave) op.source[0] = w_.value(given[restores ? 0 : 1], o.type);
    op.second_offset = given.size() == 3 ? given[2].bits : default_alignment;
    w_.append(op);
  }

  // The registers of a load or store: one, or the elements of a vector; a register of 128 bits is two.
  void add_data(decoded_op& op, const operand& data, scalar_type type) {
    op.list = static_cast<std::uint32_t>(in_.out.lists.size());
    const bool two = info(type).size == 16;
    const auto add = [&](const operand& e) {
      const slot_ref s = e.kind == operand_kind::sink ? no_slot : w_.value(e, type);
      lists_.push_back(s);
      if (two) lists_.push_back(s == no_slot ? no_slot : w_.upper_half(s));
    };
    lists_.clear();  // values may emit operations that have lists
    if (data.kind == operand_kind::vector)
      for (const operand& e : in_.text().elements_of(data)) add(e);
    else
      add(data);
    op.list = w_.add_list(std::span<const slot_ref>(lists_));
    if (two) {
      op.size = 8;
      op.count = static_cast<std::uint8_t>(2 * op.count);
    }
  }

  // For an atomic on a vector: the registers of the old values (no_slot: dropped), then the operands.
  void add_cells(decoded_op& op, const operand& olds, const operand& operands, scalar_type type) {
    lists_.clear();
    if (olds.kind == operand_kind::vector)
      for (const operand& e : in_.text().elements_of(olds))
        lists_.push_back(e.kind == operand_kind::reg ? in_.registers()[e.index] : no_slot);
    else
      lists_.assign(op.count, no_slot);
    for (const operand& e : in_.text().elements_of(operands)) lists_.push_back(w_.value(e, type));
    op.list = w_.add_list(std::span<const slot_ref>(lists_));
  }

  // An operation among lanes of a warp: the lanes that `members` names, or if it is null the lanes that execute it.
  decoded_op start_talk(op_kind kind, const operand& result, const operand* members) {
    decoded_op op = w_.start(kind);
    if (result.kind == operand_kind::reg) op.result = in_.registers()[result.index];
    if (result.second != no_index) op.second = in_.registers()[result.second];
    if (members != nullptr) op.source[3] = w_.value(*members, scalar_type::u32);
    in_.out.talks = true;
    return op;
  }

  // An operation on matrices: the registers that are written come first in the list. All lanes of the warp take part.
  void matrix(const operation& o, std::span<const operand> given) {
    const bool product = o.name == mnemonic::mma || o.name == mnemonic::wmma_mma;
    const bool load = o.name == mnemonic::ldmatrix || o.name == mnemonic::wmma_load;
    const bool store = o.name == mnemonic::stmatrix || o.name == mnemonic::wmma_store;
    const signature s = signature_of(o, static_cast<std::uint32_t>(given.size()));
    const operand nowhere{};
    decoded_op op = start_talk(product ? op_kind::matrix_product
                               : load  ? op_kind::matrix_load
                               : store ? op_kind::matrix_store
                                       : op_kind::matrix_transpose,
                               nowhere, nullptr);
    op.source[3] = w_.literal(false, 0xFFFF'FFFFU);
    op.second_offset = packed(o.matrix);
    op.sat = o.satfinite;
    op.code = static_cast<std::uint8_t>(o.round);
    op.space = o.space;
    lists_.clear();
    op.count = 0;
    for (std::size_t n = 0; n < given.size(); ++n) {
      if (given[n].kind == operand_kind::address) {
        w_.address(op, given[n]);
        continue;
      }
      const bool fragment = s.at[n].fragment != 0 || o.name == mnemonic::movmatrix;
      if (!fragment) {
        op.source[1] = w_.value(given[n], scalar_type::u32);
        continue;
      }
      const std::span<const operand> one = given.subspan(n, 1);
      for (const operand& e : given[n].kind == operand_kind::vector ? in_.text().elements_of(given[n]) : one)
        lists_.push_back(e.kind == operand_kind::sink ? no_slot : w_.value(e, s.at[n].type));
      if (n == 0) op.count = static_cast<std::uint8_t>(lists_.size());
    }
    op.size = static_cast<std::uint8_t>(lists_.size() - op.count);
    const bool fragment_in_memory = o.name == mnemonic::wmma_load || o.name == mnemonic::wmma_store;
    if (fragment_in_memory && op.source[1] == no_slot) op.source[1] = w_.literal(false, default_stride(o.matrix));
    op.list = w_.add_list(std::span<const slot_ref>(lists_));
    in_.out.has_matrices = true;
    w_.append(op);
  }
  // A product of a warpgroup, for the rows of one of its warps. The list: registers of D, of A if it is there, of D.
  void warpgroup_product(const operation& o, std::span<const operand> given) {
    const operand nowhere{};
    decoded_op op = start_talk(op_kind::group_product, nowhere, nullptr);
    const bool registers = given[1].kind == operand_kind::vector;
    matrix_form form = o.matrix;
    form.b_by_column = given.size() <= 6 || given.back().bits == 0;
    form.a_by_column = given.size() > 7 && given[6].bits != 0;
    form.m = rows_of_warp;
    form.per_warpgroup = false;
    op.source[3] = w_.literal(false, 0xFFFF'FFFFU);
    op.second_offset = packed(form);
    op.space = state_space::shared;
    op.sat = o.satfinite;
    op.predicate[0] = w_.predicate(given[3]);
    op.code = registers ? a_in_registers : 0;
    if (given.size() > 5 && given[4].bits != given[5].bits) op.code |= negative_product;
    if (!registers) op.source[0] = w_.value(given[1], scalar_type::b64);
    op.source[1] = w_.value(given[2], scalar_type::b64);
    lists_.clear();
    const auto add = [&](const operand& vector, matrix_role role) {
      for (const operand& e : in_.text().elements_of(vector))
        lists_.push_back(w_.value(e, o.matrix.register_type(role)));
    };
    add(given[0], matrix_role::d);
    op.count = static_cast<std::uint8_t>(lists_.size());
    if (registers) add(given[1], matrix_role::a);
    add(given[0], matrix_role::c);
    op.size = static_cast<std::uint8_t>(lists_.size() - op.count);
    op.list = w_.add_list(std::span<const slot_ref>(lists_));
    in_.out.has_matrices = true;
    w_.append(op);
  }
  // The elements from one row or column of a matrix to the next where the text does not say: none lie between them.
  static std::uint32_t default_stride(const matrix_form& f) {
    const std::uint32_t rows = f.loaded == matrix_role::b ? f.k : f.m;
    const std::uint32_t columns = f.loaded == matrix_role::a ? f.k : f.n;
    return f.a_by_column ? rows : columns;
  }

  decode_context& in_;
  operation_writer& w_;
  code_selector& select_;
  texture_decoder textures_;
  asynchronous_selector asynchronous_;
  std::vector<slot_ref> lists_;
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
