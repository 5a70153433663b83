// SPDX-License-Identifier: BSL-1.0
//
// Writes operations under the guard and with the number of the instruction that is decoded, operands in slots.
#pragma once

#include <simtflow/ptx/decode/code_of.hpp>
#include <simtflow/ptx/decode/detail/decode_context.hpp>
#include <simtflow/ptx/decode/detail/slot_allocator.hpp>
#include <simtflow/ptx/decode/detail/variable_layout.hpp>
#include <simtflow/ptx/machine/decoded_kernel.hpp>
#include <simtflow/ptx/machine/decoded_op.hpp>
#include <simtflow/ptx/text/module.hpp>
#include <simtflow/ptx/text/operation.hpp>

#include <bit>
#include <cstdint>
#include <span>
#include <string_view>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

class operation_writer {
 public:
  using place = decode_context::place;
  using formal = decode_context::formal;

  operation_writer(decode_context& in, const variable_layout& lay, slot_allocator& allocator)
      : in_(in), lay_(lay), slots_(allocator) {}

  // The instruction that is decoded from now on, and its guard.
  void begin(std::uint32_t instruction, predicate_ref guard) {
    current_ = instruction;
    guard_ = guard;
  }
  predicate_ref guard() const { return guard_; }
  void set_guard(predicate_ref guard) { guard_ = guard; }

  slot_ref fresh(bool wide) { return slots_.fresh(wide); }
  std::uint32_t fresh_predicate() { return slots_.fresh_predicate(); }
  slot_ref literal(bool wide, std::uint64_t value) { return slots_.literal(wide, value); }
  static constexpr bool is_wide_type(scalar_type t) { return info(t).size == 8; }
  // A register of 128 bits is two slots of 64, the lower half first.
  static constexpr slot_ref upper_half(slot_ref s) { return s + slot_bytes(true); }

  decoded_op start(op_kind kind) const {
    decoded_op op;
    op.kind = kind;
    op.guard = guard_;
    op.instruction = current_;
    return op;
  }
  void append(decoded_op op) {
    if (op.kind == op_kind::light || op.kind == op_kind::each || op.kind == op_kind::carry)
      for (slot_ref& s : op.source)
        if (s == no_slot) s = op.source[0];  // code never looks at operands it does not have
    if (op.kind == op_kind::light || op.kind == op_kind::copy || op.kind == op_kind::select)
      for (const slot_ref s : op.source) op.in_place = op.in_place || s == op.result;
    const bool simple = op.kind == op_kind::light || op.kind == op_kind::copy ||
                        (op.kind == op_kind::compare && op.combine == boolean_op::none && op.result != no_slot &&
                         op.second == no_index);
    op.plain = simple && op.guard.index == no_index && op.flush == 0 && !op.sat;
    in_.out.ops.push_back(op);
  }

