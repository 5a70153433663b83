// SPDX-License-Identifier: BSL-1.0
//
// Input and output of the alignment of two sequences (sequence.hpp): costs of gaps, modes, pairs.
#pragma once

#include <simtflow/config.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// The score of a pair that must not be made.
inline constexpr std::int32_t forbidden_pair = -(1 << 29);

/// In a pair: an element that has no partner has this one.
inline constexpr std::uint32_t no_element = 0xFFFF'FFFFU;

/// k elements without a partner in a row cost open + k * extend. \pre neither is negative
struct gap_cost {
  std::int32_t open = 0,  ///< once for each run of them
      extend = 0;         ///< for each of them
};

/// The parts of both sequences that are aligned; see sequence.hpp.
enum class alignment_mode : unsigned char {
  global,      ///< both sequences as a whole
  local,       ///< the best stretches of both
  semi_global  ///< both sequences as a whole, but gaps at their ends cost nothing
};

/// The mode in words: "global", "local" or "semi-global".
[[nodiscard]] constexpr std::string_view to_string(alignment_mode mode) {
  switch (mode) {
    case alignment_mode::global:
      return "global";
    case alignment_mode::local:
      return "local";
    case alignment_mode::semi_global:
      return "semi-global";
  }
  return "";
}

/// How to align.
struct alignment_options {
  alignment_mode mode = alignment_mode::global;  ///< what is aligned
  gap_cost first{};                              ///< elements of the first sequence without a partner
  gap_cost second{};                             ///< elements of the second sequence without a partner
  /// The matrix that pairs are read off may be as large as this; at least a byte for each element is always used.
  std::size_t matrix_bytes = std::size_t{1} << 26;
};

/// Element `first` of the first sequence beside element `second` of the second one; no_element: alone.
struct aligned_pair {
  std::uint32_t first = no_element,  ///< of the first sequence
      second = no_element;           ///< of the second sequence

  friend constexpr bool operator==(const aligned_pair&, const aligned_pair&) = default;
};

/// A best alignment: every element of the two stretches once, in order.
struct alignment {
  std::int32_t score = 0;           ///< of all pairs, less the costs of the gaps
  std::uint32_t first_begin = 0,    ///< where the stretch of the first sequence begins; 0 if global
      first_end = 0;                ///< and ends: one past its last element
  std::uint32_t second_begin = 0,   ///< the same of the second sequence
      second_end = 0;               ///< the same of the second sequence
  std::vector<aligned_pair> pairs;  ///< of both stretches, in order
};

/// A sequence: its size, and elements by number.
template <class S>
concept indexed_sequence = requires(const S& s, std::size_t i) {
  { s.size() } -> std::convertible_to<std::size_t>;
  s[i];
};

/// The score of a pair of elements: a number, or forbidden_pair.
template <class F, class A, class B>
concept pair_score = requires(const F& f, const A& a, const B& b, std::size_t i) {
  { f(a[i], b[i]) } -> std::convertible_to<std::int32_t>;
};

}  // namespace v0
}  // namespace simtflow
