// SPDX-License-Identifier: BSL-1.0
//
// The barriers of a thread block as its lanes see them: which one they come to, for how many threads it opens, and what
// bar.red computes of their predicates. Who waits is the executor's affair.
//
// Literature: NVIDIA, Parallel Thread Execution ISA, section "bar, barrier".
#pragma once

#include <simtflow/ptx/machine/decoded_kernel.hpp>
#include <simtflow/ptx/machine/decoded_op.hpp>
#include <simtflow/ptx/machine/fault.hpp>
#include <simtflow/ptx/machine/units/lane_set.hpp>
#include <simtflow/ptx/machine/units/register_file.hpp>
#include <simtflow/ptx/machine/units/thread_block.hpp>
#include <simtflow/simt/program.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

class barrier_unit {
 public:
  /// \pre both outlive it.
  barrier_unit(thread_block& block, const register_file& registers) : block_(&block), registers_(&registers) {}

  void begin_block() {
    reductions_.clear();
    free_.clear();
  }

  /// The barrier's number, and for how many threads it opens (0: all of the thread block): a constant, or what the
  /// lanes
  /// that ran last said.
  [[nodiscard]] std::uint32_t id(const decoded_barrier& b) const {
    return !b.of_warpgroup && is_constant(b.id) ? registers_->constant(b.id) : id_;
  }
  [[nodiscard]] std::uint32_t count(const decoded_barrier& b) const {
    if (b.of_warpgroup) return warpgroup_threads;
    return b.count == no_slot ? 0 : is_constant(b.count) ? registers_->constant(b.count) : count_;
  }

  /// Lanes come to a barrier that asks them nothing: one with a constant number for the whole thread block, as most
  /// are;
  /// false if it is not of that kind.
  bool arrive_at_plain(const decoded_block& block) {
    const decoded_barrier& barrier = block_->kernel->barrier_list[block.detail];
    if (barrier.of_warpgroup || !is_constant(barrier.id) || barrier.count != no_slot ||
        barrier.reduction != barrier_reduction::none)
      return false;
    id_ = registers_->constant(barrier.id);
    count_ = 0;
    return id_ < cluster_barrier || barrier.of_cluster;
  }

  /// Lanes (one set for each chunk that has some) come to the barrier that ends a block; false if it is none for them.
  bool arrive(const decoded_block& block, std::span<const lane_set> sets) {
    const decoded_barrier& barrier = block_->kernel->barrier_list[block.detail];
    if (barrier.of_warpgroup) return arrive_with_warpgroup(block, sets);
    if (!same_in_all(barrier.id, block, sets, id_, "number")) return false;
    count_ = 0;
    if (barrier.count != no_slot && !same_in_all(barrier.count, block, sets, count_, "thread count")) return false;
    const auto problem = [&](std::string what) {
      const std::uint32_t lane = static_cast<std::uint32_t>(std::countr_zero(sets[0].mask));
      block_->complain(fault_kind::bad_barrier, block.last_instruction, sets[0].first_thread + lane, 0,
                       std::move(what));
      return false;
    };
    if (id_ >= cluster_barrier && !barrier.of_cluster)
      return problem("number " + std::to_string(id_) + ", but a thread block has barriers 0 to 15");
    if (barrier.count != no_slot && count_ == 0) return problem("one for 0 threads");
    if (barrier.reduction != barrier_reduction::none) contribute(barrier, sets);
    return true;
  }