  // The slot that holds an operand of a type.
  slot_ref value(const operand& o, scalar_type type) {
    const bool wide = is_wide_type(type);
    switch (o.kind) {
      case operand_kind::reg:
        return o.bits == 0 ? in_.registers()[o.index] : sum_of(in_.registers()[o.index], o);
      case operand_kind::integer:
        return literal(wide, o.bits);
      case operand_kind::single:
        if (type == scalar_type::f64)
          return literal(true, std::bit_cast<std::uint64_t>(
                                   static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(o.bits)))));
        return literal(wide, o.bits);
      case operand_kind::real:
        if (type == scalar_type::f32)
          return literal(false, std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(o.bits))));
        return literal(wide, o.bits);
      case operand_kind::special:
        return special(static_cast<special_register>(o.index), wide);
      case operand_kind::function:
        return slots_.constant(wide, {decoded_constant::what::code, o.bits, in_.behind_alias(o.index)});
      case operand_kind::variable:
      case operand_kind::module_variable:
      case operand_kind::parameter:
      case operand_kind::result:
        if (const place* p = frame_place(o.kind, o.index); p != nullptr) return frame_value(p->offset + o.bits, wide);
        return address_of(o.kind, o.index, o.bits, wide);
      default:
        return no_slot;
    }
  }

  // The address that a memory operation accesses, and its space: parameters of functions are in their frames.
  void address(decoded_op& op, const operand& o) {
    if (o.base == operand_kind::reg) {
      op.source[0] = in_.registers()[o.index];
      op.offset = o.bits;
      if (op.space == state_space::param && !in_.in_kernel()) op.space = state_space::local;
    } else if (o.base == operand_kind::integer) {
      op.source[0] = literal(true, o.bits);
    } else if (const place* p = frame_place(o.base, o.index); p != nullptr) {
      frame_address(op, p->offset + o.bits);
    } else {
      const variable* v = o.base == operand_kind::variable          ? &in_.text().variables[o.index]
                          : o.base == operand_kind::module_variable ? &in_.owner.variables[o.index]
                                                                    : nullptr;
      if (op.space == state_space::generic && v != nullptr && v->space == state_space::shared) op.space = v->space;
      op.source[0] = address_of(o.base, o.index, o.bits, true);
    }
  }

  bool is_predicate(const operand& o) const {
    return o.kind == operand_kind::reg && in_.text().registers[o.index].type == scalar_type::pred;
  }
  predicate_ref predicate(const operand& o) const {
    if (o.kind == operand_kind::integer) return {no_index, (o.bits != 0) == o.negated};
    if (o.kind == operand_kind::special) return {no_index, !o.negated};  // %is_explicit_cluster: never
    return {in_.registers()[o.index], o.negated};
  }
  std::span<const operand> operands_of(const instruction& i) const { return in_.text().operands_of(i); }
  std::span<const operand> elements_of(const operand& o) const { return in_.text().elements_of(o); }
  slot_ref register_slot(const operand& o) const { return in_.registers()[o.index]; }
  scalar_type register_type(const operand& o) const { return in_.text().registers[o.index].type; }
  std::string_view selector_of(const operand& o) const {
    return o.selector == no_index ? std::string_view() : std::string_view(in_.text().names[o.selector]);
  }
  std::uint32_t add_list(std::span<const slot_ref> list) {
    const auto at = static_cast<std::uint32_t>(in_.out.lists.size());
    in_.out.lists.insert(in_.out.lists.end(), list.begin(), list.end());
    return at;
  }

  // The place in the frame of a variable, parameter or result; null if it does not lie there.
  const place* frame_place(operand_kind kind, std::uint32_t index) {
    if (kind == operand_kind::variable) {
      const place& p = in_.body().places[index];
      return p.kind == place::what::frame ? &p : nullptr;
    }
    if (in_.in_kernel() || (kind != operand_kind::parameter && kind != operand_kind::result)) return nullptr;
    const formal& f =
        kind == operand_kind::parameter ? in_.body().signature.parameters[index] : in_.body().signature.results[index];
    formal_place_ = {place::what::frame, f.offset};
    return &formal_place_;
  }
  void move_in_frame(op_kind kind, std::uint64_t offset, std::uint64_t size, slot_ref slot) {
    decoded_op op = start(kind);
    op.size = static_cast<std::uint8_t>(size);
    frame_address(op, offset);
    op.list = static_cast<std::uint32_t>(in_.out.lists.size());
    in_.out.lists.push_back(slot);
    append(op);
  }

  void run(lane_code code, slot_ref result, slot_ref a, slot_ref b = no_slot, slot_ref c = no_slot) {
    decoded_op op = start(code.light != nullptr ? op_kind::light : op_kind::each);
    op.light = code.light;
    op.each = code.each;
    op.result = result;
    op.source[0] = a;
    op.source[1] = b;
    op.source[2] = c;
    append(op);
  }
  void copy(slot_ref to, slot_ref from) {
    decoded_op op = start(op_kind::copy);
    op.result = to;
    op.source[0] = from;
    append(op);
  }
  // A conversion between integer types, as an operation of its own.
  void convert(slot_ref to, scalar_type to_type, slot_ref from, scalar_type from_type) {
    operation o;
    o.name = mnemonic::cvt;
    o.type = to_type;
    o.source = from_type;
    run(code_of(o), to, from);
  }

 private:
  // A register and a constant, modulo the register's size.
  slot_ref sum_of(slot_ref reg, const operand& o) {
    const std::uint32_t size = info(in_.text().registers[o.index].type).size;
    operation sum;
    sum.name = mnemonic::add;
    sum.type = size == 2 ? scalar_type::u16 : size == 4 ? scalar_type::u32 : scalar_type::u64;
    decoded_op op = start(op_kind::light);
    op.light = code_of(sum).light;
    op.result = fresh(is_wide(reg));
    op.source[0] = reg;
    op.source[1] = literal(is_wide(reg), o.bits);
    append(op);
    return op.result;
  }

  slot_ref special(special_register r, bool wide) {
    if (r >= special_register::clock && r <= special_register::globaltimer_hi) {
      decoded_op op = start(op_kind::clock);
      op.code = r == special_register::clock_hi || r == special_register::globaltimer_hi ? 32 : 0;
      op.result = fresh(wide);
      append(op);
      in_.out.reads_clock = true;
      return op.result;
    }
    const bool per_thread = r == special_register::tid_x || r == special_register::tid_y ||
                            r == special_register::tid_z || r == special_register::laneid ||
                            r == special_register::warpid ||
                            (r >= special_register::lanemask_eq && r <= special_register::lanemask_gt);
    if (!per_thread) return slots_.constant(wide, {decoded_constant::what::special, static_cast<std::uint64_t>(r), 0});
    for (const auto& [known, s] : in_.out.specials)
      if (known == r) return s;
    const slot_ref s = fresh(false);
    in_.out.specials.emplace_back(r, s);
    return s;
  }

  // The address of something that lies in no frame.
  slot_ref address_of(operand_kind kind, std::uint32_t index, std::uint64_t offset, bool wide) {
    if (kind == operand_kind::parameter) return literal(wide, in_.out.parameter_offsets[index] + offset);
    const place& p = kind == operand_kind::variable ? in_.body().places[index] : lay_.of_module(index);
    switch (p.kind) {
      case place::what::dynamic:
        return slots_.constant(wide, {decoded_constant::what::dynamic_shared, offset, 0});
      case place::what::global:
        return slots_.constant(wide, {decoded_constant::what::address, offset, static_cast<std::uint32_t>(p.offset)});
      default:
        return literal(wide, p.offset + offset);
    }
  }

  // The address of something in the frame, as an operand of a memory operation.
  void frame_address(decoded_op& op, std::uint64_t offset) {
    const decoded_function& f = in_.out.functions[in_.current];
    op.space = state_space::local;
    if (f.recursive) {
      op.source[0] = f.frame;
      op.offset = offset;
    } else {
      op.source[0] = literal(true, f.frame_offset + offset);
    }
  }
  // The same as a value.
  slot_ref frame_value(std::uint64_t offset, bool wide) {
    const decoded_function& f = in_.out.functions[in_.current];
    if (!f.recursive) return literal(wide, f.frame_offset + offset);
    operation sum;
    sum.name = mnemonic::add;
    sum.type = scalar_type::u64;
    decoded_op op = start(op_kind::light);
    op.light = code_of(sum).light;
    op.result = fresh(true);
    op.source[0] = f.frame;
    op.source[1] = literal(true, offset);
    append(op);
    if (wide) return op.result;
    const slot_ref low = fresh(false);
    convert(low, scalar_type::u32, op.result, scalar_type::u64);
    return low;
  }

  decode_context& in_;
  const variable_layout& lay_;
  slot_allocator& slots_;
  place formal_place_;
  predicate_ref guard_;
  std::uint32_t current_ = 0;
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
