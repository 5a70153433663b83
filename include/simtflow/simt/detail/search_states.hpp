// SPDX-License-Identifier: BSL-1.0
//
// The states of an A* search: a table by code, in which each state knows the cheapest way to it, and the heap of the
// states that have yet to be expanded. Every function is amortised O(log states).
#pragma once

#include <simtflow/config.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace detail {

class search_states {
 public:
  static constexpr std::uint32_t none = 0xFFFF'FFFFU;

  struct state {
    std::uint64_t code, cost, rest;
    std::uint32_t from;  // the state before
    std::uint32_t by;    // the step that led here
    bool closed;         // true if it has been expanded
  };
  struct open {
    std::uint64_t estimate, cost;
    std::uint32_t state;
  };

  constexpr void clear() {
    state_.clear();
    heap_.clear();
    slot_.assign(64, none);
  }

  [[nodiscard]] constexpr std::size_t size() const { return state_.size(); }
  [[nodiscard]] constexpr const state& operator[](std::uint32_t i) const { return state_[i]; }
  // The state has been expanded.
  constexpr void close(std::uint32_t i) { state_[i].closed = true; }

  // Adds a way to a state, unless a way that is no dearer is known; `rest` is the estimate of the remaining cost.
  constexpr void reach(std::uint64_t code, std::uint64_t cost, std::uint64_t rest, std::uint32_t from,
                       std::uint32_t by) {
    if (slot_.size() < 2 * (state_.size() + 1)) {
      slot_.assign(2 * slot_.size(), none);
      for (std::uint32_t i = 0; i < state_.size(); ++i) slot_[slot_of(state_[i].code)] = i;
    }
    std::uint32_t& slot = slot_[slot_of(code)];
    if (slot == none) {
      slot = static_cast<std::uint32_t>(state_.size());
      state_.push_back({code, cost, rest, from, by, false});
    } else {
      state& known = state_[slot];
      if (known.cost <= cost) return;
      known.cost = cost;
      known.from = from;
      known.by = by;
    }
    push({cost + rest, cost, slot});
  }

  // True if no state is open.
  [[nodiscard]] constexpr bool finished() const { return heap_.empty(); }
  // Takes out the open state of the least estimate. It may be closed already, if a cheaper way to it was found.
  // \pre !finished()
  constexpr open pop() {
    const open top = heap_[0];
    const open last = heap_.back();
    heap_.pop_back();
    const std::size_t n = heap_.size();
    for (std::size_t at = 0; n != 0;) {
      std::size_t child = 2 * at + 1;
      if (child + 1 < n && better(heap_[child + 1], heap_[child])) ++child;
      if (child >= n || !better(heap_[child], last)) {
        heap_[at] = last;
        break;
      }
      heap_[at] = heap_[child];
      at = child;
    }
    return top;
  }

 private:
  constexpr std::size_t slot_of(std::uint64_t code) const {
    std::uint64_t x = (code ^ (code >> 31)) * 0x9E37'79B9'7F4A'7C15U;
    x = (x ^ (x >> 29)) * 0xBF58'476D'1CE4'E5B9U;
    const std::size_t last = slot_.size() - 1;
    std::size_t at = static_cast<std::size_t>(x ^ (x >> 32)) & last;
    while (slot_[at] != none && state_[slot_[at]].code != code) at = (at + 1) & last;
    return at;
  }

  // Among equal estimates, the state that has come farthest is better.
  static constexpr bool better(const open& a, const open& b) {
    return a.estimate != b.estimate ? a.estimate < b.estimate : a.cost > b.cost;
  }
  constexpr void push(const open& o) {
    std::size_t at = heap_.size();
    heap_.push_back(o);
    for (; at > 0 && better(o, heap_[(at - 1) / 2]); at = (at - 1) / 2) heap_[at] = heap_[(at - 1) / 2];
    heap_[at] = o;
  }

  std::vector<state> state_;
  std::vector<std::uint32_t> slot_;  // state by code, hashed; a power of two, at most half in use
  std::vector<open> heap_;
};

}  // namespace detail
}  // namespace v0
}  // namespace simtflow
