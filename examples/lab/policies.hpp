// SPDX-License-Identifier: BSL-1.0
//
// The policies the tool knows by name, and their parameters:
//
//   NAME                          as it stands in the table
//   NAME:PARAMETER=VALUE,...      with other parameters: pdom:order=larger, tbc:lanes=permuted,likely=loops
//
// Some names are others with parameters set (capri is tbc:mode=predicted). `serial` runs each lane alone: it is the
// oracle that always runs, and what every other policy must agree with.
#pragma once

#include "lab/boxed_policy.hpp"
#include "lab/schedule.hpp"
#include <simtflow/simt/executor.hpp>
#include <simtflow/simt/mask.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace lab {

inline constexpr std::string_view oracle_name = "serial";

/// Masks of thread blocks, and of warps of more than 64 lanes.
using wide_mask = simtflow::basic_mask<16>;
using warp_policy = boxed_policy<simtflow::lane_mask, simtflow::policy_scope::warp>;
using wide_warp_policy = boxed_policy<wide_mask, simtflow::policy_scope::warp>;
using block_policy = boxed_policy<wide_mask, simtflow::policy_scope::block>;
using any_policy = std::variant<warp_policy, wide_warp_policy, block_policy>;

/// A parameter of a policy: one of several words, or a whole number.
struct parameter_info {
  std::string_view name;
  std::string_view values;  ///< "first|last|smaller", or "1..1024"
  std::string_view normal;  ///< what it is if nobody says anything
  std::string_view meaning;
};

/// A value for each parameter of a policy.
class policy_settings {
 public:
  explicit policy_settings(std::span<const parameter_info> parameters);

  /// \throws input_error in words if there is no such parameter or it cannot have that value.
  void set(std::string_view parameter, std::string_view value);

  /// The value's place among the parameter's words, as an enumeration that names them in the same order.
  template <class Enum>
  [[nodiscard]] Enum word(std::string_view parameter) const {
    return static_cast<Enum>(place(parameter));
  }
  [[nodiscard]] bool yes(std::string_view parameter) const { return place(parameter) == 1; }
  [[nodiscard]] std::uint64_t number(std::string_view parameter) const;
  /// "order=first,turns=alternating": all of them.
  [[nodiscard]] std::string text() const;

 private:
  [[nodiscard]] std::size_t index(std::string_view parameter) const;
  [[nodiscard]] std::size_t place(std::string_view parameter) const;
  std::span<const parameter_info> parameters_;
  std::vector<std::string> values_;  // as the parameters
};

/// One line of `simtflow-lab policies`.
struct policy_info {
  std::string_view name;
  std::string_view what;  ///< the mechanism and its parameters as they are set here
  std::string_view paper;
  std::string_view needs;   ///< analyses
  bool parks;               ///< part of a warp can wait at a barrier: run with barrier_model::thread_arrival
  std::string_view family;  ///< the same for all names of one mechanism
  std::span<const parameter_info> parameters;
  std::string_view preset;  ///< of those: "order=smaller"
  any_policy (*make)(const schedule&, const policy_settings&);
};
/// All policies, the oracle last.
[[nodiscard]] std::span<const policy_info> policies();

/// A policy with its parameters.
struct chosen_policy {
  const policy_info* info;
  std::string name;  ///< as it was asked for
  policy_settings settings;

  /// The mechanism and all its parameters: equal for two ways to ask for the same.
  [[nodiscard]] std::string identity() const { return std::string(info->family) + ':' + settings.text(); }
};

/// Reads NAME or NAME:PARAMETER=VALUE,... \throws input_error that says what there is instead.
[[nodiscard]] chosen_policy parse_policy(std::string_view text);

/// The policies to show, each once, in the order of policies(). None named: `pdom`, `tf`, `volta` and the oracle;
/// "all": every policy. Each text is a list with commas; a piece that has a `=` but no `:` belongs to the policy before
/// it. \throws input_error as parse_policy().
[[nodiscard]] std::vector<chosen_policy> chosen_policies(std::span<const std::string> texts);

/// The policy. \pre the schedule outlives it; not_applicable() is empty.
[[nodiscard]] any_policy make_policy(const chosen_policy& chosen, const schedule& s);

/// The table of all policies: name, scope, progress class, what it is, where it comes from, what it needs; then their
/// parameters.
[[nodiscard]] std::string policy_list();

/// Whether a run of the policy may have to take another priority order than the default one. This is so if the policy
/// takes the schedule's order, that is the default order, whole warps arrive at barriers, and the order can lead lanes
/// past each other there.
[[nodiscard]] bool may_need_other_order(const chosen_policy& chosen, const schedule& s,
                                        simtflow::barrier_model barriers);

/// Returns run(). If may_need_other_order(), try_out() deadlocks at a barrier, and it finishes in the barrier-aware
/// order, then run() is called in the barrier-aware order, and the result's `other_order` says so. Both functions
/// return an object with `how` and `words`. try_out() must not be observed; the schedule is unchanged afterwards.
template <class TryOut, class Run>
auto run_in_safe_order(schedule& s, const chosen_policy& chosen, simtflow::barrier_model barriers, TryOut try_out,
                       Run run) {
  using simtflow::outcome;
  if (may_need_other_order(chosen, s, barriers)) {
    const auto usual = try_out();
    if (usual.how == outcome::barrier_deadlock || usual.how == outcome::barrier_misaligned) {
      const order_choice asked = s.order();
      s.set_order(order_choice::barrier_aware);
      if (try_out().how == outcome::finished) {
        auto result = run();
        s.set_order(asked);
        result.other_order = "ran in the " + std::string(to_string(order_choice::barrier_aware)) +
                             " priority order; in the " + std::string(to_string(asked)) + " one, " + usual.words;
        return result;
      }
      s.set_order(asked);
    }
  }
  return run();
}

/// What one instance of the policy manages. No lower bound for static warps holds for policies that form warps anew.
[[nodiscard]] simtflow::policy_scope scope_managed(const chosen_policy& chosen);

/// Why a policy cannot run this code with so many threads in a thread block and this model of barriers (none: the
/// policy's own), in words; empty if it can.
[[nodiscard]] std::string not_applicable(const chosen_policy& chosen, const schedule& s, std::size_t threads,
                                         std::optional<simtflow::barrier_model> barriers);

/// The model given, or the policy's own.
[[nodiscard]] inline simtflow::barrier_model barriers_for(const chosen_policy& chosen,
                                                          std::optional<simtflow::barrier_model> given) {
  using simtflow::barrier_model;
  return given.value_or(chosen.info->parks ? barrier_model::thread_arrival : barrier_model::whole_warp);
}

/// Calls f(policy, barrier model); the model is the policy's own unless one is given.
template <class F>
auto with_policy(const chosen_policy& chosen, const schedule& s, std::optional<simtflow::barrier_model> barriers,
                 F&& f) {
  const auto model = barriers_for(chosen, barriers);
  return std::visit([&](auto policy) { return f(std::move(policy), model); }, make_policy(chosen, s));
}

}  // namespace lab
