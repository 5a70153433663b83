// SPDX-License-Identifier: BSL-1.0
//
// Operands: registers, constants, addresses, vectors, the lists of calls.
#pragma once

#include <simtflow/ptx/text/constant_expression.hpp>
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

class operand_reader {
 public:
  operand_reader(parser_context& c, word_reader& w) : c_(c), in_(c.in), words_(w) {}

  /// `index_is_address`: NAME[constant] is the element of an array, not its address.
  void begin_instruction(bool index_is_address) { index_is_address_ = index_is_address; }

  /// [(results),] callee [, (arguments)] [, prototype]: read so that both lists are always there.
  bool call_operands(std::vector<operand>& list) {
    operand results;
    results.where = in_.peek().where;
    results.kind = operand_kind::list;
    results.index = static_cast<std::uint32_t>(c_.current->operands.size());
    if (in_.peek().is('(') && (!call_list(results) || !in_.take_or_fail(','))) return false;
    list.push_back(results);
    operand callee;
    if (!parse_operand_word(callee)) return false;
    list.push_back(callee);
    operand arguments;
    arguments.where = in_.peek().where;
    arguments.kind = operand_kind::list;
    arguments.index = static_cast<std::uint32_t>(c_.current->operands.size());
    bool more = in_.take(',');
    if (more && in_.peek().is('(')) {
      if (!call_list(arguments)) return false;
      more = in_.take(',');
    }
    list.push_back(arguments);
    if (more) {
      operand prototype;
      if (!parse_operand_word(prototype)) return false;
      list.push_back(prototype);
    }
    return true;
  }
  bool read(operand& o) {
    const token& t = in_.peek();
    o.where = t.where;
    if (t.is('[')) return parse_address(o);
    if (t.is('{')) return vector(o);
    if ((t.is('!') || t.is('-')) && in_.peek(1).kind == token_kind::word) {
      in_.advance();
      if (in_.peek().spelling == "WARP_SZ") return words_.refuse_warp_size(in_.peek().where);
      if (!parse_operand_word(o)) return false;
      const auto cluster = static_cast<std::uint32_t>(special_register::is_explicit_cluster);
      const bool predicate = (o.kind == operand_kind::special && o.index == cluster) ||
                             (o.kind == operand_kind::reg && c_.current->registers[o.index].type == scalar_type::pred);
      if (t.is('-') && predicate) {
        in_.fail(t.where, "expected '!' instead of '-'");
        return false;
      }
      if (t.is('!') && o.kind == operand_kind::reg && !predicate) {
        in_.fail(t.where, "'!' belongs to a predicate");
        return true;
      }
      o.negated = true;
      o.where = t.where;
      return true;
    }
    if (!parse_operand_word(o)) return false;
    return o.kind != operand_kind::reg || !in_.peek().is('+') || offset(o);
  }

 private:
  bool call_list(operand& o) {
    o.where = in_.peek().where;
    in_.advance();
    elements_.clear();
    while (!in_.peek().is(')')) {
      operand e;
      if (!parse_operand_word(e)) return false;
      elements_.push_back(e);
      if (!in_.take(',')) break;
    }
    if (!in_.take_or_fail(')')) return false;
    pool_elements(o, operand_kind::list);
    return true;
  }
  void pool_elements(operand& o, operand_kind kind) {
    o.kind = kind;
    o.index = static_cast<std::uint32_t>(c_.current->operands.size());
    o.count = static_cast<std::uint32_t>(elements_.size());
    c_.current->operands.insert(c_.current->operands.end(), elements_.begin(), elements_.end());
  }

  bool vector(operand& o) {
    in_.advance();
    elements_.clear();
    while (!in_.peek().is('}')) {
      operand e;
      if (!parse_operand_word(e)) return false;
      elements_.push_back(e);
      if (!in_.take(',')) break;
    }
    if (!in_.take_or_fail('}')) return false;
    pool_elements(o, operand_kind::vector);
    return !in_.take('|') || second(o);
  }

  bool parse_constant(operand& o) {
    constant_value v;
    if (!in_.constant(v)) return false;
    o.bits = v.bits;
    o.kind = v.is_integer()                           ? operand_kind::integer
             : v.kind == constant_value::type::single ? operand_kind::single
                                                      : operand_kind::real;
    return true;
  }
  bool offset(operand& o) {
    std::uint64_t bits = 0;
    if (!in_.integer_constant(bits, "an offset")) return false;
    o.bits += bits;
    return true;
  }

