// SPDX-License-Identifier: BSL-1.0
//
// Loop merging: a nest of loops becomes one loop, so that threads need not wait for each other's inner iterations.
//
// Literature: J. Anantpur, R. Govindarajan, Taming control divergence in GPUs through control flow linearization
// (2014), section 5.2.
#pragma once

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
template <flow_graph G, class Convergent = detail::nothing_convergent>
[[nodiscard]] constexpr linearization merge_loops(const G& g, const vertex_t<G>& header,
                                                  guard_optimization optimize = guard_optimization::full,
                                                  Convergent convergent = {}) {
  const auto h = static_cast<block_id>(graph_traits<G>::index(g, header));
  return detail::linearize_with(
      g, convergent, [&](const csr_graph& shape, std::span<const unsigned char> table, linearization& result) {
        dense::unstructured_flow flow;
        flow.recompute(shape);
        const loop_id l = flow.loops().innermost(h);
        closed_blocks set;
        if (l != no_loop && flow.loops().header(l) == h) flow.closure(shape, flow.loops().blocks(l), set);
        detail::linearize_set(shape, flow.ends(), flow.loops(), std::span<const block_id>(set.blocks),
                              {loop_guards::merge, optimize, {}}, table, result);
      });
}

}  // namespace v0
}  // namespace simtflow
