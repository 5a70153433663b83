// SPDX-License-Identifier: BSL-1.0
//
// The checks of simt/policy_registry.hpp.
#pragma once

#include <simtflow/simt/policy_registry.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace simtflow {
inline namespace v0 {
namespace detail {

inline std::string why_no_name(std::string_view name) {
  if (name.empty()) return "the name is empty";
  for (const char c : name)
    if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_'))
      return "the name holds other characters than letters, digits, - and _";
  if (name.front() == '-') return "the name begins with -";
  return {};
}

// Empty: the parameter is well-formed.
inline std::string why_no_parameter(const policy_parameter& p) {
  if (std::string why = why_no_name(p.name); !why.empty()) return why;
  if (const std::size_t dots = p.values.find(".."); dots != std::string_view::npos) {
    const auto low = whole_number(p.values.substr(0, dots)), high = whole_number(p.values.substr(dots + 2));
    if (!low || !high || *low > *high) return quoted(p.values) + " is no range of whole numbers";
  } else {
    for (const std::string_view word : pieces_of(p.values, '|'))
      if (word.empty() || word.find_first_of(",=:") != std::string_view::npos)
        return quoted(p.values) + " is neither words with | between them nor a range LOW..HIGH";
  }
  const diagnostics wrong = policy_settings(std::span(&p, 1)).apply(std::string(p.name) + '=' + std::string(p.normal));
  return wrong.empty() ? std::string() : "of its normal value: " + wrong[0].message;
}

inline diagnostics add_registered(std::string_view name, policy_description about,
                                  std::unique_ptr<registered_policy> policy) {
  const auto refused = [&](const std::string& why) {
    return diagnostics{{{}, "a policy cannot be registered as " + quoted(name) + ": " + why}};
  };
  if (std::string why = why_no_name(name); !why.empty()) return refused(why);
  if (name == "all") return refused("the name stands for all policies");
  for (const policy_info& info : known_policies())
    if (info.name == name || info.family == name) return refused("a policy that ships has this name");
  for (const policy_alias& alias : policy_aliases())
    if (alias.name == name) return refused("a policy that ships has this name");
  if (find_registered(name) != nullptr) return refused("another registered policy has this name");
  for (std::size_t i = 0; i < about.parameters.size(); ++i) {
    const policy_parameter& p = about.parameters[i];
    const std::string which = "parameter " + quoted(p.name) + ": ";
    if (std::string why = why_no_parameter(p); !why.empty()) return refused(which + why);
    for (std::size_t k = 0; k < i; ++k)
      if (about.parameters[k].name == p.name) return refused(which + "it stands twice");
  }
  policy->parameters = std::move(about.parameters);
  policy->info = {name, about.what, about.paper, about.needs, name, policy->parameters, {}, *about.barriers};
  registered_policies().push_back(std::move(policy));
  return {};
}

}  // namespace detail
}  // namespace v0
}  // namespace simtflow
