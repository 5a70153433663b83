// SPDX-License-Identifier: BSL-1.0
//
// Sets of numbers that grow together: each has a representative.
#pragma once

#include <simtflow/config.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace detail {

// Sets that are only ever merged into another one's representative; find() halves paths. O(log n) amortised. Id is a
// number: a template costs nothing to include.
template <class Id = std::uint32_t>
class disjoint_sets {
 public:
  // Each of n numbers is a set of its own.
  constexpr void reset(std::size_t n) {
    up_.assign(n, 0);
    for (std::size_t i = 0; i < n; ++i) up_[i] = static_cast<Id>(i);
  }
  // The representative of the set of i.
  [[nodiscard]] constexpr Id find(Id i) {
    while (up_[i] != i) i = up_[i] = up_[up_[i]];
    return i;
  }
  // \pre both are representatives.
  constexpr void merge(Id from, Id into) { up_[from] = into; }

 private:
  std::vector<Id> up_;
};

}  // namespace detail
}  // namespace v0
}  // namespace simtflow
