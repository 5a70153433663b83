// SPDX-License-Identifier: BSL-1.0
//
// Modifiers in the spelling of an opcode.
#pragma once

#include <cstddef>
#include <string_view>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

// True if the opcode has the modifier, which begins with its dot.
[[nodiscard]] constexpr bool has_modifier(std::string_view opcode, std::string_view modifier) {
  const std::size_t found = opcode.find(modifier);
  return found != std::string_view::npos &&
         (found + modifier.size() == opcode.size() || opcode[found + modifier.size()] == '.');
}

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
