// SPDX-License-Identifier: BSL-1.0
//
// One operation of lanes of a chunk: it goes to the unit of its kind, under its guard.
#pragma once

#include <simtflow/ptx/machine/arguments.hpp>
#include <simtflow/ptx/machine/decoded_kernel.hpp>
#include <simtflow/ptx/machine/decoded_op.hpp>
#include <simtflow/ptx/machine/kernel_output.hpp>
#include <simtflow/ptx/machine/memory.hpp>
#include <simtflow/ptx/machine/units/arithmetic_unit.hpp>
#include <simtflow/ptx/machine/units/barrier_unit.hpp>
#include <simtflow/ptx/machine/units/exchange_unit.hpp>
#include <simtflow/ptx/machine/units/group_chunks.hpp>
#include <simtflow/ptx/machine/units/heap_unit.hpp>
#include <simtflow/ptx/machine/units/lane_set.hpp>
#include <simtflow/ptx/machine/units/mbarrier_unit.hpp>
#include <simtflow/ptx/machine/units/memory_unit.hpp>
#include <simtflow/ptx/machine/units/stack_unit.hpp>
#include <simtflow/ptx/machine/units/thread_block.hpp>
#include <simtflow/simt/program.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

template <class Mask>
class operation_unit {
 public:
  // \pre all of them outlive it.
  operation_unit(thread_block& block, barrier_unit& barriers, device_memory& memory, const arguments& args)
      : kernel_(block.kernel),
        block_(&block),
        barriers_(&barriers),
        memory_(block, memory, args),
        exchange_(block, memory_.spaces()),
        mbarriers_(block),
        heap_(block, memory) {}

  // A group begins or continues a block: no lane has had a false guard.
  void start(const decoded_block& block) {
    running_ = &block;
    num_off_ = 0;
  }
  // Operations of instruction i of the kernel read the clock i + `offset` from now on, modulo 2^64.
  void set_clock(std::uint64_t offset) { clock_offset_ = offset; }

  // Runs an operation; false if it faults, or if lanes wait at it. `full` is true if no live lane is missing.
  [[gnu::always_inline]] bool run(const decoded_op& op, const lane_set& s, bool full) {
    if (op.plain) {
      arithmetic_.run_plain(op, s, full);
      return true;
    }
    return execute(op, s);
  }

  // The lanes with a false guard since start(), by instruction of the block. Valid until the next start().
  [[nodiscard]] std::span<const basic_predicated_off<Mask>> predicated_off() const {
    return std::span(off_).first(num_off_);
  }

  // Notes lanes with a false guard. All operations of one instruction note the same lanes.
  [[gnu::noinline]] void note_off(const decoded_op& op, const lane_set& s, std::uint32_t lanes) {
    const std::uint32_t instruction = op.instruction + running_->weight - (running_->last_instruction + 1);
    if (num_off_ == 0 || off_[num_off_ - 1].instruction != instruction) {
      if (num_off_ == off_.size()) off_.emplace_back();
      off_[num_off_++] = {instruction, Mask{}};
    }
    std::uint32_t by_chunk[max_chunks<Mask>] = {};
    by_chunk[s.first_lane / lanes_per_chunk % block_->chunks_per_group] = lanes;
    off_[num_off_ - 1].lanes |= mask_of_chunks<Mask>(by_chunk, block_->chunks_per_group);
  }

  [[nodiscard]] memory_unit& memory() { return memory_; }
  [[nodiscard]] const memory_unit& memory() const { return memory_; }

  // Sets whether lanes wait at an exchange for the lanes of their member mask that are not there, and at an mbarrier
  // for the end of a phase.
  void wait(bool yes) {
    exchange_.wait(yes);
    mbarriers_.wait(yes);
  }
  // True if run() last returned false because lanes wait. Forgets it.
  [[nodiscard]] bool take_waiting() {
    const bool at_mbarrier = mbarriers_.take_waiting();
    return exchange_.take_waiting() || at_mbarrier;
  }
  // The lanes of `come`, which wait at an operation, that execute it together with lane i; none if lane i still waits.
  [[nodiscard]] std::uint32_t gathered(const decoded_op& op, const lane_set& s, std::uint32_t come, std::uint32_t i) {
    if (!mbarrier_unit::is_wait(op)) return exchange_.gathered(op, s, come, i);
    const std::uint32_t lane = std::uint32_t{1} << i;
    return lane & ~mbarriers_.waiting(memory_.spaces(), op, s, lane);
  }
  // Executes an operation for lanes that waited at it and wait no longer; false if it faults.
  bool execute_gathered(const decoded_op& op, const lane_set& s, std::uint32_t together) {
    if (mbarrier_unit::is_wait(op)) return mbarriers_.run(memory_.spaces(), op, s, together);
    return exchange_.run(op, s, together, (s.live & ~together) == 0);
  }
  // Lets lanes go that wait for the end of a phase: their wait has been in vain. Returns them.
  std::uint32_t give_up(const decoded_op& op, const lane_set& s, std::uint32_t lanes) {
    if (!mbarrier_unit::is_wait(op)) return 0;
    mbarriers_.give_up(op, s, lanes);
    return lanes;
  }

