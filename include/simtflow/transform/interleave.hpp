// SPDX-License-Identifier: BSL-1.0
//
// Branch interleaving: the arms of a branch in one row, block by block, in an order that the caller chooses, so that
// one arm hides the other's latency.
//
//   if (c) { load a; use a }      if (c) load a;  if (!c) load b;
//   else   { load b; use b }  ->  if (c) use a;   if (!c) use b;
//
// Each block takes a guard. interleave_phases.hpp takes one for each cut of the arms, interleave_order.hpp chooses cuts
// that save time; this header is for any other order.
//
// Literature: J. Anantpur, R. Govindarajan, Taming control divergence in GPUs through control flow linearization
// (2014), section 5.1.
#pragma once

#include <simtflow/analysis/cfg_facts.hpp>
#include <simtflow/analysis/unstructured.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/traits.hpp>
#include <simtflow/transform/detail/convergent.hpp>
#include <simtflow/transform/linearize.hpp>

#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// Puts the blocks between a branch and the block where its paths join in the caller's order (dense ids; any
/// permutation is right), so that independent blocks of one arm stand between a definition and its use in the other.
/// Split blocks first where that should happen within a block. Without optimizations, unless asked for: they would take
/// the arms apart again. Nothing happens if no block stands between.
///
/// The set is closed first: what jumps into it from elsewhere becomes part of it. For `convergent`, complexity and
/// graphs without anything to do see linearize_blocks().
template <graph_or_facts G, class Convergent = detail::nothing_convergent>
[[nodiscard]] constexpr linearization interleave(G&& g, const detail::vertex_in<G>& branch,
                                                 std::span<const block_id> order,
                                                 guard_optimization optimize = guard_optimization::none,
                                                 Convergent convergent = {}) {
  const block_id b = detail::index_in(g, branch);
  return detail::linearize_with(g, convergent,
                                [&](cfg_facts& facts, std::span<const unsigned char> table, linearization& result) {
                                  const csr_graph& shape = facts.graph();
                                  const block_id join = facts.post_dominators().ipdom(b);
                                  std::vector<block_id> arms;
                                  for (const block_id s : shape.successors(b))
                                    if (s != join) arms.push_back(s);
                                  dense::unstructured_flow flow;
                                  flow.start_sets(facts);
                                  closed_blocks set;
                                  flow.closure(shape, std::span<const block_id>(arms), set);
                                  detail::linearize_set(facts, std::span<const block_id>(set.blocks),
                                                        {loop_guards::component, optimize, order}, table, result);
                                });
}

}  // namespace v0
}  // namespace simtflow
