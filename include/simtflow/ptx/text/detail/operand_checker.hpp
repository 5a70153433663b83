// SPDX-License-Identifier: BSL-1.0
//
// Operands against the signature of their instruction, vectors element by element.
#pragma once

#include <simtflow/ptx/text/detail/value_checker.hpp>
#include <simtflow/ptx/text/detail/verifier_context.hpp>
#include <simtflow/ptx/text/module.hpp>
#include <simtflow/ptx/text/operation.hpp>
#include <simtflow/ptx/text/signature.hpp>
#include <simtflow/ptx/text/types.hpp>

#include <cstdint>
#include <span>
#include <string>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

class operand_checker {
 public:
  operand_checker(verifier_context& c, value_checker& values) : c_(c), values_(values) {}

  void one_operand(const instruction& i, const operation& o, const operand& given, const expected_operand& wanted) {
    if (wanted.what == role::factor) return factor(i, o, given, wanted);
    if (given.selector != no_index && !is_selector(wanted.selector, c_.function.names[given.selector])) {
      c_.fail(given.where, "unsupported instruction '" + i.opcode + "' with part '" +
                               c_.function.names[given.selector] + "' of an operand");
      return;
    }
    if (given.kind == operand_kind::reg && given.bits != 0 && !takes_sum(given, wanted)) {
      c_.fail(given.where, "'" + i.opcode + "' takes no sum of a register and a constant here");
      return;
    }
    if (given.negated && !(wanted.negatable && given.kind == operand_kind::reg) && wanted.what != role::predicate &&
        !(wanted.what == role::source && wanted.type == scalar_type::pred)) {
      c_.fail(given.where, "'!' belongs to a predicate");
      return;
    }
    const bool fetched = wanted.what == role::loaded && (o.name == mnemonic::tex || o.name == mnemonic::tld4);
    if (given.second != no_index && wanted.what != role::result_predicate &&
        wanted.what != role::result_and_predicate && !fetched) {
      c_.fail(given.where, "'p|q' belongs to the result of setp");
      return;
    }
    switch (wanted.what) {
      case role::result:
        if (given.kind == operand_kind::sink && (o.name == mnemonic::atom || o.name == mnemonic::mbarrier_arrive ||
                                                 o.name == mnemonic::mbarrier_arrive_drop))
          return;
        if (given.kind != operand_kind::reg)
          c_.fail(given.where, "the result of '" + i.opcode + "' goes to a register");
        else
          values_.fits(i, given, wanted);
        return;
      case role::result_and_predicate:
        if (given.kind != operand_kind::reg && given.kind != operand_kind::sink)
          c_.fail(given.where, "the result of '" + i.opcode + "' goes to a register");
        else if (given.kind == operand_kind::reg)
          values_.fits(i, given, wanted);
        if (given.second != no_index && c_.function.registers[given.second].type != scalar_type::pred)
          c_.fail(given.where, "'" + c_.function.registers[given.second].name + "' is not .pred");
        return;
      case role::pointer: {
        const scalar_info r =
            info(given.kind == operand_kind::reg ? c_.function.registers[given.index].type : wanted.type);
        if (given.kind != operand_kind::reg || (r.size != 4 && r.size != 8) || r.kind == type_class::floating)
          c_.fail(given.where, "'" + i.opcode + "' takes a register that holds an address here");
        return;
      }
      case role::result_predicate:
        if (given.kind != operand_kind::reg && !(given.kind == operand_kind::sink && given.second != no_index)) {
          c_.fail(given.where, "the result of '" + i.opcode + "' goes to a predicate");
          return;
        }
        if (given.kind == operand_kind::reg) values_.fits(i, given, wanted);
        if (given.second != no_index && c_.function.registers[given.second].type != scalar_type::pred)
          c_.fail(given.where, "'" + c_.function.registers[given.second].name + "' is not .pred");
        return;
      case role::predicate:
        if (given.kind == operand_kind::integer && o.name != mnemonic::lop3) return;  // true unless it is 0
        if (given.kind != operand_kind::reg)
          c_.fail(given.where, "'" + i.opcode + "' takes a predicate here");
        else
          values_.fits(i, given, wanted);
        return;
      case role::target:
        if (given.kind != operand_kind::label) c_.fail(given.where, "'" + i.opcode + "' goes to a label");
        return;
      case role::address:
        values_.address(i, o, given);
        return;
      case role::texture:
      case role::coordinates:
        return;  // texture_checker
      case role::factor:
        return;
      case role::loaded:
      case role::stored:
        if (given.kind == operand_kind::sink && o.name == mnemonic::atom && wanted.what == role::loaded) return;
        data(i, o, given, wanted);
        return;
      case role::source:
        values_.source(i, o, given, wanted);
        return;
    }
  }

