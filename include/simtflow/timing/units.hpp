// SPDX-License-Identifier: BSL-1.0
//
// The execution units of a core: when the next warp can enter a unit, and when results are there.
//
//   passes       a warp enters a unit of w lanes in warp_width / w parts, rounded up; 1 if w is 0
//   occupancy    passes times the initiation interval: cycles until the unit takes another warp
//   latency      cycles from issue until the next instruction may issue that waits for this one: the latency of the
//                class, or the occupancy if that is longer. The result of an instruction comes operand_read later
//
// Under scoreboard_kind::one_in_flight one pipeline executes everything (TBC paper, section 2.2): the unit sp.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/timing/clock.hpp>
#include <simtflow/timing/instruction_class.hpp>
#include <simtflow/timing/machine.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace timing {

/// The number of kinds of execution units.
inline constexpr std::size_t num_unit_kinds = static_cast<std::size_t>(unit_kind::memory) + 1;

/// The execution units of one core. Every operation is O(1), or O(units of a kind).
class execution_units {
 public:
  /// All units are free. \pre the machine has a unit of each kind that a class names.
  explicit execution_units(const machine& m) {
    const bool unified = m.core.scoreboard == scoreboard_kind::one_in_flight;
    for (std::size_t k = 0; k < num_unit_kinds; ++k) {
      const std::uint32_t number = m.units[static_cast<unit_kind>(k)].number;
      first_[k] = static_cast<std::uint32_t>(busy_until_.size());
      busy_until_.resize(busy_until_.size() + number, 0);
      earliest_[k] = number == 0 ? never : 0;
    }
    first_[num_unit_kinds] = static_cast<std::uint32_t>(busy_until_.size());
    for (std::size_t k = 0; k < num_instruction_classes; ++k) {
      const operation_timing& op = m.operations.of[k];
      const unit_kind unit = unified ? unit_kind::sp : op.unit;
      const std::uint32_t lanes = m.units[unit].lanes;
      const cycle passes = lanes == 0 ? 1 : (cycle{m.core.warp_width} + lanes - 1) / lanes;
      unit_[k] = static_cast<unsigned char>(unit);
      occupancy_[k] = std::max<cycle>(1, passes * op.initiation);
      latency_[k] = std::max<cycle>(op.latency, occupancy_[k]);
    }
  }

  /// The kind of unit that executes a class, as a number below num_unit_kinds.
  [[nodiscard]] unsigned char unit(instruction_class kind) const { return unit_[static_cast<std::size_t>(kind)]; }
  /// Cycles from issue until the instruction has left its unit; at least 1. Memory instructions: without the memory.
  [[nodiscard]] cycle latency(instruction_class kind) const { return latency_[static_cast<std::size_t>(kind)]; }
  /// Cycles for which a warp keeps the unit; at least 1.
  [[nodiscard]] cycle occupancy(instruction_class kind) const { return occupancy_[static_cast<std::size_t>(kind)]; }

  /// The first cycle in which a unit of a kind takes a warp; `never` if there is no such unit.
  [[nodiscard]] cycle free_at(unsigned char unit) const { return earliest_[unit]; }
  /// The kinds of units that take a warp at cycle `now`: bit k for kind k.
  [[nodiscard]] std::uint32_t free_units(cycle now) const {
    std::uint32_t free = 0;
    for (std::size_t k = 0; k < num_unit_kinds; ++k)
      if (earliest_[k] <= now) free |= std::uint32_t{1} << k;
    return free;
  }
  /// A warp enters the first free unit. \pre free_at(unit(kind)) <= now.
  void issue(instruction_class kind, cycle now) {
    const unsigned char u = unit(kind);
    std::size_t i = first_[u];
    while (busy_until_[i] > now) ++i;
    busy_until_[i] = now + occupancy(kind);
    earliest_[u] = *std::min_element(busy_until_.begin() + first_[u], busy_until_.begin() + first_[u + 1]);
  }

 private:
  unsigned char unit_[num_instruction_classes] = {};
  cycle occupancy_[num_instruction_classes] = {};
  cycle latency_[num_instruction_classes] = {};
  cycle earliest_[num_unit_kinds] = {};
  std::uint32_t first_[num_unit_kinds + 1] = {};  // by kind: its first unit
  std::vector<cycle> busy_until_;                 // by unit
};

}  // namespace timing
}  // namespace v0
}  // namespace simtflow
