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
/// A model may also have these members, as for meldable_code:
///
///   likelihood(b)     a branch_likelihood: how often warps diverge at the branch that ends b. Without this member:
///                     half of the warps diverge, the others go either way equally often
///   frequency(b)      how often warps execute b, as a double. A region without executions stays as it is; a branch of
///                     more than two ways takes each of them in proportion. Without this member: all blocks are
///                     executed equally often
template <class M>
concept linearizable_code = requires(const M& m, block_id b) {
  { m.is_divergent(b) } -> std::convertible_to<bool>;
}
&&(weighed_code<M> || requires(const M& m, block_id b) {
  { m.weight(b) } -> std::convertible_to<std::uint32_t>;
});

/// The weights of the things that linearization adds and takes away.
struct linearization_costs {
  std::uint32_t guard = 6;       ///< a guard: a comparison and a branch
  std::uint32_t range = 3;       ///< more for a guard that lets a range of values pass
  std::uint32_t assignment = 3;  ///< an edge that sets the variable
  std::uint32_t branch = 3;      ///< a branch that the code needs no longer
  std::uint32_t divergence = 3;  ///< what a branch weighs more if the threads of a warp part at it

  /// The costs where each of these instructions weighs so much.
  [[nodiscard]] static constexpr linearization_costs of_instructions(std::uint32_t weight) {
    return {2 * weight, weight, weight, weight, weight};
  }
};

}  // namespace v0
}  // namespace simtflow
