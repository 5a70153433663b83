// SPDX-License-Identifier: BSL-1.0
//
// Two published one-pass algorithms for thread frontiers, for comparison with published figures only; use
// thread_frontiers.hpp for anything else. Both sweep the blocks from high to low priority with one running set: take b
// out of the set; the rest of the set is the frontier of b; put in the successors of b that come later.
//
//   thread_frontiers_algorithm_1   as the paper prints it: only the targets of divergent branches are put in. Neither
//                                  sound nor exact: A -> {B, C}, B -> D, C -> D with B before C gives C an empty
//                                  frontier although threads of B wait at D
//   thread_frontiers_ocelot        as the paper's emulator (GPU Ocelot) does it: every block puts its successors in.
//                                  Sound on acyclic graphs in a topological order; unsound on loops, because it leaves
//                                  out their back edges: H -> {B, X}, B -> H gives H an empty frontier although threads
//                                  that have left the loop wait at X
//
// Literature: G. Diamos et al., SIMD re-convergence at thread frontiers (2011), section 4.1 (Algorithm 1).
#pragma once

#include <simtflow/analysis/priority_order.hpp>
#include <simtflow/analysis/thread_frontiers.hpp>
#include <simtflow/graph/argument.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/snapshot.hpp>
#include <simtflow/graph/traits.hpp>

#include <span>

namespace simtflow {
inline namespace v0 {

/// The paper's Algorithm 1 as printed; a block of two or more successor slots that is not marked in `uniform` is a
/// divergent branch. Unsound, see the top of this header.
/// \pre the order was made for g. Complexity: linear in edges and result.
template <graph_argument G>
[[nodiscard]] constexpr frontier_sets<graph_t<G>> thread_frontiers_algorithm_1(
    G&& g, const priority_order<graph_t<G>>& order, std::span<const unsigned char> uniform = {}) {
  return frontier_sets<graph_t<G>>(g, order, uniform, frontier_rule::algorithm_1);
}

/// GPU Ocelot's variant. Ocelot itself knows no marks; here the threads of a marked block put nothing in if the running
/// set is empty, which keeps the variant sound on acyclic graphs in a topological order. Unsound on loops, see the top
/// of this header.
/// \pre the order was made for g. Complexity: linear in edges and result.
template <graph_argument G>
[[nodiscard]] constexpr frontier_sets<graph_t<G>> thread_frontiers_ocelot(G&& g,
                                                                          const priority_order<graph_t<G>>& order,
                                                                          std::span<const unsigned char> uniform = {}) {
  return frontier_sets<graph_t<G>>(g, order, uniform, frontier_rule::ocelot);
}

/// The statistics of the paper's Algorithm 1, or of GPU Ocelot's variant, without the sets, which may be quadratic: the
/// result of thread_frontiers_algorithm_1(g, order, uniform).statistics(sentinel). The sentinel is a dense block id;
/// no_block: there is no sentinel.
/// \pre as there; `rule` is not the fixpoint. Complexity: linear in blocks and edges, in time and memory.
template <flow_graph G>
[[nodiscard]] constexpr frontier_statistics one_pass_statistics(const G& g, const priority_order<G>& order,
                                                                std::span<const unsigned char> uniform = {},
                                                                frontier_rule rule = frontier_rule::algorithm_1,
                                                                block_id sentinel = no_block) {
  dense::frontier_sets sets;
  return sets.count(detail::kept_shape<G>().of(g), order.ids(), uniform, rule, sentinel);
}

}  // namespace v0
}  // namespace simtflow
