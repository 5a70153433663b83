// SPDX-License-Identifier: BSL-1.0
//
// Copies and reductions in bulk: cp.async.bulk, cp.reduce.async.bulk. Each lane that runs one carries out a copy of its
// own, of a size that a register tells: between global and shared memory, 16 bytes or a multiple of them.
//
// A copy is done when it is issued, which is the earliest moment that PTX allows: an early read sees the new bytes, and
// the transactions of the copy's mbarrier complete at once. A program that reads before it waits therefore computes
// here with the new bytes, although another machine may still have the old ones.
//
// Literature: NVIDIA, Parallel Thread Execution ISA, sections "cp.async.bulk", "cp.reduce.async.bulk".
#pragma once

#include <simtflow/ptx/machine/decoded_op.hpp>
#include <simtflow/ptx/machine/fault.hpp>
#include <simtflow/ptx/machine/memory.hpp>
#include <simtflow/ptx/machine/units/atomic_unit.hpp>
#include <simtflow/ptx/machine/units/atomics.hpp>
#include <simtflow/ptx/machine/units/lane_addresses.hpp>
#include <simtflow/ptx/machine/units/lane_set.hpp>
#include <simtflow/ptx/machine/units/mbarrier_unit.hpp>
#include <simtflow/ptx/machine/units/memory_spaces.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

class bulk_copy_unit {
 public:
  // decoded_op::code
  static constexpr std::uint8_t from_shared = 1, reports = 2;

  // Runs an operation for the lanes of a mask; false if one faults.
  bool run(memory_spaces& m, atomic_unit& atomics, mbarrier_unit& mbarriers, const decoded_op& op, const lane_set& s,
           std::uint32_t mask) {
    std::uint64_t to[chunk_lanes];
    addresses_of(op, s, to);
    for (; mask != 0; mask &= mask - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(mask));
      const std::uint64_t size = s.read(op.source[2], i);
      const bool shared_source = (op.code & from_shared) != 0;
      unsigned char* const target = bytes_at(m, op, s, i, op.space, to[i], size, true);
      if (target == nullptr) return false;
      const unsigned char* const source = bytes_at(
          m, op, s, i, shared_source ? state_space::shared : state_space::global, source_of(op, s, i), size, false);
      if (source == nullptr) return false;
      if (op.atomic == atomic_op::none)
        std::memmove(target, source, static_cast<std::size_t>(size));
      else
        reduce(atomics, op, target, source, size);
      if ((op.code & reports) != 0 && !mbarriers.bytes_arrive(m, op, s, i, s.read(op.source[3], i), size)) return false;
    }
    return true;
  }

  // The address that a lane copies from, and how many bytes.
  static std::uint64_t source_of(const decoded_op& op, const lane_set& s, std::size_t lane) {
    const std::uint64_t sum = s.read(op.source[1], lane) + op.second_offset;
    return is_wide(op.source[1]) ? sum : sum & 0xFFFF'FFFFU;
  }

 private:
  static constexpr std::uint64_t granule = 16;  // bytes

  // The bytes of one side of a copy; null and a fault if there are none.
  static unsigned char* bytes_at(memory_spaces& m, const decoded_op& op, const lane_set& s, std::size_t lane,
                                 state_space space, std::uint64_t address, std::uint64_t size, bool write) {
    const auto shown = static_cast<std::uint32_t>(size < 0xFFFF'FFFFU ? size : 0xFFFF'FFFFU);
    fault_kind problem = fault_kind::out_of_bounds;
    if (address % granule != 0 || size % granule != 0) {
      problem = fault_kind::misaligned;
    } else if (space == state_space::shared) {
      if (unsigned char* const p = m.shared_object(space, address, size, granule); p != nullptr) return p;
    } else if (allocation* const a = m.allocation_at(op, address); a != nullptr) {
      if (write && a->constant)
        problem = fault_kind::read_only;
      else if (address - a->address + size <= a->bytes.size())
        return a->bytes.data() + (address - a->address);
    }
    m.record(problem, op, s, lane, address, shown, space);
    return nullptr;
  }

  static void reduce(atomic_unit& atomics, const decoded_op& op, unsigned char* to, const unsigned char* from,
                     std::uint64_t size) {
    const bool flushes = op.space == state_space::global;
    for (std::uint64_t at = 0; at < size; at += op.size)
      atomics.reduce(op, to + at, load_bytes(from + at, op.size, false), flushes);
  }
};

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
