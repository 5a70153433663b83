// SPDX-License-Identifier: BSL-1.0
//
// A module back to PTX text. Parsing the text gives the module again, except for positions, if all names in it are
// known; ptxas takes it wherever it takes the text that the module came from. Comments, .loc, .file, .pragma,
// .attribute and debug sections are gone.
//
// Prototypes of all functions come first, then variables, bodies of functions, kernels. Registers are declared in
// ranges where that is possible: ".reg .b32 %r<17>;".
//
// Literature: NVIDIA, Parallel Thread Execution ISA, chapters "Syntax", "Directives".
#pragma once

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

class printer {
 public:
  explicit printer(const module& m) : module_(m) {}

  std::string run() {
    header();
    for (const function& f : module_.functions) {
      signature(f);
      text_ += ";\n";
    }
    for (const variable& v : module_.variables) {
      declaration(v);
      text_ += ";\n";
    }
    for (const function& f : module_.functions)
      if (f.has_body) definition(f);
    for (const function& f : module_.functions)
      if (f.alias_of != no_index) text_ += ".alias " + f.name + ", " + module_.functions[f.alias_of].name + ";\n";
    for (const kernel& k : module_.kernels) definition(k);
    return std::move(text_);
  }

 private:
  void header() {
    text_ = ".version " + module_.version + "\n.target " + module_.target;
    for (const std::string& o : module_.target_options) text_ += ", " + o;
    // The directive came with PTX 2.3; before that addresses have 32 bits.
    if (module_.address_size != 32) text_ += "\n.address_size " + std::to_string(module_.address_size);
    text_ += "\n\n";
  }

  void number(std::uint64_t v) { text_ += std::to_string(v); }
  void signed_number(std::uint64_t v) { text_ += std::to_string(static_cast<std::int64_t>(v)); }
  void hexadecimal(std::uint64_t v, int digits) {
    for (int d = digits; d-- > 0;) text_ += "0123456789ABCDEF"[(v >> (4 * d)) & 15];
  }
  void offset(std::uint64_t v) {
    if (v == 0) return;
    text_ += '+';
    signed_number(v);
  }

  // --- declarations ----------------------------------------------------------------------------------------------

  void link(linkage l, bool is_extern) {
    if (is_extern) text_ += ".extern ";
    if (l == linkage::visible) text_ += ".visible ";
    if (l == linkage::weak) text_ += ".weak ";
    if (l == linkage::common) text_ += ".common ";
  }

  void declaration(const variable& v) {
    link(v.link, v.is_extern);
    text_ += '.';
    text_ += to_string(v.space);
    if (v.opaque != opaque_type::none) {
      text_ += v.opaque == opaque_type::texref       ? " .texref "
               : v.opaque == opaque_type::samplerref ? " .samplerref "
                                                     : " .surfref ";
    } else {
      const std::uint64_t natural = std::uint64_t{info(v.type).size} * v.width;
      if (v.align != natural && v.space != state_space::reg) text_ += " .align " + std::to_string(v.align);
      if (v.width > 1) text_ += " .v" + std::to_string(v.width);
      text_ += " .";
      text_ += info(v.type).name;
      text_ += ' ';
    }
    text_ += v.name;
    for (const std::uint64_t n : v.extents) {
      text_ += '[';
      if (n != 0) number(n);
      text_ += ']';
    }
    if (!v.initial.empty()) initialiser(v);
  }

