// SPDX-License-Identifier: BSL-1.0
//
// The load/store unit of a core: coalescer, shared memory, L1 data, constant and texture cache, and the port to the
// interconnect. Its first stage holds one instruction. Each cycle the instruction makes one pass over shared memory, or
// one access to a cache; the unit takes the next instruction in the cycle after the last pass.
//
// The caller drives it. In each core cycle t that matters it calls, in this order:
//
//   memory.advance(t);                       // once for the device
//   unit.advance(t, memory);                 // for cores in memory.woken() and units with next_event() at t
//   if (unit.blocked(t) == stall_cause::none)
//     unit.issue(t, token, accesses, first_thread, memory);
//   for (const completion& c : unit.completions()) ...
//   unit.clear_completions();
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/timing/clock.hpp>
#include <simtflow/timing/instruction.hpp>
#include <simtflow/timing/machine.hpp>
#include <simtflow/timing/memory_counts.hpp>
#include <simtflow/timing/memory_system.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace timing {

/// The end of a memory instruction.
struct completion {
  std::uint32_t token = 0;  ///< as given to issue()
  cycle at = 0;             ///< when its results are there; often later than the cycle in which this becomes known
};

/// The load/store unit of one core. Loads and atomic operations complete when their last bytes are there; stores when
/// they have left the unit.
class load_store_unit {
 public:
  /// An idle unit with empty caches. \pre check(m) finds nothing wrong, and core < m.core.cores.
  explicit load_store_unit(const machine& m, std::uint32_t core) : latency_(m.l1.latency) {
    SIMTFLOW_EXPECTS(core < m.core.cores, "a core of the device");
  }

  /// Why the unit does not take an instruction at cycle `now`; none: it does. \pre next_event() is later than `now`, or
  /// advance(now, memory) has been called. O(1).
  [[nodiscard]] stall_cause blocked(cycle now) const {
    return now < free_ ? stall_cause::coalescing : stall_cause::none;
  }

  /// Takes a memory instruction at cycle `now`, in which it makes its first pass. The addresses are read now and not
  /// kept. Without any access the instruction completes at `now`. `first_thread` is the number of thread 0 of the
  /// instruction's thread block among the resident threads of the core; it places local memory.
  /// \pre blocked(now) == stall_cause::none.
  /// Time: O(lanes) and a few steps for each distinct line.
  void issue(cycle now, std::uint32_t token, std::span<const access> accesses, std::uint32_t first_thread,
             memory_system& memory) {
    (void)memory;
    (void)first_thread;
    ++counts_.instructions;
    done_.push_back({token, accesses.empty() ? now : now + latency_});
    free_ = now + 1;
  }

  /// Brings the unit to cycle `now`: takes the replies and makes the pass of this cycle.
  /// \pre memory.advance(now) has been called; `now` does not decrease.
  /// \returns true if something changed for the core: completions(), or blocked(now).
  bool advance(cycle now, memory_system& memory) {
    (void)memory;
    (void)now;
    return false;
  }

  /// The next cycle in which the unit does something by itself, or `never`. Replies and places in the network come
  /// beside it: memory_system::woken() names the core then. O(1).
  [[nodiscard]] cycle next_event() const { return never; }

  /// Instructions with an end that has become known since clear_completions(). The order is the order of becoming
  /// known, not the order of `at`.
  [[nodiscard]] std::span<const completion> completions() const { return done_; }
  /// Empties completions().
  void clear_completions() { done_.clear(); }

  /// True if no instruction is in the unit and no reply is under way.
  [[nodiscard]] bool idle() const { return true; }

  /// Empties the caches, as the start of a kernel does. \pre idle().
  void invalidate() {}

  /// The counts since the start.
  [[nodiscard]] const core_memory_counts& counts() const { return counts_; }

 private:
  cycle latency_;
  cycle free_ = 0;
  std::vector<completion> done_;
  core_memory_counts counts_;
};

}  // namespace timing
}  // namespace v0
}  // namespace simtflow