  static bool is_variable(operand_kind k) {
    return k == operand_kind::variable || k == operand_kind::module_variable || k == operand_kind::parameter ||
           k == operand_kind::result;
  }

  bool parse_operand_word(operand& o) {
    const token& t = in_.peek();
    o.where = t.where;
    if (starts_constant(t) || t.is('!')) return parse_constant(o);
    if (t.kind != token_kind::word) {
      in_.expected("an operand");
      return false;
    }
    in_.advance();
    if (t.spelling == "_") {
      o.kind = operand_kind::sink;
    } else {
      words_.name(o, t);
      if (is_variable(o.kind)) {
        if (in_.peek().is('[')) return array_element(o, t);
        if ((in_.peek().is('+') || in_.peek().is('-')) && !offset(o)) return false;
      }
    }
    if (in_.take('|')) {
      if (!second(o)) return false;
    } else if (in_.at_dotted() && o.kind == operand_kind::reg) {  // %r1.h0 of video instructions
      o.selector = static_cast<std::uint32_t>(c_.current->names.size());
      c_.current->names.emplace_back(in_.peek().spelling);
      words_.add_selector(in_.peek().spelling);
      in_.advance();
    }
    return true;
  }

  /// The q of p|q, after the bar.
  bool second(operand& o) {
    const token& q = in_.peek();
    if (q.kind != token_kind::word) {
      in_.expected("a predicate");
      return false;
    }
    in_.advance();
    if (q.spelling == "_") return true;
    o.second = words_.find_register(q.spelling);
    if (o.second == no_index) in_.fail(q.where, "unknown register " + quoted(q));
    return true;
  }

  /// NAME[constant]: the address of an element.
  bool array_element(operand& o, const token& name) {
    const variable& v = variable_of(o);
    in_.advance();
    if (in_.at_word()) {
      in_.fail(in_.peek().where,
               "an index of " + quoted(name) + " in a register is not supported: calculate the address");
      return false;
    }
    std::uint64_t index = 0;
    if (!in_.integer_constant(index, "an index") || !in_.take_or_fail(']')) return false;
    o.bits = index * info(v.type).size * v.width;
    if (index_is_address_) {
      o.base = o.kind;
      o.kind = operand_kind::address;
    }
    return true;
  }
  const variable& variable_of(const operand& o) const {
    switch (o.kind) {
      case operand_kind::module_variable:
        return c_.module.variables[o.index];
      case operand_kind::parameter:
        return c_.current->parameters[o.index];
      case operand_kind::result:
        return c_.current->results[o.index];
      default:
        return c_.current->variables[o.index];
    }
  }

  /// [base + offset], [constant]; [a, {b, c}] and the like of textures.
  bool parse_address(operand& o) {
    o.kind = operand_kind::address;
    in_.advance();
    const std::size_t start = in_.at();
    const token& t = in_.peek();
    if (starts_constant(t)) {
      o.base = operand_kind::integer;
      std::uint64_t bits = 0;
      if (!in_.integer_constant(bits, "an address")) return false;
      o.bits = bits;
    } else if (t.kind == token_kind::word) {
      in_.advance();
      operand inside;
      inside.where = t.where;
      words_.name(inside, t);
      o.base = inside.kind;
      o.index = inside.index;
      o.bits = inside.bits;
      if (inside.kind == operand_kind::unknown) o.where = t.where;  // never a label: the diagnostic is about the name
      if ((in_.peek().is('+') || in_.peek().is('-')) && !offset(o)) return false;
    } else {
      in_.expected("an address");
      return false;
    }
    if (in_.peek().is(',')) {
      in_.go_to(start);
      return texture(o);
    }
    if (o.base == operand_kind::vector) {
      in_.fail(t.where, "the vector register " + quoted(t) + " is no address");
      return false;
    }
    return in_.take_or_fail(']');
  }

  bool texture(operand& o) {
    const position where = o.where;
    std::vector<operand> parts;
    do {
      operand e;
      e.where = in_.peek().where;
      if (in_.peek().is('{') ? !vector(e) : !parse_operand_word(e)) return false;
      parts.push_back(e);
    } while (in_.take(','));
    if (!in_.take_or_fail(']')) return false;
    o = {};
    o.where = where;
    elements_ = std::move(parts);
    pool_elements(o, operand_kind::texture);
    return true;
  }

  parser_context& c_;
  token_reader& in_;
  word_reader& words_;
  bool index_is_address_ = false;
  std::vector<operand> elements_;
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
