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

}  // namespace v0
}  // namespace simtflow
