// SPDX-License-Identifier: BSL-1.0
//
// Initial values of variables: numbers, addresses and braces, to the bytes they stand for.
#pragma once

#include <simtflow/ptx/text/detail/token_reader.hpp>
#include <simtflow/ptx/text/module.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

class initialiser_reader {
 public:
  static constexpr std::uint64_t max_bytes = std::uint64_t{1} << 30;

  initialiser_reader(token_reader& in, std::size_t text_size)
      : in_(in), room_((std::uint64_t{64} << 20) + 64 * std::uint64_t{text_size}) {}

  /// Values in nested braces; `length`: bytes that they make up. An inner list that is shorter than its row leaves
  /// zeros. `row` is the size of an element of the outermost array.
  bool read(variable& v, std::uint64_t row, std::uint64_t& length) {
    // Bytes of what stands in the braces of each depth: the whole, a row of it, ... a vector.
    std::vector<std::uint64_t> sizes;
    std::uint64_t size = row;
    for (const std::uint64_t n : v.extents) {
      sizes.push_back(n == 0 ? max_bytes : size);
      if (n != 0) size /= n;
    }
    if (v.width > 1) sizes.push_back(size);
    const std::uint32_t element = info(v.type).size;
    const bool packed_half =
        info(v.type).kind == type_class::floating && v.type != scalar_type::f32 && v.type != scalar_type::f64;
    if (packed_half || element == 0 || v.opaque != opaque_type::none ||
        (v.space != state_space::global && v.space != state_space::constant)) {
      in_.fail(in_.peek().where, "variable '" + v.name + "' cannot have an initial value");
      return false;
    }
    std::vector<std::uint64_t>& starts = open_lists_;
    starts.clear();
    if (sizes.empty() && in_.peek().is('{')) {
      in_.expected("a single value");
      return false;
    }
    do {
      while (in_.peek().is('{')) {
        if (starts.size() == sizes.size()) {
          in_.expected("a value");
          return false;
        }
        in_.advance();
        starts.push_back(length);
        if (in_.peek().is('}')) break;
      }
      if (!in_.peek().is('}') || starts.empty() || starts.back() != length) {
        if (starts.size() < sizes.size()) {
          in_.expected("'{'");
          return false;
        }
        if (!has_room_for(length, v)) return false;
        v.initial.resize(static_cast<std::size_t>(length));
        if (!initial_value(v, element)) return false;
        length = v.initial.size();
      }
      while (!starts.empty() && in_.peek().is('}')) {
        const std::uint64_t start = starts.back();
        const std::uint64_t most = sizes[starts.size() - 1];
        if (length - start > most) {
          in_.fail(in_.peek().where, starts.size() == 1
                                         ? "the initialiser of '" + v.name + "' is larger than the variable"
                                         : "a list of the initialiser has more values than its row");
          return false;
        }
        in_.advance();
        starts.pop_back();
        if (!starts.empty()) length = start + most;
      }
      if (length > max_bytes) {
        in_.fail(in_.peek().where, "the initialiser is larger than 1 GiB");
        return false;
      }
    } while (!starts.empty() && in_.take(','));
    if (!starts.empty()) return in_.take_or_fail('}');
    return true;
  }

  /// The zeros of short rows cost no text, so a module's initial values have a limit together.
  bool has_room_for(std::uint64_t bytes, const variable& v) {
    if (bytes <= room_) return true;
    in_.fail(v.where, "with the initialiser of '" + v.name + "' the module has too many initial bytes");
    return false;
  }

  /// Takes the bytes of a variable's initial value from that limit.
  void spend(std::uint64_t bytes) { room_ -= (std::min)(room_, bytes); }
  /// How many braces of the last initialiser are open: 0 unless reading it failed.
  std::size_t open_lists() const { return open_lists_.size(); }
  void begin_declaration() { open_lists_.clear(); }

 private:
  bool initial_value(variable& v, std::uint32_t size) {
    std::uint64_t bits = 0;
    const token& t = in_.peek();
    const bool masked = t.kind == token_kind::integer && in_.peek(1).is('(');
    if (in_.at_word() || masked) {
      if (!initial_address(v, size)) return false;
    } else {
      constant_value c;
      const type_class kind = info(v.type).kind;
      if (!in_.constant(c)) return false;
      if (c.is_integer() != (kind != type_class::floating) && !(kind == type_class::bits && !c.is_integer())) {
        in_.fail(t.where, "expected " + std::string(c.is_integer() ? "a floating-point value" : "an integer") +
                              " instead of " + quoted(t));
        return false;
      }
      bits = c.bits;
      if (size == 4 && !c.is_integer()) bits = as_single(c);
      if (v.type == scalar_type::f64) bits = std::bit_cast<std::uint64_t>(c.number());
    }
    for (std::uint32_t i = 0; i < size; ++i)
      v.initial.push_back(static_cast<unsigned char>(i < 8 ? bits >> (8 * i) : 0));
    return true;
  }
  static std::uint32_t as_single(const constant_value& c) {
    if (c.kind == constant_value::type::single) return static_cast<std::uint32_t>(c.bits);
    const double limit = static_cast<double>((std::numeric_limits<float>::max)()) * 2;
    const double value = c.number();
    return std::bit_cast<std::uint32_t>(static_cast<float>(value > limit ? limit : value < -limit ? -limit : value));
  }

  /// NAME [+ N], generic(NAME) [+ N]; one byte of it: MASK(...). The mask is 0xFF at one of the bytes.
  bool initial_address(variable& v, std::uint32_t size) {
    relocation r;
    r.offset = v.initial.size();
    r.size = size;
    const token& first = in_.peek();
    const bool masked = first.kind == token_kind::integer;
    if (masked) {
      const int zeros = std::countr_zero(first.bits);
      if (first.bits == 0 || zeros % 8 != 0 || first.bits >> zeros != 0xFF) {
        in_.expected("a mask of one byte");
        return false;
      }
      r.shift = static_cast<std::uint32_t>(zeros);
      in_.advance(2);
    }
    if (in_.peek().is(token_kind::word, "generic") && in_.peek(1).is('(')) {
      in_.advance(2);
      r.generic = true;
    }
    const token& name = in_.peek();
    if (!in_.at_word()) {
      in_.expected("a variable name");
      return false;
    }
    r.symbol = std::string(name.spelling);
    in_.advance();
    if (r.generic && !in_.take_or_fail(')')) return false;
    if ((in_.peek().is('+') || in_.peek().is('-')) && !in_.integer_constant(r.addend, "an offset")) return false;
    if (masked && !in_.take_or_fail(')')) return false;
    if (info(v.type).kind == type_class::floating || (masked ? size != 1 : size != 4 && size != 8)) {
      in_.fail(first.where, "the address of " + quoted(name) + " does not fit an element of this initialiser");
      return false;
    }
    v.relocations.push_back(std::move(r));
    return true;
  }

  token_reader& in_;
  std::uint64_t room_;                     // bytes that initial values may still take
  std::vector<std::uint64_t> open_lists_;  // where the open braces of an initialiser begin
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
