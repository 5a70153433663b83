// SPDX-License-Identifier: BSL-1.0
//
// Declarations of registers, in ranges where that is possible: ".reg .b32 %r<17>;".
#pragma once

#include <simtflow/ptx/text/detail/text_writer.hpp>
#include <simtflow/ptx/text/module.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

class register_printer {
 public:
  explicit register_printer(text_writer& out) : out_(out) {}

  /// Sorts the registers to declare: of the body, and item by item. Parameters in registers are declared as
  /// parameters.
  void begin_function() {
    of_body_.clear();
    by_item_.clear();
    std::vector<unsigned char> declared(out_.current->registers.size(), 0);
    for (const std::vector<variable>* list : {&out_.current->results, &out_.current->parameters})
      for (const variable& v : *list)
        if (v.reg != no_index) declared[v.reg] = 1;
    for (std::uint32_t i = 0; i < out_.current->registers.size(); ++i) {
      const register_info& r = out_.current->registers[i];
      if (declared[i] != 0 || (r.width > 1 && !r.name.ends_with(".x"))) continue;
      if (r.declaration != no_index && r.declaration >= by_item_.size()) by_item_.resize(r.declaration + 1);
      (r.declaration == no_index ? of_body_ : by_item_[r.declaration]).push_back(i);
    }
  }

  /// Declares the registers at the beginning of the body. Ranges stand there only: in inner braces they would hide
  /// registers of the outer braces.
  void body() {
    std::vector<group> ranges;
    std::vector<std::uint32_t> singles;
    std::unordered_map<std::string_view, std::size_t> range_of;
    std::string_view prefix;
    if (ranges_allowed()) {
      for (const std::uint32_t i : of_body_) {
        const register_info& r = out_.current->registers[i];
        const std::uint64_t n = number_of(r.name, prefix);
        if (prefix.empty()) continue;
        const auto [found, fresh] = range_of.emplace(prefix, ranges.size());
        if (fresh) ranges.push_back({r.type, r.width, r.width == 1, 0, std::string(prefix)});
        group& g = ranges[found->second];
        g.uniform = g.uniform && g.type == r.type && g.width == r.width;
        if (n + 1 > g.end) g.end = n + 1;
      }
    }
    for (const std::uint32_t i : of_body_) {
      number_of(out_.current->registers[i].name, prefix);
      const auto range = range_of.find(prefix);
      if (range == range_of.end() || !ranges[range->second].uniform) singles.push_back(i);
    }
    for (const group& g : ranges)
      if (g.uniform) declare(g, g.names + "<" + std::to_string(g.end) + ">");
    declare_singles(singles);
  }

  /// Declares the registers of an item in inner braces.
  void item(std::uint32_t index) { declare_singles(by_item_[index]); }

 private:
  struct group {  // registers declared together: a prefix with numbers, or names of one type
    scalar_type type = scalar_type::none;
    std::uint32_t width = 1;
    bool uniform = true;
    std::uint64_t end = 0;  // one past the largest number
    std::string names;
  };
  /// The number after the prefix of a name, "%r" of "%r17"; the prefix is empty if there is none.
  static std::uint64_t number_of(std::string_view name, std::string_view& prefix) {
    std::size_t at = name.size();
    while (at > 0 && name[at - 1] >= '0' && name[at - 1] <= '9') --at;
    const std::size_t digits = name.size() - at;
    prefix = {};
    if (digits == 0 || digits > 7 || (digits > 1 && name[at] == '0') || name.front() != '%') return 0;
    prefix = name.substr(0, at);
    std::uint64_t n = 0;
    for (; at < name.size(); ++at) n = n * 10 + static_cast<std::uint64_t>(name[at] - '0');
    return n;
  }

  /// Declares registers by name, all of one type together.
  void declare_singles(const std::vector<std::uint32_t>& registers) {
    std::vector<group> groups;
    std::unordered_map<std::uint32_t, std::size_t> group_of;
    for (const std::uint32_t i : registers) {
      const register_info& r = out_.current->registers[i];
      const std::uint32_t key = static_cast<std::uint32_t>(r.type) * 16 + r.width;
      const auto [found, fresh] = group_of.emplace(key, groups.size());
      if (fresh) groups.push_back({r.type, r.width, true, 0, {}});
      std::string& names = groups[found->second].names;
      if (!names.empty()) names += ", ";
      names += std::string_view(r.name).substr(0, r.name.size() - (r.width > 1 ? 2 : 0));
    }
    for (const group& g : groups) declare(g, g.names);
  }
  void declare(const group& g, const std::string& names) {
    out_.indent();
    out_.text += ".reg ";
    if (g.width > 1) out_.text += ".v" + std::to_string(g.width) + " ";
    out_.text += '.';
    out_.text += info(g.type).name;
    out_.text += ' ' + names + ";\n";
  }

  /// True if no other name of the function looks like a register of a range.
  bool ranges_allowed() const {
    const auto plain = [](const auto& list) {
      for (const auto& named : list)
        if (named.name.starts_with('%')) return false;
      return true;
    };
    return plain(out_.current->parameters) && plain(out_.current->results) && plain(out_.current->variables) &&
           plain(out_.current->labels) && plain(out_.current->prototypes) && plain(out_.current->branch_tables) &&
           plain(out_.current->call_targets);
  }

  text_writer& out_;
  std::vector<std::uint32_t> of_body_;
  std::vector<std::vector<std::uint32_t>> by_item_;
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
