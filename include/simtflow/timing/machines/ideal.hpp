// SPDX-License-Identifier: BSL-1.0
//
// The machine without latencies: one core, one warp instruction a cycle, one thread block at a time, memory that
// answers at once. Its counts are the counts of the executor, and its cycles are the warp instructions that issue.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/timing/machine.hpp>

namespace simtflow {
inline namespace v0 {
namespace timing {
namespace machines {

/// The machine of the defaults of machine.hpp, without shared-memory, cache or network latency.
[[nodiscard]] inline machine ideal() {
  machine m;
  m.name = "ideal";
  m.shared.latency = 0;
  m.l1.latency = 0;
  m.constant.latency = 0;
  m.texture.latency = 0;
  m.l2.latency = 0;
  return m;
}

}  // namespace machines
}  // namespace timing
}  // namespace v0
}  // namespace simtflow
