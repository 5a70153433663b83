// SPDX-License-Identifier: BSL-1.0
//
// Input and output of the search for an isomorphism of two pieces (isomorphism.hpp).
#pragma once

#include <simtflow/align/graph_piece.hpp>
#include <simtflow/config.hpp>

#include <concepts>
#include <cstdint>
#include <string_view>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// The slots of two blocks that may be partners; see isomorphism.hpp.
enum class slot_order : unsigned char {
  ordered,       ///< of equal number
  two_way_free,  ///< of equal number; the two of a two-way branch may be exchanged
  free           ///< any
};

/// The order in words: "ordered", "two-way free" or "free".
[[nodiscard]] constexpr std::string_view to_string(slot_order order) {
  switch (order) {
    case slot_order::ordered:
      return "ordered";
    case slot_order::two_way_free:
      return "two-way free";
    case slot_order::free:
      return "free";
  }
  return "";
}

/// How to look for an isomorphism.
struct isomorphism_options {
  slot_order order = slot_order::two_way_free;  ///< which slots may be partners
  /// How many pairs of slots may be tried before the search gives up; 0: 1,000, and 64 for each edge.
  std::uint64_t max_steps = 0;
};

/// How the search ended.
enum class isomorphism_verdict : unsigned char {
  different,   ///< there is none
  isomorphic,  ///< one was found
  gave_up      ///< max_steps were not enough to tell
};

/// The verdict in words: "different", "isomorphic" or "gave up".
[[nodiscard]] constexpr std::string_view to_string(isomorphism_verdict v) {
  switch (v) {
    case isomorphism_verdict::different:
      return "different";
    case isomorphism_verdict::isomorphic:
      return "isomorphic";
    case isomorphism_verdict::gave_up:
      return "gave up";
  }
  return "";
}

/// An isomorphism, if the verdict says so.
struct piece_isomorphism {
  isomorphism_verdict verdict = isomorphism_verdict::different;  ///< how the search ended
  std::vector<std::uint32_t> block;  ///< by block of the first piece: its partner in the second one
  std::vector<std::uint32_t> slot;   ///< by edge of the first piece: the slot of the edge's partner

  /// Whether there is one.
  [[nodiscard]] constexpr explicit operator bool() const { return verdict == isomorphism_verdict::isomorphic; }
  /// Whether the slots of block i of the first piece are exchanged. \pre it is isomorphic; O(1)
  [[nodiscard]] constexpr bool swapped(const graph_piece& first, std::uint32_t i) const {
    return first.successors(i).size() == 2 && slot[first.first_edge(i)] == 1;
  }
};

/// The worth of two blocks (of the graphs) as partners; forbidden_pair: they must not be partners.
template <class F>
concept block_pair_worth = requires(const F& f, block_id a, block_id b) {
  { f(a, b) } -> std::convertible_to<std::int32_t>;
};

/// Every pair may be made, and all pairs are worth the same.
struct any_block_pair {
  constexpr std::int32_t operator()(block_id, block_id) const { return 0; }  ///< the worth of a pair
};

}  // namespace v0
}  // namespace simtflow
