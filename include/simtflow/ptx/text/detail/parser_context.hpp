// SPDX-License-Identifier: BSL-1.0
//
// The state that the parts of the parser share: the tokens, the names, the module and the function that are read. The
// directives that all parts must recognise are also here.
#pragma once

#include <simtflow/ptx/text/detail/name_table.hpp>
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

/// Reads a directive that means nothing to the behaviour of a kernel: .loc, .file, .section, .pragma. False if the next
/// token is none of them.
inline bool skip_note(token_reader& in) {
  const std::string_view s = in.peek().spelling;
  if (s == ".loc") {
    in.advance();
    for (int i = 0; i < 3 && in.peek().kind == token_kind::integer; ++i) in.advance();
    // ", function_name LABEL [+ offset], inlined_at FILE LINE COLUMN"
    if (in.peek().is(',') && in.peek(1).is(token_kind::word, "function_name")) {
      for (int i = 0; i < 3; ++i) in.next();
      if (in.take('+')) in.next();
      if (in.peek().is(',') && in.peek(1).is(token_kind::word, "inlined_at")) {
        in.advance(2);
        for (int i = 0; i < 3 && in.peek().kind == token_kind::integer; ++i) in.advance();
      }
    }
    in.take(';');
    return true;
  }
  if (s == ".file") {
    in.advance();
    while (in.peek().kind == token_kind::integer || in.peek().kind == token_kind::text || in.peek().is(','))
      in.advance();
    in.take(';');
    return true;
  }
  if (s == ".section") {
    const std::uint32_t line = in.peek().where.line;
    in.advance();
    while (!in.at_end() && !in.peek().is('{') && in.peek().where.line == line) in.advance();
    if (in.peek().is('{')) in.skip_balanced('{', '}');
    return true;
  }
  if (s == ".pragma") {
    in.advance();
    while (in.peek().kind == token_kind::text || in.peek().is(',')) in.advance();
    in.end_statement();
    return true;
  }
  return false;
}

inline std::string twice(const token& name) { return quoted(name) + " is declared twice"; }

/// The state that the parts of the parser share.
struct parser_context {
  explicit parser_context(std::string_view text) : in(text) {}

  token_reader in;
  name_table names;
  ptx::module module;
  function* current = nullptr;       // null between functions
  std::uint32_t register_items = 0;  // of the function

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
