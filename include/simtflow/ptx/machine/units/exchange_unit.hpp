// SPDX-License-Identifier: BSL-1.0
//
// Exchange between lanes of a warp: shfl, vote, match, redux, elect, activemask, bar.warp.sync, and the instructions on
// matrices, which all lanes of a warp of 32 run together. The lanes that a member
// mask names, except those that have ended, must run the instruction together, with the same mask. If the policy runs
// them apart, that is a fault, never a partial result; but if lanes wait here, run() reports that some are missing, and
// the instruction is executed when all have come. (Pieces and member masks: ptx/machine/units/warp_ops.hpp.)
//
// The manual lets lanes meet at different instructions of one kind (on sm_70 and later); here lanes meet only at the
// very same instruction.
#pragma once

#include <simtflow/ptx/machine/decoded_op.hpp>
#include <simtflow/ptx/machine/fault.hpp>
#include <simtflow/ptx/machine/units/atomics.hpp>
#include <simtflow/ptx/machine/units/lane_set.hpp>
#include <simtflow/ptx/machine/units/matrix_unit.hpp>
#include <simtflow/ptx/machine/units/memory_spaces.hpp>
#include <simtflow/ptx/machine/units/thread_block.hpp>
#include <simtflow/ptx/machine/units/warp_ops.hpp>
#include <simtflow/ptx/machine/units/warpgroup_unit.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

class exchange_unit {
 public:
  // \pre the thread block and the memory outlive it.
  exchange_unit(thread_block& block, memory_spaces& memory)
      : block_(&block), matrices_(*block.kernel, memory), warpgroups_(block, memory) {
    const std::uint32_t width = block.launch.warp_width;
    if (block.group_width != width && width < lanes_per_chunk) piece_ = width;
  }

  /// Sets whether lanes that are not together wait for each other: run() then returns false without a fault.
  void wait(bool yes) { may_wait_ = yes; }
  /// True if run() last returned false because lanes wait. Forgets it.
  [[nodiscard]] bool take_waiting() { return std::exchange(waiting_, false); }

  /// The lanes of `come` that execute the operation together with lane i if all of these have come; else none. \pre all
  /// lanes of `come` stand at the operation, and its guard, if any, holds for them.
  [[nodiscard]] std::uint32_t gathered(const decoded_op& op, const lane_set& s, std::uint32_t come,
                                       std::uint32_t i) const {
    const std::uint32_t first = i / piece_ * piece_;
    const std::uint32_t ones = piece_ == lanes_per_chunk ? all_lanes : (std::uint32_t{1} << piece_) - 1;
    const auto named = static_cast<std::uint32_t>(s.read(op.source[3], i));
    std::uint32_t together = 0;
    for (std::uint32_t rest = come & (ones << first); rest != 0; rest &= rest - 1) {
      const auto k = static_cast<std::uint32_t>(std::countr_zero(rest));
      if (static_cast<std::uint32_t>(s.read(op.source[3], k)) == named) together |= std::uint32_t{1} << k;
    }
    const std::uint32_t missing = ((named & ones) << first) & s.live & ~together;
    return missing == 0 ? together : 0;
  }

