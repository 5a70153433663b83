// SPDX-License-Identifier: BSL-1.0
//
// The factory of the library, which contains every policy, compiled once in the tool.
#pragma once

#include "lab/policies.hpp"
#include <simtflow/diagnostic.hpp>
#include <simtflow/simt/any_policy.hpp>
#include <simtflow/simt/executor.hpp>
#include <simtflow/simt/policy_facts.hpp>

namespace lab {

/// The policy, for up to 64 lanes or threads, or why there is none. \pre the facts outlive it.
[[nodiscard]] simtflow::result<simtflow::any_policy> box_policy(const chosen_policy& chosen,
                                                                const simtflow::policy_facts& facts,
                                                                const simtflow::launch& shape);

}  // namespace lab
