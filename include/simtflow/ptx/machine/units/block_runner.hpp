// SPDX-License-Identifier: BSL-1.0
//
// Operations one after the other, for the lanes of a group: a block, one of its instructions, or the rest of a block
// after the exchange at which lanes have waited. The clock counts the instructions.
#pragma once

#include <simtflow/ptx/machine/decoded_kernel.hpp>
#include <simtflow/ptx/machine/decoded_op.hpp>
#include <simtflow/ptx/machine/units/group_chunks.hpp>
#include <simtflow/ptx/machine/units/lane_set.hpp>
#include <simtflow/ptx/machine/units/operation_unit.hpp>
#include <simtflow/ptx/machine/units/register_file.hpp>
#include <simtflow/ptx/machine/units/stopped_lanes.hpp>
#include <simtflow/ptx/machine/units/thread_block.hpp>
#include <simtflow/simt/program.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

// Functions that run operations call look(op, sets, n) before each: the lanes that run it lie in n sets. They return
// block_end::next, collective if lanes wait at the last operation that ran, or fault.
template <class Mask>
class block_runner {
 public:
  // \pre all of them outlive it.
  block_runner(const thread_block& block, register_file& registers, operation_unit<Mask>& operations)
      : kernel_(block.kernel), block_(&block), registers_(&registers), operations_(&operations) {}

  void begin_thread_block() {
    stopped_.begin_block();
    clock_ = 0;
  }
  // Sets the clock that the next instruction reads.
  void set_clock(std::uint64_t now) { clock_ = now; }

  // Runs a block; or, if Resumed, the part after the exchange at which the lanes stopped.
  template <bool Resumed, class Look>
  [[gnu::always_inline]] block_end run(const decoded_block& block, const group_chunks<Mask>& c, const Look& look) {
    operations_->start(block);
    if (kernel_->reads_clock) operations_->set_clock(clock_ - first_instruction(block));
    const decoded_op* op = kernel_->ops.data() + block.first_op;
    const decoded_op* const last = op + block.num_ops;
    if constexpr (Resumed) {
      if (stopped_.failed()) return block_end::fault;
      op = next_op(c);
    }
    const block_end end = run_ops(op, last, c, look);
    if (end == block_end::next) clock_ += block.weight;
    return end;
  }

  // Runs instruction i of a block, which has the operations `ops`; or, for lanes that stopped in it, the rest of it.
  template <class Look>
  [[gnu::always_inline]] block_end run_instruction(const decoded_block& block, std::uint32_t i,
                                                   std::span<const decoded_op> ops, const group_chunks<Mask>& c,
                                                   const Look& look) {
    operations_->start(block);
    operations_->set_clock(clock_ - (first_instruction(block) + i));
    const decoded_op* op = ops.data();
    const decoded_op* const last = op + ops.size();
    if (stopped_.has_stopped(first_lane(*c.group))) {
      if (stopped_.failed()) return block_end::fault;
      op = next_op(c);
      c.group->lanes.for_each([&](std::uint32_t lane) { stopped_.forget(c.first * chunk_lanes + lane); });
    }
    const block_end end = run_ops(op, last, c, look);
    if (end == block_end::next) ++clock_;
    return end;
  }
  // The instruction of a block at which lanes of a group stopped together. \pre run_instruction() ended as collective.
  [[nodiscard]] std::uint32_t stopped_at(const decoded_block& block, const basic_group<Mask>& g) const {
    const decoded_op& op = kernel_->ops[stopped_.operation(first_lane(g))];
    return static_cast<std::uint32_t>(op.instruction - first_instruction(block));
  }

  // Sets whether lanes wait: operation_unit::wait().
  void wait_at_exchanges(bool yes) {
    operations_->wait(yes);
    if (yes) stopped_.resize(std::size_t{block_->groups} * block_->chunks_per_group);
  }
  // Executes each exchange that is complete, for lanes of a group that wait. Returns the lanes that can continue.
  [[nodiscard]] Mask serve(const group_chunks<Mask>& c) {
    std::uint32_t go[max_chunks<Mask>] = {};
    for (std::uint32_t i = 0; i < c.count; ++i) {
      const std::size_t chunk = c.first + i;
      if (c.lanes[i] != 0)
        stopped_.serve(chunk, registers_->lanes_of(chunk, stopped_.waiting(chunk), c.first_thread(i)),
                       kernel_->ops.data(), *operations_);
      go[i] = c.lanes[i] & ~stopped_.waiting(chunk);
    }
    return mask_of_chunks<Mask>(go, c.count);
  }

