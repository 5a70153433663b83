// SPDX-License-Identifier: BSL-1.0
//
// The names of the modules that are linked: which of their definitions a global name means, whether the declarations
// agree, and what is reached.
#pragma once

#include <simtflow/diagnostic.hpp>
#include <simtflow/ptx/text/linked_module.hpp>
#include <simtflow/ptx/text/module.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

/// Gives the variables, functions and kernels of all inputs one numbering, and finds the one that each stands for.
class symbol_resolver {
 public:
  explicit symbol_resolver(std::span<const link_input> inputs) : inputs_(inputs) {
    for (std::uint32_t i = 0; i < inputs_.size(); ++i) {
      const module& m = *inputs_[i].module;
      first_.push_back(static_cast<std::uint32_t>(all_.size()));
      names_.emplace_back();
      number(i, symbol_kind::variable, m.variables);
      number(i, symbol_kind::function, m.functions);
      number(i, symbol_kind::entry, m.kernels);
    }
    resolve();
    reach();
  }

  struct symbol {
    std::uint32_t input;
    symbol_kind kind;
    std::uint32_t index;      // in the list of its module
    std::uint32_t chosen;     // the symbol that it stands for
    bool is_taken = false;    // if it is chosen: it becomes a part of the linked module
    bool is_reached = false;  // something that is taken names it, or it is not in a library
  };

  std::size_t size() const { return all_.size(); }
  const symbol& operator[](std::uint32_t s) const { return all_[s]; }
  std::uint32_t number_of(std::uint32_t input, symbol_kind kind, std::uint32_t index) const {
    const module& m = *inputs_[input].module;
    const std::size_t before = kind == symbol_kind::variable   ? 0
                               : kind == symbol_kind::function ? m.variables.size()
                                                               : m.variables.size() + m.functions.size();
    return first_[input] + static_cast<std::uint32_t>(before) + index;
  }
  /// The symbol that an input declares under a name; no_index if there is none.
  std::uint32_t named(std::uint32_t input, std::string_view name) const {
    const auto found = names_[input].find(name);
    return found == names_[input].end() ? no_index : found->second;
  }
  const variable& variable_of(const symbol& s) const { return inputs_[s.input].module->variables[s.index]; }
  const function& function_of(const symbol& s) const {
    const module& m = *inputs_[s.input].module;
    return s.kind == symbol_kind::function ? m.functions[s.index] : m.kernels[s.index];
  }
  const std::string& name_of(const symbol& s) const {
    return s.kind == symbol_kind::variable ? variable_of(s).name : function_of(s).name;
  }
  /// True if the name means the same in all modules.
  bool is_global(const symbol& s) const {
    if (s.kind == symbol_kind::variable) return variable_of(s).is_extern || variable_of(s).link != linkage::internal;
    return function_of(s).link != linkage::internal || strength(s) == 0;
  }
  simtflow::diagnostics take_diagnostics() { return std::move(diagnostics_); }

 private:
  template <class T>
  void number(std::uint32_t input, symbol_kind kind, const std::vector<T>& list) {
    for (std::uint32_t i = 0; i < list.size(); ++i) {
      const auto s = static_cast<std::uint32_t>(all_.size());
      all_.push_back({input, kind, i, s});
      names_[input].emplace(list[i].name, s);
    }
  }

  /// 0 of a declaration; the strongest definition wins.
  int strength(const symbol& s) const {
    linkage link{};
    if (s.kind == symbol_kind::variable) {
      if (variable_of(s).is_extern) return 0;
      link = variable_of(s).link;
    } else {
      const function& f = function_of(s);
      if (!f.has_body && f.alias_of == no_index) return 0;
      link = f.link;
    }
    return link == linkage::weak ? 1 : link == linkage::common ? 2 : 3;
  }

  void resolve() {
    std::unordered_map<std::string_view, std::uint32_t> global;
    // Libraries come last, their definitions first: they define what is left, and the first of them wins.
    for (const int pass : {0, 1, 2}) {
      for (std::uint32_t s = 0; s < all_.size(); ++s) {
        const symbol& now = all_[s];
        const bool is_library = inputs_[now.input].is_library;
        if (!is_global(now) || pass != (!is_library ? 0 : strength(now) != 0 ? 1 : 2)) continue;
        const auto [found, fresh] = global.emplace(name_of(now), s);
        if (fresh) continue;
        const symbol& old = all_[found->second];
        if (!is_library ? wins(now, old) : strength(old) == 0 && strength(now) != 0 && agree(now, old))
          found->second = s;
      }
    }
    for (symbol& s : all_)
      if (is_global(s)) s.chosen = global.find(name_of(s))->second;
  }

  /// True if `now` replaces `old`. Says what is wrong with the two.
  bool wins(const symbol& now, const symbol& old) {
    if (!agree(now, old)) return false;
    const int a = strength(now), b = strength(old);
    if (a == 3 && b == 3) fail(now, old, "is defined twice: also");
    if (a == 2 && b == 2) return variable_of(now).size > variable_of(old).size;
    return a > b;
  }

