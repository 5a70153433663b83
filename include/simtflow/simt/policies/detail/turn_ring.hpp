// SPDX-License-Identifier: BSL-1.0
//
// Numbers that take turns, in a ring. Numbers leave it and come back; everything but start() is O(1).
#pragma once

#include <simtflow/config.hpp>

#include <cstddef>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace policies {
namespace detail {

class turn_ring {
 public:
  // No number.
  constexpr void clear() { size_ = 0; }
  // The numbers below n, in their order; 0 has the first turn. O(n). \pre n > 0
  constexpr void start(std::size_t n) {
    if (next_.size() < n) next_.resize(n, 0);
    for (std::size_t i = 1; i < n; ++i) next_[i - 1] = i;
    next_[n - 1] = 0;
    size_ = n;
    current_ = 0;
    previous_ = n - 1;
  }

  [[nodiscard]] constexpr std::size_t size() const { return size_; }
  // The number that has the turn. \pre size() > 0
  [[nodiscard]] constexpr std::size_t current() const { return current_; }
  // The number after a number of the ring.
  [[nodiscard]] constexpr std::size_t after(std::size_t number) const { return next_[number]; }

  // The turn goes to the next number.
  constexpr void take_turn() {
    previous_ = current_;
    current_ = next_[current_];
  }
  // The number that has the turn leaves the ring; the next number has the turn.
  constexpr void leave() {
    --size_;
    current_ = next_[previous_] = next_[current_];
  }
  // A number comes back as the last one before the turn. \pre it was in the ring since start().
  constexpr void enter(std::size_t number) {
    if (size_++ == 0) {
      current_ = previous_ = next_[number] = number;
      return;
    }
    next_[number] = current_;
    previous_ = next_[previous_] = number;
  }

 private:
  std::vector<std::size_t> next_;  // next_[current_] comes after current_, which comes after previous_
  std::size_t size_ = 0, current_ = 0, previous_ = 0;
};

}  // namespace detail
}  // namespace policies
}  // namespace v0
}  // namespace simtflow
