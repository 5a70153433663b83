// SPDX-License-Identifier: BSL-1.0
//
// Seeded random numbers that are the same with every compiler and standard library.
//
// Literature: Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, OOPSLA 2014 (the mixing function).
#pragma once

#include <simtflow/config.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace testing {

/// A 64-bit finaliser: every bit of the result depends on every bit of x.
[[nodiscard]] constexpr std::uint64_t mix_bits(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58'476D'1CE4'E5B9U;
  x = (x ^ (x >> 27)) * 0x94D0'49BB'1331'11EBU;
  return x ^ (x >> 31);
}

/// A small random generator (splitmix64): 64 bits of state, the same numbers everywhere.
class rng {
 public:
  constexpr explicit rng(std::uint64_t seed) : state_(seed) {}  ///< seeds that differ in one bit give unrelated numbers

  /// All 64-bit numbers are as likely.
  constexpr std::uint64_t next() { return mix_bits(state_ += 0x9E37'79B9'7F4A'7C15U); }

  /// The same, for code that calls a generator.
  constexpr std::uint64_t operator()() { return next(); }

  /// A number below n. \pre n > 0. The bias is below n / 2^64.
  constexpr std::size_t below(std::size_t n) {
    SIMTFLOW_EXPECTS(n > 0, "a random number below zero does not exist");
    return static_cast<std::size_t>(next() % n);
  }

  /// A number in [low, high]. \pre low <= high.
  constexpr std::size_t between(std::size_t low, std::size_t high) { return low + below(high - low + 1); }

  /// True in `percent` of 100 cases.
  constexpr bool chance(unsigned percent) { return below(100) < percent; }

  /// Puts the elements in a random order, every order as likely but for the bias of below().
  template <class T>
  constexpr void shuffle(std::vector<T>& v) {
    for (std::size_t i = v.size(); i > 1; --i) {
      const std::size_t j = below(i);
      const T kept = v[i - 1];
      v[i - 1] = v[j];
      v[j] = kept;
    }
  }

 private:
  std::uint64_t state_;
};

}  // namespace testing
}  // namespace v0
}  // namespace simtflow
