// SPDX-License-Identifier: BSL-1.0
//
// Declarations of variables and parameters, with their initial values.
#pragma once

#include <simtflow/ptx/text/detail/text_writer.hpp>
#include <simtflow/ptx/text/module.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

class variable_printer {
 public:
  explicit variable_printer(text_writer& out) : out_(out) {}

  void link(linkage l, bool is_extern) {
    if (is_extern) out_.text += ".extern ";
    if (l == linkage::visible) out_.text += ".visible ";
    if (l == linkage::weak) out_.text += ".weak ";
    if (l == linkage::common) out_.text += ".common ";
  }

  void declaration(const variable& v) {
    link(v.link, v.is_extern);
    out_.text += '.';
    out_.text += to_string(v.space);
    if (v.managed) out_.text += " .attribute(.managed)";
    if (v.opaque != opaque_type::none) {
      out_.text += v.opaque == opaque_type::texref       ? " .texref "
                   : v.opaque == opaque_type::samplerref ? " .samplerref "
                                                         : " .surfref ";
    } else {
      const std::uint64_t natural = std::uint64_t{info(v.type).size} * v.width;
      if (v.align != natural && v.space != state_space::reg) out_.text += " .align " + std::to_string(v.align);
      if (v.width > 1) out_.text += " .v" + std::to_string(v.width);
      out_.text += " .";
      out_.text += info(v.type).name;
      out_.text += ' ';
    }
    out_.text += v.name;
    for (const std::uint64_t n : v.extents) {
      out_.text += '[';
      if (n != 0) out_.number(n);
      out_.text += ']';
    }
    if (!v.initial.empty()) initialiser(v);
  }

  /// Braces around every row: an element opens and closes the lists that begin and end with it.
  void list(const std::vector<variable>& variables) {
    out_.text += '(';
    bool first = true;
    for (const variable& v : variables) {
      if (!first) out_.text += ", ";
      first = false;
      declaration(v);
    }
    out_.text += ')';
  }

 private:
  void initialiser(const variable& v) {
    out_.text += " = ";
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
      if (i != 0) out_.text += i % 16 == 0 ? ",\n\t" : ", ";
      for (const std::size_t r : rows)
        if (i % r == 0) out_.text += '{';
      if (next_relocation < v.relocations.size() && v.relocations[next_relocation].offset == i * size)
        address(v.relocations[next_relocation++]);
      else
        value(v, i * size, size);
      for (const std::size_t r : rows)
        if ((i + 1) % r == 0 || i + 1 == count) out_.text += '}';
    }
  }
  void value(const variable& v, std::size_t at, std::size_t size) {
    std::uint64_t bits = 0;
    for (std::size_t b = 0; b < size && b < 8; ++b) bits |= std::uint64_t{v.initial[at + b]} << (8 * b);
    if (v.type == scalar_type::f32) {
      out_.text += "0f";
      out_.hexadecimal(bits, 8);
    } else if (v.type == scalar_type::f64) {
      out_.text += "0d";
      out_.hexadecimal(bits, 16);
    } else {
      out_.number(bits);
    }
  }
  void address(const relocation& r) {
    const bool mask = r.size == 1;
    if (mask) {
      out_.text += "0xFF";
      out_.text.append(r.shift / 4, '0');
      out_.text += '(';
    }
    out_.text += r.generic ? "generic(" + r.symbol + ")" : r.symbol;
    out_.offset(r.addend);
    if (mask) out_.text += ')';
  }

  text_writer& out_;
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
