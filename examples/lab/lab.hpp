// SPDX-License-Identifier: BSL-1.0
//
// Your own parts in the tool. A header that registers them at namespace scope makes a tool with all commands of
// simtflow-lab that knows them as it knows its own (CMake: simtflow_add_lab(mylab my_policy.hpp)):
//
//   inline const bool known = lab::register_policy<my_policy>("mine");
//
// If a registration is wrong, the tool says so when it starts, with exit status 2. Nothing can be registered later.
#pragma once

#include "lab/cli/tool.hpp"
#include "lab/own_columns.hpp"
#include "lab/references.hpp"
#include <simtflow/simt/policy_registry.hpp>
#include <simtflow/timing/machine.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace lab {

/// \throws input_error if the tool has started: a registration comes too late.
void must_not_have_started();

/// A policy under a name, for --policy, `policies` and `laws`; all else as simtflow::register_policy() has it.
/// \returns true if nothing is wrong.
template <class P, class Make = simtflow::make_from_inputs<P>>
bool register_policy(std::string_view name, simtflow::policy_description about = {}, Make make = {}) {
  must_not_have_started();
  return note(simtflow::register_policy<P>(name, std::move(about), std::move(make)));
}

/// Columns of your own in `run --metrics`, `replay --metrics` and the CSV and JSON of `suite --metrics`: an observer
/// (simt/events.hpp) that sees a run from its beginning, and its figures at the end. It is made anew for each run.
///
///   struct early_exits {
///     template <class Mask>
///     void operator()(const simtflow::event::exited<Mask>& e) { lanes += e.lanes.count(); }
///     std::vector<lab::metric> columns() const { return {{"lanes_exited", static_cast<double>(lanes)}}; }
///     std::uint64_t lanes = 0;
///   };
///   inline const bool counted = lab::register_columns<early_exits>();
///
/// \returns true. A name that another column has is said when the columns are printed.
template <class Observer>
bool register_columns() {
  static_assert(std::is_default_constructible_v<Observer>,
                "simtflow: an observer with columns needs a constructor without arguments: it is made for each run");
  static_assert(
      requires(const Observer& o) { std::vector<metric>(o.columns()); },
      "simtflow: an observer with columns needs `std::vector<lab::metric> columns() const`");
  static_assert(simtflow::run_observer<Observer, simtflow::lane_mask> ||
                    std::is_invocable_v<Observer&, const simtflow::event::memory_access<simtflow::lane_mask>&>,
                "simtflow: an observer with columns takes an event of simt/events.hpp: it needs an operator()");
  return add_columns([]() -> std::unique_ptr<own_columns> { return std::make_unique<own_columns_of<Observer>>(); });
}

/// A machine of your own under a name, for --machine. (A machine file needs no registration.) \returns true if nothing
/// is wrong with it: the name is free and timing::diagnose() finds nothing.
bool register_machine(std::string name, std::string summary, simtflow::timing::machine machine);

}  // namespace lab
