// SPDX-License-Identifier: BSL-1.0
//
// Whether two PTX modules are the same but for the places in the text, and where they are not; whether a module reads
// back as it is printed.
#pragma once

#include "ptx/support.hpp"
#include <simtflow/ptx/text/module.hpp>
#include <simtflow/ptx/text/parser.hpp>
#include <simtflow/ptx/text/printer.hpp>
#include <simtflow/ptx/text/verifier.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <vector>

namespace simtflow_tests {

namespace ptx = simtflow::ptx;

inline bool same(const ptx::variable& a, const ptx::variable& b);
inline bool same(const ptx::register_info& a, const ptx::register_info& b);
inline bool same(const ptx::label& a, const ptx::label& b);
inline bool same(const ptx::call_prototype& a, const ptx::call_prototype& b);
inline bool same(const ptx::branch_table& a, const ptx::branch_table& b);
inline bool same(const ptx::call_target_list& a, const ptx::call_target_list& b);
inline bool same(const ptx::item& a, const ptx::item& b);
inline bool same(const ptx::operand& a, const ptx::operand& b);
inline bool same(const ptx::instruction& a, const ptx::instruction& b);
inline bool same(const ptx::performance_directive& a, const ptx::performance_directive& b);
inline bool same(const ptx::relocation& a, const ptx::relocation& b) {
  return a.offset == b.offset && a.size == b.size && a.shift == b.shift && a.symbol == b.symbol &&
         a.addend == b.addend && a.generic == b.generic;
}

template <class T>
bool same(const std::vector<T>& a, const std::vector<T>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!same(a[i], b[i])) return false;
  return true;
}

inline bool same(const ptx::variable& a, const ptx::variable& b) {
  return a.name == b.name && a.space == b.space && a.type == b.type && a.align == b.align && a.size == b.size &&
         a.is_extern == b.is_extern && a.initial == b.initial && same(a.relocations, b.relocations) &&
         a.link == b.link && a.opaque == b.opaque && a.width == b.width && a.extents == b.extents && a.reg == b.reg;
}
inline bool same(const ptx::register_info& a, const ptx::register_info& b) {
  return a.name == b.name && a.type == b.type && a.scope == b.scope && a.width == b.width &&
         a.declaration == b.declaration;
}
inline bool same(const ptx::label& a, const ptx::label& b) {
  return a.name == b.name && a.instruction == b.instruction && a.scope == b.scope && a.no_unroll == b.no_unroll;
}
inline bool same(const ptx::call_prototype& a, const ptx::call_prototype& b) {
  return a.name == b.name && same(a.results, b.results) && same(a.parameters, b.parameters) &&
         a.no_return == b.no_return && a.scope == b.scope;
}
inline bool same(const ptx::branch_table& a, const ptx::branch_table& b) {
  return a.name == b.name && a.targets == b.targets && a.scope == b.scope;
}
inline bool same(const ptx::call_target_list& a, const ptx::call_target_list& b) {
  return a.name == b.name && a.targets == b.targets && a.scope == b.scope;
}
inline bool same(const ptx::item& a, const ptx::item& b) {
  return a.kind == b.kind && a.index == b.index && a.instruction == b.instruction;
}
inline bool same(const ptx::operand& a, const ptx::operand& b) {
  return a.kind == b.kind && a.base == b.base && a.negated == b.negated && a.index == b.index && a.second == b.second &&
         a.count == b.count && a.selector == b.selector && a.bits == b.bits;
}
inline bool same(const ptx::instruction& a, const ptx::instruction& b) {
  return a.opcode == b.opcode && a.guard == b.guard && a.guard_negated == b.guard_negated &&
         a.first_operand == b.first_operand && a.num_operands == b.num_operands;
}
inline bool same(const ptx::performance_directive& a, const ptx::performance_directive& b) {
  return a.name == b.name && a.values == b.values;
}

/// The first thing that differs, into `why`.
inline bool same_function(const ptx::function& a, const ptx::function& b, std::string& why) {
  const auto differs = [&](const char* what, bool ok) {
    if (!ok && why.empty()) why = "function " + a.name + ": " + what;
  };
  differs("name", a.name == b.name);
  differs("heads", a.address_size == b.address_size && a.is_entry == b.is_entry && a.has_body == b.has_body &&
                       a.is_extern == b.is_extern && a.no_return == b.no_return && a.link == b.link &&
                       a.alias_of == b.alias_of);
  differs("results", same(a.results, b.results));
  differs("parameters", same(a.parameters, b.parameters));
  differs("variables", same(a.variables, b.variables));
  differs("registers", same(a.registers, b.registers));
  differs("labels", same(a.labels, b.labels));
  differs("prototypes", same(a.prototypes, b.prototypes));
  differs("branch tables", same(a.branch_tables, b.branch_tables));
  differs("call targets", same(a.call_targets, b.call_targets));
  differs("items", same(a.items, b.items));
  differs("instructions", same(a.instructions, b.instructions));
  differs("operands", same(a.operands, b.operands));
  differs("names", a.names == b.names);
  differs("scopes", a.num_scopes == b.num_scopes);
  differs("performance", same(a.performance, b.performance));
  for (int i = 0; i < 3; ++i)
    differs("threads", a.max_threads[i] == b.max_threads[i] && a.required_threads[i] == b.required_threads[i]);
  return why.empty();
}

inline bool same_module(const ptx::module& a, const ptx::module& b, std::string& why) {
  if (a.version != b.version || a.target != b.target || a.target_options != b.target_options ||
      a.address_size != b.address_size)
    why = "header";
  if (why.empty() && !same(a.variables, b.variables)) why = "variables";
  if (why.empty() && (a.kernels.size() != b.kernels.size() || a.functions.size() != b.functions.size()))
    why = "number of functions";
  for (std::size_t i = 0; i < a.functions.size() && why.empty(); ++i)
    same_function(a.functions[i], b.functions[i], why);
  for (std::size_t i = 0; i < a.kernels.size() && why.empty(); ++i) same_function(a.kernels[i], b.kernels[i], why);
  return why.empty();
}

/// `f` verifies, and its module reads back as it is printed.
inline void check_well_formed(const ptx::module& m, const ptx::function& f, const std::string& why) {
  const auto found = ptx::verify(m, f);
  const std::string printed = ptx::print(m);
  REQUIRE_MESSAGE(found.has_value(), text_of(found.diagnostics()) << printed << why);
  const auto again = ptx::parse(printed);
  REQUIRE_MESSAGE(again.has_value(), text_of(again.diagnostics()) << printed << why);
  std::string difference;
  if (!same_module(m, *again, difference)) FAIL(difference << "\n" << printed << why);
}

}  // namespace simtflow_tests
