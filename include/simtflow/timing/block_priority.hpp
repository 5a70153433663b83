// SPDX-License-Identifier: BSL-1.0
//
// The order of the thread blocks of a core within a scheduler (thread block compaction paper, HPCA 2011, section 6.2):
//
//   AGE   the oldest thread block first, in the order in which they came to the core
//   RRB   the highest priority rotates over the places of thread blocks, one place a cycle
//   SRR   a thread block keeps the highest priority until none of its warps is ready; then the next place that has a
//         ready warp takes it
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/timing/clock.hpp>
#include <simtflow/timing/machine.hpp>

#include <cstdint>

namespace simtflow {
inline namespace v0 {
namespace timing {

/// The priority of thread blocks in one scheduler. Every operation is O(1).
class block_priority {
 public:
  /// \param kind the order of thread blocks
  /// \param places thread blocks that can be resident in the core, at least 1
  block_priority(block_priority_kind kind, std::uint32_t places) : kind_(kind), places_(places) {}

  /// A new cycle begins.
  void begin(cycle now) {
    if (kind_ == block_priority_kind::round_robin) first_ = static_cast<std::uint32_t>(now % places_);
  }
  /// The rank of a thread block in this cycle; the lowest rank issues first. `number` tells how many thread blocks came
  /// to the core before it. \pre place < places
  [[nodiscard]] std::uint64_t rank(std::uint32_t place, std::uint64_t number) const {
    if (kind_ == block_priority_kind::none) return 0;
    if (kind_ == block_priority_kind::age) return number;
    return place >= first_ ? place - first_ : place + places_ - first_;
  }
  /// The place of the thread block of lowest rank that had a ready warp in this cycle.
  void note_ready(std::uint32_t place) {
    if (kind_ == block_priority_kind::sticky_round_robin) first_ = place;
  }

 private:
  block_priority_kind kind_;
  std::uint32_t places_;
  std::uint32_t first_ = 0;  // the place with the highest priority
};

}  // namespace timing
}  // namespace v0
}  // namespace simtflow
