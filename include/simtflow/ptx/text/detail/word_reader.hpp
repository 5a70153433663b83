// SPDX-License-Identifier: BSL-1.0
//
// The meaning of a word as an operand: a register, a variable, a function, a special register, or a name that nothing
// declares before it, such as a label.
#pragma once

#include <simtflow/ptx/text/detail/parser_context.hpp>
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

class word_reader {
 public:
  using what = name_table::what;

  explicit word_reader(parser_context& c) : c_(c), in_(c.in) {}

  /// The words that nothing declares are numbered anew.
  void begin_function() { spellings_.clear(); }
  /// The spelling of an unknown name by its number; empty if it can be no label.
  std::string_view spelling(std::uint32_t name) const { return spellings_[name]; }
  void add_selector(std::string_view spelling) { spellings_.push_back(spelling); }

  /// Reads the meaning of a word into `o`; a register component takes its dotted word with it.
  void name(operand& o, const token& t) {
    std::uint32_t from = 0;
    const name_table::entry e = c_.names.find(t.spelling, from);
    o.index = e.index;
    switch (e.kind) {
      case what::registers: {
        const name_table::register_declaration& d = c_.names.declaration(e.index);
        register_operand(o, c_.names.use(from, t.spelling, d, *c_.current), d.width);
        return;
      }
      case what::variable:
        o.kind = operand_kind::variable;
        return;
      case what::module_variable:
        o.kind = operand_kind::module_variable;
        return;
      case what::parameter:
        o.kind = operand_kind::parameter;
        return;
      case what::result:
        o.kind = operand_kind::result;
        return;
      case what::function:
        o.kind = operand_kind::function;
        return;
      case what::prototype:
        o.kind = operand_kind::prototype;
        return;
      case what::branch_table:
        o.kind = operand_kind::branch_table;
        return;
      case what::call_targets:
        o.kind = operand_kind::call_targets;
        return;
      default:
        break;
    }
    if ((t.spelling.front() == '%' || t.spelling == "WARP_SZ") && special(o, t)) {
      constexpr std::string_view operators = "+-*/%<>&|^?=!";
      if (t.spelling == "WARP_SZ" && !in_.peek().spelling.empty() &&
          operators.find(in_.peek().spelling.front()) != operators.npos)
        refuse_warp_size(t.where);
      return;
    }
    o.kind = operand_kind::unknown;
    o.index = static_cast<std::uint32_t>(c_.current->names.size());
    std::string spelled(t.spelling);
    const bool component = in_.at_dotted();  // of a register that is not known here; never a label
    if (component) {
      spelled += in_.peek().spelling;
      in_.advance();
    }
    c_.current->names.push_back(std::move(spelled));
    spellings_.push_back(component ? std::string_view{} : t.spelling);
  }

  std::uint32_t find_register(std::string_view spelling) {
    std::uint32_t from = 0;
    const name_table::entry e = c_.names.find(spelling, from);
    if (e.kind != what::registers || c_.names.declaration(e.index).width != 1) return no_index;
    return c_.names.use(from, spelling, c_.names.declaration(e.index), *c_.current);
  }

  /// The width of a warp is the launch's, so it stands alone.
  bool refuse_warp_size(position where) {
    in_.fail(where, "WARP_SZ in a constant expression is not supported");
    return false;
  }

 private:
  void register_operand(operand& o, std::uint32_t first, std::uint32_t width) {
    o.kind = operand_kind::reg;
    o.index = first;
    if (width == 1) return;
    const token& component = in_.peek();
    if (component.kind == token_kind::dotted && component.spelling.size() == 2) {
      constexpr std::string_view components = "xyzwrgba";
      const std::size_t c = components.find(component.spelling[1]);
      if (c != std::string_view::npos && c % 4 < width) {
        in_.advance();
        o.index = first + static_cast<std::uint32_t>(c % 4);
        return;
      }
    }
    o.kind = operand_kind::vector;
    o.index = static_cast<std::uint32_t>(c_.current->operands.size());
    o.count = width;
    for (std::uint32_t c = 0; c < width; ++c) {
      operand e;
      e.kind = operand_kind::reg;
      e.index = first + c;
      e.where = o.where;
      c_.current->operands.push_back(e);
    }
  }

  /// A special register, with its component. Old names of components: .r for .x, .g for .y, .b for .z.
  bool special(operand& o, const token& t) {
    if (specials_.empty())
      for (std::uint32_t r = 0; r <= static_cast<std::uint32_t>(special_register::last); ++r)
        specials_.emplace(to_string(static_cast<special_register>(r)), r);
    const token& component = in_.peek();
    std::string spelled(t.spelling);
    auto found = specials_.find(spelled);
    if (found == specials_.end() && component.kind == token_kind::dotted && component.spelling.size() == 2) {
      const char c = component.spelling[1];
      spelled += '.';
      spelled += c == 'r' ? 'x' : c == 'g' ? 'y' : c == 'b' ? 'z' : c;
      found = specials_.find(spelled);
      if (found != specials_.end()) in_.advance();
    }
    if (found == specials_.end()) return false;
    o.kind = operand_kind::special;
    o.index = found->second;
    return true;
  }

  parser_context& c_;
  token_reader& in_;
  std::vector<std::string_view> spellings_;  // of the function's unknown names
  std::unordered_map<std::string_view, std::uint32_t> specials_;
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
