// SPDX-License-Identifier: BSL-1.0
//
// Loop merging: a nest of loops becomes one loop, so that threads need not wait for each other's inner iterations. The
// blocks of the nest become one row of guarded blocks, which is structured. merge_iterations.hpp takes one guard for
// the whole nest and estimates what it saves; this header is for results that have to be structured.
//
// At o4 a branch at the end of the nest may stand for the loop's guard. Lanes then wait there for the others, and
// nothing is gained if the inner loop tests at its end; up to o3 all lanes meet in front of the row.
//
// Literature: J. Anantpur, R. Govindarajan, Taming control divergence in GPUs through control flow linearization
// (2014), section 5.2.
#pragma once

#include <simtflow/analysis/cfg_facts.hpp>
#include <simtflow/analysis/loops.hpp>
#include <simtflow/analysis/unstructured.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/traits.hpp>
#include <simtflow/transform/detail/convergent.hpp>
#include <simtflow/transform/linearize.hpp>

#include <span>

namespace simtflow {
inline namespace v0 {

/// Merges loops: the loop with this header (see loops.hpp) and all loops in it become one. A thread that has
/// finished an inner loop continues with the next iteration of the outer loop and joins the others there. Blocks of the
/// outer loop alone are executed more often by a warp, blocks of inner loops less. Nothing happens if `header` heads no
/// loop. For `convergent` and complexity see linearize_blocks().
template <graph_or_facts G, class Convergent = detail::nothing_convergent>
[[nodiscard]] constexpr linearization merge_loops(G&& g, const detail::vertex_in<G>& header,
                                                  guard_optimization optimize = guard_optimization::o4,
                                                  Convergent convergent = {}) {
  const block_id h = detail::index_in(g, header);
  return detail::linearize_with(g, convergent,
                                [&](cfg_facts& facts, std::span<const unsigned char> table, linearization& result) {
                                  const dense::loop_forest& loops = facts.loops();
                                  const loop_id l = loops.innermost(h);
                                  closed_blocks set;
                                  if (l != no_loop && loops.header(l) == h) {
                                    dense::unstructured_flow flow;
                                    flow.start_sets(facts);
                                    flow.closure(facts.graph(), loops.blocks(l), set);
                                  }
                                  detail::linearize_set(facts, std::span<const block_id>(set.blocks),
                                                        {loop_guards::merge, optimize, {}}, table, result);
                                });
}

}  // namespace v0
}  // namespace simtflow
