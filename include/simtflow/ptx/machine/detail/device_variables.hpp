// SPDX-License-Identifier: BSL-1.0
//
// The variables of a module that a device memory holds.
#pragma once

#include <simtflow/diagnostic.hpp>
#include <simtflow/ptx/machine/decoded_kernel.hpp>
#include <simtflow/ptx/machine/detail/by_name.hpp>
#include <simtflow/ptx/text/module.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

inline bool is_in_device_memory(const variable& v) {
  return v.space == state_space::global || v.space == state_space::constant;
}

// All .global and .const variables, with addresses of functions in initialisers as numbers of functions. Reports to
// `wrong` an initialiser that takes the address of something without one, and two variables of one name.
inline std::vector<variable> device_variables(const module& m, simtflow::diagnostics& wrong) {
  by_name<const variable*> known;
  by_name<std::uint32_t> functions;
  std::vector<variable> all;
  const auto add = [&](const variable& v) {
    if (v.space != state_space::global && v.space != state_space::constant) {
      known.try_emplace(v.name, &v);
    } else if (!v.is_extern) {
      const auto [at, fresh] = known.try_emplace(v.name, &v);
      if (!fresh && !is_in_device_memory(*at->second))
        at->second = &v;
      else if (!fresh)
        add_diagnostic(wrong, v.where,
                       "there is another ." + std::string(to_string(v.space)) + " variable '" + v.name + "'");
      all.push_back(v);
    }
  };
  for (const variable& v : m.variables) add(v);
  for (const function& f : m.functions)
    for (const variable& v : f.variables) add(v);
  for (const function& k : m.kernels)
    for (const variable& v : k.variables) add(v);
  for (std::uint32_t f = 0; f < m.functions.size(); ++f) functions.try_emplace(m.functions[f].name, f);
  const std::vector<std::uint32_t> behind_alias = resolve_aliases(m);
  for (variable& v : all)
    for (relocation& r : v.relocations) {
      const auto of_variable = known.find(r.symbol);
      if (of_variable != known.end() && is_in_device_memory(*of_variable->second)) continue;
      if (const auto f = functions.find(r.symbol); f != functions.end() && of_variable == known.end())
        r.function = behind_alias[f->second];
      else
        add_diagnostic(wrong, v.where,
                       "the initialiser of '" + v.name + "' takes the address of '" + r.symbol +
                           "', which has none in device memory");
    }
  return all;
}

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
