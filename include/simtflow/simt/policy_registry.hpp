// SPDX-License-Identifier: BSL-1.0
//
// A policy of your own under a name: choose_policy(), make_policy() and all that chooses policies by their names (the
// tool, CUDA launches) then know it as they know those that ship.
//
//   simtflow::register_policy<my_policy>("mine");
//   simtflow::register_policy<my_stack>(
//       "my-stack", {.what = "stack of few entries", .needs = "post-dominators",
//                    .parameters = {{"entries", "1..64", "8", "entries that the stack holds"}}},
//       [](const simtflow::policy_inputs& in) { return my_stack(in.facts.ipdoms(), in.settings.number("entries")); });
//
// The type says the rest: its scope, its promise of progress and its abilities (simt/policy.hpp). The policy may be
// over masks of any width. A box over another mask also holds it, if its own mask has the lanes of a run.
//
// The registry stands beside the table of policies that ship and costs nothing but the search of one more list. Each
// program, and each shared library that hides its symbols, has one.
#pragma once

#include <simtflow/diagnostic.hpp>
#include <simtflow/simt/any_policy.hpp>
#include <simtflow/simt/barrier_model.hpp>
#include <simtflow/simt/check_policy.hpp>
#include <simtflow/simt/detail/rebound_policy.hpp>
#include <simtflow/simt/detail/registered_policies.hpp>
#include <simtflow/simt/mask.hpp>
#include <simtflow/simt/policy.hpp>
#include <simtflow/simt/policy_facts.hpp>
#include <simtflow/simt/policy_info.hpp>
#include <simtflow/simt/policy_names.hpp>

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// The ingredients of a registered policy.
struct policy_inputs {
  const policy_facts& facts;        ///< the analyses of the graph; they outlive the policy
  const policy_settings& settings;  ///< a value for each parameter
  std::uint32_t warp_width = 32;    ///< lanes of a warp
  std::uint32_t threads = 0;        ///< of a thread block, for policies of core scope; 0: one thread block is resident
};

/// A policy as lists and runs need it, beyond its type. Texts are not copied: give string literals.
struct policy_description {
  std::string_view what = "";                     ///< the mechanism, for lists
  std::string_view paper = "";                    ///< where it comes from
  std::string_view needs = "nothing";             ///< analyses; "structured code": it runs no other
  std::vector<policy_parameter> parameters = {};  ///< as the names in NAME:PARAMETER=VALUE,...
  /// The barrier model, if a run asks for no other. Empty: each thread arrives alone if the policy parks, else a warp
  /// arrives whole.
  std::optional<barrier_model> barriers = {};
};

/// Makes a policy from its inputs if its type has a constructor that takes them, else by default.
template <class P>
struct make_from_inputs {
  /// The policy.
  [[nodiscard]] P operator()([[maybe_unused]] const policy_inputs& in) const {
    if constexpr (std::constructible_from<P, const policy_inputs&>)
      return P(in);
    else
      return P();
  }
};

namespace detail {

template <class P, class Make>
class registered_policy_of final : public registered_policy {
 public:
  explicit registered_policy_of(Make make) : make_(std::move(make)) {}
  [[nodiscard]] basic_any_policy<lane_mask> make(const policy_inputs& in, lane_mask) const override {
    return rebound<lane_mask>(box(in));
  }
  [[nodiscard]] basic_any_policy<wide_registry_mask> make(const policy_inputs& in, wide_registry_mask) const override {
    return rebound<wide_registry_mask>(box(in));
  }
  [[nodiscard]] policy_abilities abilities([[maybe_unused]] const policy_settings& settings) const override {
    if constexpr (policy_of_run_time_abilities<P>) {
      const policy_facts nothing;
      return box({nothing, settings}).abilities();
    } else {
      return static_abilities<P>;
    }
  }

 private:
  [[nodiscard]] basic_any_policy<typename P::mask_type> box(const policy_inputs& in) const {
    return basic_any_policy<typename P::mask_type>(make_(in));
  }
  Make make_;
};

// Empty: it is good for NAME:PARAMETER=VALUE,...
[[nodiscard]] std::string why_no_name(std::string_view name);
[[nodiscard]] diagnostics add_registered(std::string_view name, policy_description about,
                                         std::unique_ptr<registered_policy> policy);

}  // namespace detail

/// Makes a policy known under a name, with make(inputs), which returns the policy. make is called for each run, also
/// from several host threads at once, and may be left out if P can be made of a policy_inputs or of nothing.
/// \returns what is wrong, and then nothing is registered; empty: nothing.
/// \pre no other host thread uses the names of policies at the same time. Complexity: linear in the names.
/// Errors: a name that is taken, is empty or holds other characters than letters, digits, '-' and '_'; a parameter with
/// such a name, without values or with a normal value that is not one of them. A type that is no policy is refused when
/// it is compiled, a sentence for each fault.
/// \snippet reference_test.cpp register_policy
template <class P, class Make = make_from_inputs<P>>
[[nodiscard]] diagnostics register_policy(std::string_view name, policy_description about = {}, Make make = {}) {
  if constexpr (check_policy<P>()) {
    constexpr bool can_be_made = !std::same_as<Make, make_from_inputs<P>> || std::default_initializable<P> ||
                                 std::constructible_from<P, const policy_inputs&>;
    static_assert(
        can_be_made,
        "simtflow: register_policy needs a third argument, a function that takes a `const policy_inputs&` and "
        "returns the policy, because the policy has no constructor without arguments");
    constexpr bool makes_policy = std::is_invocable_r_v<P, const Make&, const policy_inputs&>;
    static_assert(makes_policy,
                  "simtflow: the third argument of register_policy must be a function that takes a `const "
                  "policy_inputs&` and returns the policy");
    if constexpr (can_be_made && makes_policy) {
      auto entry = std::make_unique<detail::registered_policy_of<P, Make>>(std::move(make));
      entry->capacity = P::mask_type::capacity;
      if (!about.barriers)
        about.barriers = parking_policy<P> ? barrier_model::thread_arrival : barrier_model::whole_warp;
      return detail::add_registered(name, std::move(about), std::move(entry));
    }
  }
  return {};
}

}  // namespace v0
}  // namespace simtflow

#include <simtflow/simt/detail/policy_registry_impl.hpp>