  /// Runs an operation for the lanes of a mask; false if they are not together.
  bool run(const decoded_op& op, const lane_set& s, std::uint32_t mask, bool full) {
    const std::uint32_t ones = piece_ == lanes_per_chunk ? all_lanes : (std::uint32_t{1} << piece_) - 1;
    std::uint32_t members[chunk_lanes];  // by lane, as lanes of the chunk
    for (std::uint32_t first = 0; first < lanes_per_chunk; first += piece_) {
      const std::uint32_t here = (mask >> first) & ones;
      if (here == 0) continue;
      if (op.source[3] == no_slot) {
        for (std::uint32_t i = 0; i < piece_; ++i) members[first + i] = here;
      } else if (!find_members(op, s, first, here, (s.live >> first) & ones, members)) {
        return false;
      }
    }
    if (is_matrix(op.kind)) return run_matrix(op, s, mask);
    std::uint32_t yes = 0;  // the predicate result
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
      const auto i = static_cast<std::uint32_t>(std::countr_zero(rest));
      const std::uint32_t first = i / piece_ * piece_;
      if (hear(op, s, first, i - first, members[i])) yes |= std::uint32_t{1} << i;
    }
    if (op.result != no_slot) s.deliver(op.result, heard_, mask, full);
    if (op.second != no_index) s.write_predicate(op.second, yes, mask);
    return true;
  }

 private:
  // Finds the members of each lane's mask that take part. Returns false if they are not all here.
  bool find_members(const decoded_op& op, const lane_set& s, std::uint32_t first, std::uint32_t here,
                    std::uint32_t live, std::uint32_t* members) {
    for (std::uint32_t left = here; left != 0;) {
      const auto leader = static_cast<std::uint32_t>(std::countr_zero(left));
      const auto named = static_cast<std::uint32_t>(s.read(op.source[3], first + leader));
      std::uint32_t together = 0;
      for (std::uint32_t rest = left; rest != 0; rest &= rest - 1) {
        const auto i = static_cast<std::uint32_t>(std::countr_zero(rest));
        if (static_cast<std::uint32_t>(s.read(op.source[3], first + i)) != named) continue;
        together |= std::uint32_t{1} << i;
      }
      left &= ~together;
      const std::uint32_t strangers = together & ~named;
      const std::uint32_t missing = named & live & ~together;
      if (strangers == 0 && missing != 0 && (missing & here) == 0 && may_wait_) {
        waiting_ = true;
        return false;
      }
      if ((strangers | missing) != 0) {
        std::string why;
        append_lanes(why, strangers != 0 ? strangers : missing);
        why += (strangers != 0 ? " not in its member mask " : " of member mask ") + hexadecimal(named);
        if (strangers == 0) why += (missing & ~here) == 0 ? " with another mask" : " not together with it";
        const std::uint32_t who = strangers != 0 ? static_cast<std::uint32_t>(std::countr_zero(strangers)) : leader;
        block_->complain(fault_kind::bad_exchange, op.instruction, s.first_thread + first + who, 0, why);
        return false;
      }
      for (std::uint32_t rest = together; rest != 0; rest &= rest - 1)
        members[first + static_cast<std::uint32_t>(std::countr_zero(rest))] = together;
    }
    return true;
  }

  // Runs an operation on matrices. A warp that has not 32 lanes, or has lost some, has no whole fragments.
  bool run_matrix(const decoded_op& op, const lane_set& s, std::uint32_t mask) {
    if (mask == all_lanes) return op.kind == op_kind::group_product ? warpgroups_.run(op, s) : matrices_.run(op, s);
    std::string why;
    append_lanes(why, ~mask);
    why += (~mask & (~mask - 1)) == 0 ? " has ended" : " have ended";
    why += " or never ran: a matrix needs all 32 lanes of a warp";
    block_->complain(fault_kind::bad_exchange, op.instruction,
                     s.first_thread + static_cast<std::uint32_t>(std::countr_zero(mask)), 0, why);
    return false;
  }

  // Receives for one lane: its result goes to heard_; returns the predicate.
  bool hear(const decoded_op& op, const lane_set& s, std::uint32_t first, std::uint32_t lane, std::uint32_t members) {
    std::uint32_t& result = heard_[first + lane];
    switch (op.kind) {
      case op_kind::shuffle: {
        const auto from = shuffled_from(static_cast<shuffle_mode>(op.code), lane,
                                        static_cast<std::uint32_t>(s.read(op.source[1], first + lane)),
                                        static_cast<std::uint32_t>(s.read(op.source[2], first + lane)));
        const bool there = ((members >> from.lane) & 1U) != 0;
        result = static_cast<std::uint32_t>(s.read(op.source[0], first + (there ? from.lane : lane)));
        return from.in_range;
      }
      case op_kind::vote: {
        const std::uint32_t ayes = (s.where(op.predicate[0]) >> first) & members;
        result = ayes;
        switch (static_cast<vote_mode>(op.code)) {
          case vote_mode::all:
            return ayes == members;
          case vote_mode::any:
            return ayes != 0;
          default:
            return ayes == 0 || ayes == members;
        }
      }
      case op_kind::match: {
        const std::uint64_t mine = s.read(op.source[0], first + lane);
        std::uint32_t same = 0;
        for (std::uint32_t rest = members; rest != 0; rest &= rest - 1) {
          const auto i = static_cast<std::uint32_t>(std::countr_zero(rest));
          if (s.read(op.source[0], first + i) == mine) same |= std::uint32_t{1} << i;
        }
        const bool all = same == members;
        result = static_cast<vote_mode>(op.code) == vote_mode::any || all ? same : 0;
        return all;
      }
      case op_kind::reduce: {
        std::uint64_t sum = 0;
        bool begun = false;
        for (std::uint32_t rest = members; rest != 0; rest &= rest - 1) {
          const std::uint64_t v = s.read(op.source[0], first + static_cast<std::uint32_t>(std::countr_zero(rest)));
          sum = begun ? updated(op.atomic, op.type, sum, v, 0) : v;
          begun = true;
        }
        result = static_cast<std::uint32_t>(sum);
        return false;
      }
      case op_kind::elect:
        result = static_cast<std::uint32_t>(std::countr_zero(members));
        return result == lane;
      default:  // active_mask, warp_barrier
        result = members;
        return false;
    }
  }

  thread_block* block_;
  matrix_unit matrices_;
  warpgroup_unit warpgroups_;
  bool may_wait_ = false, waiting_ = false;
  std::uint32_t piece_ = lanes_per_chunk;  // lanes that exchange values
  alignas(64) std::uint32_t heard_[chunk_lanes] = {};
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
