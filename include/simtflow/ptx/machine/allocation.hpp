// SPDX-License-Identifier: BSL-1.0
//
// A piece of device memory, and the pieces of one memory as a range.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/ptx/machine/detail/address_index.hpp>
#include <simtflow/ptx/machine/memory_bytes.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <type_traits>

namespace simtflow {
inline namespace v0 {
namespace ptx {

/// A piece of global or constant memory.
struct allocation {
  std::string name;           ///< as given; several may have one name
  std::uint64_t address = 0;  ///< generic address of its first byte, a multiple of 256 unless the bytes are borrowed
  bool constant = false;      ///< kernels may not write
  memory_bytes bytes;         ///< its contents
  bool of_module = false;     ///< a variable of a module
  friend bool operator==(const allocation&, const allocation&) = default;
};

/// The allocations of a memory in the order of their addresses: a forward range. Valid until one is added or freed.
/// \tparam Allocation allocation, or const allocation
template <class Allocation>
class allocation_range {
 public:
  /// A place in the range.
  class iterator {
   public:
    using value_type = allocation;                        ///< of the range
    using difference_type = std::ptrdiff_t;               ///< of iterators
    using iterator_category = std::forward_iterator_tag;  ///< also C++20's concept
    iterator() = default;                                 ///< no place
    /// \returns the allocation.
    [[nodiscard]] Allocation& operator*() const { return slots_[order_->runs()[run_][at_].number]; }
    [[nodiscard]] Allocation* operator->() const { return &**this; }  ///< likewise
    /// Goes to the next place. \returns itself
    iterator& operator++() {
      if (++at_ == order_->runs()[run_].size()) ++run_, at_ = 0;
      return *this;
    }
    /// Goes to the next place. \returns the place before
    iterator operator++(int) {
      const iterator before = *this;
      ++*this;
      return before;
    }
    /// True if both are the same place of one range.
    friend bool operator==(const iterator& a, const iterator& b) { return a.run_ == b.run_ && a.at_ == b.at_; }

   private:
    friend class allocation_range;
    iterator(Allocation* entries, const detail::address_index* order, std::size_t run)
        : slots_(entries), order_(order), run_(run) {}
    Allocation* slots_ = nullptr;
    const detail::address_index* order_ = nullptr;
    std::size_t run_ = 0, at_ = 0;
  };

  /// A memory makes it.
  allocation_range(std::span<Allocation> entries, const detail::address_index& order)
      : slots_(entries), order_(&order) {}
  /// \returns how many there are. O(1).
  [[nodiscard]] std::size_t size() const { return order_->size(); }
  /// \returns true if there is none. O(1).
  [[nodiscard]] bool empty() const { return size() == 0; }
  /// \returns the first. O(1).
  [[nodiscard]] iterator begin() const { return {slots_.data(), order_, 0}; }
  /// \returns the place after the last. O(1).
  [[nodiscard]] iterator end() const { return {slots_.data(), order_, order_->runs().size()}; }
  /// \returns allocation i in the order of the addresses. \pre i < size(). O(allocations / 256).
  [[nodiscard]] Allocation& operator[](std::size_t i) const {
    SIMTFLOW_EXPECTS(i < size(), "an allocation of the memory");
    std::size_t run = 0;
    for (; i >= order_->runs()[run].size(); ++run) i -= order_->runs()[run].size();
    return slots_[order_->runs()[run][i].number];
  }

 private:
  std::span<Allocation> slots_;
  const detail::address_index* order_;
};

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