  /// Checks mov.b64 %rd, {%r1, %r2} and the other way round. True if it is one.
  bool move_of_vector(const instruction& i, const operation& o, std::span<const operand> operands) {
    const bool pack = operands[1].kind == operand_kind::vector;
    const bool unpack = operands[0].kind == operand_kind::vector;
    if (!pack && !unpack) return false;
    const operand& vector = pack ? operands[1] : operands[0];
    const operand& whole = pack ? operands[0] : operands[1];
    const std::uint32_t size = info(o.type).size;
    if ((pack && unpack) || info(o.type).kind != type_class::bits || (vector.count != 2 && vector.count != 4) ||
        size / vector.count < 2) {
      c_.fail(vector.where, "'" + i.opcode + "' does not take this vector");
      return true;
    }
    const std::uint32_t part = size / vector.count;
    const scalar_type t = part == 2 ? scalar_type::b16 : part == 4 ? scalar_type::b32 : scalar_type::b64;
    for (const operand& e : c_.function.elements_of(vector)) element(i, o, e, {role::source, t, false}, pack);
    if (whole.kind == operand_kind::unknown)
      c_.fail(whole.where, "unknown name '" + c_.function.names[whole.index] + "'");
    else
      one_operand(i, o, whole, {pack ? role::result : role::source, o.type, false});
    return true;
  }

 private:
  /// Registers of a matrix, or a descriptor of 64 bits.
  void factor(const instruction& i, const operation& o, const operand& given, expected_operand wanted) {
    if (given.kind == operand_kind::vector)
      wanted.what = role::stored;
    else
      wanted = {role::source, scalar_type::b64};
    one_operand(i, o, given, wanted);
  }
  /// True if "register + constant" is allowed: where an integer of 16, 32 or 64 bits is read.
  bool takes_sum(const operand& given, const expected_operand& wanted) const {
    const scalar_info r = info(c_.function.registers[given.index].type);
    return (wanted.what == role::source || wanted.what == role::stored) && wanted.selector == selector_kind::none &&
           !given.negated && info(wanted.type).kind != type_class::floating &&
           info(wanted.type).kind != type_class::predicate && r.kind != type_class::floating &&
           (r.size == 2 || r.size == 4 || r.size == 8);
  }

  void data(const instruction& i, const operation& o, const operand& given, const expected_operand& wanted) {
    const bool store = wanted.what == role::stored;
    const std::uint32_t width = wanted.fragment != 0 ? wanted.fragment : o.width;
    if (wanted.fragment == 0 && o.width == 1 && given.kind != operand_kind::vector) {
      if (store)
        values_.source(i, o, given, wanted);
      else if (given.kind != operand_kind::reg)
        c_.fail(given.where, "the result of '" + i.opcode + "' goes to a register");
      else
        values_.fits(i, given, wanted);
      return;
    }
    if (given.kind != operand_kind::vector || given.count != width) {
      c_.fail(given.where, "'" + i.opcode + "' takes " +
                               (width == 1 && wanted.fragment == 0 ? std::string("one register")
                                                                   : "a vector of " + std::to_string(width)) +
                               " here");
      return;
    }
    for (const operand& e : c_.function.elements_of(given)) element(i, o, e, wanted, store);
  }

  void element(const instruction& i, const operation& o, const operand& e, const expected_operand& wanted, bool read) {
    if (e.kind == operand_kind::unknown)
      c_.fail(e.where, "unknown name '" + c_.function.names[e.index] + "'");
    else if (e.kind == operand_kind::sink && !read)
      return;
    else if (e.negated || e.second != no_index)
      c_.fail(e.where, "a vector holds registers");
    else if (read)
      values_.source(i, o, e, wanted);
    else if (e.kind != operand_kind::reg)
      c_.fail(e.where, "a vector that is written holds registers");
    else
      values_.fits(i, e, wanted);
  }

  verifier_context& c_;
  value_checker& values_;
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
