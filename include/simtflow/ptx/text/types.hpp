// SPDX-License-Identifier: BSL-1.0
//
// The types of PTX and its state spaces, with their names.
//
// Literature: NVIDIA, Parallel Thread Execution ISA, sections "State Spaces", "Types".
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace simtflow {
inline namespace v0 {
/// NVIDIA's PTX: text to a module, checks, decoding, and an interpreter that is a lockstep_program.
namespace ptx {

/// The fundamental types.
enum class scalar_type : std::uint8_t {
  none,
  pred,
  b8,
  b16,
  b32,
  b64,
  b128,
  u8,
  u16,
  u32,
  u64,
  s8,
  s16,
  s32,
  s64,
  f16,
  f16x2,
  bf16,
  bf16x2,
  f32,
  f64,
  u16x2,  // the rest: types of instructions, not of variables
  s16x2,
  tf32,
  e4m3x2,
  e5m2x2
};

/// Untyped bits, an integer with or without sign, a floating-point number, a predicate.
enum class type_class : std::uint8_t { none, predicate, bits, unsigned_integer, signed_integer, floating };

/// The facts about a type.
struct scalar_info {
  std::string_view name;  ///< without the dot
  std::uint32_t size;     ///< bytes; 0 for predicates
  type_class kind;        ///< what its bits mean
};

/// Name, size and class of a type.
[[nodiscard]] constexpr scalar_info info(scalar_type t) {
  constexpr scalar_info table[] = {
      {"none", 0, type_class::none},
      {"pred", 0, type_class::predicate},
      {"b8", 1, type_class::bits},
      {"b16", 2, type_class::bits},
      {"b32", 4, type_class::bits},
      {"b64", 8, type_class::bits},
      {"b128", 16, type_class::bits},
      {"u8", 1, type_class::unsigned_integer},
      {"u16", 2, type_class::unsigned_integer},
      {"u32", 4, type_class::unsigned_integer},
      {"u64", 8, type_class::unsigned_integer},
      {"s8", 1, type_class::signed_integer},
      {"s16", 2, type_class::signed_integer},
      {"s32", 4, type_class::signed_integer},
      {"s64", 8, type_class::signed_integer},
      {"f16", 2, type_class::floating},
      {"f16x2", 4, type_class::floating},
      {"bf16", 2, type_class::floating},
      {"bf16x2", 4, type_class::floating},
      {"f32", 4, type_class::floating},
      {"f64", 8, type_class::floating},
      {"u16x2", 4, type_class::unsigned_integer},
      {"s16x2", 4, type_class::signed_integer},
      {"tf32", 4, type_class::bits},
      {"e4m3x2", 2, type_class::bits},
      {"e5m2x2", 2, type_class::bits},
  };
  return table[static_cast<std::size_t>(t)];
}

/// The name of a type, without the dot.
[[nodiscard]] constexpr std::string_view to_string(scalar_type t) { return info(t).name; }
/// The name of a class of types.
[[nodiscard]] constexpr std::string_view to_string(type_class c) {
  constexpr std::string_view names[] = {"none",           "predicate",     "bits", "unsigned integer",
                                        "signed integer", "floating point"};
  return names[static_cast<std::size_t>(c)];
}

/// The type of that name (without the dot), none if there is none.
[[nodiscard]] constexpr scalar_type scalar_named(std::string_view name) {
  for (auto i = static_cast<std::uint8_t>(scalar_type::pred); i <= static_cast<std::uint8_t>(scalar_type::e5m2x2); ++i)
    if (info(static_cast<scalar_type>(i)).name == name) return static_cast<scalar_type>(i);
  return scalar_type::none;
}

/// The memories that data lives in. A `generic` address tells its space by itself.
enum class state_space : std::uint8_t { generic, reg, param, global, shared, local, constant };

/// The name of a state space, without the dot.
[[nodiscard]] constexpr std::string_view to_string(state_space s) {
  constexpr std::string_view table[] = {"generic", "reg", "param", "global", "shared", "local", "const"};
  return table[static_cast<std::size_t>(s)];
}

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
