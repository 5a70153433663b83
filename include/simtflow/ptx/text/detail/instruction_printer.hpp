// SPDX-License-Identifier: BSL-1.0
//
// Instructions and their operands.
#pragma once

#include <simtflow/ptx/text/detail/text_writer.hpp>
#include <simtflow/ptx/text/module.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

class instruction_printer {
 public:
  explicit instruction_printer(text_writer& out) : out_(out) {}

  void print(const instruction& i) {
    out_.indent();
    if (i.guard != no_index) {
      out_.text += i.guard_negated ? "@!" : "@";
      out_.text += out_.current->registers[i.guard].name + " ";
    }
    out_.text += i.opcode;
    const auto operands = out_.current->operands_of(i);
    const bool call = operands.size() >= 3 && operands[0].kind == operand_kind::list;
    bool first = true;
    for (std::size_t n = 0; n < operands.size(); ++n) {
      const operand& o = operands[n];
      // A call without results or arguments says nothing about them.
      if (call && o.kind == operand_kind::list && o.count == 0 && (n == 0 || operands.size() == 3)) continue;
      out_.text += first ? " " : ", ";
      first = false;
      print(o);
    }
    out_.text += ";\n";
  }

 private:
  void print(const operand& o) {
    if (o.negated) out_.text += o.kind == operand_kind::reg && !is_predicate(o.index) ? '-' : '!';
    switch (o.kind) {
      case operand_kind::vector:
        if (!whole_register(o)) elements(o, '{', '}');
        if (o.second != no_index) out_.text += "|" + out_.current->registers[o.second].name;
        break;
      case operand_kind::list:
        elements(o, '(', ')');
        break;
      case operand_kind::texture:
        elements(o, '[', ']');
        break;
      case operand_kind::address:
        out_.text += '[';
        if (o.base == operand_kind::integer) {
          out_.signed_number(o.bits);
        } else {
          name(o.base, o.index);
          out_.offset(o.bits);
        }
        out_.text += ']';
        break;
      default:
        simple(o);
        break;
    }
  }

  void elements(const operand& o, char open, char close) {
    out_.text += open;
    bool first = true;
    for (const operand& e : out_.current->elements_of(o)) {
      if (!first) out_.text += ", ";
      first = false;
      if (e.kind == operand_kind::vector) {
        if (whole_register(e)) continue;
        out_.text += '{';
        bool first_inner = true;
        for (const operand& inner : out_.current->elements_of(e)) {
          if (!first_inner) out_.text += ", ";
          first_inner = false;
          simple(inner);
        }
        out_.text += '}';
      } else {
        simple(e);
      }
    }
    out_.text += close;
  }

  /// {%v.x, %v.y} of a vector register %v is the register.
  bool whole_register(const operand& o) {
    const auto parts = out_.current->elements_of(o);
    if (parts.empty() || parts[0].kind != operand_kind::reg) return false;
    const register_info& r = out_.current->registers[parts[0].index];
    if (r.width != parts.size() || !r.name.ends_with(".x")) return false;
    for (std::size_t i = 1; i < parts.size(); ++i)
      if (parts[i].kind != operand_kind::reg || parts[i].index != parts[0].index + i) return false;
    out_.text += std::string_view(r.name).substr(0, r.name.size() - 2);
    return true;
  }

  bool is_predicate(std::uint32_t reg) const { return out_.current->registers[reg].type == scalar_type::pred; }

  /// An operand that is one thing.
  void simple(const operand& o) {
    switch (o.kind) {
      case operand_kind::integer:
        out_.signed_number(o.bits);
        break;
      case operand_kind::single:
        out_.text += "0f";
        out_.hexadecimal(o.bits, 8);
        break;
      case operand_kind::real:
        out_.text += "0d";
        out_.hexadecimal(o.bits, 16);
        break;
      case operand_kind::sink:
        out_.text += '_';
        break;
      case operand_kind::variable:
      case operand_kind::module_variable:
      case operand_kind::parameter:
      case operand_kind::result:
        name(o.kind, o.index);
        out_.offset(o.bits);
        break;
      case operand_kind::reg:
        name(o.kind, o.index);
        out_.offset(o.bits);
        break;
      default:
        name(o.kind, o.index);
        break;
    }
    if (o.second != no_index) out_.text += "|" + out_.current->registers[o.second].name;
    if (o.selector != no_index) out_.text += out_.current->names[o.selector];
  }

  void name(operand_kind kind, std::uint32_t index) {
    switch (kind) {
      case operand_kind::reg:
        out_.text += out_.current->registers[index].name;
        break;
      case operand_kind::special:
        out_.text += to_string(static_cast<special_register>(index));
        break;
      case operand_kind::label:
        out_.text += out_.current->labels[index].name;
        break;
      case operand_kind::variable:
        out_.text += out_.current->variables[index].name;
        break;
      case operand_kind::module_variable:
        out_.text += out_.module.variables[index].name;
        break;
      case operand_kind::parameter:
        out_.text += out_.current->parameters[index].name;
        break;
      case operand_kind::result:
        out_.text += out_.current->results[index].name;
        break;
      case operand_kind::function:
        out_.text += out_.module.functions[index].name;
        break;
      case operand_kind::prototype:
        out_.text += out_.current->prototypes[index].name;
        break;
      case operand_kind::branch_table:
        out_.text += out_.current->branch_tables[index].name;
        break;
      case operand_kind::call_targets:
        out_.text += out_.current->call_targets[index].name;
        break;
      default:
        out_.text += out_.current->names[index];
        break;
    }
  }

  text_writer& out_;
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
