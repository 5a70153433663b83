// SPDX-License-Identifier: BSL-1.0
//
// The rows of the table of policies that have a name (simt/policy_names.hpp).
#pragma once

#include <simtflow/simt/barrier_model.hpp>

#include <span>
#include <string_view>

namespace simtflow {
inline namespace v0 {

/// A parameter of a policy: one of several words, or a whole number.
struct policy_parameter {
  std::string_view name;     ///< "order"
  std::string_view values;   ///< "first|last|smaller", or "1..1024"
  std::string_view normal;   ///< the value if none is given
  std::string_view meaning;  ///< in words
};

/// A policy that has a name.
struct policy_info {
  std::string_view name;                                   ///< "tf"
  std::string_view what;                                   ///< the mechanism, with the parameters that this name sets
  std::string_view paper;                                  ///< where it comes from
  std::string_view needs;                                  ///< analyses
  std::string_view family;                                 ///< the same for all names of one mechanism
  std::span<const policy_parameter> parameters{};          ///< of the family
  std::string_view preset{};                               ///< parameters that this name sets: "order=smaller"
  barrier_model barriers = barrier_model::thread_arrival;  ///< the model of the mechanism, if a run asks for no other
};

/// The policy that runs each lane alone to its end. Every other policy must agree with it.
inline constexpr std::string_view oracle_policy = "serial";

/// A name that stands for another name.
struct policy_alias {
  std::string_view name;  ///< "dwf"
  std::string_view real;  ///< "dwf-majority"
};

}  // namespace v0
}  // namespace simtflow
