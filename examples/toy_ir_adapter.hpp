// SPDX-License-Identifier: BSL-1.0
//
// Shared by 19_adapt_a_compiler.cpp and its solutions: all that a compiler with the IR of toy_ir.hpp writes to have
// every analysis, in its own types. One struct says what a graph is, one class says who uses which value where.
#pragma once

#include "toy_ir.hpp"
#include <simtflow/analysis/def_use_program.hpp>
#include <simtflow/graph/check.hpp>
#include <simtflow/graph/traits.hpp>

#include <cstddef>
#include <vector>

// [traits]
template <>
struct simtflow::graph_traits<ir::function> {
  using vertex = const ir::block*;
  static std::size_t num_vertices(const ir::function& f) { return f.blocks.size(); }
  static std::size_t index(const ir::function&, vertex b) { return b->id; }
  static vertex vertex_at(const ir::function& f, std::size_t i) { return f.blocks[i].get(); }
  static vertex entry(const ir::function& f) { return f.blocks.front().get(); }
  static const auto& successors(const ir::function&, vertex b) { return b->successors; }
};
static_assert(simtflow::check_adapter<ir::function>());
// [/traits]

// [values]
class ir_values {
 public:
  using value = simtflow::value_id;  // the number of an instruction
  explicit ir_values(const ir::function& f) : f_(&f) {}
  const ir::instruction& operator[](value v) const { return *f_->instructions[index_of(v)]; }

  std::size_t num_values() const { return f_->instructions.size(); }
  const ir::block* block_of(value v) const { return (*this)[v].where; }
  bool is_phi(value v) const { return (*this)[v].what == ir::opcode::phi; }
  std::vector<simtflow::phi_input<const ir::block*>> inputs(value v) const {
    std::vector<simtflow::phi_input<const ir::block*>> all;
    for (std::size_t k = 0; k < (*this)[v].operands.size(); ++k)
      all.push_back({(*this)[v].from[k], id((*this)[v].operands[k])});
    return all;
  }
  std::vector<value> operands(value v) const {
    std::vector<value> all;
    for (const ir::instruction* i : (*this)[v].operands) all.push_back(id(i));
    return all;
  }
  value condition(const ir::block* b) const { return b->condition == nullptr ? simtflow::no_value : id(b->condition); }
  bool is_source(value v) const { return (*this)[v].what == ir::opcode::thread_number; }
  bool is_always_uniform(value v) const { return (*this)[v].what == ir::opcode::vote; }

  static value id(const ir::instruction* i) { return value(i->id); }

 private:
  const ir::function* f_;
};
static_assert(simtflow::check_def_use<ir_values, ir::function>());
// [/values]
