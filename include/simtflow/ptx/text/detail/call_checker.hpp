// SPDX-License-Identifier: BSL-1.0
//
// Calls against the functions and prototypes that they call, and branches through tables.
//
// Literature: NVIDIA, Parallel Thread Execution ISA, sections "Function Declarations and Definitions", "Control Flow
// Instructions: call".
#pragma once

#include <simtflow/ptx/text/detail/value_checker.hpp>
#include <simtflow/ptx/text/detail/verifier_context.hpp>
#include <simtflow/ptx/text/module.hpp>
#include <simtflow/ptx/text/operation.hpp>
#include <simtflow/ptx/text/signature.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

class call_checker {
 public:
  call_checker(verifier_context& c, value_checker& values) : c_(c), values_(values) {}

  /// brx.idx %r, table
  void table_branch(const instruction& i, std::span<const operand> operands) {
    if (operands.size() != 2) {
      c_.wrong_number(i, 2);
      return;
    }
    const expected_operand index{role::source, scalar_type::u32, false};
    if (operands[0].kind != operand_kind::reg || operands[0].bits != 0)
      c_.fail(operands[0].where, "'" + i.opcode + "' takes a register here");
    else
      values_.fits(i, operands[0], index);
    if (operands[1].kind == operand_kind::unknown)
      c_.fail(operands[1].where, "unknown branch table '" + c_.function.names[operands[1].index] + "'");
    else if (operands[1].kind != operand_kind::branch_table)
      c_.fail(operands[1].where, "'" + i.opcode + "' takes a .branchtargets label here");
  }

  /// Checks a call. True if it never comes back.
  bool call(const instruction& i, std::span<const operand> operands) {
    if (operands.size() < 3 || operands[0].kind != operand_kind::list || operands[2].kind != operand_kind::list) {
      c_.fail(i.where, "'" + i.opcode + "' takes results, a function and arguments");
      return false;
    }
    if (operands.size() > 3 && operands[3].kind == operand_kind::unknown) {
      c_.fail(operands[3].where, "unknown prototype '" + c_.function.names[operands[3].index] + "'");
      return false;
    }
    if (operands.size() > 3 && operands[3].kind != operand_kind::prototype &&
        operands[3].kind != operand_kind::call_targets) {
      c_.fail(operands[3].where, "'" + i.opcode + "' takes a prototype or a list of targets here");
      return false;
    }
    const operand& callee = operands[1];
    if (callee.kind == operand_kind::unknown) {
      c_.fail(callee.where, "unknown function '" + c_.function.names[callee.index] + "'");
      return false;
    }
    if (callee.kind == operand_kind::function) {
      const function& f = c_.module.functions[callee.index];
      passes(i, "'" + f.name + "'", operands[0], f.results, operands[2], f.parameters);
      return i.guard == no_index && f.no_return;
    }
    if (callee.kind != operand_kind::reg) {
      c_.fail(callee.where, "'" + i.opcode + "' takes a function or a register here");
      return false;
    }
    const register_info& reg = c_.function.registers[callee.index];
    if (!values_.holds_code_address(info(reg.type)))
      c_.fail(callee.where, "register '" + reg.name + "' is " + type_name(reg.type) + ": no address of a function");
    if (operands.size() < 4) {
      c_.fail(callee.where, "a call through a register needs a prototype or a list of targets");
      return false;
    }
    const operand& shape = operands[3];
    if (shape.kind == operand_kind::prototype) {
      const call_prototype& p = c_.function.prototypes[shape.index];
      passes(i, "prototype '" + p.name + "'", operands[0], p.results, operands[2], p.parameters);
      return i.guard == no_index && p.no_return;
    }
    for (const std::uint32_t t : c_.function.call_targets[shape.index].targets) {
      const function& f = c_.module.functions[t];
      if (!passes(i, "'" + f.name + "'", operands[0], f.results, operands[2], f.parameters)) break;
    }
    return false;
  }

