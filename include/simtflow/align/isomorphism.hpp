// SPDX-License-Identifier: BSL-1.0
//
// Isomorphism of two pieces of control-flow graphs. A piece is what an entry block reaches without passing an exit
// block, which is not part of it; where threads leave the piece is where an edge leads to the exit. Two pieces are
// isomorphic if there is a bijection of their blocks that takes the entry to the entry, and for every block a bijection
// of its slots such that the edges in them lead to partners, or both to the exit. Blocks where threads may end are
// partners of such blocks only.
//
//   ordered       slot k is the partner of slot k
//   two_way_free  the two slots of a two-way branch may be exchanged (its condition is then inverted)
//   free          the slots of a block may be permuted in any way (a switch with renumbered cases)
//
// The map and its inverse are both kept: two paths of one piece that end in one block never match two paths of the
// other one that end in two. (A parallel walk that only asks for equal degrees takes such pieces for the same.)
//
// Construction: a walk through both pieces at once that undoes and varies its choices of slots. The edges of the first
// piece are taken in an order that does not depend on the choices, so that the walk is a loop over edge numbers.
// Ordered walks have no choice and are linear. Otherwise numbers that isomorphisms keep (degrees, distances from the
// entry and to the exit, and the numbers of the neighbours, a few rounds of them) tell most blocks apart beforehand;
// the work that is left is bounded, since no polynomial algorithm is known where degrees are not bounded.
//
// Literature: B. McKay, Practical graph isomorphism (1981), for refinement; R. Rocha et al., Function merging by
// sequence alignment (2019) and C. Saumya et al., DARM (2022), for what isomorphic pieces of code are good for.
#pragma once

#include <simtflow/align/detail/isomorphism_search.hpp>
#include <simtflow/align/graph_piece.hpp>
#include <simtflow/align/piece_isomorphism.hpp>
#include <simtflow/config.hpp>

namespace simtflow {
inline namespace v0 {

/// An isomorphism of two pieces: of those that the options allow, one that was found by taking what is worth most at
/// every branch first. `worth` says what may be partners at all.
///
/// gave_up: neither found nor excluded within max_steps. Ordered searches never give up.
/// Complexity: O(blocks + edges) if ordered. Else that for the numbers, and at most max_steps times the greatest number
/// of slots squared; a search that never goes back needs one step for each edge. No recursion.
template <block_pair_worth Worth = any_block_pair>
[[nodiscard]] constexpr piece_isomorphism find_isomorphism(const graph_piece& first, const graph_piece& second,
                                                           const isomorphism_options& options = {},
                                                           const Worth& worth = {}) {
  piece_isomorphism out;
  detail::isomorphism_search<> search;
  search.run(first, second, options, worth, out);
  return out;
}

}  // namespace v0
}  // namespace simtflow
