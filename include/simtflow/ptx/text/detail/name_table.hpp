// SPDX-License-Identifier: BSL-1.0
//
// The meaning of names, scope by scope, while a function is read.
#pragma once

#include <simtflow/ptx/text/lexer.hpp>
#include <simtflow/ptx/text/module.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

/// The scopes of the module and of the function that is read. A register gets its index at its first use.
class name_table {
 public:
  enum class what : std::uint8_t {
    none,
    registers,
    variable,
    module_variable,
    parameter,
    result,
    function,
    kernel,
    prototype,
    branch_table,
    call_targets
  };
  struct entry {
    what kind = what::none;
    std::uint32_t index = 0;  // of a declaration, a variable, a parameter, ...
  };
  struct register_declaration {
    scalar_type type = scalar_type::none;
    std::uint32_t width = 1;  // components
    std::uint64_t count = 0;  // of a range
    position where;
    std::uint32_t item = no_index;
  };
  struct scope {
    std::uint32_t parent = no_index;
    std::uint32_t id = 0;  // of the function's scopes
    std::unordered_map<std::string_view, entry> names;
    std::unordered_map<std::string_view, entry> ranges;
    std::unordered_map<std::string_view, std::uint64_t> least_number;  // "%r" and 5 if of %r5, %r9, ... %r5 is a name
    std::unordered_map<std::string_view, std::uint32_t> used;          // register name -> first index in the function
    std::unordered_map<std::string_view, std::uint32_t> labels;
  };

  name_table() { scopes_.push_back({}); }

  scope& here() { return scopes_[current_]; }
  const scope& at(std::uint32_t s) const { return scopes_[s]; }
  std::uint32_t current() const { return current_; }
  bool in_module() const { return current_ == 0; }
  void open(std::uint32_t id) {
    scopes_.push_back({current_, id, {}, {}, {}, {}, {}});
    current_ = static_cast<std::uint32_t>(scopes_.size() - 1);
  }
  void close() { current_ = scopes_[current_].parent; }
  /// Back to the module: the function's scopes are over.
  void leave_function() {
    current_ = 0;
    scopes_.resize(1);
    scopes_[0].used = {};  // clear() would walk all the buckets that the largest function left
  }

  /// Declares a name. True if it is new in this scope.
  bool declare(std::string_view name, entry e) {
    scope& s = here();
    if (in_range(s, name) != no_index) return false;
    for_each_prefix(name, [&](std::string_view prefix, std::uint64_t number) {
      const auto [found, fresh] = s.least_number.emplace(prefix, number);
      if (!fresh && number < found->second) found->second = number;
      return false;
    });
    return s.names.emplace(name, e).second;
  }
  bool declared_here(std::string_view name) {
    return here().names.count(name) != 0 || in_range(here(), name) != no_index;
  }
  /// Declares a name of the module from any scope. Returns the meaning of the name there, new or old.
  entry& declare_global(std::string_view name, entry e) { return scopes_[0].names.emplace(name, e).first->second; }
  /// Declares a register or a range. True if the name, or every name of the range, is new in this scope.
  bool declare_register(std::string_view name, const register_declaration& d, bool range) {
    scope& s = here();
    const entry e{what::registers, static_cast<std::uint32_t>(declarations_.size())};
    declarations_.push_back(d);
    if (range) {
      const auto single = s.least_number.find(name);
      const bool clash = single != s.least_number.end() && single->second < d.count;
      return s.ranges.emplace(name, e).second && !clash;
    }
    return declare(name, e);
  }

  /// The innermost meaning of a name and the scope that it is from; of a register: its declaration.
  entry find(std::string_view name, std::uint32_t& from) const {
    for (std::uint32_t s = current_; s != no_index; s = scopes_[s].parent) {
      from = s;
      if (const auto found = scopes_[s].names.find(name); found != scopes_[s].names.end()) return found->second;
      if (const std::uint32_t d = in_range(scopes_[s], name); d != no_index) return {what::registers, d};
    }
    return {};
  }
  const register_declaration& declaration(std::uint32_t i) const { return declarations_[i]; }

  /// The function's index of a register, which it gets at its first use.
  std::uint32_t use(std::uint32_t from, std::string_view name, const register_declaration& d, function& f) {
    scope& s = scopes_[from];
    const auto [found, fresh] = s.used.emplace(name, static_cast<std::uint32_t>(f.registers.size()));
    if (fresh) {
      for (std::uint32_t c = 0; c < d.width; ++c) {
        std::string full(name);
        if (d.width > 1) full.append(1, '.').append(1, "xyzw"[c % 4]);
        f.registers.push_back({std::move(full), d.type, d.where, s.id, d.width, d.item});
      }
    }
    return found->second;
  }

 private:
  /// "%r1" and 7, "%r" and 17 for %r17, until one is taken. Numbers do not begin with 0, and have at most nine digits.
  template <class Take>
  static void for_each_prefix(std::string_view name, const Take& take) {
    std::uint64_t number = 0;
    std::uint64_t scale = 1;
    for (std::size_t digits = 1; digits <= 9 && digits < name.size(); ++digits) {
      const char c = name[name.size() - digits];
      if (!is_digit(c)) return;
      number += scale * static_cast<std::uint64_t>(c - '0');
      scale *= 10;
      if (c == '0' && digits > 1) continue;
      if (take(name.substr(0, name.size() - digits), number)) return;
    }
  }

  /// The range that holds a name such as %r17: its declaration.
  std::uint32_t in_range(const scope& s, std::string_view name) const {
    std::uint32_t range = no_index;
    if (s.ranges.empty()) return range;
    for_each_prefix(name, [&](std::string_view prefix, std::uint64_t number) {
      const auto found = s.ranges.find(prefix);
      const bool holds = found != s.ranges.end() && number < declarations_[found->second.index].count;
      if (holds) range = found->second.index;
      return holds;
    });
    return range;
  }

  std::vector<scope> scopes_;
  std::uint32_t current_ = 0;
  std::vector<register_declaration> declarations_;
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