 private:
  /// True if the arguments and results of a call fit the callee.
  bool passes(const instruction& i, const std::string& callee, const operand& results,
              const std::vector<variable>& formal_results, const operand& arguments,
              const std::vector<variable>& formal_arguments) {
    const bool open = !formal_arguments.empty() && formal_arguments.back().is_open_array();
    const auto number = [&](const operand& given, std::size_t wanted, const char* what) {
      if (given.count == wanted || (open && &given == &arguments && given.count + 1 == wanted)) return true;
      c_.fail(given.where, callee + (wanted == 0 ? " takes no " : " takes " + std::to_string(wanted) + " ") + what +
                               (wanted == 1 ? "" : "s") + ", not " + std::to_string(given.count));
      return false;
    };
    if (!number(results, formal_results.size(), "result") || !number(arguments, formal_arguments.size(), "argument"))
      return false;
    const std::size_t before = c_.found.size();
    const auto given_results = c_.function.elements_of(results);
    for (std::size_t n = 0; n < given_results.size(); ++n)
      if (given_results[n].kind != operand_kind::sink) passed(i, callee, given_results[n], formal_results[n], true);
    const auto given_arguments = c_.function.elements_of(arguments);
    for (std::size_t n = 0; n < given_arguments.size(); ++n)
      passed(i, callee, given_arguments[n], formal_arguments[n], false);
    return c_.found.size() == before;
  }

  /// One argument or result against its formal parameter.
  void passed(const instruction& i, const std::string& callee, const operand& given, const variable& formal,
              bool result) {
    const std::string what = result ? "result '" : "argument '";
    if (given.kind == operand_kind::unknown) {
      c_.fail(given.where, "unknown name '" + c_.function.names[given.index] + "'");
      return;
    }
    const bool offset = given.kind == operand_kind::variable && given.bits != 0;
    if (given.negated || given.second != no_index || given.selector != no_index || offset) {
      c_.fail(given.where, "'" + i.opcode + "' passes whole registers and parameters");
      return;
    }
    if (given.kind == operand_kind::variable && c_.function.variables[given.index].space == state_space::param) {
      const variable& v = c_.function.variables[given.index];
      // Only the bytes of arrays count; an array of any size stands for more arguments (".b8 rest[]").
      const bool variadic = formal.is_open_array();
      const bool arrays = !formal.extents.empty() || !v.extents.empty();
      if (formal.space != state_space::param || (!variadic && formal.size != v.size) ||
          (!arrays && !compatible(info(v.type), info(formal.type))))
        c_.fail(given.where,
                what + v.name + "' is " + shape(v) + ", but " + callee + " takes " + shape(formal) + " here");
      else if (v.align != formal.align)
        c_.fail(given.where, what + v.name + "' is aligned to " + std::to_string(v.align) +
                                 (v.align == 1 ? " byte, but " : " bytes, but ") + callee + " wants " +
                                 std::to_string(formal.align));
      return;
    }
    if (formal.space == state_space::reg && (given.kind == operand_kind::vector || formal.width != 1)) {
      const auto elements = c_.function.elements_of(given);
      if (given.kind != operand_kind::vector || elements.size() != formal.width) {
        c_.fail(given.where, callee + " takes " + shape(formal) + " here");
        return;
      }
      for (const operand& e : elements)
        if (!values_.fits(i, e, {role::source, formal.type, false})) return;
      return;
    }
    const bool constant =
        given.kind == operand_kind::integer || given.kind == operand_kind::single || given.kind == operand_kind::real;
    if (given.kind != operand_kind::reg && (!constant || result)) {
      c_.fail(given.where, "'" + i.opcode + "' takes a .param variable or a register here");
      return;
    }
    const std::uint32_t size = info(formal.type).size;
    const bool predicate = formal.type == scalar_type::pred && formal.space == state_space::reg;
    if (!formal.extents.empty() || formal.width != 1 || (size == 0 && !predicate) || size > 8 ||
        (predicate && constant)) {
      c_.fail(given.where, callee + " takes " + shape(formal) + " here");
      return;
    }
    operation mov;
    mov.name = mnemonic::mov;
    values_.source(i, mov, given, {role::source, formal.type, size < 4});
  }
  static std::string shape(const variable& v) {
    const std::string vector = v.width == 1 ? std::string() : ".v" + std::to_string(v.width) + " ";
    const std::string type = vector + type_name(v.type) + (v.space == state_space::reg ? " in a register" : "");
    return v.extents.empty() ? type : std::to_string(v.size) + " bytes";
  }
  static bool compatible(const scalar_info& a, const scalar_info& b) {
    const bool bits = a.kind == type_class::bits || b.kind == type_class::bits;
    return a.size == b.size && (bits || (a.kind == type_class::floating) == (b.kind == type_class::floating));
  }

  verifier_context& c_;
  value_checker& values_;
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
