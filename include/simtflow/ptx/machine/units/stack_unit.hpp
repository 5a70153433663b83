// SPDX-License-Identifier: BSL-1.0
//
// alloca, stacksave, stackrestore: a thread's stack in local memory, which a return from the function takes back.
//
// Literature: NVIDIA, Parallel Thread Execution ISA, sections "alloca", "stacksave", "stackrestore".
#pragma once

#include <simtflow/ptx/machine/decoded_op.hpp>
#include <simtflow/ptx/machine/fault.hpp>
#include <simtflow/ptx/machine/units/lane_set.hpp>
#include <simtflow/ptx/machine/units/memory_spaces.hpp>
#include <simtflow/ptx/machine/units/thread_block.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

// Runs one for lanes from low to high; false, with a fault recorded, if a stack becomes too large.
[[gnu::noinline]] inline bool run_on_stack(const decoded_op& op, const lane_set& s, std::uint32_t mask,
                                           memory_spaces& memory, thread_block& block) {
  for (; mask != 0; mask &= mask - 1) {
    const auto i = static_cast<std::size_t>(std::countr_zero(mask));
    const std::uint32_t thread = s.first_thread + static_cast<std::uint32_t>(i);
    const std::uint64_t end = memory.stack_end(thread);
    switch (static_cast<stack_call>(op.code)) {
      case stack_call::save:
        s.write(op.result, i, end);
        break;
      case stack_call::restore: {
        const std::uint64_t to = s.read(op.source[0], i);
        if (to < memory.stack_begin() || to > end) {
          block.complain(fault_kind::bad_stack, op.instruction, thread, to,
                         "no stacksave has given " + std::to_string(to) + " since the function was called");
          return false;
        }
        memory.set_stack_end(thread, to);
        break;
      }
      case stack_call::allocate: {
        const std::uint64_t bytes = s.read(op.source[0], i), gap = (op.second_offset - end) & (op.second_offset - 1);
        const std::uint64_t left = memory.local_size() - end;
        if (gap > left || bytes > left - gap) {
          block.complain(fault_kind::bad_stack, op.instruction, thread, 0,
                         std::to_string(bytes) + " bytes where " + std::to_string(left) + " of the thread's " +
                             std::to_string(block.launch.stack_bytes) + " are left");
          return false;
        }
        s.write(op.result, i, end + gap);
        memory.set_stack_end(thread, end + gap + bytes);
        break;
      }
    }
  }
  return true;
}

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
