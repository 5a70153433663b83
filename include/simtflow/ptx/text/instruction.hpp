// SPDX-License-Identifier: BSL-1.0
//
// An instruction as it stands in the text: its opcode, its guard and its operands, with names resolved to indices.
//
// Literature: NVIDIA, Parallel Thread Execution ISA, chapter "Instruction Operands".
#pragma once

#include <simtflow/diagnostic.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace simtflow {
inline namespace v0 {
namespace ptx {

/// "No such register, label, variable."
inline constexpr std::uint32_t no_index = 0xFFFF'FFFFU;

/// The kinds of operands, with the meaning of the members of operand.
enum class operand_kind : std::uint8_t {
  reg,              ///< index: register; second: the q of p|q; bits: what is added to it
  integer,          ///< bits: the value, sign-extended
  single,           ///< bits: an IEEE single
  real,             ///< bits: an IEEE double
  special,          ///< index: special_register
  label,            ///< index: label
  variable,         ///< index: variable of the function; bits: offset
  module_variable,  ///< index: variable of the module; bits: offset
  parameter,        ///< index: parameter; bits: offset
  result,           ///< index: result of the function; bits: offset
  function,         ///< index: the module's function
  prototype,        ///< index: call prototype
  branch_table,     ///< index: branch table
  call_targets,     ///< index: list of call targets
  address,          ///< [base + bits]; base: what stands inside, index: as for that kind
  vector,           ///< {a, b, ...}: `count` operands from `index` on; second: the q of {a, b, ...}|q
  list,             ///< (a, b, ...) of a call: `count` operands from `index` on
  texture,          ///< [a, b, {c, ...}] of textures, surfaces, tensors: `count` operands from `index` on
  sink,             ///< _
  unknown,          ///< index: the name, of nothing that is declared
  other             ///< a form that only unsupported instructions have
};

/// The name of a kind of operand.
[[nodiscard]] constexpr std::string_view to_string(operand_kind e) {
  constexpr std::string_view names[] = {
      "reg",       "integer", "single",   "real",      "special",      "label",        "variable", "module_variable",
      "parameter", "result",  "function", "prototype", "branch_table", "call_targets", "address",  "vector",
      "list",      "texture", "sink",     "unknown",   "other"};
  return names[static_cast<std::size_t>(e)];
}

/// One operand.
struct operand {
  operand_kind kind = operand_kind::other;    ///< what it is
  operand_kind base = operand_kind::integer;  ///< of an address: integer (absolute), reg, variable, parameter, ...
  bool negated = false;                       ///< !p
  std::uint32_t index = no_index;             ///< see operand_kind
  std::uint32_t second = no_index;            ///< see operand_kind
  std::uint32_t count = 0;                    ///< see operand_kind
  std::uint32_t selector = no_index;          ///< of the names: ".b0", ".h1" after an operand of a video instruction
  std::uint64_t bits = 0;                     ///< see operand_kind
  position where;                             ///< of its first character
};

/// One instruction. A call always has the operands results (a list), callee (a function or a register), arguments (a
/// list) and, where the callee is a register, a prototype or a list of call targets if the text gives one.
struct instruction {
  position where;                   ///< of the opcode
  std::string opcode;               ///< full spelling: "ld.global.v4.f32"
  std::uint32_t guard = no_index;   ///< the predicate register; no_index: always
  bool guard_negated = false;       ///< \@!p
  position guard_where;             ///< of the guard
  std::uint32_t first_operand = 0;  ///< in function::operands
  std::uint32_t num_operands = 0;   ///< its elements not counted
};

/// "bra" of "bra.uni".
[[nodiscard]] inline std::string_view opcode_head(const instruction& i) {
  return std::string_view(i.opcode).substr(0, i.opcode.find('.'));
}

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
