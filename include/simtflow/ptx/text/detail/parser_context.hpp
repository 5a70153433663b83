// SPDX-License-Identifier: BSL-1.0
//
// The state that the parts of the parser share: the tokens, the names, the module and the function that are read. The
// directives that all parts must recognise are also here.
#pragma once

#include <simtflow/ptx/text/detail/name_table.hpp>
#include <simtflow/ptx/text/detail/note_reader.hpp>
#include <simtflow/ptx/text/detail/token_reader.hpp>
#include <simtflow/ptx/text/module.hpp>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

/// True for .global and the like: the directives that declare variables and registers.
inline bool starts_declaration(std::string_view s) {
  return s == ".reg" || s == ".global" || s == ".const" || s == ".shared" || s == ".local" || s == ".param" ||
         s == ".tex";
}
inline bool is_linkage(std::string_view s) {
  return s == ".visible" || s == ".weak" || s == ".extern" || s == ".common";
}
inline bool starts_module_item(const token& t) {
  if (t.kind != token_kind::dotted) return false;
  constexpr std::string_view items[] = {".version", ".target",  ".address_size", ".entry", ".func",
                                        ".file",    ".section", ".alias",        ".pragma"};
  return starts_declaration(t.spelling) || is_linkage(t.spelling) ||
         std::find(std::begin(items), std::end(items), t.spelling) != std::end(items);
}

inline std::string twice(const token& name) { return quoted(name) + " is declared twice"; }

/// The state that the parts of the parser share.
struct parser_context {
  explicit parser_context(std::string_view text) : in(text), notes(in) {}

  token_reader in;
  note_reader notes;
  name_table names;
  ptx::module module;
  function* current = nullptr;       // null between functions
  std::uint32_t register_items = 0;  // of the function

  /// Skips or keeps a directive without a meaning for the behaviour. False if the next token is none.
  bool read_note() { return notes.read(current == nullptr ? nullptr : &current->lines); }
  bool declare(const token& name, name_table::entry e) {
    if (names.here().labels.count(name.spelling) == 0 && names.declare(name.spelling, e)) return true;
    in.fail(name.where, twice(name));
    return false;
  }
  void add_item(item_kind kind, std::uint32_t index) {
    current->items.push_back({kind, index, static_cast<std::uint32_t>(current->instructions.size())});
  }
  /// Reads the name of a function. Returns its index, or no_index with a diagnostic if there is no such function.
  std::uint32_t function_named() {
    const token& t = in.peek();
    std::uint32_t from = 0;
    const name_table::entry e = in.at_word() ? names.find(t.spelling, from) : name_table::entry{};
    if (!in.at_word()) {
      in.expected("the name of a function");
      return no_index;
    }
    if (e.kind != name_table::what::function) {
      in.fail(t.where, "unknown function " + quoted(t));
      return no_index;
    }
    in.advance();
    return e.index;
  }
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
