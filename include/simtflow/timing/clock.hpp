// SPDX-License-Identifier: BSL-1.0
//
// Simulated time. Every interface of timing/ states times in cycles of the core clock. A module with a clock of its own
// counts ticks of that clock inside and converts at its boundary with a clock_ratio, exactly, without floating point.
//
// Edge 0 of every clock is at core cycle 0. A request at core cycle t is seen at the first tick at or after t; the
// result of tick k is seen at the first core cycle at or after that tick.
#pragma once

#include <simtflow/config.hpp>

#include <cstdint>

namespace simtflow {
inline namespace v0 {
namespace timing {

/// A point in simulated time, or a length of time: cycles of the core clock.
using cycle = std::uint64_t;

/// The time of an event that does not happen. It is later than every other time.
inline constexpr cycle never = ~cycle{0};

/// A period of another clock: edges of that clock since time 0.
using tick = std::uint64_t;

/// Converts between core cycles and the ticks of another clock, exactly. Every operation is O(1).
class clock_ratio {
 public:
  /// A clock that is the core clock.
  constexpr clock_ratio() = default;

  /// A clock of `mhz` beside a core clock of `core_mhz`. Only the ratio of the two numbers matters.
  /// \pre both are at least 1.
  constexpr clock_ratio(std::uint32_t mhz, std::uint32_t core_mhz) : local_(mhz), core_(core_mhz) {
    SIMTFLOW_EXPECTS(mhz > 0 && core_mhz > 0, "a clock has a frequency");
    std::uint64_t a = mhz;
    std::uint64_t b = core_mhz;
    while (b != 0) {
      const std::uint64_t rest = a % b;
      a = b;
      b = rest;
    }
    local_ /= a;
    core_ /= a;
  }

  /// The first tick at or after core cycle t. \pre t is below 2^64 / 2^32, or the clocks are equal.
  [[nodiscard]] constexpr tick tick_at(cycle t) const { return local_ == core_ ? t : (t * local_ + core_ - 1) / core_; }
  /// The last tick that is seen by core cycle t: the greatest k with cycle_at(k) <= t. \pre as tick_at().
  [[nodiscard]] constexpr tick last_tick(cycle t) const { return local_ == core_ ? t : t * local_ / core_; }
  /// The first core cycle at or after tick k. \pre k is below 2^64 / 2^32, or the clocks are equal.
  [[nodiscard]] constexpr cycle cycle_at(tick k) const {
    return local_ == core_ ? k : (k * core_ + local_ - 1) / local_;
  }

 private:
  std::uint64_t local_ = 1;
  std::uint64_t core_ = 1;
};

}  // namespace timing
}  // namespace v0
}  // namespace simtflow
