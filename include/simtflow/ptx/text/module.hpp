// SPDX-License-Identifier: BSL-1.0
//
// A PTX module as plain data: what the parser read, before anybody asks whether it makes sense. Names are resolved to
// indices (registers and labels by the scope they stand in), everything keeps its place in the text.
//
//   function   an .entry or a .func: its parameters, variables, registers, labels and instructions, in the order of the
//              text; a kernel is a function that is an entry
//   operand    what stands between the commas; vectors, lists and instructions hold ranges of one pool of operands
//   item       what stands between the instructions: labels, variables, prototypes, tables, braces
//   parameter  a variable of the .param space that the launch or the caller fills; in old PTX a function's may be a
//              register
//
// Literature: NVIDIA, Parallel Thread Execution ISA, chapters "State Spaces, Types, and Variables" and "Instruction
// Operands".
#pragma once

#include <simtflow/diagnostic.hpp>
#include <simtflow/ptx/text/instruction.hpp>
#include <simtflow/ptx/text/source_lines.hpp>
#include <simtflow/ptx/text/special_register.hpp>
#include <simtflow/ptx/text/texture_words.hpp>
#include <simtflow/ptx/text/types.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace simtflow {
inline namespace v0 {
/// NVIDIA's PTX: text to a module, checks, decoding, and an interpreter that is a lockstep_program.
namespace ptx {

/// Who sees a name outside its module. That it is defined elsewhere (.extern) is told apart.
enum class linkage : std::uint8_t {
  internal,  ///< nobody: nothing is said
  visible,   ///< .visible
  weak,      ///< .weak
  common     ///< .common
};

/// The word of a linkage, without the dot; empty for internal.
[[nodiscard]] constexpr std::string_view to_string(linkage e) {
  constexpr std::string_view names[] = {"", "visible", "weak", "common"};
  return names[static_cast<std::size_t>(e)];
}

/// Bytes in an initialiser that are (a part of) the address of a variable or a function.
struct relocation {
  std::uint64_t offset = 0;           ///< where in the initialised variable
  std::uint32_t size = 8;             ///< bytes taken from the address
  std::uint32_t shift = 0;            ///< the address is shifted right by so many bits first: 8 for 0xFF00(symbol)
  std::string symbol;                 ///< the variable or function meant
  std::uint64_t addend = 0;           ///< bytes, modulo 2^64
  bool generic = false;               ///< generic(symbol): its generic address
  std::uint32_t function = no_index;  ///< in decoded_kernel::globals: the module's function, if the symbol is one
};

/// A declared variable or parameter.
struct variable {
  std::string name;                          ///< its name; parameters of prototypes may be called "_"
  position where;                            ///< of the name
  state_space space = state_space::generic;  ///< where it lives
  scalar_type type = scalar_type::b8;        ///< of its elements
  std::uint32_t align = 1;                   ///< bytes, a power of two
  std::uint64_t size = 0;                    ///< bytes; 0 for an array that the launch gives a size
  bool is_extern = false;              ///< declared here, defined elsewhere (or, in shared memory, sized by the launch)
  std::vector<unsigned char> initial;  ///< leading bytes; the rest is zero
  std::vector<relocation> relocations;     ///< addresses in its initial value
  linkage link = linkage::internal;        ///< who sees its name
  opaque_type opaque = opaque_type::none;  ///< a texture, a sampler, a surface
  std::uint32_t width = 1;                 ///< of a vector type: 2 for .v2
  std::vector<std::uint64_t> extents;      ///< of an array, the outermost first; 0: as many as the initialiser has
  std::uint32_t reg = no_index;  ///< of a parameter or result in the space .reg: the function's register, the first one
                                 ///< of a vector
  bool managed = false;          ///< True if the host and the device share it: .attribute(.managed)

  /// True if it is an array without a size. The last parameter of a function may be one: each call passes as many bytes
  /// as it likes.
  [[nodiscard]] bool is_open_array() const { return size == 0 && !extents.empty(); }
};

/// A register that some instruction names. Components of a vector register are registers of their own ("%v.x").
struct register_info {
  std::string name;                      ///< with the percent sign
  scalar_type type = scalar_type::none;  ///< of the register
  position where;                        ///< of its declaration
  std::uint32_t scope = 0;               ///< of the function's scopes; 0 is the body
  std::uint32_t width = 1;               ///< of the vector register that it is a component of
  std::uint32_t declaration = no_index;  ///< in inner braces: the item that declares it, by number
};

/// A label: stands before the instruction of that index (one past the last at the end of the function).
struct label {
  std::string name;               ///< without the colon
  position where;                 ///< of the name
  std::uint32_t instruction = 0;  ///< the instruction it stands before
  std::uint32_t scope = 0;        ///< of the function's scopes; 0 is the body
  bool no_unroll = false;         ///< .pragma "nounroll" follows: the loop that begins here is not to be unrolled
};

/// A label with .callprototype: what an indirect call takes and returns.
struct call_prototype {
  std::string name;                  ///< the label
  position where;                    ///< of the label
  std::vector<variable> results;     ///< what it returns
  std::vector<variable> parameters;  ///< names may be "_"
  bool no_return = false;            ///< .noreturn
  std::uint32_t scope = 0;           ///< as for a label
};

/// A label with .branchtargets: where brx.idx goes, by index.
struct branch_table {
  std::string name;                    ///< the label
  position where;                      ///< of the label
  std::vector<std::uint32_t> targets;  ///< indices of labels
  std::uint32_t scope = 0;             ///< as for a label
};

/// A label with .calltargets: what an indirect call may call.
struct call_target_list {
  std::string name;                    ///< the label
  position where;                      ///< of the label
  std::vector<std::uint32_t> targets;  ///< indices of the module's functions
  std::uint32_t scope = 0;             ///< as for a label
};

/// The kinds of things between the instructions.
enum class item_kind : std::uint8_t { open, close, registers, label, variable, prototype, branch_table, call_targets };

/// The name of a kind of item.
[[nodiscard]] constexpr std::string_view to_string(item_kind e) {
  constexpr std::string_view names[] = {"open",     "close",     "registers",    "label",
                                        "variable", "prototype", "branch_table", "call_targets"};
  return names[static_cast<std::size_t>(e)];
}

/// A thing between the instructions, before the instruction of that index. Items are kept in the order of the text.
struct item {
  item_kind kind = item_kind::label;  ///< which of them
  std::uint32_t index =
      0;  ///< of the label, variable, ...; of the scope that an inner brace opens or closes; of registers
          ///< declared in inner braces (the body declares its own at its beginning): a number
  std::uint32_t instruction = 0;  ///< the instruction it stands before
};

/// A directive about how a function is to be compiled: .minnctapersm 2. (.maxntid and .reqntid have their own places.)
struct performance_directive {
  std::string name;                   ///< without the dot: minnctapersm
  std::vector<std::uint64_t> values;  ///< after the name; there may be none
};

/// A kernel or a device function.
struct function {
  std::string name;                                ///< its name
  position where;                                  ///< of the name
  position end;                                    ///< of the closing brace
  std::uint32_t address_size = 64;                 ///< bits: 32 or 64
  bool is_entry = false;                           ///< a kernel
  bool has_body = false;                           ///< false: only declared
  bool is_extern = false;                          ///< .extern
  bool no_return = false;                          ///< .noreturn
  linkage link = linkage::internal;                ///< who sees its name
  std::uint32_t alias_of = no_index;               ///< .alias: the module's function that this name stands for
  std::vector<variable> results;                   ///< none or one; of device functions
  std::vector<variable> parameters;                ///< in the order of the text
  std::vector<variable> variables;                 ///< declared inside
  std::vector<register_info> registers;            ///< in the order in which instructions first name them
  std::vector<label> labels;                       ///< in the order of the text
  std::vector<call_prototype> prototypes;          ///< in the order of the text
  std::vector<branch_table> branch_tables;         ///< in the order of the text
  std::vector<call_target_list> call_targets;      ///< in the order of the text
  std::vector<item> items;                         ///< what stands between the instructions
  std::vector<instruction> instructions;           ///< in the order of the text
  std::vector<operand> operands;                   ///< pool
  std::vector<std::string> names;                  ///< of unknown operands; selectors
  std::uint32_t max_threads[3] = {0, 0, 0};        ///< .maxntid; 0: not said
  std::uint32_t required_threads[3] = {0, 0, 0};   ///< .reqntid; 0: not said
  std::vector<performance_directive> performance;  ///< in the order of the text
  std::uint32_t num_scopes = 1;                    ///< the body and the pairs of braces inside it
  std::vector<source_line> lines;                  ///< where instructions come from, in the order of the text

  /// The operands of one of its instructions.
  [[nodiscard]] std::span<const operand> operands_of(const instruction& i) const {
    return {operands.data() + i.first_operand, i.num_operands};
  }
  /// The elements of a vector, a list or a texture operand; none of other operands.
  [[nodiscard]] std::span<const operand> elements_of(const operand& o) const {
    const bool many = o.kind == operand_kind::vector || o.kind == operand_kind::list || o.kind == operand_kind::texture;
    return many ? std::span<const operand>(operands.data() + o.index, o.count) : std::span<const operand>();
  }
};

/// A function that is an entry.
using kernel = function;

/// Tells modules apart: their variables and functions may have the same names. A copy of a module has the number of the
/// original, so in one memory it shares its variables, even if the copy was changed.
enum class module_id : std::uint64_t {};

/// A number that no other module of this process has. O(1), from any thread.
[[nodiscard]] inline module_id new_module_id() {
  static std::atomic<std::uint64_t> last{0};
  return static_cast<module_id>(++last);
}

/// A module: the text of one file.
struct module {
  module_id id{};                           ///< parse() gives each module a new number; 0: made by hand
  std::string version;                      ///< "9.0"
  std::string target;                       ///< "sm_75"
  std::vector<std::string> target_options;  ///< "texmode_independent"; never "debug"
  std::uint32_t address_size = 32;          ///< bits: 32 (also if the text does not say) or 64
  std::vector<variable> variables;          ///< in the order of the text
  std::vector<kernel> kernels;              ///< with their bodies, each name once
  std::vector<function> functions;          ///< device functions with and without a body, each name once
  source_map sources;                       ///< files and places that the lines of functions name

  /// The kernel of that name; null if there is none.
  [[nodiscard]] const kernel* find(std::string_view name) const {
    for (const kernel& k : kernels)
      if (k.name == name) return &k;
    return nullptr;
  }
  /// The device function of that name; null if there is none.
  [[nodiscard]] const function* find_function(std::string_view name) const {
    for (const function& f : functions)
      if (f.name == name) return &f;
    return nullptr;
  }
};

/// True if no thread comes back from a call. False if the call has a guard: some threads may not call.
/// \pre `i` is a call of `f`, which is a function or kernel of `m`, and verify(m, f) accepts it.
[[nodiscard]] inline bool never_returns(const module& m, const function& f, const instruction& i) {
  const auto given = f.operands_of(i);
  if (i.guard != no_index) return false;
  if (given[1].kind == operand_kind::function) return m.functions[given[1].index].no_return;
  return given.size() > 3 && given[3].kind == operand_kind::prototype && f.prototypes[given[3].index].no_return;
}

/// The code of each device function, by number: the function itself, or the function that its name stands for
/// (`.alias`). Names that stand for each other in a circle all get one of them. O(functions).
[[nodiscard]] inline std::vector<std::uint32_t> resolve_aliases(const module& m) {
  std::vector<std::uint32_t> code(m.functions.size(), no_index);
  std::vector<std::uint32_t> chain;
  for (std::uint32_t f = 0; f < m.functions.size(); ++f) {
    chain.clear();
    std::uint32_t at = f;
    while (code[at] == no_index) {
      code[at] = at;  // on the way: this ends a circle
      chain.push_back(at);
      if (m.functions[at].alias_of != no_index) at = m.functions[at].alias_of;
    }
    const std::uint32_t end = code[at];
    for (const std::uint32_t passed : chain) code[passed] = end;
  }
  return code;
}

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
