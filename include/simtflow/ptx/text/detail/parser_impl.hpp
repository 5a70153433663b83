// SPDX-License-Identifier: BSL-1.0
//
// The implementation of parser.hpp: the directives of a module.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/diagnostic.hpp>
#include <simtflow/ptx/text/detail/declaration_reader.hpp>
#include <simtflow/ptx/text/detail/function_reader.hpp>
#include <simtflow/ptx/text/detail/parser_context.hpp>
#include <simtflow/ptx/text/detail/variable_reader.hpp>
#include <simtflow/ptx/text/module.hpp>
#include <simtflow/ptx/text/parser.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

class parser {
 public:
  explicit parser(std::string_view text)
      : c_(text),
        in_(c_.in),
        variables_(in_, text.size()),
        declarations_(c_, variables_),
        functions_(c_, variables_, declarations_) {}

  module_text run() {
    c_.module.id = new_module_id();
    bool version_seen = false;
    if (in_.at_end()) in_.fail(in_.peek().where, "expected '.version': there is no PTX in this text");
    while (!in_.at_end() && in_.has_room()) {
      const std::size_t before = in_.at();
      const token& t = in_.peek();
      if (t.kind == token_kind::dotted) {
        if (t.spelling == ".version") {
          version();
        } else {
          if (!version_seen) in_.fail(t.where, "expected '.version' before everything else");
          directive();
        }
        version_seen = true;
      } else if (t.is('@') && in_.peek(1).is('@')) {
        in_.skip_line();  // debug lines of PTX 1.x
      } else if (t.is(';')) {
        in_.advance();
      } else {
        in_.expected("a directive");
        in_.recover();
      }
      if (in_.at() == before) in_.advance();
    }
    c_.module.sources = c_.notes.take();
    return {std::move(c_.module), in_.take_diagnostics()};
  }

 private:
  void version() {
    in_.advance();
    if (in_.peek().kind == token_kind::real || in_.peek().kind == token_kind::integer) {
      c_.module.version = std::string(in_.peek().spelling);
      in_.advance();
    } else {
      in_.expected("a version number");
    }
  }

  void directive() {
    const token& t = in_.peek();
    const std::string_view s = t.spelling;
    if (s == ".target") {
      target();
    } else if (s == ".address_size") {
      in_.advance();
      const position where = in_.peek().where;
      std::uint64_t bits = 0;
      if (in_.unsigned_value(bits)) {
        if (bits == 32 || bits == 64)
          c_.module.address_size = static_cast<std::uint32_t>(bits);
        else
          in_.fail(where, "an address has 32 or 64 bits");
      }
    } else if (is_linkage(s) || s == ".entry" || s == ".func" || starts_declaration(s)) {
      definition();
    } else if (s == ".alias") {
      alias();
    } else if (!c_.read_note()) {
      in_.fail(t.where, "unsupported directive " + quoted(t));
      in_.advance();
      in_.recover();
    }
  }

  /// sm_75, texmode_independent: a list of words; anything else starts the next directive. "debug" only says that there
  /// are debug sections, which a module does not keep.
  void target() {
    in_.advance();
    if (!in_.at_word()) {
      in_.expected("a target name");
      return;
    }
    c_.module.target = std::string(in_.peek().spelling);
    in_.advance();
    c_.module.target_options.clear();
    while (in_.at_word() || in_.peek().is(',')) {
      if (in_.at_word() && in_.peek().spelling == "map_f64_to_f32" && c_.module.target != "sm_10" &&
          c_.module.target != "sm_11" && c_.module.target != "sm_12")
        in_.fail(in_.peek().where, "map_f64_to_f32 is for sm_10 to sm_12: " + c_.module.target + " has .f64");
      if (in_.at_word() && in_.peek().spelling != "debug") c_.module.target_options.emplace_back(in_.peek().spelling);
      in_.advance();
    }
  }

  /// A function or variables of the module, with what is said about their linkage.
  void definition() {
    const linked l = variables_.take_linkage();
    if (in_.take_dotted(".entry")) {
      functions_.read(l, true);
    } else if (in_.take_dotted(".func")) {
      functions_.read(l, false);
    } else if (in_.at_dotted() && starts_declaration(in_.peek().spelling)) {
      declarations_.read(l);
    } else {
      in_.expected("a function or a variable");
      in_.recover();
    }
  }

  /// .alias NAME, FUNCTION;
  void alias() {
    in_.advance();
    const token& name = in_.peek();
    const std::uint32_t from = c_.function_named();
    if (from == no_index || !in_.take_or_fail(',')) return in_.recover();
    const std::uint32_t to = c_.function_named();
    if (to == no_index || !in_.take_or_fail(';')) return in_.recover();
    function& f = c_.module.functions[from];
    const function& target = c_.module.functions[to];
    if (from == to || f.has_body || target.alias_of != no_index)
      in_.fail(name.where, quoted(name) + " cannot be an alias of function '" + target.name + "'");
    else if (!same_shape(f.results, target.results) || !same_shape(f.parameters, target.parameters))
      in_.fail(name.where, quoted(name) + " was declared with other parameters than function '" + target.name + "'");
    else
      f.alias_of = to;
  }

  parser_context c_;
  token_reader& in_;
  variable_reader variables_;
  declaration_reader declarations_;
  function_reader functions_;
};

SIMTFLOW_INLINE module_text read_module(std::string_view text) { return parser(text).run(); }

}  // namespace detail

SIMTFLOW_INLINE result<module> parse(std::string_view text) {
  detail::module_text read = detail::read_module(text);
  if (!read.diagnostics.empty()) return std::move(read.diagnostics);
  return std::move(read.module);
}

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
