// SPDX-License-Identifier: BSL-1.0
//
// Checks of an order of the blocks: whether it has the properties that priorities.hpp names.
//
// Each check is true if the property holds, else it names the first counterexample in dense block ids. Blocks that the
// entry does not reach do not count, wherever they are listed. All checks expect that the order was made for g.
#pragma once

#include <simtflow/analysis/dense/priority_checks.hpp>
#include <simtflow/analysis/dominators.hpp>
#include <simtflow/analysis/loops.hpp>
#include <simtflow/analysis/order.hpp>
#include <simtflow/analysis/priority_order.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/snapshot.hpp>
#include <simtflow/graph/traits.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// Every edge that is no loop's way back to its header leads to a lower priority. Linear, given the loops.
template <flow_graph G>
[[nodiscard]] constexpr topological_check is_topological(const G& g, const priority_order<G>& order,
                                                         const loop_forest<G>& loops) {
  return dense::check_topological(detail::kept_shape<G>().of(g), order.ids(), loops.ids());
}
/// The same with a loop forest made for this call.
template <flow_graph G>
[[nodiscard]] constexpr topological_check is_topological(const G& g, const priority_order<G>& order) {
  return is_topological(g, order, loop_forest<G>(g));
}

/// The blocks of every loop are neighbours. Linear.
template <flow_graph G>
[[nodiscard]] constexpr contiguity_check is_loop_contiguous(const G&, const priority_order<G>& order,
                                                            const loop_forest<G>& loops) {
  return dense::check_contiguity(order.ids(), loops.ids());
}
/// The same with a loop forest made for this call.
template <flow_graph G>
[[nodiscard]] constexpr contiguity_check is_loop_contiguous(const G& g, const priority_order<G>& order) {
  return is_loop_contiguous(g, order, loop_forest<G>(g));
}

/// The blocks that each block dominates are neighbours. Linear.
template <flow_graph G>
[[nodiscard]] constexpr compactness_check is_dominance_compact(const G& g, const priority_order<G>& order,
                                                               const dominator_tree<G>& tree) {
  using traits = graph_traits<G>;
  if (static_cast<std::size_t>(traits::num_vertices(g)) == 0) return {};
  return dense::check_compactness(order.ids(), tree.ids(), static_cast<block_id>(traits::index(g, traits::entry(g))));
}
/// The same with a dominator tree made for this call.
template <flow_graph G>
[[nodiscard]] constexpr compactness_check is_dominance_compact(const G& g, const priority_order<G>& order) {
  return is_dominance_compact(g, order, dominator_tree<G>(g));
}

/// Every block but the entry has a predecessor of higher priority: what a machine needs that jumps conservatively to
/// the highest priority where threads may wait (TF-SANDY), lest it runs past some. Every order of the first three kinds
/// has it. Linear.
template <flow_graph G>
[[nodiscard]] constexpr precedence_check has_predecessors_above(const G& g, const priority_order<G>& order) {
  detail::kept_shape<G> kept;
  const csr_graph& shape = kept.of(g);
  dense::depth_first_order dfs;
  dfs.recompute(shape);
  return dense::check_precedence(shape, order.ids(), dfs);
}

/// Every barrier is where barrier_aware_order(g, barriers, rule) promises it; for below_reaching pairs of barriers on
/// one cycle count as broken. Linear.
template <flow_graph G>
[[nodiscard]] constexpr barrier_check respects_barriers(const G& g, const priority_order<G>& order,
                                                        std::span<const unsigned char> barriers,
                                                        barrier_rule rule = barrier_rule::below_all) {
  SIMTFLOW_EXPECTS(barriers.empty() || barriers.size() == static_cast<std::size_t>(graph_traits<G>::num_vertices(g)),
                   "one barrier flag per block, or none");
  detail::kept_shape<G> kept;
  const csr_graph& shape = kept.of(g);
  dense::depth_first_order dfs;
  dfs.recompute(shape);
  return dense::check_barriers(shape, order.ids(), barriers, rule, dfs);
}

/// The pairs of barriers that reach each other: no order puts each below the other, as the paper's rule asks. All else
/// that the rule asks can be met at once, and barrier_rule::below_reaching does. Linear in graph and result.
template <flow_graph G>
[[nodiscard]] constexpr std::vector<barrier_pair> unsatisfiable_barrier_pairs(const G& g,
                                                                              std::span<const unsigned char> barriers) {
  SIMTFLOW_EXPECTS(barriers.empty() || barriers.size() == static_cast<std::size_t>(graph_traits<G>::num_vertices(g)),
                   "one barrier flag per block, or none");
  std::vector<barrier_pair> pairs;
  if (barriers.empty()) return pairs;
  dense::loop_forest loops;
  loops.recompute(detail::kept_shape<G>().of(g));
  std::vector<block_id> found;
  for (const loop_id l : ids_below<loop_id>(loops.num_loops())) {
    if (loops.parent(l) != no_loop) continue;
    found.clear();
    for (const block_id b : loops.blocks(l))
      if (barriers[b]) found.push_back(b);
    for (std::size_t i = 0; i < found.size(); ++i)
      for (std::size_t k = i + 1; k < found.size(); ++k) pairs.push_back({found[i], found[k]});
  }
  return pairs;
}

}  // namespace v0
}  // namespace simtflow
