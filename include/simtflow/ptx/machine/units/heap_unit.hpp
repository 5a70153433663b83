// SPDX-License-Identifier: BSL-1.0
//
// malloc() and free() of kernels: a block of the heap is an allocation of the device memory.
#pragma once

#include <simtflow/ptx/machine/decoded_kernel.hpp>
#include <simtflow/ptx/machine/decoded_op.hpp>
#include <simtflow/ptx/machine/device_heap.hpp>
#include <simtflow/ptx/machine/fault.hpp>
#include <simtflow/ptx/machine/memory.hpp>
#include <simtflow/ptx/machine/units/lane_set.hpp>
#include <simtflow/ptx/machine/units/thread_block.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

class heap_unit {
 public:
  // \pre both outlive it.
  heap_unit(thread_block& block, device_memory& memory) : block_(&block), memory_(&memory) {}

  // malloc() or free() for lanes from low to high; false, with a fault recorded, if a lane frees what it cannot.
  [[gnu::noinline]] bool run(const decoded_op& op, const lane_set& s, std::uint32_t mask) {
    for (; mask != 0; mask &= mask - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(mask));
      const std::uint32_t thread = s.first_thread + static_cast<std::uint32_t>(i);
      const std::uint64_t given = s.read(op.source[0], i);
      if (static_cast<heap_call>(op.code) == heap_call::allocate) {
        const std::uint64_t number = block_->number() * block_->threads + thread;
        s.write(op.result, i, memory_->heap_allocate(number, block_of(op, thread, given)));
      } else if (std::string wrong = memory_->heap_free(given, block_of(op, thread, 0).owner()); !wrong.empty()) {
        block_->complain(fault_kind::bad_free, op.instruction, thread, given, std::move(wrong));
        return false;
      }
    }
    return true;
  }

 private:
  // A block of the heap as the thread would own it.
  [[nodiscard]] heap_block block_of(const decoded_op& op, std::uint32_t thread, std::uint64_t bytes) const {
    const launch_config& l = block_->launch;
    heap_block b;
    b.kernel = block_->kernel->name;
    b.where = block_->kernel->positions[op.instruction];
    b.source = block_->kernel->source_of(op.instruction);
    b.thread[0] = thread % l.block[0];
    b.thread[1] = thread / l.block[0] % l.block[1];
    b.thread[2] = thread / l.block[0] / l.block[1];
    for (int i = 0; i < 3; ++i) b.thread_block[i] = block_->ctaid[i];
    b.bytes = bytes;
    return b;
  }
  thread_block* block_;
  device_memory* memory_;
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
