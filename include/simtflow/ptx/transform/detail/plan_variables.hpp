// SPDX-License-Identifier: BSL-1.0
//
// The variables of a plan: the registers that hold them, the instructions of edges that set them, and the tests of
// guards.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/detail/search.hpp>
#include <simtflow/ptx/text/module.hpp>
#include <simtflow/ptx/transform/detail/function_writer.hpp>
#include <simtflow/ptx/transform/detail/new_operands.hpp>
#include <simtflow/ptx/transform/detail/rewrite_graph.hpp>
#include <simtflow/transform/plan.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

class plan_variables {
 public:
  plan_variables(const function& text, const rewrite_graph& graph, function_writer& w)
      : text_(text), graph_(graph), w_(w) {}

  // Declares a variable. Numbers ascend. If `zero`, it is zero at the beginning of the function.
  void declare(std::uint32_t variable, bool zero) { variables_.push_back({variable, no_index, zero}); }

  // Makes the registers that variables and guards need.
  void make_registers() {
    pass_ = w_.add_register(scalar_type::pred);
    over_ = w_.add_register(scalar_type::b32);
    for (held& v : variables_) v.reg = w_.add_register(scalar_type::b32);
  }
  void name_registers() {
    w_.registers[pass_].name = w_.names.fresh("%pass");
    w_.registers[over_].name = w_.names.fresh("%over");
    for (const held& v : variables_) w_.registers[v.reg].name = w_.names.fresh("%guard" + std::to_string(v.number));
  }
  // The predicate that test() writes.
  [[nodiscard]] std::uint32_t pass() const { return pass_; }

  void set_zeros() {
    for (const held& v : variables_)
      if (v.zero) set({v.number, 0});
  }
  void set(plan_assignment a, std::uint32_t condition = no_index, bool negated = false) {
    w_.append("mov.u32", {register_operand(register_of(a.variable)), number_operand(a.value)}, condition, negated);
  }

  // Sets the variables of the two edges of a branch.
  void set_two(const rewrite_graph::node& n) {
    const auto taken = graph_.sets_of(n.taken), other = graph_.sets_of(n.other);
    for (const plan_assignment& a : taken) {
      const plan_assignment* b = find(other, a.variable);
      if (b == nullptr)
        set(a, n.condition, n.negated);
      else if (b->value == a.value)
        set(a);
      else
        w_.append("selp.u32",
                  {register_operand(register_of(a.variable)), number_operand(n.negated ? b->value : a.value),
                   number_operand(n.negated ? a.value : b->value), register_operand(n.condition)});
    }
    for (const plan_assignment& b : other)
      if (find(taken, b.variable) == nullptr) set(b, n.condition, !n.negated);
  }

  // Sets the variables of the edges of a table: once where all edges agree, else slot by slot where the index is the
  // slot.
  void set_by_table(const rewrite_graph::node& n, const instruction& brx) {
    const std::uint32_t num_slots = n.edges - (brx.guard != no_index ? 1 : 0);
    const operand index = text_.operands_of(brx)[0];
    std::vector<plan_assignment> common;
    if (num_slots > 0)
      for (const plan_assignment& a : graph_.sets_of(n.first_edge)) common.push_back(a);
    for (std::uint32_t k = 1; k < num_slots && !common.empty(); ++k) {
      std::size_t kept = 0;
      for (const plan_assignment& a : common) {
        const plan_assignment* b = find(graph_.sets_of(n.first_edge + k), a.variable);
        if (b != nullptr && b->value == a.value) common[kept++] = a;
      }
      common.resize(kept);
    }
    for (const plan_assignment& a : common) set(a, brx.guard, brx.guard_negated);
    for (std::uint32_t k = 0; k < num_slots; ++k) {
      bool tested = false;
      for (const plan_assignment& a : graph_.sets_of(n.first_edge + k)) {
        if (find(common, a.variable) != nullptr) continue;
        if (!tested && brx.guard == no_index) {
          w_.append("setp.eq.u32", {register_operand(pass_), index, number_operand(k)});
        } else if (!tested) {
          operand p = register_operand(brx.guard);
          p.negated = brx.guard_negated;
          w_.append("setp.eq.and.u32", {register_operand(pass_), index, number_operand(k), p});
        }
        tested = true;
        set(a, pass_);
      }
    }
    if (num_slots < n.edges)
      for (const plan_assignment& a : graph_.sets_of(n.first_edge + num_slots)) set(a, brx.guard, !brx.guard_negated);
  }

  // Writes the test of a guard: pass() holds if the variable is in the range.
  void test(const rewrite_graph::node& n) {
    const operand value = register_operand(register_of(n.variable));
    if (n.low == n.high) return w_.append("setp.eq.u32", {register_operand(pass_), value, number_operand(n.low)});
    if (n.low == 0) return w_.append("setp.le.u32", {register_operand(pass_), value, number_operand(n.high)});
    if (n.high == 0xFFFF'FFFFU)
      return w_.append("setp.ge.u32", {register_operand(pass_), value, number_operand(n.low)});
    w_.append("sub.u32", {register_operand(over_), value, number_operand(n.low)});
    w_.append("setp.le.u32", {register_operand(pass_), register_operand(over_), number_operand(n.high - n.low)});
  }

 private:
  struct held {
    std::uint32_t number;
    std::uint32_t reg;
    bool zero;
  };

  // \pre the variable is declared.
  std::uint32_t register_of(std::uint32_t variable) const {
    const std::size_t past = simtflow::detail::first_without(  // numbers ascend
        0, variables_.size(), [&](std::size_t i) { return variables_[i].number <= variable; });
    return variables_[past - 1].reg;
  }
  static const plan_assignment* find(std::span<const plan_assignment> list, std::uint32_t variable) {
    for (const plan_assignment& a : list)
      if (a.variable == variable) return &a;
    return nullptr;
  }

  const function& text_;
  const rewrite_graph& graph_;
  function_writer& w_;
  std::vector<held> variables_;
  std::uint32_t pass_ = no_index, over_ = no_index;
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
