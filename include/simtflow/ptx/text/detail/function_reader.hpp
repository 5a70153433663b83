// SPDX-License-Identifier: BSL-1.0
//
// Functions and kernels: the head, and the body statement by statement.
#pragma once

#include <simtflow/ptx/text/detail/declaration_reader.hpp>
#include <simtflow/ptx/text/detail/instruction_reader.hpp>
#include <simtflow/ptx/text/detail/label_reader.hpp>
#include <simtflow/ptx/text/detail/parameter_reader.hpp>
#include <simtflow/ptx/text/detail/parser_context.hpp>
#include <simtflow/ptx/text/detail/variable_reader.hpp>
#include <simtflow/ptx/text/detail/word_reader.hpp>
#include <simtflow/ptx/text/module.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

/// True if two lists of parameters or results agree in space, type, size and alignment.
inline bool same_shape(const std::vector<variable>& a, const std::vector<variable>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i].space != b[i].space || a[i].type != b[i].type || a[i].size != b[i].size || a[i].align != b[i].align)
      return false;
  return true;
}

class function_reader {
 public:
  function_reader(parser_context& c, variable_reader& variables, declaration_reader& declarations)
      : c_(c),
        in_(c.in),
        variables_(variables),
        declarations_(declarations),
        parameters_(c, variables),
        words_(c),
        instructions_(c, words_),
        labels_(c, parameters_) {}

  /// [(results)] NAME [(parameters)] [directives] { body }, or without a body, with or without a semicolon.
  void read(linked l, bool is_entry) {
    function f;
    f.is_entry = is_entry;
    f.link = l.link;
    f.is_extern = l.is_extern;
    f.address_size = c_.module.address_size;
    c_.current = &f;
    c_.register_items = 0;
    c_.notes.begin_function();
    words_.begin_function();
    instructions_.begin_function();
    labels_.begin_function();
    c_.names.open(0);
    read_function(f);
    c_.current = nullptr;
    c_.names.leave_function();
  }

 private:
  using what = name_table::what;

  static constexpr std::uint32_t max_depth = 64;

  void read_function(function& f) {
    if (!f.is_entry && in_.peek().is('(') && !parameters_.read(f.results, what::result)) return skip_function();
    parameters_.sized(f.results, "a result");
    const token name = in_.peek();
    if (!in_.at_word()) {
      in_.expected(f.is_entry ? "a kernel name" : "a function name");
      skip_function();
      return;
    }
    f.name = std::string(name.spelling);
    f.where = name.where;
    in_.advance();
    const bool parenthesised = in_.peek().is('(');
    if (parenthesised && !parameters_.read(f.parameters, what::parameter)) {
      // Up to the body: what is wrong with the list has been said.
      while (!in_.at_end() && !in_.peek().is('{') && !in_.peek().is(';') && !in_.peek().is(')')) in_.advance();
      in_.take(')');
    }
    parameters_.performance(f);
    f.has_body = in_.peek().is('{');
    std::uint32_t index = no_index;
    if (f.is_entry)
      enter_kernel(name);
    else
      index = enter_function(f, name);
    if (f.has_body) {
      in_.advance();
      // Since PTX 2.0 .param in a body is a parameter of calls.
      body(f.is_entry && !parenthesised && c_.module.version.substr(0, 2) == "1.");
      labels_.resolve(instructions_.pending());
      drop_unused_items(f);
      if (f.is_entry)
        c_.module.kernels.push_back(std::move(f));
      else if (index != no_index)
        c_.module.functions[index] = std::move(f);
    } else if (!in_.take(';') && !starts_module_item(in_.peek()) && !in_.at_end()) {
      in_.expected("'{'");
      in_.recover();
    } else if (in_.at_end() && f.is_entry) {
      in_.expected("'{'");
    }
  }
  /// A function without a name: its body would be read as directives.
  void skip_function() {
    while (!in_.at_end() && !in_.peek().is('{') && !in_.peek().is(';') && !starts_module_item(in_.peek()))
      in_.advance();
    if (in_.peek().is('{')) in_.skip_balanced('{', '}');
  }

  void enter_kernel(const token& name) {
    name_table::entry& e = c_.names.declare_global(name.spelling, {what::kernel, 0});
    if (e.kind != what::kernel)
      in_.fail(name.where, twice(name));
    else if (c_.current->has_body && e.index++ != 0)
      in_.fail(name.where, "kernel " + quoted(name) + " is defined twice");
  }

