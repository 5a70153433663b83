// SPDX-License-Identifier: BSL-1.0
//
// The policies that ship, by name, and their parameters:
//
//   NAME                          as it stands in the table
//   NAME:PARAMETER=VALUE,...      with other parameters: pdom:order=larger, tbc:lanes=permuted,likely=loops
//
// Some names stand for another name with parameters set (capri is tbc:mode=predicted). All names of one mechanism are a
// family. simt/policy_factory.hpp makes the policies; this header includes no policy.
//
// simt/policy_registry.hpp adds policies of your own. A new policy that ships takes a row in known_policies()
// (simt/detail/policy_table.hpp) and a maker in the factory (simt/detail/policy_makers.hpp). The tool, the tests over
// all policies and the laws then run it.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/diagnostic.hpp>
#include <simtflow/simt/policy_info.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// A value for each parameter of a policy.
class policy_settings {
 public:
  /// Every parameter has its normal value. The parameters must outlive the settings.
  explicit policy_settings(std::span<const policy_parameter> parameters);

  /// Sets the parameters that a text such as "order=last,turns=alternating" names. \returns what is wrong with the
  /// text; empty: nothing. After a diagnostic some parameters may have been set.
  [[nodiscard]] diagnostics apply(std::string_view text);

  /// The value's place among the parameter's words, as an enumeration with its values in the same order.
  /// \pre the policy has that parameter.
  template <class Enum>
  [[nodiscard]] Enum word(std::string_view parameter) const {
    return static_cast<Enum>(place(parameter));
  }
  /// True if the value is the second word. \pre the policy has that parameter.
  [[nodiscard]] bool yes(std::string_view parameter) const { return place(parameter) == 1; }
  /// The value. \pre the policy has that parameter, and it is a number.
  [[nodiscard]] std::uint64_t number(std::string_view parameter) const;
  /// "order=first,turns=alternating": all of them.
  [[nodiscard]] std::string text() const;

 private:
  [[nodiscard]] std::size_t index(std::string_view parameter) const;
  [[nodiscard]] std::size_t place(std::string_view parameter) const;
  [[nodiscard]] std::string set(std::string_view parameter, std::string_view value);
  std::span<const policy_parameter> parameters_;
  std::vector<std::string> values_;  // in the order of the parameters
};

/// All policies that ship, the oracle last.
[[nodiscard]] std::span<const policy_info> known_policies();

/// The policies that register_policy() added (simt/policy_registry.hpp), in that order. The rows stay where they are.
[[nodiscard]] std::vector<const policy_info*> registered_policies();

/// Names that known_policies() does not list.
[[nodiscard]] std::span<const policy_alias> policy_aliases();

/// A policy with its parameters.
struct policy_choice {
  const policy_info* info;   ///< its row
  std::string name;          ///< as the caller wrote it
  policy_settings settings;  ///< a value for each parameter

  /// The mechanism and all its parameters as text: equal for two names of the same policy.
  [[nodiscard]] std::string identity() const { return std::string(info->family) + ':' + settings.text(); }
};

/// Reads NAME or NAME:PARAMETER=VALUE,... \returns the choice, or one diagnostic that names what is available instead.
[[nodiscard]] result<policy_choice> choose_policy(std::string_view text);

}  // namespace v0
}  // namespace simtflow

#include <simtflow/simt/detail/policy_names_impl.hpp>
