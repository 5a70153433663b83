// SPDX-License-Identifier: BSL-1.0
//
// Counting sort of items into rows: the places at which rows begin, in one vector with an element more than there are
// rows. Count items in row[k], begin_rows(), put each item at row[k]++, end_rows().
#pragma once

#include <simtflow/config.hpp>

#include <cstddef>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace detail {

// From counts in row[k] to the beginning of row k; row has one more element. \returns the number of items.
template <class Id>
constexpr Id begin_rows(std::vector<Id>& row) {
  Id before = 0;
  for (Id& r : row) {
    const Id here = r;
    r = before;
    before += here;
  }
  return before;
}

// After every row was filled by row[k]++: row k lies from row[k] to row[k + 1] - 1. \pre row has an element.
template <class Id>
constexpr void end_rows(std::vector<Id>& row) {
  for (std::size_t k = row.size() - 1; k > 0; --k) row[k] = row[k - 1];
  row[0] = 0;
}

}  // namespace detail
}  // namespace v0
}  // namespace simtflow
