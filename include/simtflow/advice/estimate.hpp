// SPDX-License-Identifier: BSL-1.0
//
// Estimates from a sample of thread blocks: what a change makes of a run's work, and how sure that is.
//
// Each sampled thread block has its work before and after the change. Both come from the same paths, so they are
// strongly correlated, and the ratio of their sums is a far better estimate than either sum.
//
// Literature: W. Cochran, Sampling Techniques (1977), chapter 6: the ratio estimator, its standard error and the finite
// population correction.
#pragma once

#include <simtflow/config.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace simtflow {
inline namespace v0 {
namespace advice {

/// How far a prediction can be trusted.
enum class confidence : unsigned char {
  high,    ///< followed exactly, and the sample's error is at most 2 % of the work
  medium,  ///< followed exactly, and the error is larger; or a fact is assumed that seldom matters
  low      ///< facts are assumed that a run can refute: paths that depend on the schedule, one thread block of many
};
/// "high", "medium", "low".
[[nodiscard]] constexpr std::string_view to_string(confidence c) {
  switch (c) {
    case confidence::high:
      return "high";
    case confidence::medium:
      return "medium";
    case confidence::low:
      return "low";
  }
  return "";
}

/// Work after a change over the work before it.
struct ratio_estimate {
  double ratio = 1;    ///< 1: nothing changes
  double error = 0;    ///< standard error of the ratio; 0 if every thread block is in the sample
  bool known = false;  ///< false: there was no work, or nothing to tell the error from (one thread block of several)

  /// How much of the work is saved: 0.1 is 10 %; negative: it costs more.
  [[nodiscard]] constexpr double gain() const { return 1 - ratio; }
};

/// Estimates the ratio from the work of each sampled thread block. Without work: 1, not known.
/// \param before, after by sampled thread block, in warp instructions or cycles
/// \param population thread blocks that ran
/// \pre before and after have the same length, which is at most population
/// Complexity: O(thread blocks). Errors: none.
/// \snippet advice/estimate_test.cpp estimate_ratio
[[nodiscard]] inline ratio_estimate estimate_ratio(std::span<const std::uint64_t> before,
                                                   std::span<const std::uint64_t> after, std::uint64_t population) {
  SIMTFLOW_EXPECTS(before.size() == after.size() && before.size() <= population,
                   "each sampled thread block has its work before and after");
  double x = 0, y = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    x += static_cast<double>(before[i]);
    y += static_cast<double>(after[i]);
  }
  if (!(x > 0)) return {};
  ratio_estimate out{y / x, 0, true};
  if (before.size() == population) return out;
  const auto n = static_cast<double>(before.size());
  if (before.size() == 1) {
    out.known = false;
    return out;
  }
  double squares = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const double off = static_cast<double>(after[i]) - out.ratio * static_cast<double>(before[i]);
    squares += off * off;
  }
  const double rest = 1 - n / static_cast<double>(population);
  out.error = std::sqrt(rest * squares / (n - 1) / n) / (x / n);
  return out;
}

/// The confidence of an estimate that assumes nothing.
[[nodiscard]] constexpr confidence confidence_of(const ratio_estimate& e) {
  if (!e.known) return confidence::low;
  return 2 * e.error <= 0.02 ? confidence::high : 2 * e.error <= 0.1 ? confidence::medium : confidence::low;
}

}  // namespace advice
}  // namespace v0
}  // namespace simtflow