  /// The result of the barrier goes to the lanes' registers.
  void read_reduction(const decoded_op& op, const lane_set& s, std::uint32_t mask) {
    const auto how = static_cast<barrier_reduction>(op.code);
    for (; mask != 0; mask &= mask - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(mask));
      const auto at = static_cast<std::uint32_t>(s.read(op.source[0], i));
      reduction& r = reductions_[at];
      r.open = true;
      const bool holds = how == barrier_reduction::and_ ? r.holding == r.threads : r.holding != 0;
      if (how == barrier_reduction::popc)
        s.write(op.result, i, r.holding);
      else
        s.write_predicate(op.result, holds ? all_lanes : 0, std::uint32_t{1} << i);
      if (--r.unread == 0) {
        r.barrier = named_barriers;
        free_.push_back(at);
      }
    }
  }

  /// For livelock detection: notes what has been computed; whether it is that again.
  void remember() { noted_ = reductions_; }
  [[nodiscard]] bool as_remembered() const { return reductions_ == noted_; }

 private:
  /// The result of a barrier so far, and how many of them have not read it yet.
  struct reduction {
    std::uint32_t threads = 0;  // that have arrived
    std::uint32_t holding = 0;  // threads with a predicate that holds
    std::uint32_t unread = 0;
    bool open = false;  // the barrier has opened: the next thread to arrive begins a new one
    std::uint32_t barrier = named_barriers;
    friend bool operator==(const reduction&, const reduction&) = default;
  };

  // Lanes come to the barrier of their warpgroup.
  bool arrive_with_warpgroup(const decoded_block& block, std::span<const lane_set> sets) {
    const std::uint32_t mine = sets[0].first_thread / warpgroup_threads;
    const auto fails = [&](const lane_set& s, std::string why) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(s.mask));
      block_->complain(fault_kind::bad_exchange, block.last_instruction, s.first_thread + lane, 0, std::move(why));
      return false;
    };
    if (std::string why = block_->lack_of_warpgroup(mine); !why.empty()) return fails(sets[0], std::move(why));
    for (const lane_set& s : sets)
      if (s.first_thread / warpgroup_threads != mine) return fails(s, "lanes of two warpgroups run it together");
    id_ = warpgroup_barrier + mine;
    count_ = warpgroup_threads;
    return true;
  }

  bool same_in_all(slot_ref r, const decoded_block& block, std::span<const lane_set> sets, std::uint32_t& value,
                   const char* what) {
    if (is_constant(r)) {
      value = registers_->constant(r);
      return true;
    }
    bool known = false;
    for (const lane_set& s : sets) {
      for (std::uint32_t rest = s.mask; rest != 0; rest &= rest - 1) {
        const auto i = static_cast<std::uint32_t>(std::countr_zero(rest));
        const auto v = static_cast<std::uint32_t>(s.read(r, i));
        if (known && v != value) {
          block_->complain(fault_kind::bad_barrier, block.last_instruction, s.first_thread + i, 0,
                           std::string("its ") + what + " is " + std::to_string(v) + ", but " + std::to_string(value) +
                               " in another lane");
          return false;
        }
        value = v;
        known = true;
      }
    }
    return true;
  }

  // bar.red: the lanes' predicates go into what the barrier computes, and each lane remembers where it does.
  void contribute(const decoded_barrier& barrier, std::span<const lane_set> sets) {
    std::uint32_t mine = no_index;
    for (std::uint32_t r = 0; r < reductions_.size(); ++r)
      if (reductions_[r].barrier == id_ && !reductions_[r].open) mine = r;
    if (mine == no_index) {
      if (free_.empty()) {
        mine = static_cast<std::uint32_t>(reductions_.size());
        reductions_.push_back({});
      } else {
        mine = free_.back();
        free_.pop_back();
      }
      reductions_[mine] = {};
      reductions_[mine].barrier = id_;
    }
    reduction& r = reductions_[mine];
    for (const lane_set& s : sets) {
      const std::uint32_t lanes = count_of(s.mask);
      r.threads += lanes;
      r.unread += lanes;
      r.holding += count_of(s.where(barrier.value) & s.mask);
      for (std::uint32_t rest = s.mask; rest != 0; rest &= rest - 1)
        s.write(barrier.ticket, static_cast<std::size_t>(std::countr_zero(rest)), mine);
    }
    // It opens now; else the first thread to read it shows that it has.
    if (count_ != 0 && r.threads >= count_) r.open = true;
  }

  thread_block* block_;
  const register_file* registers_;
  std::uint32_t id_ = 0, count_ = 0;  // what the last block that ended in a barrier said
  std::vector<reduction> reductions_, noted_;
  std::vector<std::uint32_t> free_;  // of the reductions
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
