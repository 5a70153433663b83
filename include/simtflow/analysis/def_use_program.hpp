// SPDX-License-Identifier: BSL-1.0
//
// A program in SSA form over the blocks of a graph, as far as an analysis of its values looks: who uses which value
// where. A class of one's own models the concept def_use_program in about ten lines; testing/ssa_programs.hpp has a
// model for tests, ptx/transform/def_use.hpp one for PTX functions.
//
// Two checks of a model, for one's own tests: check_def_use<P, G>() says at compile time, one sentence per requirement,
// what P lacks; validate(g, program) says at run time where its answers contradict the graph (validate_program.hpp).
//
//   static_assert(simtflow::check_def_use<ir::program, ir::function>());
#pragma once

#include <simtflow/graph/traits.hpp>
#include <simtflow/strong_id.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>

namespace simtflow {
inline namespace v0 {

/// A value of a program in SSA form, or an instruction that uses values and computes none: 0 .. num_values() - 1.
enum class value_id : std::uint32_t {};

/// No value: an undefined input of a phi, or the condition of a block that does not choose.
inline constexpr value_id no_value{0xFFFF'FFFFU};

/// The value that a phi takes if control comes from block `from`. V is a vertex type. (A type of one's own with these
/// two members will do.)
template <class V>
struct phi_input {
  V from;                     ///< the block that control comes from
  value_id value = no_value;  ///< no_value: undefined there, so it may be anything
};

namespace detail {

template <class R, class V>
concept phi_inputs_over = requires(R&& r) {
  { adl::first(r) != adl::last(r) } -> std::convertible_to<bool>;
  { (*adl::first(r)).from } -> std::convertible_to<V>;
  { (*adl::first(r)).value } -> std::convertible_to<value_id>;
};

}  // namespace detail

/// A program over the blocks of a graph with vertices V.
///
///   num_values()          the number of values
///   block_of(v)           the block in which v is computed
///   is_phi(v)             true if v is chosen by the edge that control takes into its block, at the beginning of the
///                         block
///   inputs(v)             for a phi: a range of phi_input, one for each block with an edge to the block of v. An
///                         analysis asks only for phis
///   operands(v)           for any other value: a range of value_id, the values that it is computed from. An analysis
///                         asks only for these values
///   condition(b)          the value that chooses among the successors of b; no_value if threads that are in b together
///                         always leave it together (one successor, or the model knows otherwise)
///   is_source(v)          true if v may differ between threads that are together, whatever its operands are
///   is_always_uniform(v)  true if v is the same in threads that are together, whatever its operands are (a vote)
///
/// Semantic requirements, which validate(g, program) checks (all but the second):
///
///   SSA form              the block of an operand or a condition dominates the block that uses it; the block of a
///                         phi's input dominates the block that the input comes from
///   functions             a value that is neither phi nor source is a function of its operands and of facts on which
///                         all threads agree in every instance
///   sources               are not always uniform
template <class P, class V>
concept def_use_program = requires(const P& p, value_id v, const V& b) {
  { p.num_values() } -> std::convertible_to<std::size_t>;
  { p.block_of(v) } -> std::convertible_to<V>;
  { p.is_phi(v) } -> std::convertible_to<bool>;
  requires detail::phi_inputs_over<decltype(p.inputs(v)), V>;
  requires detail::iterable_over<decltype(p.operands(v)), value_id>;
  { p.condition(b) } -> std::convertible_to<value_id>;
  { p.is_source(v) } -> std::convertible_to<bool>;
  { p.is_always_uniform(v) } -> std::convertible_to<bool>;
};

/// Explains by static_assert what keeps P from being a def_use_program over the vertices of G; true if nothing does. At
/// most ten lines for one function that is missing.
template <class P, flow_graph G>
consteval bool check_def_use() {
  using V = vertex_t<G>;
  // Each has a name, because the compiler repeats the condition that failed.
  constexpr bool has_num_values = requires(const P& p) {
    { p.num_values() } -> std::convertible_to<std::size_t>;
  };
  static_assert(has_num_values, "simtflow: the program lacks `std::size_t num_values() const`");
  constexpr bool has_block_of = requires(const P& p, value_id v) {
    { p.block_of(v) } -> std::convertible_to<V>;
  };
  static_assert(has_block_of, "simtflow: the program lacks `vertex block_of(value_id) const`");
  constexpr bool has_is_phi = requires(const P& p, value_id v) {
    { p.is_phi(v) } -> std::convertible_to<bool>;
  };
  static_assert(has_is_phi, "simtflow: the program lacks `bool is_phi(value_id) const`");
  constexpr bool has_inputs = requires(const P& p, value_id v) { p.inputs(v); };
  static_assert(has_inputs, "simtflow: the program lacks `range inputs(value_id) const`");
  if constexpr (has_inputs) {
    constexpr bool yields_inputs = requires(const P& p, value_id v) {
      requires detail::phi_inputs_over<decltype(p.inputs(v)), V>;
    };
    static_assert(yields_inputs,
                  "simtflow: inputs() of the program must work in a range-for and yield phi_input<vertex>, or a type "
                  "with its members `from` and `value`");
  }
  constexpr bool has_operands = requires(const P& p, value_id v) { p.operands(v); };
  static_assert(has_operands, "simtflow: the program lacks `range operands(value_id) const`");
  if constexpr (has_operands) {
    constexpr bool yields_values = requires(const P& p, value_id v) {
      requires detail::iterable_over<decltype(p.operands(v)), value_id>;
    };
    static_assert(yields_values, "simtflow: operands() of the program must work in a range-for and yield value_id");
  }
  constexpr bool has_condition = requires(const P& p, const V& b) {
    { p.condition(b) } -> std::convertible_to<value_id>;
  };
  static_assert(has_condition, "simtflow: the program lacks `value_id condition(vertex) const`");
  constexpr bool has_is_source = requires(const P& p, value_id v) {
    { p.is_source(v) } -> std::convertible_to<bool>;
  };
  static_assert(has_is_source, "simtflow: the program lacks `bool is_source(value_id) const`");
  constexpr bool has_is_always_uniform = requires(const P& p, value_id v) {
    { p.is_always_uniform(v) } -> std::convertible_to<bool>;
  };
  static_assert(has_is_always_uniform, "simtflow: the program lacks `bool is_always_uniform(value_id) const`");
  return true;  // the compiler has said what is missing
}

}  // namespace v0
}  // namespace simtflow
