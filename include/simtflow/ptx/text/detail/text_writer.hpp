// SPDX-License-Identifier: BSL-1.0
//
// The text that the parts of the printer write into.
#pragma once

#include <simtflow/ptx/text/module.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

/// The text that is written, and what it is about.
struct text_writer {
  const ptx::module& module;
  const function* current = nullptr;  // null between functions
  std::string text{};
  std::size_t depth = 0;  // of braces

  void number(std::uint64_t v) { text += std::to_string(v); }
  void signed_number(std::uint64_t v) { text += std::to_string(static_cast<std::int64_t>(v)); }
  void hexadecimal(std::uint64_t v, int digits) {
    for (int d = digits; d-- > 0;) text += "0123456789ABCDEF"[(v >> (4 * d)) & 15];
  }
  void offset(std::uint64_t v) {
    if (v == 0) return;
    text += '+';
    signed_number(v);
  }
  void indent() { text.append(depth, '\t'); }
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
