// SPDX-License-Identifier: BSL-1.0
//
// The declaration of one variable or parameter: linkage, alignment, type, name, extents, initial value.
#pragma once

#include <simtflow/ptx/text/detail/initialiser_reader.hpp>
#include <simtflow/ptx/text/detail/parser_context.hpp>
#include <simtflow/ptx/text/module.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

struct linked {
  linkage link = linkage::internal;
  bool is_extern = false;
};

/// The part of a declaration before the names.
struct declared {
  scalar_type type = scalar_type::none;
  opaque_type opaque = opaque_type::none;
  std::uint32_t width = 1;
  std::uint32_t align = 0;
  bool managed = false;
};

class variable_reader {
 public:
  variable_reader(token_reader& in, std::size_t text_size) : initialisers(in, text_size), in_(in) {}

  linked take_linkage() {
    linked l;
    for (; in_.at_dotted() && is_linkage(in_.peek().spelling); in_.advance()) {
      const std::string_view s = in_.peek().spelling;
      if (s == ".extern")
        l.is_extern = true;
      else
        l.link = s == ".visible" ? linkage::visible : s == ".weak" ? linkage::weak : linkage::common;
    }
    return l;
  }

  /// Reads .align N. True if there is one.
  bool alignment(std::uint32_t& align) {
    if (!in_.take_dotted(".align")) return false;
    const position where = in_.peek().where;
    std::uint64_t n = 0;
    if (in_.unsigned_value(n)) {
      if (std::has_single_bit(n) && n <= 4096)
        align = static_cast<std::uint32_t>(n);
      else
        in_.fail(where, "an alignment is a power of two, at most 4096");
    }
    return true;
  }

  /// Reads the part before the names. Without a type the declaration cannot be read: type is none, and there is a
  /// diagnostic.
  declared type_part(const char* wanted) {
    declared d;
    bool unsupported = false;
    while (in_.at_dotted()) {
      const std::string_view s = in_.peek().spelling;
      if (alignment(d.align)) continue;
      if (s == ".v2" || s == ".v4" || s == ".v8") {
        d.width = static_cast<std::uint32_t>(s[2] - '0');
      } else if (s == ".ptr") {
        // ".ptr .space .align N" only tells what a pointer parameter points to.
        in_.advance();
        std::uint32_t of_target = 0;
        while (in_.at_dotted() && (alignment(of_target) || starts_declaration(in_.peek().spelling)))
          if (in_.at_dotted() && starts_declaration(in_.peek().spelling)) in_.advance();
        continue;
      } else if (s == ".attribute") {
        in_.advance();
        if (in_.peek().is('(')) {
          d.managed = d.managed || in_.peek(1).spelling == ".managed";
          in_.skip_balanced('(', ')');
        }
        continue;
      } else if (s == ".texref" || s == ".samplerref" || s == ".surfref") {
        d.opaque = s == ".texref"       ? opaque_type::texref
                   : s == ".samplerref" ? opaque_type::samplerref
                                        : opaque_type::surfref;
        d.type = scalar_type::b64;
      } else if (const scalar_type t = variable_type(s.substr(1)); t != scalar_type::none) {
        d.type = t;
      } else {
        in_.fail(in_.peek().where, "unsupported type or attribute " + quoted(in_.peek()) + " of a declaration");
        unsupported = true;
      }
      in_.advance();
    }
    if (unsupported) d.type = scalar_type::none;
    if (d.type == scalar_type::none && !unsupported) in_.expected(wanted);
    return d;
  }
  /// The types of instructions only are no types of variables.
  static scalar_type variable_type(std::string_view name) {
    const scalar_type t = scalar_named(name);
    return t > scalar_type::f64 ? scalar_type::none : t;
  }

  /// NAME [sizes] [= initialiser].
  bool one_variable(state_space space, linked l, const declared& d, variable& v) {
    const token name = in_.peek();
    if (!in_.at_word()) {
      in_.expected("a name");
      return false;
    }
    in_.advance();
    v.name = std::string(name.spelling);
    v.where = name.where;
    v.space = space;
    v.type = d.type;
    v.opaque = d.opaque;
    v.width = d.width;
    v.link = l.link;
    v.is_extern = l.is_extern;
    if (d.type == scalar_type::pred && space != state_space::reg) {
      in_.fail(name.where, "predicate " + quoted(name) + " is no register");
      return false;
    }
    const std::uint64_t element = std::uint64_t{info(d.type).size} * d.width;
    v.managed = d.managed;
    v.align = d.align != 0 ? d.align : static_cast<std::uint32_t>((std::max<std::uint64_t>)(element, 1));
    v.size = element;
    bool open_array = false;
    bool too_large = false;
    if (in_.peek().is('<')) {
      in_.fail(name.where, "a range of variables is not supported");
      return false;
    }
    while (in_.take('[')) {
      std::uint64_t n = 0;
      if (v.extents.empty() && in_.take(']')) {
        open_array = true;
        v.extents.push_back(0);
        continue;
      }
      if (!in_.unsigned_value(n) || !in_.take_or_fail(']')) return false;
      too_large = too_large || (n != 0 && v.size > initialiser_reader::max_bytes / n);
      v.size = too_large ? 0 : v.size * n;
      v.extents.push_back(n);
    }
    if (too_large || v.size > initialiser_reader::max_bytes) {
      in_.fail(name.where, "variable " + quoted(name) + " is larger than 1 GiB");
      v.size = 0;
      v.extents.clear();
    }
    const std::uint64_t row = v.size;  // of an open array
    if (open_array) v.size = 0;
    if (in_.take('=')) {
      std::uint64_t length = 0;
      if (!initialisers.read(v, row, length)) return false;
      if (open_array) {
        v.size = row == 0 ? length : (length + row - 1) / row * row;
        if (!initialisers.has_room_for(v.size, v)) return false;
        v.initial.resize(static_cast<std::size_t>(v.size));
      } else if (v.initial.size() > v.size) {
        in_.fail(name.where, "the initialiser of " + quoted(name) + " is larger than the variable");
        v.initial.resize(static_cast<std::size_t>(v.size));
      }
      initialisers.spend(v.initial.size());
    } else if (v.size == 0 && !open_array && !too_large && v.type != scalar_type::pred) {
      in_.fail(name.where, "variable " + quoted(name) + " has no size");
    }
    return true;
  }

  initialiser_reader initialisers;

 private:
  token_reader& in_;
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