  // Lets lanes of a group go that wait for the end of a phase. Returns them.
  [[nodiscard]] Mask give_up(const group_chunks<Mask>& c) {
    std::uint32_t go[max_chunks<Mask>] = {};
    for (std::uint32_t i = 0; i < c.count; ++i) {
      const std::size_t chunk = c.first + i;
      if (c.lanes[i] != 0)
        stopped_.give_up(chunk, registers_->lanes_of(chunk, stopped_.waiting(chunk), c.first_thread(i)),
                         kernel_->ops.data(), *operations_);
      go[i] = c.lanes[i] & ~stopped_.waiting(chunk);
    }
    return mask_of_chunks<Mask>(go, c.count);
  }

  // For livelock detection: notes who waits where and, if the kernel reads it, the clock; whether it is that again.
  void remember() {
    stopped_.remember();
    noted_clock_ = clock_;
  }
  [[nodiscard]] bool as_remembered() const {
    return (!kernel_->reads_clock || clock_ == noted_clock_) && stopped_.as_remembered();
  }

 private:
  // The number, in the kernel, of a block's first instruction; modulo 2^64 if the block has none.
  static std::uint64_t first_instruction(const decoded_block& block) {
    return std::uint64_t{block.last_instruction} + 1 - block.weight;
  }
  // The first lane of a group, counted over all chunks.
  std::size_t first_lane(const basic_group<Mask>& g) const {
    return std::size_t{g.warp} * block_->chunks_per_group * chunk_lanes + g.lanes.first();
  }
  // The operation with which lanes that stopped together continue.
  const decoded_op* next_op(const group_chunks<Mask>& c) const {
    return kernel_->ops.data() + std::size_t{stopped_.common_operation(c.first, c.lanes, c.count)} + 1;
  }

  template <class Look>
  [[gnu::always_inline]] block_end run_ops(const decoded_op* op, const decoded_op* last, const group_chunks<Mask>& c,
                                           const Look& look) {
    if (c.count == 1) {
      const lane_set s = registers_->lanes_of(c.first, c.lanes[0], c.group->first_thread);
      const bool full = (s.live & ~s.mask) == 0;
      for (; op != last; ++op) {
        look(*op, &s, 1);
        if (!operations_->run(*op, s, full)) return stop(*op, c, 0);
      }
    } else {
      const std::uint32_t n = c.write_sets(*registers_, c.lanes, sets_);
      for (; op != last; ++op) {
        look(*op, sets_, n);
        for (std::uint32_t i = 0; i < n; ++i) {
          const lane_set& s = sets_[i];
          if (!operations_->run(*op, s, (s.live & ~s.mask) == 0))
            return stop(*op, c, s.first_lane / chunk_lanes - c.first);
        }
      }
    }
    return block_end::next;
  }

  // An operation has failed in one chunk of a group: lanes wait, or it is a fault. Earlier chunks have executed it.
  [[gnu::noinline]] block_end stop(const decoded_op& op, const group_chunks<Mask>& c, std::size_t failed) {
    if (!operations_->take_waiting()) return block_end::fault;
    const auto number = static_cast<std::uint32_t>(&op - kernel_->ops.data());
    for (std::size_t i = 0; i < c.count; ++i) {
      if (i > failed && op.guard.index != no_index)  // these lanes have not reached the guard yet
        if (const std::uint32_t off = c.lanes[i] & ~registers_->where(c.first + i, op.guard); off != 0)
          operations_->note_off(op, registers_->lanes_of(c.first + i, c.lanes[i], 0), off);
      stopped_.stop(c.first + i, c.lanes[i], i >= failed ? c.lanes[i] : 0, number);
    }
    return block_end::collective;
  }

  const decoded_kernel* kernel_;
  const thread_block* block_;
  register_file* registers_;
  operation_unit<Mask>* operations_;
  stopped_lanes stopped_;
  std::uint64_t clock_ = 0, noted_clock_ = 0;  // instructions that the thread block has issued
  lane_set sets_[max_chunks<Mask>];            // the group that runs, if it has several chunks
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
