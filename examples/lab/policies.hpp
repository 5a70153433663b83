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

#include "lab/rows.hpp"
#include "lab/schedule.hpp"
#include "lab/watched_policy.hpp"
#include <simtflow/simt/executor.hpp>
#include <simtflow/simt/mask.hpp>
#include <simtflow/simt/policy.hpp>
#include <simtflow/simt/policy_names.hpp>

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

inline constexpr std::string_view oracle_name = simtflow::oracle_policy;

/// Masks of thread blocks, and of warps of more than 64 lanes.
using wide_mask = simtflow::basic_mask<16>;
/// A policy over masks that are wide enough for one instance and no wider than that.
using any_watched_policy = std::variant<watched_policy<simtflow::lane_mask>, watched_policy<wide_mask>>;

/// A policy with its parameters.
struct chosen_policy : simtflow::policy_choice {
  /// Makes the policy in place of the one that is named: a policy with a planted mistake. Null: no such policy.
  simtflow::any_policy (*planted)() = nullptr;
};

/// The policies that ship and those that are registered (lab/lab.hpp), the oracle last.
[[nodiscard]] std::vector<const simtflow::policy_info*> all_policies();

/// Reads NAME or NAME:PARAMETER=VALUE,... \throws input_error that says what there is instead.
[[nodiscard]] chosen_policy parse_policy(std::string_view text);

/// The policies to show, each once, in the order of all_policies(). None named: `pdom`, `tf`, `volta`, those that are
/// registered, and the oracle; "all": every policy. Each text is a list with commas; a piece that has a `=` but no `:`
/// belongs to the policy before it. \throws input_error as parse_policy().
[[nodiscard]] std::vector<chosen_policy> chosen_policies(std::span<const std::string> texts);

/// The abilities of the policy.
[[nodiscard]] simtflow::policy_abilities abilities_of(const chosen_policy& chosen);

/// The policy. \pre the schedule outlives it; not_applicable() is empty.
[[nodiscard]] any_watched_policy make_policy(const chosen_policy& chosen, const schedule& s);

/// The table of all policies: name, scope, progress class, what it is, where it comes from, what it needs; then their
/// parameters.
[[nodiscard]] std::string policy_list();

/// The same for programs: a row for each policy.
[[nodiscard]] std::vector<table_row> policy_rows();
inline constexpr row_schema policies_schema = "simtflow.policies/1";

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
      const simtflow::priority_rule asked = s.order();
      s.set_order(simtflow::priority_rule::barrier_aware);
      if (try_out().how == outcome::finished) {
        auto result = run();
        s.set_order(asked);
        result.other_order = "ran in the " + std::string(to_string(simtflow::priority_rule::barrier_aware)) +
                             " priority order; in the " + std::string(to_string(asked)) + " one, " + usual.words;
        return result;
      }
      s.set_order(asked);
    }
  }
  return run();
}

/// The scope of the policy. No lower bound for static warps holds for policies that form warps anew.
[[nodiscard]] inline simtflow::policy_scope scope_managed(const chosen_policy& chosen) {
  return abilities_of(chosen).scope;
}

/// Why a policy cannot run this code with so many threads in a thread block and this model of barriers (none: the
/// policy's own), in words; empty if it can.
[[nodiscard]] std::string not_applicable(const chosen_policy& chosen, const schedule& s, std::size_t threads,
                                         std::optional<simtflow::barrier_model> barriers);

/// The model given, or the policy's own.
[[nodiscard]] inline simtflow::barrier_model barriers_for(const chosen_policy& chosen,
                                                          std::optional<simtflow::barrier_model> given) {
  return given.value_or(chosen.info->barriers);
}

/// Calls f(policy, barrier model); the model is the policy's own unless one is given.
template <class F>
auto with_policy(const chosen_policy& chosen, const schedule& s, std::optional<simtflow::barrier_model> barriers,
                 F&& f) {
  const auto model = barriers_for(chosen, barriers);
  return std::visit([&](auto policy) { return f(std::move(policy), model); }, make_policy(chosen, s));
}

}  // namespace lab
