// SPDX-License-Identifier: BSL-1.0
//
// A warp scheduler of a core: which of its warps issues in a cycle. Schedulers share the core's warp slots: scheduler s
// of n has the slots s, s + n, s + 2n, and so on. A slot has a fixed place in the order, and the fragments that come to
// it are its warp.
//
//   loose_round_robin    from the slot after the last one that issued
//   greedy_then_oldest   the slot that issued last, then the oldest
//   oldest               thread blocks by the time of their arrival, warps of one thread block by slot
//   two_level            loose round robin over a small active set. A slot that waits for memory or has no fragment
//                        leaves it, and the pending slot that has waited longest and can use its place enters
//                        (Gebhart et al., Energy-efficient Mechanisms for Managing Thread Context in Throughput
//                        Processors, ISCA 2011, section 4.1)
//
// The priority of thread blocks (block_priority.hpp) comes first. With one, round robin and greed remember the last
// slot of each thread block.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/timing/block_priority.hpp>
#include <simtflow/timing/clock.hpp>
#include <simtflow/timing/machine.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace timing {

/// No slot.
inline constexpr std::uint32_t no_slot = 0xFFFF'FFFFU;

/// The warp slots of a core, as schedulers see them: one element a slot in each list.
struct warp_slots {
  std::vector<cycle> ready_at;              ///< when the fragment in the slot may issue; never: none, or not known yet
  std::vector<unsigned char> needs;         ///< what its next instruction needs, as bits; see warp_scheduler::choose()
  std::vector<unsigned char> away;          ///< 1 if there is no fragment, or if it waits for memory until ready_at
  std::vector<std::uint32_t> block;         ///< the place of its thread block in the core
  std::vector<std::uint64_t> block_number;  ///< thread blocks that came to the core before its thread block
  /// The number of slots.
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(ready_at.size()); }
};

/// One scheduler of a core.
class warp_scheduler {
 public:
  /// One of the machine's schedulers.
  /// \param core the core's parameters
  /// \param number which scheduler, from 0
  /// \param places thread blocks that can be resident, at least 1
  warp_scheduler(const core_parameters& core, std::uint32_t number, std::uint32_t places)
      : kind_(core.scheduler),
        first_(number),
        step_(core.schedulers),
        active_size_(core.active_warps),
        by_block_(core.block_priority != block_priority_kind::none),
        priority_(core.block_priority, places),
        last_(by_block_ ? places : 1, no_slot) {}

  /// The slots of this scheduler are first(), first() + step(), first() + 2 step(), ...
  [[nodiscard]] std::uint32_t first() const { return first_; }
  /// The number of schedulers.
  [[nodiscard]] std::uint32_t step() const { return step_; }

  /// The slot that issues at cycle `now`; no_slot: none can. A slot can issue if it is ready and all that it needs is
  /// in `free`. O(slots of the scheduler).
  [[nodiscard]] std::uint32_t choose(const warp_slots& table, cycle now, std::uint32_t free) {
    priority_.begin(now);
    if (kind_ == scheduler_kind::two_level) arrange(table, now);
    std::uint32_t chosen = no_slot, ready = no_slot;
    order best{}, first_ready{};
    for (std::uint32_t s = first_; s < table.size(); s += step_) {
      if (table.ready_at[s] > now || !considers(s)) continue;
      const order mine{priority_.rank(table.block[s], table.block_number[s]), within(table, s)};
      if (by_block_ && (ready == no_slot || mine < first_ready)) {
        ready = s;
        first_ready = mine;
      }
      if ((table.needs[s] & ~free) == 0 && (chosen == no_slot || mine < best)) {
        chosen = s;
        best = mine;
      }
    }
    if (ready != no_slot) priority_.note_ready(table.block[ready]);
    return chosen;
  }
  /// True if the scheduler looks at the slot: under two_level, if it is in the active set. O(1).
  [[nodiscard]] bool considers(std::uint32_t slot) const {
    return kind_ != scheduler_kind::two_level || (slot / step_ < active_.size() && active_[slot / step_] != 0);
  }

  /// The slot has issued. O(1).
  void issued(const warp_slots& table, std::uint32_t slot) { last_[by_block_ ? table.block[slot] : 0] = slot; }

 private:
  struct order {
    std::uint64_t block = 0, warp = 0;
    friend bool operator<(const order& a, const order& b) {
      return a.block != b.block ? a.block < b.block : a.warp < b.warp;
    }
  };

  // The rank of a slot among slots of thread blocks with equal priority.
  [[nodiscard]] std::uint64_t within(const warp_slots& table, std::uint32_t s) const {
    const std::uint32_t last = last_[by_block_ ? table.block[s] : 0];
    if (kind_ == scheduler_kind::greedy_then_oldest || kind_ == scheduler_kind::oldest) {
      if (s == last && kind_ == scheduler_kind::greedy_then_oldest) return 0;
      return 1 + (table.block_number[s] << 24 | s);
    }
    if (last == no_slot) return s;
    return s > last ? s - last - 1 : std::uint64_t{s} + table.size() - last - 1;
  }

  // Two-level: slots without work leave the active set, pending slots enter it.
  void arrange(const warp_slots& table, cycle now) {
    const std::uint32_t own = table.size() > first_ ? (table.size() - first_ - 1) / step_ + 1 : 0;
    while (active_.size() < own) {
      pending_.push_back(static_cast<std::uint32_t>(active_.size()));
      active_.push_back(0);
    }
    const auto away = [&](std::uint32_t i) {
      const std::uint32_t s = i * step_ + first_;
      return table.away[s] != 0 && table.ready_at[s] > now;
    };
    for (std::uint32_t i = 0; i < own; ++i)
      if (active_[i] != 0 && away(i)) {
        active_[i] = 0;
        --num_active_;
        pending_.push_back(i);
      }
    std::size_t kept = 0;
    for (const std::uint32_t i : pending_) {
      if (num_active_ < active_size_ && !away(i)) {
        active_[i] = 1;
        ++num_active_;
      } else {
        pending_[kept++] = i;
      }
    }
    pending_.resize(kept);
  }

  scheduler_kind kind_;
  std::uint32_t first_, step_, active_size_;
  bool by_block_;
  block_priority priority_;
  std::vector<std::uint32_t> last_;     // by place of a thread block if they have priorities, else one
  std::vector<unsigned char> active_;   // two_level, by slot of this scheduler
  std::vector<std::uint32_t> pending_;  // two_level: the others, in the order in which they came
  std::uint32_t num_active_ = 0;
};

}  // namespace timing
}  // namespace v0
}  // namespace simtflow
