// SPDX-License-Identifier: BSL-1.0
//
// Holds one instruction (or a few) against plain C++ that computes it another way, on edge values and random ones:
// under a full mask, with part of the lanes switched off (their registers must not change), under a guard, and with the
// result in place of an operand. The code that runs it is compiled once, in instruction_check_test.cpp.
#pragma once

#include <doctest/doctest.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace simtflow_tests {

using u8 = std::uint8_t;
using s8 = std::int8_t;
using u16 = std::uint16_t;
using s16 = std::int16_t;
using u32 = std::uint32_t;
using s32 = std::int32_t;
using u64 = std::uint64_t;
using s64 = std::int64_t;
__extension__ using i128 = __int128;
__extension__ using u128 = unsigned __int128;

// Half precision by its bits.
struct f16 {
  u16 bits;
};
struct bf16 {
  u16 bits;
};
struct f16x2 {
  u32 bits;
};
struct bf16x2 {
  u32 bits;
};

/// The operands of one thread.
struct lane_values {
  u64 a, b, c, d;
};

inline constexpr u32 check_threads = 512;

/// Values that sit on edges of all types, mixed with random ones.
std::vector<lane_values> values(u64 seed);

/// The result that one instruction should have.
struct experiment {
  std::string opcode;              ///< or statements: see check
  std::vector<std::string> types;  ///< of the result and the operands
  std::vector<lane_values> in;
  std::vector<u64> expected;
  u64 result_mask = ~u64{0};
  std::function<u64(u64)> canonical;  ///< makes results that count as equal equal; empty: only what is equal
};

/// Runs it in all variants. Fails the test case where results differ.
void compare(const experiment& e);

/// Every thread's result of one instruction, without variants.
std::vector<u64> results(const std::string& opcode, const std::vector<std::string>& types,
                         const std::vector<lane_values>& in);

/// The diagnostics of one instruction (or several) with the operands of check.
std::string diagnostics_of(const std::string& opcode, const std::vector<std::string>& types);

template <class T>
constexpr const char* type_name() {
  if constexpr (std::is_same_v<T, float>) return "f32";
  if constexpr (std::is_same_v<T, double>) return "f64";
  if constexpr (std::is_same_v<T, u8>) return "u8";
  if constexpr (std::is_same_v<T, s8>) return "s8";
  if constexpr (std::is_same_v<T, u16>) return "u16";
  if constexpr (std::is_same_v<T, s16>) return "s16";
  if constexpr (std::is_same_v<T, u32>) return "u32";
  if constexpr (std::is_same_v<T, s32>) return "s32";
  if constexpr (std::is_same_v<T, u64>) return "u64";
  if constexpr (std::is_same_v<T, s64>) return "s64";
  if constexpr (std::is_same_v<T, f16>) return "f16";
  if constexpr (std::is_same_v<T, bf16>) return "bf16";
  if constexpr (std::is_same_v<T, f16x2>) return "f16x2";
  if constexpr (std::is_same_v<T, bf16x2>) return "bf16x2";
}
template <class T>
std::string typed(const char* stem) {
  return std::string(stem) + "." + type_name<T>();
}

template <class T>
T as(u64 bits) {
  if constexpr (std::is_same_v<T, float>)
    return std::bit_cast<float>(static_cast<u32>(bits));
  else if constexpr (std::is_same_v<T, double>)
    return std::bit_cast<double>(bits);
  else if constexpr (std::is_same_v<T, f16> || std::is_same_v<T, bf16>)
    return T{static_cast<u16>(bits)};
  else if constexpr (std::is_same_v<T, f16x2> || std::is_same_v<T, bf16x2>)
    return T{static_cast<u32>(bits)};
  else
    return static_cast<T>(bits);
}
/// Bits of a value; a single that is no number is what hardware makes of it, a double some NaN.
template <class T>
u64 raw(T v) {
  if constexpr (std::is_same_v<T, float>)
    return v != v ? 0x7FFF'FFFFU : std::bit_cast<u32>(v);
  else if constexpr (std::is_same_v<T, double>)
    return v != v ? 0x7FFF'FFFF'FFFF'FFFFU : std::bit_cast<u64>(v);
  else if constexpr (std::is_class_v<T>)
    return v.bits;
  else
    return static_cast<std::make_unsigned_t<T>>(v);
}
/// The bits that count, all NaN alike.
template <class T>
u64 canonical(u64 bits) {
  return raw<T>(as<T>(bits));
}

template <class D, class... S, class F>
experiment expect(const std::string& opcode, F reference, std::vector<lane_values> in) {
  experiment e{opcode, {type_name<D>(), type_name<S>()...}, std::move(in), {}, ~u64{0}, {}};
  if constexpr (sizeof(D) < 8) e.result_mask = (u64{1} << (8 * sizeof(D))) - 1;
  for (const lane_values& v : e.in) {
    const u64 bits[] = {v.a, v.b, v.c, v.d};
    const D d = [&]<std::size_t... N>(std::index_sequence<N...>) {
      return static_cast<D>(reference(as<S>(bits[N])...));
    }
    (std::index_sequence_for<S...>{});
    e.expected.push_back(raw<D>(d));
  }
  return e;
}

/// Holds an instruction against `reference`; NaN are all alike. Instead of an opcode there may be whole statements,
/// where $r is the result, $a to $d the operands; %p0.., %h0.., %x0.. and %y0.. are predicates and registers of 16, 32,
/// 64 bits.
template <class D, class... S, class F>
void check(const std::string& opcode, F reference) {
  experiment e = expect<D, S...>(opcode, reference, values(std::hash<std::string>{}(opcode)));
  e.canonical = &canonical<D>;
  compare(e);
}
/// The same to the last bit: a single that is no number must be 0x7fffffff.
template <class D, class... S, class F>
void check_bits(const std::string& opcode, F reference) {
  compare(expect<D, S...>(opcode, reference, values(std::hash<std::string>{}(opcode))));
}
/// To the last bit on operands of the caller's.
template <class D, class... S, class F>
void check_on(const std::string& opcode, F reference, const std::vector<lane_values>& in) {
  compare(expect<D, S...>(opcode, reference, in));
}

/// Chosen single threads: results for listed operands.
struct row {
  u64 a, b, c, d, expected;
};

}  // namespace simtflow_tests
