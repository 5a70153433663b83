// SPDX-License-Identifier: BSL-1.0
//
// Columns of ids that grow together. An analysis of a small graph costs as much as a few allocations. So all columns
// share one allocation, and the columns of a small graph lie in the object itself.
#pragma once

#include <simtflow/config.hpp>

#include <cstddef>
#include <type_traits>

namespace simtflow {
inline namespace v0 {
namespace detail {

/// As many columns as there are widths: column i has Width[i] ids in every row. With up to `Small` rows it allocates
/// nothing, with more it allocates once. Elements are not initialised.
template <class Id, Id Small, unsigned... Width>
class id_columns {
 public:
  constexpr id_columns() {
    if (std::is_constant_evaluated())
      for (Id& id : here_) id = 0;
  }
  constexpr id_columns(const id_columns& other) : id_columns() { copy(other); }
  constexpr id_columns(id_columns&& other) noexcept : id_columns() { move(other); }
  constexpr id_columns& operator=(const id_columns& other) {
    if (this == &other) return *this;
    release();
    copy(other);
    return *this;
  }
  constexpr id_columns& operator=(id_columns&& other) noexcept {
    if (this == &other) return *this;
    release();
    move(other);
    return *this;
  }
  constexpr ~id_columns() { release(); }

  [[nodiscard]] constexpr Id rows() const { return static_cast<Id>(rows_); }
  template <std::size_t I>
  [[nodiscard]] constexpr Id* column() {
    return data_ + first(I) * rows_;
  }
  template <std::size_t I>
  [[nodiscard]] constexpr const Id* column() const {
    return data_ + first(I) * rows_;
  }

  /// Gives every column at least `rows` rows; their contents stay. Never shrinks.
  constexpr void grow(Id rows) {
    if (rows <= rows_) return;
    if (rows_ == 0) return allocate(rows < Small ? Small : rows);
    id_columns larger;
    larger.allocate(rows);
    for (std::size_t i = 0; i < sizeof...(Width); ++i)
      copy_ids(data_ + first(i) * rows_, width[i] * rows_, larger.data_ + first(i) * larger.rows_);
    *this = static_cast<id_columns&&>(larger);
  }

 private:
  static constexpr std::size_t width[sizeof...(Width)] = {Width...};
  static constexpr std::size_t total = (std::size_t{Width} + ...);
  // The widths of the columns before column i.
  static constexpr std::size_t first(std::size_t i) {
    std::size_t sum = 0;
    while (i-- > 0) sum += width[i];
    return sum;
  }
  static constexpr void copy_ids(const Id* from, std::size_t count, Id* to) {
    for (std::size_t i = 0; i < count; ++i) to[i] = from[i];
  }

  // \pre there are no rows.
  constexpr void allocate(std::size_t rows) {
    if (std::is_constant_evaluated()) {  // never here_: g++ 12 moves a returned object without asking the constructor
      data_ = new Id[total * rows]();
    } else {
      data_ = rows > Small ? new Id[total * rows] : here_;
    }
    rows_ = rows;
  }
  constexpr void release() {
    if (data_ != here_) delete[] data_;
    data_ = nullptr;
    rows_ = 0;
  }
  constexpr void copy(const id_columns& other) {
    if (other.rows_ == 0) return;
    allocate(other.rows_);
    copy_ids(other.data_, total * rows_, data_);
  }
  constexpr void move(id_columns& other) {
    if (other.data_ == other.here_) return copy(other);
    data_ = other.data_;
    rows_ = other.rows_;
    other.data_ = nullptr;
    other.rows_ = 0;
  }

  Id* data_ = nullptr;    // here_, or what is allocated; null: there are no rows
  std::size_t rows_ = 0;  // not an Id: then writing an id cannot change it, and the columns need not be found again
  Id here_[total * Small];
};

}  // namespace detail
}  // namespace v0
}  // namespace simtflow
