// SPDX-License-Identifier: BSL-1.0
//
// Strong ids: the numbers 0 .. n - 1 of loops, regions, components and values as types that do not convert into one
// another. Such an id is an enumeration over std::uint32_t without enumerators; `loop_id{3}` makes one. Blocks and
// edges are numbered by plain integers (graph/csr.hpp).
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// An enumeration over std::uint32_t.
template <class Id>
concept strong_id = std::is_enum_v<Id> && std::same_as<std::underlying_type_t<Id>, std::uint32_t>;

/// The number of an id: index_of(loop_id{3}) is 3. O(1).
template <strong_id Id>
[[nodiscard]] constexpr std::uint32_t index_of(Id id) {
  return static_cast<std::uint32_t>(id);
}

/// The ids 0 .. n - 1, for a range-for.
template <strong_id Id>
class id_range {
 public:
  /// A position in the range.
  class iterator {
   public:
    constexpr explicit iterator(std::uint32_t at) : at_(at) {}       ///< the position of id `at`
    constexpr Id operator*() const { return static_cast<Id>(at_); }  ///< the id here
    friend constexpr bool operator==(iterator, iterator) = default;  ///< the same position
    /// To the next id.
    constexpr iterator& operator++() {
      ++at_;
      return *this;
    }

   private:
    std::uint32_t at_;
  };

  constexpr explicit id_range(std::size_t n) : size_(static_cast<std::uint32_t>(n)) {}  ///< \pre n < 2^32
  [[nodiscard]] constexpr iterator begin() const { return iterator(0); }                ///< the first position
  [[nodiscard]] constexpr iterator end() const { return iterator(size_); }              ///< after the last one

 private:
  std::uint32_t size_;
};

/// The ids 0 .. n - 1: `for (const loop_id l : ids_below<loop_id>(n))`. \pre n < 2^32.
template <strong_id Id>
[[nodiscard]] constexpr id_range<Id> ids_below(std::size_t n) {
  return id_range<Id>(n);
}

/// The ids n - 1 .. 0, for a range-for.
template <strong_id Id>
class id_range_downward {
 public:
  /// A position in the range.
  class iterator {
   public:
    constexpr explicit iterator(std::uint32_t past) : past_(past) {}       ///< the position of id `past` - 1
    constexpr Id operator*() const { return static_cast<Id>(past_ - 1); }  ///< the id here
    friend constexpr bool operator==(iterator, iterator) = default;        ///< the same position
    /// To the next smaller id.
    constexpr iterator& operator++() {
      --past_;
      return *this;
    }

   private:
    std::uint32_t past_;
  };

  constexpr explicit id_range_downward(std::size_t n) : size_(static_cast<std::uint32_t>(n)) {}  ///< \pre n < 2^32
  [[nodiscard]] constexpr iterator begin() const { return iterator(size_); }                     ///< the first position
  [[nodiscard]] constexpr iterator end() const { return iterator(0); }                           ///< after the last one

 private:
  std::uint32_t size_;
};

/// The ids n - 1 .. 0: inner loops before outer ones. \pre n < 2^32.
template <strong_id Id>
[[nodiscard]] constexpr id_range_downward<Id> ids_downward(std::size_t n) {
  return id_range_downward<Id>(n);
}

/// A vector with an element for each id.
template <strong_id Id, class T>
class id_map : public std::vector<T> {
 public:
  using std::vector<T>::vector;
  using std::vector<T>::operator[];
  /// The element of id i. \pre index_of(i) < size().
  [[nodiscard]] constexpr T& operator[](Id i) { return (*this)[std::size_t{index_of(i)}]; }
  [[nodiscard]] constexpr const T& operator[](Id i) const { return (*this)[std::size_t{index_of(i)}]; }  ///< likewise
};

}  // namespace v0
}  // namespace simtflow
