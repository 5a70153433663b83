// SPDX-License-Identifier: BSL-1.0
//
// Sorting in place without <algorithm>, which is a big header: heap sort, O(n log n) whatever is sorted.
//
// Literature: J. Williams, Algorithm 232: heapsort (1964).
#pragma once

#include <cstddef>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace detail {

template <class T>
constexpr void sort_ascending(std::vector<T>& v) {
  const auto sift = [&v](std::size_t hole, std::size_t end) {
    const T moved = v[hole];
    for (std::size_t child = 2 * hole + 1; child < end; child = 2 * hole + 1) {
      if (child + 1 < end && v[child] < v[child + 1]) ++child;
      if (!(moved < v[child])) break;
      v[hole] = v[child];
      hole = child;
    }
    v[hole] = moved;
  };
  for (std::size_t i = v.size() / 2; i-- > 0;) sift(i, v.size());
  for (std::size_t end = v.size(); end-- > 1;) {
    const T last = v[end];
    v[end] = v[0];
    v[0] = last;
    sift(0, end);
  }
}

}  // namespace detail
}  // namespace v0
}  // namespace simtflow
