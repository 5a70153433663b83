// SPDX-License-Identifier: BSL-1.0
//
// Instructions: the guard, the opcode, the operands.
#pragma once

#include <simtflow/ptx/text/detail/operand_reader.hpp>
#include <simtflow/ptx/text/detail/parser_context.hpp>
#include <simtflow/ptx/text/detail/word_reader.hpp>
#include <simtflow/ptx/text/module.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

/// An operand that may be a label that comes later.
struct pending_name {
  std::uint32_t operand;
  std::uint32_t scope;
  std::string_view name;
};

class instruction_reader {
 public:
  instruction_reader(parser_context& c, word_reader& w) : c_(c), in_(c.in), words_(w), operands_(c, w) {}

  void begin_function() { pending_.clear(); }
  /// The operands of the function that may be labels.
  const std::vector<pending_name>& pending() const { return pending_; }

  /// [@[!]p] opcode [operands] ; False if it cannot be read.
  bool read() {
    instruction i;
    if (in_.take('@')) {
      i.guard_negated = in_.take('!');
      i.guard_where = in_.peek().where;
      if (!in_.at_word()) {
        in_.expected("a predicate");
        return false;
      }
      i.guard = words_.find_register(in_.peek().spelling);
      if (i.guard == no_index) in_.fail(in_.peek().where, "unknown register " + quoted(in_.peek()));
      in_.advance();
      if (!in_.at_word()) {
        in_.expected("an instruction");
        return false;
      }
    }
    i.where = in_.peek().where;
    const bool call = in_.peek().spelling == "call";
    operands_.begin_instruction(in_.peek().spelling != "mov" && in_.peek().spelling != "cvta");
    // The spelling is one piece of the text, unless there is space in it.
    const char* const begin = in_.peek().spelling.data();
    const char* end = begin + in_.peek().spelling.size();
    bool whole = true;
    const std::size_t first = in_.at();
    for (in_.advance(); in_.at_dotted(); in_.advance()) {
      whole = whole && in_.peek().spelling.data() == end;
      end = in_.peek().spelling.data() + in_.peek().spelling.size();
    }
    if (whole)
      i.opcode.assign(begin, static_cast<std::size_t>(end - begin));
    else
      for (std::size_t k = first; k < in_.at(); ++k) i.opcode += in_.token_at(k).spelling;
    list_.clear();
    const std::uint32_t known_names = static_cast<std::uint32_t>(c_.current->names.size());
    if (call ? !operands_.call_operands(list_) : !in_.peek().is(';') && !operand_list()) return false;
    i.first_operand = static_cast<std::uint32_t>(c_.current->operands.size());
    i.num_operands = static_cast<std::uint32_t>(list_.size());
    for (std::size_t n = 0; n < list_.size(); ++n)
      if (list_[n].kind == operand_kind::unknown && list_[n].index >= known_names)
        pending_.push_back(
            {i.first_operand + static_cast<std::uint32_t>(n), c_.names.current(), words_.spelling(list_[n].index)});
    c_.current->operands.insert(c_.current->operands.end(), list_.begin(), list_.end());
    // The instruction counts if only its semicolon is missing. With a broken operand it would only make a second
    // diagnostic.
    const bool complete =
        in_.peek().is(';') || in_.peek().is('}') || in_.peek().where.line != in_.previous().where.line;
    if (complete) c_.current->instructions.push_back(std::move(i));
    in_.end_statement();
    return true;
  }

 private:
  bool operand_list() {
    do {
      operand o;
      if (!operands_.read(o)) return false;
      list_.push_back(o);
    } while (in_.take(','));
    return true;
  }

  parser_context& c_;
  token_reader& in_;
  word_reader& words_;
  operand_reader operands_;
  std::vector<pending_name> pending_;
  std::vector<operand> list_;
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
