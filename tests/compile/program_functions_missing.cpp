// SPDX-License-Identifier: BSL-1.0
// One function at a time is left out of a program in SSA form, or is another one: the error is short and names it.
// FIRST: 10 lines
// AT MOST: 12 lines
// REJECT(num_values): the program lacks `std::size_t num_values() const`
// REJECT(block_of): the program lacks `vertex block_of(value_id) const`
// REJECT(is_phi): the program lacks `bool is_phi(value_id) const`
// REJECT(inputs): the program lacks `range inputs(value_id) const`
// REJECT(inputs_type): inputs() of the program must work in a range-for and yield phi_input<vertex>
// REJECT(operands): the program lacks `range operands(value_id) const`
// REJECT(operands_type): operands() of the program must work in a range-for and yield value_id
// REJECT(condition): the program lacks `value_id condition(vertex) const`
// REJECT(is_source): the program lacks `bool is_source(value_id) const`
// REJECT(is_always_uniform): the program lacks `bool is_always_uniform(value_id) const`
#include <simtflow/analysis/def_use_program.hpp>
#include <simtflow/graph/csr.hpp>

#include <cstddef>
#include <vector>

using simtflow::value_id;

struct program {
#if !defined(REJECT_num_values)
  std::size_t num_values() const;
#endif
#if !defined(REJECT_block_of)
  simtflow::block_id block_of(value_id) const;
#endif
#if !defined(REJECT_is_phi)
  bool is_phi(value_id) const;
#endif
#if defined(REJECT_inputs_type)
  std::vector<value_id> inputs(value_id) const;
#elif !defined(REJECT_inputs)
  std::vector<simtflow::phi_input<simtflow::block_id>> inputs(value_id) const;
#endif
#if defined(REJECT_operands_type)
  std::vector<unsigned> operands(value_id) const;
#elif !defined(REJECT_operands)
  std::vector<value_id> operands(value_id) const;
#endif
#if !defined(REJECT_condition)
  value_id condition(simtflow::block_id) const;
#endif
#if !defined(REJECT_is_source)
  bool is_source(value_id) const;
#endif
#if !defined(REJECT_is_always_uniform)
  bool is_always_uniform(value_id) const;
#endif
};
static_assert(simtflow::check_def_use<program, simtflow::csr_graph>());