  /// Braces around every row: an element opens and closes the lists that begin and end with it.
  void initialiser(const variable& v) {
    text_ += " = ";
    const std::size_t size = info(v.type).size;
    const std::size_t count = v.initial.size() / size;
    std::vector<std::size_t> rows;  // elements in a list of each depth; the outermost has them all
    std::size_t row = v.width;
    if (v.width > 1) rows.push_back(row);
    for (std::size_t k = v.extents.size(); k-- > 0;) {
      row = k == 0 ? count : row * static_cast<std::size_t>(v.extents[k]);
      rows.push_back(row);
    }
    std::size_t next_relocation = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (i != 0) text_ += i % 16 == 0 ? ",\n\t" : ", ";
      for (const std::size_t r : rows)
        if (i % r == 0) text_ += '{';
      if (next_relocation < v.relocations.size() && v.relocations[next_relocation].offset == i * size)
        address(v.relocations[next_relocation++]);
      else
        value(v, i * size, size);
      for (const std::size_t r : rows)
        if ((i + 1) % r == 0 || i + 1 == count) text_ += '}';
    }
  }
  void value(const variable& v, std::size_t at, std::size_t size) {
    std::uint64_t bits = 0;
    for (std::size_t b = 0; b < size && b < 8; ++b) bits |= std::uint64_t{v.initial[at + b]} << (8 * b);
    if (v.type == scalar_type::f32) {
      text_ += "0f";
      hexadecimal(bits, 8);
    } else if (v.type == scalar_type::f64) {
      text_ += "0d";
      hexadecimal(bits, 16);
    } else {
      number(bits);
    }
  }
  void address(const relocation& r) {
    const bool mask = r.size == 1;
    if (mask) {
      text_ += "0xFF";
      text_.append(r.shift / 4, '0');
      text_ += '(';
    }
    text_ += r.generic ? "generic(" + r.symbol + ")" : r.symbol;
    offset(r.addend);
    if (mask) text_ += ')';
  }

  void list(const std::vector<variable>& variables) {
    text_ += '(';
    bool first = true;
    for (const variable& v : variables) {
      if (!first) text_ += ", ";
      first = false;
      declaration(v);
    }
    text_ += ')';
  }

  /// All of a function but its body.
  void signature(const function& f) {
    link(f.link, f.is_extern);
    text_ += f.is_entry ? ".entry " : ".func ";
    if (!f.results.empty()) {
      list(f.results);
      text_ += ' ';
    }
    text_ += f.name;
    list(f.parameters);
    if (f.no_return) text_ += " .noreturn";
    sizes(" .maxntid ", f.max_threads);
    sizes(" .reqntid ", f.required_threads);
    for (const performance_directive& d : f.performance) {
      text_ += " ." + d.name;
      for (std::size_t i = 0; i < d.values.size(); ++i) text_ += (i == 0 ? " " : ", ") + std::to_string(d.values[i]);
    }
  }
  void sizes(const char* directive, const std::uint32_t (&n)[3]) {
    if (n[0] == 0) return;
    text_ += directive + std::to_string(n[0]) + ", " + std::to_string(n[1]) + ", " + std::to_string(n[2]);
  }

  // --- bodies ----------------------------------------------------------------------------------------------------

  void definition(const function& f) {
    function_ = &f;
    text_ += '\n';
    signature(f);
    text_ += "\n{\n";
    sort_registers();
    depth_ = 1;
    registers();
    std::size_t next = 0;
    for (std::size_t i = 0; i <= f.instructions.size(); ++i) {
      for (; next < f.items.size() && f.items[next].instruction == i; ++next) print(f.items[next]);
      if (i < f.instructions.size()) print(f.instructions[i]);
    }
    text_ += "}\n";
  }

  void indent() { text_.append(depth_, '\t'); }

  void print(const item& i) {
    switch (i.kind) {
      case item_kind::open:
        indent();
        text_ += "{\n";
        ++depth_;
        return;
      case item_kind::close:
        --depth_;
        indent();
        text_ += "}\n";
        return;
      case item_kind::registers:
        declare_singles(by_item_[i.index]);
        return;
      case item_kind::label:
        text_ += function_->labels[i.index].name + ":\n";
        return;
      case item_kind::variable:
        indent();
        declaration(function_->variables[i.index]);
        break;
      case item_kind::prototype: {
        const call_prototype& p = function_->prototypes[i.index];
        text_ += p.name + ": .callprototype ";
        if (!p.results.empty()) {
          list(p.results);
          text_ += ' ';
        }
        text_ += "_ ";
        list(p.parameters);
        if (p.no_return) text_ += " .noreturn";
        break;
      }
      case item_kind::branch_table: {
        const branch_table& t = function_->branch_tables[i.index];
        text_ += t.name + ": .branchtargets ";
        for (std::size_t k = 0; k < t.targets.size(); ++k)
          text_ += (k == 0 ? "" : ", ") + function_->labels[t.targets[k]].name;
        break;
      }
      case item_kind::call_targets: {
        const call_target_list& t = function_->call_targets[i.index];
        text_ += t.name + ": .calltargets ";
        for (std::size_t k = 0; k < t.targets.size(); ++k)
          text_ += (k == 0 ? "" : ", ") + module_.functions[t.targets[k]].name;
        break;
      }
    }
    text_ += ";\n";
  }

  void print(const instruction& i) {
    indent();
    if (i.guard != no_index) {
      text_ += i.guard_negated ? "@!" : "@";
      text_ += function_->registers[i.guard].name + " ";
    }
    text_ += i.opcode;
    const auto operands = function_->operands_of(i);
    const bool call = operands.size() >= 3 && operands[0].kind == operand_kind::list;
    bool first = true;
    for (std::size_t n = 0; n < operands.size(); ++n) {
      const operand& o = operands[n];
      // A call without results or arguments says nothing about them.
      if (call && o.kind == operand_kind::list && o.count == 0 && (n == 0 || operands.size() == 3)) continue;
      text_ += first ? " " : ", ";
      first = false;
      print(o);
    }
    text_ += ";\n";
  }

  void print(const operand& o) {
    if (o.negated) text_ += o.kind == operand_kind::reg && !is_predicate(o.index) ? '-' : '!';
    switch (o.kind) {
      case operand_kind::vector:
        if (whole_register(o)) return;
        elements(o, '{', '}');
        break;
      case operand_kind::list:
        elements(o, '(', ')');
        break;
      case operand_kind::texture:
        elements(o, '[', ']');
        break;
      case operand_kind::address:
        text_ += '[';
        if (o.base == operand_kind::integer) {
          signed_number(o.bits);
        } else {
          name(o.base, o.index);
          offset(o.bits);
        }
        text_ += ']';
        break;
      default:
        simple(o);
        break;
    }
  }

  void elements(const operand& o, char open, char close) {
    text_ += open;
    bool first = true;
    for (const operand& e : function_->elements_of(o)) {
      if (!first) text_ += ", ";
      first = false;
      if (e.kind == operand_kind::vector) {
        if (whole_register(e)) continue;
        text_ += '{';
        bool first_inner = true;
        for (const operand& inner : function_->elements_of(e)) {
          if (!first_inner) text_ += ", ";
          first_inner = false;
          simple(inner);
        }
        text_ += '}';
      } else {
        simple(e);
      }
    }
    text_ += close;
  }

  /// {%v.x, %v.y} of a vector register %v is the register.
  bool whole_register(const operand& o) {
    const auto parts = function_->elements_of(o);
    if (parts.empty() || parts[0].kind != operand_kind::reg) return false;
    const register_info& r = function_->registers[parts[0].index];
    if (r.width != parts.size() || !r.name.ends_with(".x")) return false;
    for (std::size_t i = 1; i < parts.size(); ++i)
      if (parts[i].kind != operand_kind::reg || parts[i].index != parts[0].index + i) return false;
    text_ += std::string_view(r.name).substr(0, r.name.size() - 2);
    return true;
  }

  bool is_predicate(std::uint32_t reg) const { return function_->registers[reg].type == scalar_type::pred; }

  /// An operand that is one thing.
  void simple(const operand& o) {
    switch (o.kind) {
      case operand_kind::integer:
        signed_number(o.bits);
        break;
      case operand_kind::single:
        text_ += "0f";
        hexadecimal(o.bits, 8);
        break;
      case operand_kind::real:
        text_ += "0d";
        hexadecimal(o.bits, 16);
        break;
      case operand_kind::sink:
        text_ += '_';
        break;
      case operand_kind::variable:
      case operand_kind::module_variable:
      case operand_kind::parameter:
      case operand_kind::result:
        name(o.kind, o.index);
        offset(o.bits);
        break;
      case operand_kind::reg:
        name(o.kind, o.index);
        offset(o.bits);
        break;
      default:
        name(o.kind, o.index);
        break;
    }
    if (o.second != no_index) text_ += "|" + function_->registers[o.second].name;
    if (o.selector != no_index) text_ += function_->names[o.selector];
  }

  void name(operand_kind kind, std::uint32_t index) {
    switch (kind) {
      case operand_kind::reg:
        text_ += function_->registers[index].name;
        break;
      case operand_kind::special:
        text_ += to_string(static_cast<special_register>(index));
        break;
      case operand_kind::label:
        text_ += function_->labels[index].name;
        break;
      case operand_kind::variable:
        text_ += function_->variables[index].name;
        break;
      case operand_kind::module_variable:
        text_ += module_.variables[index].name;
        break;
      case operand_kind::parameter:
        text_ += function_->parameters[index].name;
        break;
      case operand_kind::result:
        text_ += function_->results[index].name;
        break;
      case operand_kind::function:
        text_ += module_.functions[index].name;
        break;
      case operand_kind::prototype:
        text_ += function_->prototypes[index].name;
        break;
      case operand_kind::branch_table:
        text_ += function_->branch_tables[index].name;
        break;
      case operand_kind::call_targets:
        text_ += function_->call_targets[index].name;
        break;
      default:
        text_ += function_->names[index];
        break;
    }
  }

  // --- registers -------------------------------------------------------------------------------------------------

  /// Those to declare: of the body, and item by item. Parameters in registers are declared where they are parameters.
  void sort_registers() {
    of_body_.clear();
    by_item_.clear();
    std::vector<unsigned char> declared(function_->registers.size(), 0);
    for (const std::vector<variable>* list : {&function_->results, &function_->parameters})
      for (const variable& v : *list)
        if (v.reg != no_index) declared[v.reg] = 1;
    for (std::uint32_t i = 0; i < function_->registers.size(); ++i) {
      const register_info& r = function_->registers[i];
      if (declared[i] != 0 || (r.width > 1 && !r.name.ends_with(".x"))) continue;
      if (r.declaration != no_index && r.declaration >= by_item_.size()) by_item_.resize(r.declaration + 1);
      (r.declaration == no_index ? of_body_ : by_item_[r.declaration]).push_back(i);
    }
  }

  struct group {  // registers declared together: a prefix with numbers, or names of one type
    scalar_type type = scalar_type::none;
    std::uint32_t width = 1;
    bool uniform = true;
    std::uint64_t end = 0;  // one past the largest number
    std::string names;
  };
  /// The number behind the prefix of a name, "%r" of "%r17"; the prefix is empty if there is none.
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

  /// At the begin of the body. Ranges stand there only: in inner braces they would hide registers of the outer ones.
  void registers() {
    std::vector<group> ranges;
    std::vector<std::uint32_t> singles;
    std::unordered_map<std::string_view, std::size_t> range_of;
    std::string_view prefix;
    if (ranges_allowed()) {
      for (const std::uint32_t i : of_body_) {
        const register_info& r = function_->registers[i];
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
      number_of(function_->registers[i].name, prefix);
      const auto range = range_of.find(prefix);
      if (range == range_of.end() || !ranges[range->second].uniform) singles.push_back(i);
    }
    for (const group& g : ranges)
      if (g.uniform) declare(g, g.names + "<" + std::to_string(g.end) + ">");
    declare_singles(singles);
  }
  /// By name, those of one type together.
  void declare_singles(const std::vector<std::uint32_t>& registers) {
    std::vector<group> groups;
    std::unordered_map<std::uint32_t, std::size_t> group_of;
    for (const std::uint32_t i : registers) {
      const register_info& r = function_->registers[i];
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
    indent();
    text_ += ".reg ";
    if (g.width > 1) text_ += ".v" + std::to_string(g.width) + " ";
    text_ += '.';
    text_ += info(g.type).name;
    text_ += ' ' + names + ";\n";
  }

  /// Whether no other name of the function looks like a register of a range.
  bool ranges_allowed() const {
    const auto plain = [](const auto& list) {
      for (const auto& named : list)
        if (named.name.starts_with('%')) return false;
      return true;
    };
    return plain(function_->parameters) && plain(function_->results) && plain(function_->variables) &&
           plain(function_->labels) && plain(function_->prototypes) && plain(function_->branch_tables) &&
           plain(function_->call_targets);
  }

  const module& module_;
  const function* function_ = nullptr;
  std::string text_;
  std::size_t depth_ = 0;
  std::vector<std::uint32_t> of_body_;
  std::vector<std::vector<std::uint32_t>> by_item_;
};

}  // namespace detail

/// The text of a module. \pre m came from parse() without findings, or is as if: indices are in range, the items of a
/// function name its labels, variables and scopes in the order of the text. Complexity: linear.
[[nodiscard]] inline std::string print(const module& m) { return detail::printer(m).run(); }

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
