// SPDX-License-Identifier: BSL-1.0
//
// Values and addresses: registers, constants, special registers, the memory that an address is in.
//
// Operand sizes follow the ISA's table "Operand Size Exceeding Instruction-Type Size": a register fits an instruction
// type of its own size if both are integers, both floating point, or one of them is untyped bits; in ld, st and cvt
// only the register may also be wider than the type, if both are integers or one of them is untyped bits.
//
// Literature: NVIDIA, Parallel Thread Execution ISA, sections "Type Checking", "Operand Size Exceeding Instruction-Type
// Size".
#pragma once

#include <simtflow/ptx/text/detail/verifier_context.hpp>
#include <simtflow/ptx/text/module.hpp>
#include <simtflow/ptx/text/operation.hpp>
#include <simtflow/ptx/text/signature.hpp>
#include <simtflow/ptx/text/types.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

class value_checker {
 public:
  explicit value_checker(verifier_context& c) : c_(c) {}

  /// True if the register `given` fits; a diagnostic if not.
  bool fits(const instruction& i, const operand& given, const expected_operand& wanted) {
    const register_info& reg = c_.function.registers[given.index];
    const scalar_info r = info(reg.type);
    const scalar_info t = info(wanted.type);
    bool ok = false;
    if (r.kind == type_class::predicate || t.kind == type_class::predicate) {
      ok = r.kind == t.kind;
    } else {
      // ptxas takes a register of two halves as .b32, where no single is wanted.
      const bool pair = reg.type == scalar_type::f16x2 || reg.type == scalar_type::bf16x2;
      const bool t_pair = wanted.type == scalar_type::f16x2 || wanted.type == scalar_type::bf16x2;
      const bool t_float = t.kind == type_class::floating;
      const bool r_float = r.kind == type_class::floating && (!pair || t_float);
      const bool same_kind = r.kind == type_class::bits || t.kind == type_class::bits ||
                             (r_float == t_float && (!t_float || pair == t_pair));
      const bool wider = wanted.relaxed && r.size > t.size && r.size <= 8;  // .b128 has no slot
      const bool any = r.kind == type_class::bits || t.kind == type_class::bits || (!r_float && !t_float);
      ok = (wider ? any : same_kind && r.size == t.size) && !(r_float && wanted.type == scalar_type::tf32);
    }
    if (!ok)
      c_.fail(given.where, "register '" + reg.name + "' is " + type_name(reg.type) + ", but '" + i.opcode + "' takes " +
                               type_name(wanted.type) + " here");
    return ok;
  }

  void source(const instruction& i, const operation& o, const operand& given, const expected_operand& wanted) {
    const scalar_info t = info(wanted.type);
    switch (given.kind) {
      case operand_kind::reg:
        fits(i, given, wanted);
        return;
      case operand_kind::integer:
        if (t.size == 16)
          c_.fail(given.where, "a constant where '" + i.opcode + "' takes a register of 128 bits");
        else if (t.kind == type_class::floating)
          c_.fail(given.where, "an integer constant where '" + i.opcode + "' takes " + type_name(wanted.type));
        return;
      case operand_kind::single:
      case operand_kind::real:
        // Untyped bits take the constant of their own size.
        if (is_half(wanted.type) ||
            (t.kind != type_class::floating &&
             !(t.kind == type_class::bits && t.size == (given.kind == operand_kind::single ? 4U : 8U))))
          c_.fail(given.where, "a floating-point constant where '" + i.opcode + "' takes " + type_name(wanted.type));
        return;
      case operand_kind::special:
        special(i, given, wanted);
        return;
      case operand_kind::function:
        if (o.name != mnemonic::mov)
          c_.fail(given.where, "the address of a function is taken with mov, not '" + i.opcode + "'");
        else if (!holds_code_address(t))
          c_.fail(given.where, "the address of '" + c_.module.functions[given.index].name + "' does not fit " +
                                   type_name(wanted.type));
        return;
      case operand_kind::variable:
      case operand_kind::module_variable:
      case operand_kind::parameter:
      case operand_kind::result: {
        if (o.name != mnemonic::mov && o.name != mnemonic::cvta && o.name != mnemonic::mapa) {
          c_.fail(given.where, "the address of a variable is taken with mov or cvta, not '" + i.opcode + "'");
          return;
        }
        const variable& v = variable_of(given.kind, given.index);
        if (v.space == state_space::param && c_.function.is_entry && given.kind != operand_kind::parameter) {
          c_.fail(given.where, "the address of '" + v.name + "', a parameter of a call in a kernel, is not supported");
          return;
        }
        const bool narrow = t.size == 4 && (c_.function.address_size == 32 || v.space != state_space::global);
        if (t.kind == type_class::floating || t.kind == type_class::predicate || !(t.size == 8 || narrow))
          c_.fail(given.where, "the address of '" + v.name + "' does not fit " + type_name(wanted.type));
        if (o.name == mnemonic::cvta && v.space != o.space)
          c_.fail(given.where, "'" + v.name + "' is in ." + std::string(to_string(v.space)) + " memory");
        return;
      }
      default:
        c_.fail(given.where, "'" + i.opcode + "' takes a register or a constant here");
        return;
    }
  }