  /// The index of a device function, by its name; the first declaration makes it.
  std::uint32_t enter_function(function& f, const token& name) {
    const auto fresh_index = static_cast<std::uint32_t>(c_.module.functions.size());
    const name_table::entry e = c_.names.declare_global(name.spelling, {what::function, fresh_index});
    if (e.kind != what::function) {
      in_.fail(name.where, twice(name));
      return no_index;
    }
    if (e.index == fresh_index) {
      function known;  // the body comes later; calls inside it look at this one
      known.name = f.name;
      known.where = f.where;
      known.address_size = f.address_size;
      known.link = f.link;
      known.is_extern = f.is_extern;
      known.no_return = f.no_return;
      known.results = f.results;
      known.parameters = f.parameters;
      known.registers = f.registers;
      known.performance = f.performance;
      c_.module.functions.push_back(std::move(known));
      return fresh_index;
    }
    const function& known = c_.module.functions[e.index];
    if (!same_shape(known.results, f.results) || !same_shape(known.parameters, f.parameters))
      in_.fail(name.where, "function " + quoted(name) + " was declared with other parameters");
    if (f.has_body && known.has_body) {
      in_.fail(name.where, "function " + quoted(name) + " is defined twice");
      return no_index;
    }
    f.no_return = f.no_return || known.no_return;
    if (f.link == linkage::internal) f.link = known.link;
    return e.index;
  }
  void never_closed(const token& t) {
    in_.fail(t.where, std::string(c_.current->is_entry ? "kernel '" : "function '") + c_.current->name +
                          "' is never closed: expected '}' instead of " + quoted(t));
    c_.current->end = t.where;
  }

  void body(bool parameters_inside) {
    std::vector<std::uint32_t> open;  // scopes inside the body
    while (in_.has_room()) {
      const token& t = in_.peek();
      const std::size_t before = in_.at();
      if (t.kind == token_kind::end) {
        never_closed(t);
        return;
      }
      if (t.is('}')) {
        in_.advance();
        if (open.empty()) {
          c_.current->end = t.where;
          return;
        }
        c_.add_item(item_kind::close, open.back());
        open.pop_back();
        c_.names.close();
      } else if (t.is('{')) {
        in_.advance();
        if (open.size() + 2 > max_depth) {
          in_.fail(t.where, "scopes are nested more than " + std::to_string(max_depth) + " deep");
          in_.give_up();
        }
        open.push_back(c_.current->num_scopes++);
        c_.add_item(item_kind::open, open.back());
        c_.names.open(open.back());
      } else if (t.is(';')) {
        in_.advance();
      } else if (t.kind == token_kind::dotted) {
        const std::string_view s = t.spelling;
        const bool external =
            s == ".extern" && in_.peek(1).kind == token_kind::dotted && starts_declaration(in_.peek(1).spelling);
        if (s == ".entry" || s == ".func" || s == ".version" || (is_linkage(s) && !external)) {
          never_closed(t);
          return;
        }
        if (s == ".param" && parameters_inside && open.empty())
          inner_parameter();
        else if (external)
          in_.advance(), declarations_.read({linkage::internal, true});
        else if (starts_declaration(s))
          declarations_.read({});
        else if (s == ".pragma")
          pragma();
        else if (!c_.read_note()) {
          in_.fail(t.where, "unsupported directive " + quoted(t));
          in_.advance();
          in_.recover();
        }
      } else if (t.kind == token_kind::word && in_.peek(1).is(':')) {
        in_.advance(2);
        labels_.read(t);
      } else if (t.kind == token_kind::word || t.is('@')) {
        if (!instructions_.read()) in_.recover();
      } else {
        in_.expected("an instruction");
        in_.advance();
        in_.recover();
      }
      if (in_.at() == before) in_.advance();
    }
  }

  /// Reads a .pragma. "nounroll" after a label is kept, others mean nothing here.
  void pragma() {
    for (std::size_t k = 1; in_.peek(k).kind == token_kind::text || in_.peek(k).is(','); ++k)
      if (std::vector<label>& labels = c_.current->labels; in_.peek(k).spelling == "\"nounroll\"" && !labels.empty() &&
                                                           labels.back().instruction == c_.current->instructions.size())
        labels.back().no_unroll = true;
    c_.read_note();
  }

  /// Reads a parameter in the body of a kernel, where PTX 1.x declares it.
  void inner_parameter() {
    in_.advance();
    const declared d = variables_.type_part("a parameter type");
    variable v;
    const token name = in_.peek();
    if (d.type == scalar_type::none || !variables_.one_variable(state_space::param, {}, d, v)) return in_.recover();
    if (c_.declare(name, {what::parameter, static_cast<std::uint32_t>(c_.current->parameters.size())}))
      c_.current->parameters.push_back(std::move(v));
    in_.end_statement();
  }

  /// Registers that nothing uses are not kept, and neither are their declarations.
  void drop_unused_items(function& f) const {
    std::vector<std::uint32_t> number(c_.register_items, no_index);
    for (const register_info& r : f.registers)
      if (r.declaration != no_index) number[r.declaration] = 0;
    std::uint32_t used = 0;
    std::size_t kept = 0;
    for (item i : f.items) {
      if (i.kind == item_kind::registers) {
        if (number[i.index] == no_index) continue;
        i.index = number[i.index] = used++;
      }
      f.items[kept++] = i;
    }
    f.items.resize(kept);
    for (register_info& r : f.registers)
      if (r.declaration != no_index) r.declaration = number[r.declaration];
  }

  parser_context& c_;
  token_reader& in_;
  variable_reader& variables_;
  declaration_reader& declarations_;
  parameter_reader parameters_;
  word_reader words_;
  instruction_reader instructions_;
  label_reader labels_;
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
