// SPDX-License-Identifier: BSL-1.0
//
// A row of numbers, the keys, and one question: which keys of a range are at most a limit? A tree of minima over the
// row leads to each of them, so the answer costs O(log) for each key found; the other keys are not looked at.
#pragma once

#include <simtflow/config.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace detail {

template <class Key = std::uint32_t>
class low_keys {
 public:
  // The row: clear(), push() each key, finish().
  constexpr void clear() { key_.clear(); }
  constexpr void push(Key key) { key_.push_back(key); }
  constexpr void finish() {
    const std::size_t n = key_.size();
    low_.assign(n, none);
    for (std::size_t i = n; i-- > 1;) low_[i] = least(at(2 * i), at(2 * i + 1));
  }
  [[nodiscard]] constexpr std::size_t size() const { return key_.size(); }

  // f(i) for every place i of first .. last - 1 with a key that is at most `limit`, in no particular order. f may
  // remove i.
  // \pre limit is below 2^32 - 1. O(log size), and O(log size) for each key found.
  template <class F>
  constexpr void for_each(std::size_t first, std::size_t last, Key limit, F f) const {
    SIMTFLOW_EXPECTS(first <= last && last <= size(), "a run of the row");
    if (last - first <= short_run) {
      for (std::size_t i = first; i < last; ++i)
        if (key_[i] <= limit) f(i);
      return;
    }
    const std::size_t n = size();
    std::size_t left = first + n, right = last + n;
    for (; left < right; left /= 2, right /= 2) {
      if (left % 2 != 0) descend(left++, limit, f);
      if (right % 2 != 0) descend(--right, limit, f);
    }
  }
  // Removes the key: no limit finds it any more. O(log size).
  constexpr void remove(std::size_t i) {
    key_[i] = none;
    for (std::size_t node = (i + size()) / 2; node >= 1; node /= 2) {
      const Key low = least(at(2 * node), at(2 * node + 1));
      if (low_[node] == low) return;
      low_[node] = low;
    }
  }

 private:
  static constexpr Key none = static_cast<Key>(-1);
  static constexpr std::size_t short_run = 8;

  static constexpr Key least(Key a, Key b) { return a < b ? a : b; }
  // Node i of the tree has the children 2 i and 2 i + 1; the row is nodes size() .. 2 size() - 1.
  [[nodiscard]] constexpr Key at(std::size_t node) const {
    return node < low_.size() ? low_[node] : key_[node - low_.size()];
  }
  template <class F>
  constexpr void descend(std::size_t top, Key limit, F& f) const {
    std::size_t open[64] = {};  // at most one on each level
    std::size_t num_open = 0;
    open[num_open++] = top;
    while (num_open != 0) {
      std::size_t node = open[--num_open];
      while (at(node) <= limit) {
        if (node >= size()) {
          f(node - size());
          break;
        }
        open[num_open++] = 2 * node + 1;
        node = 2 * node;
      }
    }
  }

  std::vector<Key> key_, low_;
};

}  // namespace detail
}  // namespace v0
}  // namespace simtflow
