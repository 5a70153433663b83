// SPDX-License-Identifier: BSL-1.0
//
// The reader of the names of simt/policy_names.hpp.
#pragma once

#include <simtflow/simt/detail/policy_table.hpp>
#include <simtflow/simt/detail/registered_policies.hpp>
#include <simtflow/simt/detail/spelling.hpp>
#include <simtflow/simt/policy_names.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace detail {

inline std::vector<std::string_view> pieces_of(std::string_view text, char between) {
  std::vector<std::string_view> pieces;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t found = text.find(between, at), end = found < text.size() ? found : text.size();
    pieces.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return pieces;
}

// "a, b, c".
template <class Words>
std::string joined_words(const Words& words) {
  std::string all;
  for (const auto& word : words) {
    if (!all.empty()) all += ", ";
    all += word;
  }
  return all;
}

inline std::optional<std::uint64_t> whole_number(std::string_view text) {
  std::uint64_t n = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    const std::uint64_t digit = static_cast<std::uint64_t>(c - '0');
    if (n > (~std::uint64_t{0} - digit) / 10) return std::nullopt;
    n = 10 * n + digit;
  }
  if (text.empty()) return std::nullopt;
  return n;
}

inline std::string quoted(std::string_view text) { return '"' + std::string(text) + '"'; }

}  // namespace detail

inline policy_settings::policy_settings(std::span<const policy_parameter> parameters) : parameters_(parameters) {
  for (const policy_parameter& p : parameters) values_.emplace_back(p.normal);
}

inline std::size_t policy_settings::index(std::string_view parameter) const {
  std::size_t i = 0;
  while (i < parameters_.size() && parameters_[i].name != parameter) ++i;
  return i;
}

inline std::string policy_settings::set(std::string_view parameter, std::string_view value) {
  const std::size_t i = index(parameter);
  if (i == parameters_.size()) {
    std::vector<std::string> names;
    for (const policy_parameter& p : parameters_) names.emplace_back(p.name);
    if (names.empty()) return "it has no parameters, so no " + detail::quoted(parameter);
    return "it has no parameter " + detail::quoted(parameter) + detail::did_you_mean(parameter, names) +
           "; there are " + detail::joined_words(names);
  }
  const std::string_view values = parameters_[i].values;
  if (const std::size_t dots = values.find(".."); dots != std::string_view::npos) {
    const auto low = detail::whole_number(values.substr(0, dots)), high = detail::whole_number(values.substr(dots + 2));
    const auto given = detail::whole_number(value);
    if (!given || *given < *low || *given > *high)
      return std::string(parameter) + " is a whole number from " + std::to_string(*low) + " to " +
             std::to_string(*high) + ", not " + detail::quoted(value);
    values_[i] = std::to_string(*given);
    return {};
  }
  const auto words = detail::pieces_of(values, '|');
  for (const std::string_view word : words)
    if (word == value) {
      values_[i] = value;
      return {};
    }
  return std::string(parameter) + " is one of " + detail::joined_words(words) + ", not " + detail::quoted(value);
}

inline diagnostics policy_settings::apply(std::string_view text) {
  std::vector<std::string_view> seen;
  for (const std::string_view piece : detail::pieces_of(text, ',')) {
    const std::size_t equals = piece.find('=');
    if (equals == std::string_view::npos) return {{{}, detail::quoted(piece) + " is not of the form PARAMETER=VALUE"}};
    const std::string_view name = piece.substr(0, equals);
    for (const std::string_view before : seen)
      if (before == name) return {{{}, "parameter " + detail::quoted(name) + " stands twice"}};
    seen.push_back(name);
    if (std::string wrong = set(name, piece.substr(equals + 1)); !wrong.empty()) return {{{}, std::move(wrong)}};
  }
  return {};
}

inline std::size_t policy_settings::place(std::string_view parameter) const {
  const std::size_t i = index(parameter);
  SIMTFLOW_EXPECTS(i < values_.size(), "the policy has that parameter");
  const auto words = detail::pieces_of(parameters_[i].values, '|');
  std::size_t at = 0;
  while (at < words.size() && words[at] != values_[i]) ++at;
  return at;
}

inline std::uint64_t policy_settings::number(std::string_view parameter) const {
  const std::size_t i = index(parameter);
  SIMTFLOW_EXPECTS(i < values_.size(), "the policy has that parameter");
  return detail::whole_number(values_[i]).value_or(0);
}

inline std::string policy_settings::text() const {
  std::string all;
  for (std::size_t i = 0; i < values_.size(); ++i)
    all += (i == 0 ? "" : ",") + std::string(parameters_[i].name) + '=' + values_[i];
  return all;
}

inline std::span<const policy_info> known_policies() { return detail::named_policies::table; }
inline std::span<const policy_alias> policy_aliases() { return detail::named_policies::aliases; }

inline std::vector<const policy_info*> registered_policies() {
  std::vector<const policy_info*> all;
  for (const auto& one : detail::registered_policies()) all.push_back(&one->info);
  return all;
}

inline result<policy_choice> choose_policy(std::string_view text) {
  const std::size_t colon = text.find(':');
  std::string_view name = text.substr(0, colon);
  for (const policy_alias& alias : policy_aliases())
    if (name == alias.name) name = alias.real;
  const policy_info* found = nullptr;
  for (const policy_info& info : known_policies())
    if (info.name == name) found = &info;
  if (found == nullptr)
    if (const detail::registered_policy* own = detail::find_registered(name)) found = &own->info;
  if (found != nullptr) {
    policy_choice chosen{found, std::string(text), policy_settings(found->parameters)};
    diagnostics wrong;
    if (!found->preset.empty()) wrong = chosen.settings.apply(found->preset);
    if (wrong.empty() && colon != std::string_view::npos) wrong = chosen.settings.apply(text.substr(colon + 1));
    if (!wrong.empty()) return wrong;
    return chosen;
  }
  std::vector<std::string> names;
  for (const policy_info& info : known_policies()) names.emplace_back(info.name);
  for (const policy_info* info : registered_policies()) names.emplace_back(info->name);
  return diagnostics{{{},
                      "there is no policy " + detail::quoted(name) + detail::did_you_mean(name, names) +
                          "; there are " + detail::joined_words(names)}};
}

}  // namespace v0
}  // namespace simtflow
