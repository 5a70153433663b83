// SPDX-License-Identifier: BSL-1.0
//
// Makes a policy by its name: the one header that includes every policy. Include simt/policies/X.hpp instead if the
// policy is known.
//
//   simtflow::policy_facts facts(graph);
//   const simtflow::launch shape{.threads = 64};
//   if (auto policy = simtflow::make_policy("volta:yield=loops", facts, shape))
//     simtflow::run(*policy, program, shape);
//   else
//     std::puts(to_string(policy.diagnostics()[0]).c_str());
//
// simt/policy_names.hpp lists the names and says what a new policy takes.
#pragma once

#include <simtflow/diagnostic.hpp>
#include <simtflow/simt/any_policy.hpp>
#include <simtflow/simt/barrier_model.hpp>
#include <simtflow/simt/detail/policy_makers.hpp>
#include <simtflow/simt/detail/rebound_policy.hpp>
#include <simtflow/simt/detail/registered_policies.hpp>
#include <simtflow/simt/executor.hpp>
#include <simtflow/simt/mask.hpp>
#include <simtflow/simt/policy.hpp>
#include <simtflow/simt/policy_facts.hpp>
#include <simtflow/simt/policy_names.hpp>
#include <simtflow/simt/policy_registry.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace simtflow {
inline namespace v0 {

/// The policy in a box, for warps of this width and thread blocks of so many threads, even if it cannot run. The facts
/// must outlive the policy. Only a policy of core scope asks for the threads; 0: one thread block is resident.
/// \pre the choice is one of choose_policy(). make_policy() also checks that the policy can run.
template <class Mask = lane_mask>
[[nodiscard]] basic_any_policy<Mask> boxed_policy(const policy_choice& choice, const policy_facts& facts,
                                                  std::uint32_t warp_width = 32, std::uint32_t threads = 0) {
  for (const auto& family : detail::policy_makers<Mask>::families)
    if (family.name == choice.info->family)
      return family.make(detail::policy_recipe{facts, choice.settings, warp_width, threads});
  if (const detail::registered_policy* own = detail::find_registered(choice.info->family)) {
    const policy_inputs inputs{facts, choice.settings, warp_width, threads};
    if constexpr (Mask::capacity <= lane_mask::capacity)
      return own->make(inputs, lane_mask());
    else
      return detail::rebound<Mask>(own->make(inputs, detail::wide_registry_mask()));
  }
  detail::contract_violated("choice.info->family", "every family has a maker", __FILE__, __LINE__);
}

/// The abilities of the policy. They depend on the parameters: some schedulers are fair.
[[nodiscard]] inline policy_abilities abilities_of(const policy_choice& choice) {
  if (const detail::registered_policy* own = detail::find_registered(choice.info->family))
    return own->abilities(choice.settings);
  const policy_facts nothing;
  return boxed_policy<lane_mask>(choice, nothing, 32).abilities();
}

/// The reason, in words, why a policy cannot run code of these facts in this shape with masks of so many lanes; empty:
/// it can.
[[nodiscard]] inline std::string why_not(const policy_choice& choice, const policy_facts& facts, const launch& shape,
                                         std::uint32_t capacity = lane_mask::capacity) {
  const policy_abilities can = abilities_of(choice);
  if (choice.info->needs == detail::named_policies::structured && facts.code().empty()) return "needs structured code";
  const bool warps = can.scope == policy_scope::warp;
  const std::uint64_t all = can.scope == policy_scope::core ? shape.num_threads() : shape.threads;
  const std::uint64_t lanes = warps && shape.warp_width < all ? shape.warp_width : all;
  if (const detail::registered_policy* own = detail::find_registered(choice.info->family))
    if (own->capacity < capacity) capacity = own->capacity;
  if (lanes > capacity) return "manages at most " + std::to_string(capacity) + (warps ? " lanes" : " threads");
  if (shape.barriers == barrier_model::thread_arrival && !can.parks) return "its lanes cannot wait one by one";
  return {};
}

/// The policy in a box, for runs of this shape. The facts must outlive the policy.
/// \returns the policy, or a diagnostic with why_not().
template <class Mask = lane_mask>
[[nodiscard]] result<basic_any_policy<Mask>> make_policy(const policy_choice& choice, const policy_facts& facts,
                                                         const launch& shape = {}) {
  if (std::string problem = why_not(choice, facts, shape, Mask::capacity); !problem.empty())
    return diagnostics{{{}, choice.name + ": " + std::move(problem)}};
  return boxed_policy<Mask>(choice, facts, shape.warp_width, shape.threads);
}

/// The policy of NAME or NAME:PARAMETER=VALUE,... in a box, for runs of this shape.
/// \returns the policy, or diagnostics that say why there is no policy.
/// \pre the facts are of the code that will run, and outlive the policy. Complexity: linear in the names, and the
/// analyses that the policy needs and the facts do not know yet.
/// Errors: an unknown name, parameter or value, named with what there is instead; or why_not().
/// \snippet reference_test.cpp make_policy
template <class Mask = lane_mask>
[[nodiscard]] result<basic_any_policy<Mask>> make_policy(std::string_view name, const policy_facts& facts,
                                                         const launch& shape = {}) {
  const result<policy_choice> choice = choose_policy(name);
  if (!choice) return choice.diagnostics();
  return make_policy<Mask>(*choice, facts, shape);
}

}  // namespace v0
}  // namespace simtflow
