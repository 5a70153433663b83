// SPDX-License-Identifier: BSL-1.0
//
// The concept of code that can be melded: what meld.hpp asks of instructions and branches.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/transform/branch_likelihood.hpp>
#include <simtflow/transform/profitability.hpp>

#include <concepts>
#include <cstdint>

namespace simtflow {
inline namespace v0 {

/// The code that melding needs to know. Instructions are numbered over the function: block b has [first(b), last(b)),
/// without the branch that ends the block. opcode_class and latency are as for weighed_code. All latencies of a
/// function add up to less than 2^28.
///
///   compatible(i, j)   True if two instructions of one class may become one with selected operands. i is the left
///                      one, j the right one; the answer is the same with i and j exchanged. Instructions of different
///                      classes are never asked about.
///   overhead(i, j)     the weight of the selects and moves that this needs; the same with i and j exchanged
///   is_pinned(i)       True if the threads that execute i together must stay the same
///   is_divergent(b)    True if threads may disagree at the branch that ends b
///
/// A model may also have these members:
///
///   is_convergent(i)           for a pinned i: True if no branch with i in an arm may be melded. Without this member,
///                              every pinned instruction is convergent.
///   compatible_branches(b, c)  True if the branches that end b and c, which have as many successors, may become one.
///                              Without this member: yes.
///   can_force_branch(b)        True if the branch that ends b can be made to take a given slot. Without this member:
///                              two-way branches can.
///   likelihood(b)              a branch_likelihood: how often warps diverge at the branch that ends b. Without
///                              this member: half of the warps diverge, the others go either way equally often.
///   frequency(b)               how often warps execute b, as a double; only ratios to the first block of an arm count.
///                              Without this member: all blocks are executed equally often.
///   static bool classes_decide  constant and true: all instructions of a class are compatible, take the same time, and
///                               overhead is 0. Long blocks are then aligned by vectors (align/classes.hpp), which may
///                               miss the best alignment by a little.
template <class M>
concept meldable_code = weighed_code<M> && requires(const M& m, block_id b, std::uint32_t i, std::uint32_t j) {
  { m.compatible(i, j) } -> std::convertible_to<bool>;
  { m.overhead(i, j) } -> std::convertible_to<std::uint32_t>;
  { m.is_pinned(i) } -> std::convertible_to<bool>;
  { m.is_divergent(b) } -> std::convertible_to<bool>;
};

/// The likelihood that threads diverge at the branch that ends b: the model's, or the default. O(1)
template <meldable_code M>
[[nodiscard]] constexpr branch_likelihood likelihood_of(const M& code, block_id b) {
  if constexpr (requires { code.likelihood(b); })
    return code.likelihood(b);
  else
    return {};
}

/// How often warps execute b: the model's answer, or 1. Only ratios count. O(1)
template <meldable_code M>
[[nodiscard]] constexpr double frequency_of(const M& code, block_id b) {
  if constexpr (requires { code.frequency(b); })
    return code.frequency(b);
  else
    return 1;
}

}  // namespace v0
}  // namespace simtflow
