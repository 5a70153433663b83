// SPDX-License-Identifier: BSL-1.0
//
// A function while it is written: its instructions, and its registers and operands in the order in which a reader of
// the text meets them. Instructions are given with operands of the text and with the numbers of `registers`; a label is
// the number of a block.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/diagnostic.hpp>
#include <simtflow/ptx/text/module.hpp>
#include <simtflow/ptx/transform/detail/name_set.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

class function_writer {
 public:
  // The text must outlive it.
  explicit function_writer(const function& text) : registers(text.registers), text_(text) {}

  std::uint32_t add_register(scalar_type type) {
    register_info r;
    r.type = type;
    registers.push_back(std::move(r));
    return static_cast<std::uint32_t>(registers.size() - 1);
  }
  // Begins the new function with what stays of the text. \pre all registers have been added.
  void begin() {
    code = text_;
    code.registers.clear();
    code.labels.clear();
    code.branch_tables.clear();
    code.items.clear();
    code.instructions.clear();
    code.operands.clear();
    code.names.clear();
    code.num_scopes = 1;
    new_register_.assign(registers.size(), no_index);
    for (std::vector<variable>* list : {&code.results, &code.parameters})
      for (variable& v : *list)
        if (v.reg != no_index) v.reg = use(v.reg);
  }

  // Appends an instruction.
  void append(std::string opcode, std::vector<operand> operands, std::uint32_t guard = no_index, bool negated = false) {
    instruction i;
    i.opcode = std::move(opcode);
    i.where = here;
    if (guard != no_index) {
      i.guard = use(guard);
      i.guard_negated = negated;
    }
    for (operand& o : operands) o = translated(o);
    i.first_operand = static_cast<std::uint32_t>(code.operands.size());
    i.num_operands = static_cast<std::uint32_t>(operands.size());
    for (const operand& o : operands) code.operands.push_back(o);
    code.instructions.push_back(std::move(i));
  }

  std::vector<register_info> registers;  // of the text under their new names, then of guards
  std::vector<std::string> label_names;  // by block
  name_set names;                        // that are taken
  position here;                         // where the instructions that are written come from
  function code;

 private:
  // The new number of a register.
  std::uint32_t use(std::uint32_t r) {
    if (new_register_[r] != no_index) return new_register_[r];
    const std::uint32_t width = registers[r].width;
    std::uint32_t first = r;
    if (width > 1) first -= component_of(registers[r].name.back());
    for (std::uint32_t c = 0; c < width; ++c) {
      new_register_[first + c] = static_cast<std::uint32_t>(code.registers.size());
      code.registers.push_back(registers[first + c]);
    }
    return new_register_[r];
  }
  static std::uint32_t component_of(char c) { return c == 'x' ? 0 : c == 'y' ? 1 : c == 'z' ? 2 : 3; }

  operand translated(operand o) {
    const operand_kind of = o.kind == operand_kind::address ? o.base : o.kind;
    if (of == operand_kind::reg) o.index = use(o.index);
    if (o.second != no_index && of != operand_kind::vector) o.second = use(o.second);
    if (of == operand_kind::unknown) o.index = name(text_.names[o.index]);
    if (of == operand_kind::label) name(label_names[o.index]);  // a name of nothing known until the text is read
    if (o.selector != no_index) o.selector = name(text_.names[o.selector]);
    if (o.kind != operand_kind::vector && o.kind != operand_kind::list && o.kind != operand_kind::texture) return o;
    std::vector<operand> elements;
    for (const operand& e : text_.elements_of(o)) elements.push_back(translated(e));
    if (o.second != no_index) o.second = use(o.second);  // registers are numbered in the order of the text
    o.index = static_cast<std::uint32_t>(code.operands.size());
    for (const operand& e : elements) code.operands.push_back(e);
    return o;
  }
  std::uint32_t name(const std::string& n) {
    code.names.push_back(n);
    return static_cast<std::uint32_t>(code.names.size() - 1);
  }

  const function& text_;
  std::vector<std::uint32_t> new_register_;  // by number in `registers`: number in `code`
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
