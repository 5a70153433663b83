// SPDX-License-Identifier: BSL-1.0
//
// Shared by the solutions: warps under a mechanism that is chosen at run time, so the executor is compiled once.
#pragma once

#include <simtflow/simt/any_policy.hpp>
#include <simtflow/simt/executor.hpp>
#include <simtflow/simt/observers/counts.hpp>

#include <cstdint>
#include <functional>
#include <vector>

/// Says where a thread goes next.
using thread_function = std::function<simtflow::block_id(std::uint32_t thread, simtflow::block_id block)>;

/// The figures of a run; weights[b] is the number of instructions of block b, 1 beyond the end.
inline simtflow::counts count(const simtflow::any_policy& policy, const thread_function& thread,
                              const simtflow::launch& shape, const std::vector<std::uint32_t>& weights = {}) {
  simtflow::counts c;
  simtflow::run(policy, simtflow::callable_program(thread, weights), shape, c);
  return c;
}
