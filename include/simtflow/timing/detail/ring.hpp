// SPDX-License-Identifier: BSL-1.0
//
// A first-in, first-out queue in one flat buffer. It grows by doubling and never shrinks.
#pragma once

#include <simtflow/config.hpp>

#include <cstddef>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace timing {
namespace detail {

template <class T>
class ring {
 public:
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] T& front() { return slot_[first_]; }
  [[nodiscard]] const T& front() const { return slot_[first_]; }

  void push(const T& value) {
    if (size_ == slot_.size()) grow();
    slot_[(first_ + size_++) & (slot_.size() - 1)] = value;
  }
  void pop() {
    first_ = (first_ + 1) & (slot_.size() - 1);
    --size_;
  }

 private:
  void grow() {
    std::vector<T> more(slot_.empty() ? 8 : 2 * slot_.size());
    for (std::size_t i = 0; i < size_; ++i) more[i] = slot_[(first_ + i) & (slot_.size() - 1)];
    slot_ = static_cast<std::vector<T>&&>(more);
    first_ = 0;
  }

  std::vector<T> slot_;
  std::size_t first_ = 0;
  std::size_t size_ = 0;
};

}  // namespace detail
}  // namespace timing
}  // namespace v0
}  // namespace simtflow