  bool agree(const symbol& now, const symbol& old) {
    const bool are_variables = now.kind == symbol_kind::variable;
    if (now.kind != old.kind) {
      fail(now, old, "is a " + std::string(to_string(old.kind)));
    } else if (are_variables) {
      const variable &a = variable_of(now), &b = variable_of(old);
      if (a.space != b.space || a.opaque != b.opaque)
        fail(now, old, "is ." + space_of(a) + " here, but ." + space_of(b));
      else if (!sizes_agree(a, b) && !sizes_agree(b, a))
        fail(now, old, "has " + bytes(a.size) + " here, but " + bytes(b.size));
      else
        return true;
    } else if (!same_shape(function_of(now).results, function_of(old).results) ||
               !same_shape(function_of(now).parameters, function_of(old).parameters)) {
      fail(now, old, "has other parameters or results than");
    } else {
      return true;
    }
    return false;
  }
  static std::string bytes(std::uint64_t n) { return std::to_string(n) + (n == 1 ? " byte" : " bytes"); }
  static std::string space_of(const variable& v) {
    return std::string(to_string(v.space)) + (v.opaque == opaque_type::none ? "" : " .") +
           std::string(to_string(v.opaque));
  }
  /// An array without a size agrees with every size, and a common variable with one that is defined no smaller.
  static bool sizes_agree(const variable& a, const variable& b) {
    if (a.size == b.size || (a.is_extern && a.is_open_array())) return true;
    return a.link == linkage::common && (b.link == linkage::common || (!b.is_extern && b.size > a.size));
  }
  static bool same_shape(const std::vector<variable>& a, const std::vector<variable>& b) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i) {
      const bool is_float = info(a[i].type).kind == type_class::floating;
      if (a[i].space != b[i].space || a[i].size != b[i].size || a[i].align != b[i].align || a[i].width != b[i].width ||
          is_float != (info(b[i].type).kind == type_class::floating))
        return false;
    }
    return true;
  }

  static std::string of_input(const link_input& i, std::size_t number) {
    return i.name.empty() ? "module " + std::to_string(number + 1) : std::string(i.name);
  }
  void fail(const symbol& now, const symbol& old, const std::string& what) {
    const auto where = [this](const symbol& s) {
      return s.kind == symbol_kind::variable ? variable_of(s).where : function_of(s).where;
    };
    std::string other = of_input(inputs_[old.input], old.input);
    if (const position p = where(old); p.line != 0) other += ", " + to_string(p);
    add_diagnostic(diagnostics_, where(now),
                   of_input(inputs_[now.input], now.input) + ": " + std::string(to_string(now.kind)) + " '" +
                       name_of(now) + "' " + what + " in " + other);
  }

  /// Takes all that is not in a library, and from libraries everything that the taken parts name.
  void reach() {
    for (std::uint32_t s = 0; s < all_.size(); ++s)
      if (!inputs_[all_[s].input].is_library) name(s);
    for (std::size_t i = 0; i < taken_.size(); ++i) {
      const symbol s = all_[taken_[i]];
      if (s.kind == symbol_kind::variable) {
        addresses(s.input, variable_of(s));
        continue;
      }
      const function& f = function_of(s);
      for (const variable& v : f.variables) addresses(s.input, v);
      for (const operand& o : f.operands) {
        const operand_kind kind = o.kind == operand_kind::address ? o.base : o.kind;
        if (kind == operand_kind::module_variable) name(number_of(s.input, symbol_kind::variable, o.index));
        if (kind == operand_kind::function) name(number_of(s.input, symbol_kind::function, o.index));
      }
      for (const call_target_list& list : f.call_targets)
        for (const std::uint32_t t : list.targets) name(number_of(s.input, symbol_kind::function, t));
      if (f.alias_of != no_index) name(number_of(s.input, symbol_kind::function, f.alias_of));
    }
  }
  void addresses(std::uint32_t input, const variable& v) {
    for (const relocation& r : v.relocations)
      if (const std::uint32_t s = named(input, r.symbol); s != no_index) name(s);
  }
  void name(std::uint32_t s) {
    symbol& here = all_[s];
    symbol& chosen = all_[here.chosen];
    // Declarations of a library count once something needs them.
    if (!here.is_reached && inputs_[here.input].is_library && here.chosen != s) agree(here, chosen);
    here.is_reached = true;
    if (chosen.is_taken) return;
    chosen.is_taken = true;
    taken_.push_back(here.chosen);
  }

  std::span<const link_input> inputs_;
  std::vector<symbol> all_;
  std::vector<std::uint32_t> first_;  // by input: its first symbol
  std::vector<std::unordered_map<std::string_view, std::uint32_t>> names_;
  std::vector<std::uint32_t> taken_;
  simtflow::diagnostics diagnostics_;
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
