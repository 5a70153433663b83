// SPDX-License-Identifier: BSL-1.0
//
// A PTX module as plain data: what the parser read, before anybody asks whether it makes sense. Names are resolved to
// indices (registers and labels by the scope they stand in), everything keeps its place in the text.
//
//   kernel     an .entry: its parameters, variables, registers, labels and instructions, in the order of the text
//   operand    what stands between the commas; vectors and instructions hold ranges of one pool of operands
//   parameter  a variable of the .param space that the launch fills
//
// Literature: NVIDIA, Parallel Thread Execution ISA, chapters "State Spaces, Types, and Variables" and "Instruction
// Operands".
#pragma once

#include <simtflow/diagnostic.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {

/// "No such register, label, variable."
inline constexpr std::uint32_t no_index = 0xFFFF'FFFFU;

/// The fundamental types.
enum class scalar_type : std::uint8_t {
  none,
  pred,
  b8,
  b16,
  b32,
  b64,
  b128,
  u8,
  u16,
  u32,
  u64,
  s8,
  s16,
  s32,
  s64,
  f16,
  f16x2,
  bf16,
  bf16x2,
  f32,
  f64
};

/// Untyped bits, an integer with or without sign, a floating-point number, a predicate.
enum class type_class : std::uint8_t { none, predicate, bits, unsigned_integer, signed_integer, floating };

struct scalar_info {
  std::string_view name;
  std::uint32_t size;  ///< bytes; 0 for predicates
  type_class kind;
};

/// Name, size and class of a type.
[[nodiscard]] constexpr scalar_info info(scalar_type t) {
  constexpr scalar_info table[] = {
      {"none", 0, type_class::none},
      {"pred", 0, type_class::predicate},
      {"b8", 1, type_class::bits},
      {"b16", 2, type_class::bits},
      {"b32", 4, type_class::bits},
      {"b64", 8, type_class::bits},
      {"b128", 16, type_class::bits},
      {"u8", 1, type_class::unsigned_integer},
      {"u16", 2, type_class::unsigned_integer},
      {"u32", 4, type_class::unsigned_integer},
      {"u64", 8, type_class::unsigned_integer},
      {"s8", 1, type_class::signed_integer},
      {"s16", 2, type_class::signed_integer},
      {"s32", 4, type_class::signed_integer},
      {"s64", 8, type_class::signed_integer},
      {"f16", 2, type_class::floating},
      {"f16x2", 4, type_class::floating},
      {"bf16", 2, type_class::floating},
      {"bf16x2", 4, type_class::floating},
      {"f32", 4, type_class::floating},
      {"f64", 8, type_class::floating},
  };
  return table[static_cast<std::size_t>(t)];
}

/// The type of that name (without the dot), none if there is none.
[[nodiscard]] constexpr scalar_type scalar_named(std::string_view name) {
  for (auto i = static_cast<std::uint8_t>(scalar_type::pred); i <= static_cast<std::uint8_t>(scalar_type::f64); ++i)
    if (info(static_cast<scalar_type>(i)).name == name) return static_cast<scalar_type>(i);
  return scalar_type::none;
}

/// Where data lives. `generic` is an address that says itself which space it is in.
enum class state_space : std::uint8_t { generic, reg, param, global, shared, local, constant };

[[nodiscard]] constexpr std::string_view name_of(state_space s) {
  constexpr std::string_view table[] = {"generic", "reg", "param", "global", "shared", "local", "const"};
  return table[static_cast<std::size_t>(s)];
}

/// Bytes in an initialiser that are the address of a variable.
struct relocation {
  std::uint64_t offset = 0;  ///< where in the initialised variable
  std::uint32_t size = 8;    ///< bytes of the address
  std::string symbol;        ///< the variable meant
  std::uint64_t addend = 0;
  bool generic = false;  ///< generic(symbol): its generic address
};

