// SPDX-License-Identifier: BSL-1.0
//
// The value of a constant in PTX text, as constant expressions compute it (constant_expression.hpp).
#pragma once

#include <bit>
#include <cstdint>

namespace simtflow {
inline namespace v0 {
namespace ptx {

/// A constant: a signed or unsigned integer, an IEEE single that was written as one (0f...), a double.
struct constant_value {
  /// The kind of number.
  enum class type : std::uint8_t { none, signed_integer, unsigned_integer, single, real };
  type kind = type::none;  ///< none: not a number
  std::uint64_t bits = 0;  ///< of the integer, of the IEEE single, of the IEEE double

  /// Signed or unsigned.
  [[nodiscard]] constexpr bool is_integer() const {
    return kind == type::signed_integer || kind == type::unsigned_integer;
  }
  /// As a double; integers by their value.
  [[nodiscard]] constexpr double number() const {
    switch (kind) {
      case type::signed_integer:
        return static_cast<double>(static_cast<std::int64_t>(bits));
      case type::unsigned_integer:
        return static_cast<double>(bits);
      case type::single:
        return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
      default:
        return std::bit_cast<double>(bits);
    }
  }
};

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
