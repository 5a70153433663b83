// SPDX-License-Identifier: BSL-1.0
//
// A program in SSA form, as far as analyses of its values look: who uses which value where.
#pragma once

#include <simtflow/strong_id.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>

namespace simtflow {
inline namespace v0 {

/// A value of a program in SSA form, or an instruction without one that uses values: 0 .. num_values() - 1.
enum class value_id : std::uint32_t {};

/// "No value": an undefined input of a phi, the condition of a block that does not choose.
inline constexpr value_id no_value{0xFFFF'FFFFU};

/// What a phi takes where control comes from block `from`. V is a vertex type. (A type of one's own with these two
/// members will do.)
template <class V>
struct phi_input {
  V from;                     ///< where control comes from
  value_id value = no_value;  ///< no_value: undefined there, so it may be anything
};

/// A program over the blocks of a graph with vertices V, as far as the analysis looks: who uses which value where.
///
///   num_values()          how many there are
///   block_of(v)           where v is computed
///   is_phi(v)             v is chosen by the edge that control takes into its block, at the beginning of the block
///   inputs(v)             of a phi: a range of phi_input, one for each block with an edge to v's. The analysis asks
///                         only for phis
///   operands(v)           of another: a range of value_id, what it is computed from. The analysis asks only for these
///   condition(b)          the value that chooses among the successors of b; no_value if threads that are in b together
///                         always leave it together (one successor, or it is known otherwise)
///   is_source(v)          v may differ between threads that are together, whatever its operands are
///   is_always_uniform(v)  v is the same in threads that are together, whatever its operands are (a vote)
///
/// Semantic requirements: SSA form (the block of an operand dominates that of its user, that of a phi's input dominates
/// the block it comes from); a value that is neither phi nor source is a function of its operands and of what all
/// threads agree on in every instance; sources are not always uniform.
template <class P, class V>
concept def_use_program = requires(const P& p, value_id v, const V& b) {
  { p.num_values() } -> std::convertible_to<std::size_t>;
  { p.block_of(v) } -> std::convertible_to<V>;
  { p.is_phi(v) } -> std::convertible_to<bool>;
  p.inputs(v);
  p.operands(v);
  { p.condition(b) } -> std::convertible_to<value_id>;
  { p.is_source(v) } -> std::convertible_to<bool>;
  { p.is_always_uniform(v) } -> std::convertible_to<bool>;
};

}  // namespace v0
}  // namespace simtflow