/// A declared variable or parameter.
struct variable {
  std::string name;
  position where;
  state_space space = state_space::generic;
  scalar_type type = scalar_type::b8;
  std::uint32_t align = 1;
  std::uint64_t size = 0;  ///< bytes; 0 for an array whose size the launch decides
  bool is_extern = false;
  std::vector<unsigned char> initial;  ///< leading bytes; the rest is zero
  std::vector<relocation> relocations;
};

/// A register that some instruction names. Components of a vector register are registers of their own ("%v.x").
struct register_info {
  std::string name;
  scalar_type type = scalar_type::none;
  position where;  ///< of its declaration
};

/// A label: stands before the instruction of that index (one past the last at the end of the kernel).
struct label {
  std::string name;
  position where;
  std::uint32_t instruction = 0;
  std::uint32_t scope = 0;
};

/// What the hardware tells a thread about itself.
enum class special_register : std::uint8_t {
  tid_x,
  tid_y,
  tid_z,
  ntid_x,
  ntid_y,
  ntid_z,
  ctaid_x,
  ctaid_y,
  ctaid_z,
  nctaid_x,
  nctaid_y,
  nctaid_z,
  laneid,
  warpid,
  nwarpid,
  warp_size
};

enum class operand_kind : std::uint8_t {
  reg,              ///< index: register; second: the q of p|q
  integer,          ///< bits: the value, sign-extended
  single,           ///< bits: an IEEE single
  real,             ///< bits: an IEEE double
  special,          ///< index: special_register
  label,            ///< index: label
  variable,         ///< index: variable of the kernel; bits: offset
  module_variable,  ///< index: variable of the module; bits: offset
  parameter,        ///< index: parameter; bits: offset
  address,          ///< [base + bits]; base: what stands inside, index: as for that kind
  vector,           ///< {a, b, ...}: `count` operands from `index` on
  sink,             ///< _
  unknown,          ///< index: the name, of nothing that is declared
  other             ///< a form that only unsupported instructions have
};

/// One operand.
struct operand {
  operand_kind kind = operand_kind::other;
  operand_kind base = operand_kind::integer;  ///< of an address: integer (absolute), reg, variable, parameter, ...
  bool negated = false;                       ///< !p
  std::uint32_t index = no_index;
  std::uint32_t second = no_index;
  std::uint32_t count = 0;
  std::uint64_t bits = 0;
  position where;
};

/// One instruction.
struct instruction {
  position where;      ///< of the opcode
  std::string opcode;  ///< full spelling: "ld.global.v4.f32"
  std::uint32_t guard = no_index;
  bool guard_negated = false;
  position guard_where;
  std::uint32_t first_operand = 0;
  std::uint32_t num_operands = 0;
};

/// A kernel.
struct kernel {
  std::string name;
  position where;  ///< of the name
  position end;    ///< of the closing brace
  std::uint32_t address_size = 64;
  std::vector<variable> parameters;
  std::vector<variable> variables;  ///< declared inside
  std::vector<register_info> registers;
  std::vector<label> labels;
  std::vector<instruction> instructions;
  std::vector<operand> operands;                  ///< pool
  std::vector<std::string> names;                 ///< of unknown operands
  std::uint32_t max_threads[3] = {0, 0, 0};       ///< .maxntid; 0: not said
  std::uint32_t required_threads[3] = {0, 0, 0};  ///< .reqntid; 0: not said

  [[nodiscard]] std::span<const operand> operands_of(const instruction& i) const {
    return {operands.data() + i.first_operand, i.num_operands};
  }
  [[nodiscard]] std::span<const operand> elements_of(const operand& o) const {
    return {operands.data() + o.index, o.kind == operand_kind::vector ? o.count : 0};
  }
};

/// A module: the text of one file.
struct module {
  std::string version;  ///< "9.0"
  std::string target;   ///< "sm_75"
  std::uint32_t address_size = 32;
  std::vector<variable> variables;
  std::vector<kernel> kernels;

  /// The kernel of that name; null if there is none.
  [[nodiscard]] const kernel* find(std::string_view name) const {
    for (const kernel& k : kernels)
      if (k.name == name) return &k;
    return nullptr;
  }
};

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
