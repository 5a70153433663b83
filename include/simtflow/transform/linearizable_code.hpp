// SPDX-License-Identifier: BSL-1.0
//
// The concept of code that is linearized where it pays: what linearize_where_it_pays.hpp asks of blocks and branches.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/transform/branch_likelihood.hpp>
#include <simtflow/transform/profitability.hpp>

#include <concepts>
#include <cstdint>

namespace simtflow {
inline namespace v0 {

/// The code that the decision about a region needs to know. Blocks have dense ids.
///
///   is_divergent(b)   True if threads may disagree at the branch that ends b
///   weight(b)         what an execution of b by a warp weighs, its branch included. Code without this member is
///                     weighed_code: a block then weighs the sum of its latencies, and its branch as costs say
///
/// A model may also have these members, the last two as for meldable_code:
///
///   instructions(b)   how many instructions b has, its branch included. A region then has to become cheaper by weight
///                     and must not execute more instructions
///   likelihood(b)     a branch_likelihood: how often warps diverge at the branch that ends b. The default, as without
///                     this member, stands for an unknown branch: see linearization_costs
///   frequency(b)      how often warps execute b, as a double. A region without executions stays as it is; threads at a
///                     branch of more than two ways take each of them in proportion. Without this member: all blocks
///                     are executed equally often
template <class M>
concept linearizable_code = requires(const M& m, block_id b) {
  { m.is_divergent(b) } -> std::convertible_to<bool>;
}
&&(weighed_code<M> || requires(const M& m, block_id b) {
  { m.weight(b) } -> std::convertible_to<std::uint32_t>;
});

/// The instructions that linearization adds and takes away.
struct linearization_counts {
  std::uint32_t guard = 2;       ///< a guard: a comparison and a branch
  std::uint32_t range = 1;       ///< more for a guard that lets a range of values pass
  std::uint32_t assignment = 1;  ///< an edge that sets the variable
  std::uint32_t branch = 1;      ///< a branch that the code needs no longer
};

/// The weights of the things that linearization adds and takes away.
struct linearization_costs {
  std::uint32_t guard = 6;       ///< a guard: a comparison and a branch
  std::uint32_t range = 3;       ///< more for a guard that lets a range of values pass
  std::uint32_t assignment = 3;  ///< an edge that sets the variable
  std::uint32_t branch = 3;      ///< a branch that the code needs no longer
  std::uint32_t divergence = 3;  ///< what a branch weighs more if the threads of a warp diverge at it
  linearization_counts counts;   ///< the same in instructions

  double parted = 0.85;  ///< unknown branches: the likelihood that the threads of a warp diverge there
  double stays = 0.875;  ///< unknown branches that leave a loop: the likelihood that a warp that agrees stays in it
  double margin = 0.05;  ///< the part of its cost that a region with an unknown branch must save

  /// The costs where each of these instructions weighs so much.
  [[nodiscard]] static constexpr linearization_costs of_instructions(std::uint32_t weight) {
    linearization_costs costs;
    costs.guard = 2 * weight;
    costs.range = costs.assignment = costs.branch = costs.divergence = weight;
    return costs;
  }
};

}  // namespace v0
}  // namespace simtflow