  [[nodiscard]] kernel_output& output() { return output_; }
  [[nodiscard]] const kernel_output& output() const { return output_; }

  // For livelock detection: notes memory and how much was printed; whether it is that again.
  void remember() {
    memory_.remember();
    noted_printed_ = output_.bytes();
  }
  [[nodiscard]] bool as_remembered() const { return output_.bytes() == noted_printed_ && memory_.as_remembered(); }

 private:
  bool execute(const decoded_op& op, const lane_set& s) {
    std::uint32_t mask = s.mask;
    if (op.guard.index != no_index) {
      mask &= s.where(op.guard);
      if (mask != s.mask) note_off(op, s, s.mask & ~mask);
      if (mask == 0) return true;
    }
    const bool full = (s.live & ~mask) == 0;
    switch (op.kind) {
      case op_kind::light:
        arithmetic_.run_light(op, s, mask, full);
        return true;
      case op_kind::copy:
        arithmetic_.copy(op, s, mask, full);
        return true;
      case op_kind::each:
        arithmetic_.run_each(op, s, mask);
        return true;
      case op_kind::compare:
        arithmetic_.compare(op, s, mask);
        return true;
      case op_kind::select:
        arithmetic_.select(op, s, mask, full);
        return true;
      case op_kind::predicate:
        arithmetic_.combine_predicates(op, s, mask);
        return true;
      case op_kind::carry:
        arithmetic_.carry(op, s, mask, full);
        return true;
      case op_kind::pack:
      case op_kind::unpack:
        arithmetic_.move_parts(op, kernel_->lists.data() + op.list, s, mask);
        return true;
      case op_kind::load:
        return memory_.template access<false>(op, s, mask, full);
      case op_kind::store:
        return memory_.template access<true>(op, s, mask, full);
      case op_kind::atomic:
        return memory_.atomic(op, s, mask);
      default:
        return execute_rare(op, s, mask, full);
    }
  }

  [[gnu::noinline]] bool execute_rare(const decoded_op& op, const lane_set& s, std::uint32_t mask, bool full) {
    switch (op.kind) {
      case op_kind::nothing:
        return true;
      case op_kind::space_test:
        memory_.test_space(op, s, mask);
        return true;
      case op_kind::copy_memory:
        return memory_.copy(op, s, mask);
      case op_kind::texture:
        return memory_.texture(op, s, mask);
      case op_kind::surface:
        return memory_.surface(op, s, mask);
      case op_kind::copy_in_bulk:
        return memory_.copy_in_bulk(op, s, mask, mbarriers_);
      case op_kind::mbarrier:
        return mbarriers_.run(memory_.spaces(), op, s, mask);
      case op_kind::reduced:
        barriers_->read_reduction(op, s, mask);
        return true;
      case op_kind::clock: {
        const std::uint64_t now = (clock_offset_ + op.instruction) >> op.code;
        for (; mask != 0; mask &= mask - 1) s.write(op.result, static_cast<std::size_t>(std::countr_zero(mask)), now);
        return true;
      }
      case op_kind::print:
        return print(op, s, mask, memory_.spaces(), *block_, output_);
      case op_kind::heap:
        return heap_.run(op, s, mask);
      case op_kind::stack:
        return run_on_stack(op, s, mask, memory_.spaces(), *block_);
      case op_kind::assert_fail:
        fail_assertion(op, s, mask, memory_.spaces(), *block_);
        return false;
      default:
        return exchange_.run(op, s, mask, full);
    }
  }

  const decoded_kernel* kernel_;
  thread_block* block_;
  barrier_unit* barriers_;
  arithmetic_unit arithmetic_;
  memory_unit memory_;
  exchange_unit exchange_;
  mbarrier_unit mbarriers_;
  heap_unit heap_;
  kernel_output output_;
  std::uint64_t clock_offset_ = 0, noted_printed_ = 0;
  std::vector<basic_predicated_off<Mask>> off_;  // in the block that runs: the first num_off_
  std::size_t num_off_ = 0;
  const decoded_block* running_ = nullptr;
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
