// SPDX-License-Identifier: BSL-1.0
//
// The classes of cycles. Each cycle of each scheduler of a core that has a thread block is in exactly one class. The
// classes are the parts of the bars in Figures 13 and 14 of the thread block compaction paper (HPCA 2011, section 6.1),
// with W0 split by its cause.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/timing/memory_counts.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace timing {

/// The doings of a scheduler in a cycle. In a cycle without issue the first class applies that fits one of its warps: a
/// warp that is ready (a stall), then the warps that wait, in the order of the enumerators.
enum class cycle_class : unsigned char {
  issued,               ///< issued an instruction (Wn:m)
  stall_unit,           ///< a warp was ready, its execution unit was not
  stall_bank_conflict,  ///< a memory instruction waited for passes of another over shared memory or constants
  stall_coalescing,     ///< a memory instruction waited for another that touches several lines
  stall_mshr,           ///< a memory instruction waited because the L1 has no MSHR free
  stall_queue,          ///< a memory instruction waited because queues to the memory are full
  stall_interconnect,   ///< a memory instruction waited because the port to the interconnect is full
  memory,               ///< a warp waited for the result of a load or an atomic
  scoreboard,           ///< a warp waited for another result, or for the outcome of a branch
  barrier,              ///< a warp waited at a barrier
  reconvergence,        ///< threads waited for other threads of their warp or thread block
  idle                  ///< no warp had an instruction: none had work, or its fetch was under way
};

/// The number of classes.
inline constexpr std::size_t num_cycle_classes = 12;

/// The name of a class as its enumerator spells it. \returns "" for a value that is no class.
[[nodiscard]] constexpr const char* to_string(cycle_class kind) {
  constexpr const char* names[num_cycle_classes] = {
      "issued",     "stall_unit",  "stall_bank_conflict", "stall_coalescing",
      "stall_mshr", "stall_queue", "stall_interconnect",  "memory",
      "scoreboard", "barrier",     "reconvergence",       "idle"};
  const auto at = static_cast<std::size_t>(kind);
  return at < num_cycle_classes ? names[at] : "";
}

/// The class of a cycle in which the load/store unit did not take the instruction of a warp that was ready.
[[nodiscard]] constexpr cycle_class stall_class(stall_cause cause) {
  switch (cause) {
    case stall_cause::bank_conflict:
      return cycle_class::stall_bank_conflict;
    case stall_cause::coalescing:
      return cycle_class::stall_coalescing;
    case stall_cause::mshr:
      return cycle_class::stall_mshr;
    case stall_cause::queue:
      return cycle_class::stall_queue;
    case stall_cause::interconnect:
      return cycle_class::stall_interconnect;
    default:
      return cycle_class::stall_unit;
  }
}

/// Scheduler-cycles by class, and what issued in them.
struct cycle_counts {
  std::uint64_t by_class[num_cycle_classes]{};  ///< scheduler-cycles of each cycle_class
  /// Issued instructions by the number of lanes that were active: element n - 1 for n lanes. Lanes with a false guard
  /// are active. Operations of the policy's own have no lanes: without them the sum is by_class[issued].
  std::vector<std::uint64_t> by_lanes;
  std::uint64_t lanes = 0;           ///< active lanes, summed over issued instructions
  std::uint64_t predicated_off = 0;  ///< of these the lanes with a false guard

  /// The scheduler-cycles of one class. \pre `kind` is an enumerator.
  [[nodiscard]] constexpr std::uint64_t operator[](cycle_class kind) const {
    return by_class[static_cast<std::size_t>(kind)];
  }
  /// The sum over all classes: scheduler-cycles of cores that had a thread block.
  [[nodiscard]] constexpr std::uint64_t total() const {
    std::uint64_t sum = 0;
    for (const std::uint64_t n : by_class) sum += n;
    return sum;
  }
  /// Adds the cycles of another core. O(lanes of a warp).
  constexpr cycle_counts& operator+=(const cycle_counts& o) {
    for (std::size_t k = 0; k < num_cycle_classes; ++k) by_class[k] += o.by_class[k];
    if (by_lanes.size() < o.by_lanes.size()) by_lanes.resize(o.by_lanes.size());
    for (std::size_t n = 0; n < o.by_lanes.size(); ++n) by_lanes[n] += o.by_lanes[n];
    lanes += o.lanes;
    predicated_off += o.predicated_off;
    return *this;
  }
  friend constexpr bool operator==(const cycle_counts&, const cycle_counts&) = default;
};

}  // namespace timing
}  // namespace v0
}  // namespace simtflow
