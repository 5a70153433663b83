// SPDX-License-Identifier: BSL-1.0
//
// Binary search without <algorithm>, which is a big header.
#pragma once

#include <simtflow/config.hpp>

#include <cstddef>
#include <span>

namespace simtflow {
inline namespace v0 {
namespace detail {

// The first place of low .. high - 1 for which `holds` is false, or high. \pre after a place for which it is false it
// is false for every place.
template <class Holds>
[[nodiscard]] constexpr std::size_t first_without(std::size_t low, std::size_t high, Holds holds) {
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (holds(middle))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// The place of the first element of an ascending row that is not less than x; row.size() if there is none.
template <class T>
[[nodiscard]] constexpr std::size_t lower_bound(std::span<const T> row, const T& x) {
  return first_without(0, row.size(), [&](std::size_t i) { return row[i] < x; });
}

// True if an ascending row holds x.
template <class T>
[[nodiscard]] constexpr bool holds_sorted(std::span<const T> row, const T& x) {
  const std::size_t at = lower_bound(row, x);
  return at < row.size() && row[at] == x;
}

}  // namespace detail
}  // namespace v0
}  // namespace simtflow
