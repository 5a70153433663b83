// SPDX-License-Identifier: BSL-1.0
//
// Guard linearization (linearize.hpp) of the regions where the expected cost falls. As long as the threads of a warp
// agree, unstructured code costs nothing more than structured code, and guards cost something: linearization pays where
// warps diverge often enough for shared blocks to be executed several times.
//
//   code likelihood, weights -> paths of some warps through a region -> executed as it is   -> cost before
//                                                                    -> executed linearized -> cost after
//
// A region is linearized if the second cost is lower. Regions are asked from the outside in: inner regions are asked
// where the outer one does not pay, up to 16 of them in one another. The result lists the regions that stay as they are
// because they do not pay, with both costs.
//
// The paths belong to 8 warps of 32 threads. They are drawn from the likelihoods by a fixed sequence of numbers, so the
// decision is the same everywhere: at each visit of a branch the threads of a warp diverge, or agree on a way. Both
// executions take the same paths, under the stack of post-dominators. A path ends after 256 blocks.
#pragma once

#include <simtflow/analysis/cfg_facts.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/traits.hpp>
#include <simtflow/transform/detail/convergent.hpp>
#include <simtflow/transform/detail/linearizer.hpp>
#include <simtflow/transform/detail/region_weigher.hpp>
#include <simtflow/transform/linearizable_code.hpp>
#include <simtflow/transform/linearization.hpp>
#include <simtflow/transform/linearize.hpp>

#include <span>

namespace simtflow {
inline namespace v0 {

/// Linearizes the outermost unstructured regions of g that become cheaper by it. Regions that no divergent branch
/// matters to stay as they are, as in linearize().
///
/// `code` names blocks by dense id: of g, or of the plan if g is one. `convergent` and the plan are as for linearize().
///
/// Empty graph: nothing. Complexity: as linearize(), and near-linear in the size of each region that is asked about;
/// a block lies in at most 16 of them.
/// \pre check_adapter<G>() holds; nothing of g and `code` is kept.
/// Errors: none; linearization::refused lists convergent blocks, linearization::kept the regions that do not pay.
/// \snippet reference_test.cpp linearize_where_it_pays
template <graph_or_facts G, linearizable_code M, class Convergent = detail::nothing_convergent>
[[nodiscard]] constexpr linearization linearize_where_it_pays(G&& g, const M& code,
                                                              const linearize_options& options = {},
                                                              Convergent convergent = {},
                                                              const linearization_costs& costs = {}) {
  return detail::linearize_with(
      g, convergent, [&](cfg_facts& facts, std::span<const unsigned char> table, linearization& result) {
        using weigher = detail::region_weigher<>;
        detail::linearizer<csr_graph, weigher> work(weigher(detail::region_code_of(facts.graph(), code, costs)));
        work.run(facts, options, table, work.weigher().divergent(), result);
      });
}

}  // namespace v0
}  // namespace simtflow
