// SPDX-License-Identifier: BSL-1.0
//
// Sums of doubles, rounded to odd: a further rounding to a single, in any direction, gives the exact sum rounded once.
//
// Literature: S. Boldo, G. Melquiond: Emulation of FMA and Correctly Rounded Sums: Proved Algorithms Using Rounding to
// Odd (2008). D. E. Knuth, The Art of Computer Programming, volume 2, 4.2.2 (the error of a sum).
#pragma once

#include <bit>
#include <cstdint>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

// A double that stands for an exact sum s + e: s itself if e is zero, otherwise the neighbour of s with an odd last
// bit on the side of the exact value. Rounding it to a single, in any direction, gives the exact sum rounded once.
inline double odd(double s, double e) {
  const auto bits = std::bit_cast<std::int64_t>(s);
  const bool inexact = (e > 0) | (e < 0);  // false for the NaN that infinities leave
  const bool away = (e > 0) == (s > 0);
  const std::int64_t step = away ? 1 : -1;
  const std::int64_t even = (bits & 1) - 1;  // all ones if even
  return std::bit_cast<double>(bits + (inexact ? step & even : 0));
}
// x + y for doubles with a sum that cannot overflow, rounded to odd.
inline double sum_to_odd(double x, double y) {
  const double s = x + y;
  const double back = s - x;
  const double rest = s - back;
  const double e = (x - rest) + (y - back);
  return odd(s, e);
}

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
