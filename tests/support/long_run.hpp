// SPDX-License-Identifier: BSL-1.0
//
// How long tests over random programs run: as long as they say, or SIMTFLOW_LONG times as long (`ctest --preset long`),
// and which part of a long one.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace simtflow_tests {

/// n, times the number in the environment variable SIMTFLOW_LONG.
inline std::uint64_t times(std::uint64_t n) {
  static const std::uint64_t factor = [] {
    const char* text = std::getenv("SIMTFLOW_LONG");
    const unsigned long long number = text == nullptr ? 1 : std::strtoull(text, nullptr, 10);
    return number == 0 ? 1 : static_cast<std::uint64_t>(number);
  }();
  return n * factor;
}

/// Long runs can be cut into parts that run side by side: SIMTFLOW_SHARD=2/8 is the third of eight. Whether the i-th
/// piece of work belongs to this run; all do if the variable is not set.
inline bool in_shard(std::uint64_t i) {
  static const auto shard = [] {
    struct {
      std::uint64_t number = 0, of = 1;
    } s;
    const char* text = std::getenv("SIMTFLOW_SHARD");
    if (text == nullptr) return s;
    char* slash = nullptr;
    const unsigned long long number = std::strtoull(text, &slash, 10);
    const unsigned long long of = *slash == '/' ? std::strtoull(slash + 1, nullptr, 10) : 0;
    if (number < of) s = {number, of};
    return s;
  }();
  return i % shard.of == shard.number;
}
/// This run does all of the work.
inline bool is_whole() { return in_shard(0) && in_shard(1); }

/// True if the i-th case is one of this run: every n-th case, and each one in a long run.
inline bool is_taken(std::uint64_t i, std::uint64_t n) { return times(1) > 1 || i % n == 0; }

}  // namespace simtflow_tests