  /// True if a type holds the address of a function. Old PTX with 64-bit addresses leaves the address size out.
  bool holds_code_address(const scalar_info& t) const {
    const bool integer = t.kind != type_class::floating && t.kind != type_class::predicate;
    return integer && (t.size == 8 || (t.size == 4 && c_.function.address_size == 32));
  }

  void address(const instruction& i, const operation& o, const operand& given) {
    if (given.kind != operand_kind::address) {
      c_.fail(given.where, "'" + i.opcode + "' takes an address in brackets here");
      return;
    }
    switch (given.base) {
      case operand_kind::unknown:
        c_.fail(given.where, "unknown name '" + c_.function.names[given.index] + "'");
        return;
      case operand_kind::reg: {
        const register_info& reg = c_.function.registers[given.index];
        const scalar_info r = info(reg.type);
        if ((r.size != 4 && r.size != 8) || r.kind == type_class::floating)
          c_.fail(given.where, "register '" + reg.name + "' is " + type_name(reg.type) + ": no address");
        return;
      }
      case operand_kind::variable:
      case operand_kind::module_variable:
      case operand_kind::parameter:
      case operand_kind::result: {
        const variable& v = variable_of(given.base, given.index);
        if (given.base == operand_kind::parameter && o.name != mnemonic::ld && v.space == o.space) {
          c_.fail(given.where, "parameter '" + v.name + "' is only read, not written");
          return;
        }
        if (given.base == operand_kind::result && o.name == mnemonic::ld && v.space == o.space) {
          c_.fail(given.where, "result '" + v.name + "' is only written, not read");
          return;
        }
        // The name says which memory is meant, also for an instruction that accepts any memory. Constants have no
        // generic address.
        const bool generic_ok =
            o.space == state_space::generic && v.space != state_space::param && v.space != state_space::constant;
        if (v.space != o.space && !generic_ok) {
          c_.fail(given.where, "'" + v.name + "' is in ." + std::string(to_string(v.space)) + " memory, not in ." +
                                   std::string(to_string(o.space)));
          return;
        }
        const std::uint64_t size = std::uint64_t{info(o.type).size} * o.width;
        // A kernel may read past the end of a parameter: what lies there is known only when it runs.
        const bool past = c_.function.is_entry && given.bits >= v.size;
        const bool any = given.base == operand_kind::parameter && (v.is_open_array() || past) && given.bits < max_rest;
        if (v.space == state_space::param && !any && (given.bits > v.size || v.size - given.bits < size))
          c_.fail(given.where, "bytes " + std::to_string(static_cast<std::int64_t>(given.bits)) + " to " +
                                   std::to_string(static_cast<std::int64_t>(given.bits + size - 1)) +
                                   " lie outside parameter '" + v.name + "' of " + std::to_string(v.size) + " bytes");
        else if (v.space == state_space::param && given.bits % size != 0)
          c_.fail(given.where, "offset " + std::to_string(given.bits) + " in parameter '" + v.name +
                                   "' is not a multiple of " + std::to_string(size));
        return;
      }
      case operand_kind::integer:
        return;
      default:
        c_.fail(given.where, "'" + i.opcode + "' cannot take its address from here");
        return;
    }
  }

 private:
  void special(const instruction& i, const operand& given, const expected_operand& wanted) {
    const auto r = static_cast<special_register>(given.index);
    const scalar_info has = info(type_of(r));
    const scalar_info t = info(wanted.type);
    // Old PTX reads the first special registers as 16 bits, and %gridid as 32.
    const bool old = r <= special_register::warp_size || r == special_register::gridid;
    const bool constant = r == special_register::warp_size && t.kind != type_class::predicate;  // of any size
    const bool ok =
        constant ? t.kind != type_class::floating
        : has.kind == type_class::predicate || t.kind == type_class::predicate || t.kind == type_class::floating
            ? has.kind == t.kind
            : t.size == has.size || (old && (t.size == 2 || t.size == 4));
    if (!ok)
      c_.fail(given.where, "a special register is " + type_name(type_of(r)) + ", but '" + i.opcode + "' takes " +
                               type_name(wanted.type) + " here");
  }

  const variable& variable_of(operand_kind kind, std::uint32_t index) const {
    return kind == operand_kind::variable          ? c_.function.variables[index]
           : kind == operand_kind::module_variable ? c_.module.variables[index]
           : kind == operand_kind::result          ? c_.function.results[index]
                                                   : c_.function.parameters[index];
  }

  /// The most bytes of a parameter without a size.
  static constexpr std::uint64_t max_rest = std::uint64_t{512} << 10;

  verifier_context& c_;
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
