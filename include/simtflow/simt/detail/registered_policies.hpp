// SPDX-License-Identifier: BSL-1.0
//
// The store of the policies of simt/policy_registry.hpp. The readers of names see them through this header, which knows
// no policy.
#pragma once

#include <simtflow/simt/mask.hpp>
#include <simtflow/simt/policy_info.hpp>

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace simtflow {
inline namespace v0 {

template <class Mask>
class basic_any_policy;
class policy_facts;
class policy_settings;
struct policy_abilities;
struct policy_inputs;

namespace detail {

// The masks of the boxes that a registered policy is made in: of warps, and of whatever is wider.
using wide_registry_mask = basic_mask<16>;

class registered_policy {
 public:
  registered_policy() = default;
  registered_policy(const registered_policy&) = delete;
  registered_policy& operator=(const registered_policy&) = delete;
  virtual ~registered_policy() = default;
  [[nodiscard]] virtual basic_any_policy<lane_mask> make(const policy_inputs& in, lane_mask) const = 0;
  [[nodiscard]] virtual basic_any_policy<wide_registry_mask> make(const policy_inputs& in,
                                                                  wide_registry_mask) const = 0;
  [[nodiscard]] virtual policy_abilities abilities(const policy_settings& settings) const = 0;

  policy_info info{};
  std::vector<policy_parameter> parameters{};
  std::uint32_t capacity = 0;  // of the policy's own mask
};

// In the order of their registration. A function, so that registrations before main() find it.
inline std::vector<std::unique_ptr<registered_policy>>& registered_policies() {
  static std::vector<std::unique_ptr<registered_policy>> all;
  return all;
}

// Null: there is none of that name.
inline const registered_policy* find_registered(std::string_view name) {
  for (const auto& one : registered_policies())
    if (one->info.name == name) return one.get();
  return nullptr;
}

}  // namespace detail
}  // namespace v0
}  // namespace simtflow
