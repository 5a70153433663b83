// SPDX-License-Identifier: BSL-1.0
//
// Declarations of registers and variables, in the module and in functions.
#pragma once

#include <simtflow/ptx/text/detail/parser_context.hpp>
#include <simtflow/ptx/text/detail/variable_reader.hpp>
#include <simtflow/ptx/text/module.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

class declaration_reader {
 public:
  declaration_reader(parser_context& c, variable_reader& variables) : c_(c), in_(c.in), variables_(variables) {}

  void read(linked l) {
    const std::string_view s = in_.take_any().spelling;
    if (s == ".reg") {
      registers();
      return;
    }
    const state_space space = s == ".const"    ? state_space::constant
                              : s == ".shared" ? state_space::shared
                              : s == ".local"  ? state_space::local
                              : s == ".param"  ? state_space::param
                                               : state_space::global;  // .tex: old PTX's texture references
    // Old PTX numbers constant banks: .const[2].
    if (space == state_space::constant && in_.peek().is('[')) in_.skip_balanced('[', ']');
    declared d = variables_.type_part("a variable type");
    if (d.type == scalar_type::none) {
      in_.recover();
      return;
    }
    if (s == ".tex") d = {scalar_type::b64, opaque_type::texref, 1, 0};
    do {
      variable v;
      const token name = in_.peek();
      variables_.initialisers.begin_declaration();
      if (!variables_.one_variable(space, l, d, v)) {
        recover_declaration();
        return;
      }
      enter(name, std::move(v));
    } while (in_.take(','));
    in_.end_statement();
  }

 private:
  /// Skips to after the semicolon, past the braces of an initialiser.
  void recover_declaration() {
    std::size_t open = variables_.initialisers.open_lists();
    while (!in_.at_end() && !starts_module_item(in_.peek())) {
      if (in_.peek().is('{')) ++open;
      if (in_.peek().is('}') && open-- == 0) return;
      if (in_.take_any().is(';')) return;
    }
  }

  void registers() {
    // The place of a declaration in inner braces counts: before it the name may mean a register of the outer braces.
    std::uint32_t item = no_index;
    if (c_.current != nullptr && c_.names.here().id != 0) c_.add_item(item_kind::registers, item = c_.register_items++);
    const declared d = variables_.type_part("a register type");
    if (d.type == scalar_type::none) {
      in_.recover();
      return;
    }
    do {
      const token name = in_.peek();
      if (!in_.at_word()) {
        in_.expected("a register name");
        in_.recover();
        return;
      }
      in_.advance();
      const bool range = in_.take('<');
      std::uint64_t n = 0;
      if (range && (!in_.unsigned_value(n) || !in_.take_or_fail('>'))) {
        in_.recover();
        return;
      }
      const name_table::register_declaration reg{d.type, d.width, n, name.where, item};
      if (!c_.names.declare_register(name.spelling, reg, range))
        in_.fail(name.where, range ? "registers " + quoted(name) + " are declared twice" : twice(name));
    } while (in_.take(','));
    in_.end_statement();
  }
  /// Gives a variable its place in the function or the module, and its name.
  void enter(const token& name, variable&& v) {
    if (c_.current != nullptr) {
      const auto index = static_cast<std::uint32_t>(c_.current->variables.size());
      if (!c_.declare(name, {name_table::what::variable, index})) return;
      c_.add_item(item_kind::variable, index);
      c_.current->variables.push_back(std::move(v));
      return;
    }
    // A declaration of the module may be repeated if it agrees; what defines it wins, in the first one's place.
    const auto index = static_cast<std::uint32_t>(c_.module.variables.size());
    if (c_.names.declare(name.spelling, {name_table::what::module_variable, index})) {
      c_.module.variables.push_back(std::move(v));
      return;
    }
    std::uint32_t from = 0;
    const name_table::entry old = c_.names.find(name.spelling, from);
    if (old.kind != name_table::what::module_variable) {
      in_.fail(name.where, twice(name));
      return;
    }
    variable& known = c_.module.variables[old.index];
    const bool replaces = known.is_extern || known.link == linkage::common;
    if (!replaces && !v.is_extern)
      in_.fail(name.where, twice(name));
    else if (!agree(known, v))
      in_.fail(name.where, "variable " + quoted(name) + " is " + shape_of(v) + " here, but " + shape_of(known) +
                               " in " + to_string(known.where));
    else if (replaces && (!v.is_extern || known.size == 0))
      known = std::move(v);
  }
  /// True if two declarations can mean one variable. An array without a size agrees with an array of any size.
  static bool agree(const variable& a, const variable& b) {
    if (a.space != b.space || a.type != b.type || a.width != b.width || a.align != b.align || a.opaque != b.opaque ||
        a.extents.size() != b.extents.size())
      return false;
    const bool open = !a.extents.empty() && (a.extents[0] == 0 || b.extents[0] == 0);
    for (std::size_t i = open ? 1 : 0; i < a.extents.size(); ++i)
      if (a.extents[i] != b.extents[i]) return false;
    return a.size == b.size || (open && (a.size == 0 || b.size == 0));
  }
  /// ".global .align 8 .v2 .f32 [4][2]"
  static std::string shape_of(const variable& v) {
    std::string s = "." + std::string(to_string(v.space)) + " .align " + std::to_string(v.align);
    if (v.width > 1) s += " .v" + std::to_string(v.width);
    s += " .";
    s += v.opaque == opaque_type::none ? info(v.type).name : to_string(v.opaque);
    std::uint64_t row = std::uint64_t{info(v.type).size} * v.width;
    for (std::size_t i = 1; i < v.extents.size(); ++i) row *= v.extents[i];
    for (std::size_t i = 0; i < v.extents.size(); ++i) {
      const std::uint64_t n = i == 0 && row != 0 ? v.size / row : v.extents[i];
      s += i == 0 ? " [" : "[";
      if (n != 0) s += std::to_string(n);
      s += "]";
    }
    return s;
  }

  parser_context& c_;
  token_reader& in_;
  variable_reader& variables_;
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
