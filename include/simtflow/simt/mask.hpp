// SPDX-License-Identifier: BSL-1.0
//
// Sets of lanes of one warp (active masks), and fragments: lanes that stand at one block.
//
//   lane      a thread's position in its warp, 0 .. width - 1
//   fragment  a block and the lanes that stand (or ran) there together
//
// A mask of up to 64 lanes is one machine word; wider warps take `basic_mask<Words>`. Nothing here knows the warp's
// width: bits beyond it are simply never set.
#pragma once

#include <simtflow/config.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>

namespace simtflow {
inline namespace v0 {

/// A set of lanes 0 .. 64 * Words - 1. Every operation is O(Words) unless its comment says otherwise.
template <std::size_t Words>
class basic_mask {
  static_assert(Words > 0, "a mask holds at least one lane");

 public:
  /// The number of lanes this type can hold.
  static constexpr std::uint32_t capacity = static_cast<std::uint32_t>(64 * Words);

  /// No lane.
  constexpr basic_mask() = default;

  /// Lanes given as bits, lane 0 the lowest. \pre Words == 1.
  constexpr explicit basic_mask(std::uint64_t bits) requires(Words == 1) : word_{bits} {}

  /// Lanes 0 .. n - 1. \pre n <= capacity.
  [[nodiscard]] static constexpr basic_mask first_lanes(std::uint32_t n) {
    SIMTFLOW_EXPECTS(n <= capacity, "a warp has at most as many lanes as its mask holds");
    basic_mask m;
    for (std::size_t w = 0; w < Words; ++w) {
      const std::uint32_t below = static_cast<std::uint32_t>(64 * w);
      if (n >= below + 64)
        m.word_[w] = ~std::uint64_t{0};
      else if (n > below)
        m.word_[w] = (std::uint64_t{1} << (n - below)) - 1;
    }
    return m;
  }

  /// One lane. \pre lane < capacity.
  [[nodiscard]] static constexpr basic_mask lane(std::uint32_t lane) {
    basic_mask m;
    m.set(lane);
    return m;
  }

  /// Adds a lane. \pre lane < capacity.
  constexpr void set(std::uint32_t lane) {
    SIMTFLOW_EXPECTS(lane < capacity, "a lane that the mask can hold");
    word_[lane / 64] |= std::uint64_t{1} << (lane % 64);
  }

  /// True if a lane is in the set; false for lanes from capacity on.
  [[nodiscard]] constexpr bool test(std::uint32_t lane) const {
    return lane < capacity && ((word_[lane / 64] >> (lane % 64)) & 1U) != 0;
  }

  /// True if the set has a lane.
  [[nodiscard]] constexpr bool any() const {
    std::uint64_t all = 0;
    for (std::size_t w = 0; w < Words; ++w) all |= word_[w];
    return all != 0;
  }
  [[nodiscard]] constexpr bool none() const { return !any(); }  ///< true if the set is empty

  /// The number of lanes in the set.
  [[nodiscard]] constexpr std::uint32_t count() const {
    std::uint64_t n = 0;
    for (std::size_t w = 0; w < Words; ++w) n += ones(word_[w]);
    return static_cast<std::uint32_t>(n);
  }

  /// The lowest lane; capacity if there is none.
  [[nodiscard]] constexpr std::uint32_t first() const {
    for (std::size_t w = 0; w < Words; ++w)
      if (word_[w] != 0)
        return static_cast<std::uint32_t>(64 * w) + static_cast<std::uint32_t>(std::countr_zero(word_[w]));
    return capacity;
  }

  /// True if every lane of this set is in `other`.
  [[nodiscard]] constexpr bool is_subset_of(const basic_mask& other) const { return (*this - other).none(); }

  /// Calls f(lane) for each lane, lowest first. O(Words + lanes).
  template <class F>
  constexpr void for_each(F&& f) const {
    for (std::size_t w = 0; w < Words; ++w)
      for (std::uint64_t rest = word_[w]; rest != 0; rest &= rest - 1)
        f(static_cast<std::uint32_t>(64 * w) + static_cast<std::uint32_t>(std::countr_zero(rest)));
  }

  /// Lanes 64 * i .. 64 * i + 63 as bits. \pre i < Words.
  [[nodiscard]] constexpr std::uint64_t word(std::size_t i) const { return word_[i]; }
  /// Adds lanes given as bits: the lowest is lane 64 * i. \pre i < Words.
  constexpr void add_word(std::size_t i, std::uint64_t bits) { word_[i] |= bits; }

  /// Adds the lanes of o.
  constexpr basic_mask& operator|=(const basic_mask& o) {
    for (std::size_t w = 0; w < Words; ++w) word_[w] |= o.word_[w];
    return *this;
  }
  /// Keeps the lanes that are also in o.
  constexpr basic_mask& operator&=(const basic_mask& o) {
    for (std::size_t w = 0; w < Words; ++w) word_[w] &= o.word_[w];
    return *this;
  }
  /// Removes the lanes of o.
  constexpr basic_mask& operator-=(const basic_mask& o) {
    for (std::size_t w = 0; w < Words; ++w) word_[w] &= ~o.word_[w];
    return *this;
  }
  /// Lanes of either.
  [[nodiscard]] friend constexpr basic_mask operator|(basic_mask a, const basic_mask& b) { return a |= b; }
  /// Lanes of both.
  [[nodiscard]] friend constexpr basic_mask operator&(basic_mask a, const basic_mask& b) { return a &= b; }
  /// Lanes of a that are not in b.
  [[nodiscard]] friend constexpr basic_mask operator-(basic_mask a, const basic_mask& b) { return a -= b; }
  friend constexpr bool operator==(const basic_mask&, const basic_mask&) = default;

 private:
  // Without a popcount instruction std::popcount is a call. Compilers know this form and use the instruction if the
  // target has one. (Warren, Hacker's Delight, section 5-1.)
  static constexpr std::uint64_t ones(std::uint64_t x) {
    x -= (x >> 1) & 0x5555'5555'5555'5555U;
    x = (x & 0x3333'3333'3333'3333U) + ((x >> 2) & 0x3333'3333'3333'3333U);
    return (((x + (x >> 4)) & 0x0F0F'0F0F'0F0F'0F0FU) * 0x0101'0101'0101'0101U) >> 56;
  }

  std::uint64_t word_[Words] = {};
};

/// Lanes of a warp of up to 64: one machine word.
using lane_mask = basic_mask<1>;

/// Lanes that stand at one block.
template <class Mask>
struct basic_fragment {
  block_id block = no_block;  ///< where they stand; no_block: nowhere
  Mask lanes{};               ///< who stands there
  friend constexpr bool operator==(const basic_fragment&, const basic_fragment&) = default;
};

/// A fragment of a warp of up to 64 lanes.
using fragment = basic_fragment<lane_mask>;

}  // namespace v0
}  // namespace simtflow
