// SPDX-License-Identifier: BSL-1.0
//
// Guard linearization (linearize.hpp) of the regions where the expected cost falls. As long as the threads of a warp
// agree, unstructured code costs nothing more than structured code, and guards cost something: linearization pays where
// warps diverge often enough for shared blocks to be executed several times.
//
//   likelihoods, weights -> the region as it is, executed by some warps -> cost before, paths
//   paths, weights       -> the linearized region, executed by them     -> cost after
//
// A region is linearized if the second cost is lower, by weight and, as far as the code tells them, by instructions. If
// the likelihood of a branch is unknown, it has to be lower by a margin. Regions are asked from the outside in: inner
// regions are asked where the outer one does not pay, up to 16 of them in one another. The result lists the regions
// that stay as they are because they do not pay, with both costs.
//
// The paths belong to 8 warps of 32 threads. The code as it is is executed first, under the stack of post-dominators:
// at each fetch of a branch the threads that are together diverge, or agree on a way, as fixed numbers and the
// likelihoods tell; so the decision is the same everywhere. The linearized code is executed along the same paths. A
// path ends after 256 blocks.
//
// Unknown branches are guessed: threads diverge at most of them, and warps that agree mostly stay in loops.
//
// Literature: T. Ball, J. Larus, Branch prediction for free (1993), for branches that leave loops.
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
