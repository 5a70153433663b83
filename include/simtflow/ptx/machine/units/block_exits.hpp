// SPDX-License-Identifier: BSL-1.0
//
// The end of a block: where each lane of a group goes, which lanes end, and who comes to a barrier.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/ptx/machine/decoded_kernel.hpp>
#include <simtflow/ptx/machine/fault.hpp>
#include <simtflow/ptx/machine/units/barrier_unit.hpp>
#include <simtflow/ptx/machine/units/call_stack.hpp>
#include <simtflow/ptx/machine/units/group_chunks.hpp>
#include <simtflow/ptx/machine/units/lane_set.hpp>
#include <simtflow/ptx/machine/units/register_file.hpp>
#include <simtflow/ptx/machine/units/thread_block.hpp>
#include <simtflow/simt/program.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

template <class Mask>
class block_exits {
 public:
  // \pre all of them outlive it.
  block_exits(thread_block& block, register_file& registers, barrier_unit& barriers, memory_spaces& memory)
      : kernel_(block.kernel), block_(&block), registers_(&registers), barriers_(&barriers), calls_(block, memory) {}

  [[nodiscard]] call_stack& calls() { return calls_; }
  [[nodiscard]] const call_stack& calls() const { return calls_; }

  // The lanes of a group leave block b for `out`; fault if one of them cannot.
  block_end leave(const decoded_block& block, const group_chunks<Mask>& c, basic_partition<Mask>& out) {
    if (block.end == block_exit::fall) {
      out.go(block.next, c.group->lanes);
      return block_end::next;
    }
    if (block.end == block_exit::barrier || block.end == block_exit::arrive) {
      if (!arrive(block, c)) return block_end::fault;
      out.go(block.next, c.group->lanes);
      return block.end == block_exit::barrier ? block_end::barrier : block_end::arrive;
    }
    std::uint32_t taken[max_chunks<Mask>] = {};
    std::uint32_t rest[max_chunks<Mask>] = {};
    for (std::uint32_t i = 0; i < c.count; ++i) {
      const std::uint32_t holds =
          block.guard.index == no_index ? all_lanes : registers_->where(c.first + i, block.guard);
      taken[i] = c.lanes[i] & holds;
      rest[i] = c.lanes[i] & ~holds;
      if (block.end == block_exit::leave) registers_->end_lanes(c.first + i, taken[i]);
      if (block.end == block_exit::trap && taken[i] != 0) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(taken[i]));
        block_->complain(fault_kind::trap, block.last_instruction, c.first_thread(i) + lane, 0, {});
        return block_end::fault;
      }
    }
    switch (block.end) {
      case block_exit::branch:
        out.go(block.target, mask_of_chunks<Mask>(taken, c.count));
        break;
      case block_exit::leave:
        if (kernel_->functions.size() > 1)
          mask_of_chunks<Mask>(taken, c.count).for_each([&](std::uint32_t lane) {
            calls_.end_thread(c.group->first_thread + lane);
          });
        break;
      case block_exit::table:
      case block_exit::call:
      case block_exit::ret:
        if (!leave_by_lane(block, c, taken, out)) return block_end::fault;
        break;
      default:
        break;
    }
    if (block.next != no_block) out.go(block.next, mask_of_chunks<Mask>(rest, c.count));
    return block_end::next;
  }

  // The barrier that block b ends in. \pre it ends in one.
  [[nodiscard]] const decoded_barrier& barrier_of(block_id b) const {
    SIMTFLOW_EXPECTS(b < kernel_->blocks.size() && (kernel_->blocks[b].end == block_exit::barrier ||
                                                    kernel_->blocks[b].end == block_exit::arrive),
                     "a block that ends in a barrier");
    return kernel_->barrier_list[kernel_->blocks[b].detail];
  }

 private:
  [[gnu::noinline]] bool arrive(const decoded_block& block, const group_chunks<Mask>& c) {
    if (barriers_->arrive_at_plain(block)) return true;
    const std::uint32_t n = c.write_sets(*registers_, c.lanes, sets_);
    return barriers_->arrive(block, std::span<const lane_set>(sets_, n));
  }

  // Each lane goes its own way.
  [[gnu::noinline]] bool leave_by_lane(const decoded_block& block, const group_chunks<Mask>& c,
                                       const std::uint32_t* taken, basic_partition<Mask>& out) {
    const std::uint32_t n = c.write_sets(*registers_, taken, sets_);
    for (const lane_set& s : std::span<const lane_set>(sets_, n)) {
      const std::uint32_t chunk = s.first_thread - c.group->first_thread;
      const auto go = [&](block_id to, std::uint32_t lane) { out.go(to, Mask::lane(chunk + lane)); };
      const bool moved = block.end == block_exit::table  ? jump(block, s, go)
                         : block.end == block_exit::call ? calls_.call(block, s, go)
                                                         : calls_.come_back(block, s, go);
      if (!moved) return false;
    }
    return true;
  }

  // brx.idx: each lane to the entry of the table that its index names.
  template <class Go>
  bool jump(const decoded_block& block, const lane_set& s, Go&& go) {
    const decoded_table& table = kernel_->tables[block.detail];
    for (std::uint32_t rest = s.mask; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
      const std::uint64_t index = s.read(table.index, lane);
      if (index >= table.targets.size()) {
        block_->complain(fault_kind::bad_target, block.last_instruction, s.first_thread + lane, index,
                         "entry " + std::to_string(index) + " of a table of " + std::to_string(table.targets.size()));
        return false;
      }
      go(table.targets[static_cast<std::size_t>(index)], lane);
    }
    return true;
  }

  const decoded_kernel* kernel_;
  thread_block* block_;
  register_file* registers_;
  barrier_unit* barriers_;
  call_stack calls_;
  lane_set sets_[max_chunks<Mask>];  // the group that leaves, if its lanes are looked at one by one
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
