// SPDX-License-Identifier: BSL-1.0
//
// The accesses to memory that an operation makes for the lanes that run it, lane by lane: where generic addresses point
// to, and the two sides of an asynchronous copy.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/ptx/machine/decoded_kernel.hpp>
#include <simtflow/ptx/machine/decoded_op.hpp>
#include <simtflow/ptx/machine/units/bulk_copy_unit.hpp>
#include <simtflow/ptx/machine/units/lane_set.hpp>
#include <simtflow/ptx/machine/units/matrix_accesses.hpp>
#include <simtflow/ptx/machine/units/memory_unit.hpp>
#include <simtflow/ptx/machine/values/mbarrier.hpp>
#include <simtflow/ptx/timed/instruction_table.hpp>
#include <simtflow/timing/instruction.hpp>

#include <bit>
#include <cstdint>
#include <span>

namespace simtflow {
inline namespace v0 {
namespace ptx {
namespace detail {

// One access of one lane.
struct lane_access {
  timing::address_space where;
  timing::access_kind kind;
  std::uint32_t bytes;
  std::uint32_t thread;   // of the thread block
  std::uint64_t address;  // as timing::access has it
};

// The memory that a generic address lies in; the address becomes its offset there.
inline timing::address_space resolve_generic(std::uint64_t& address) {
  if (address - shared_window < window_bytes) {
    address -= shared_window;
    return timing::address_space::shared;
  }
  if (address - local_window < window_bytes) {
    address -= local_window;
    return timing::address_space::local;
  }
  if (address - param_window < window_bytes) {
    address -= param_window;
    return timing::address_space::parameter;
  }
  return timing::address_space::global;
}

// An mbarrier is a number in shared memory.
inline timing::access_kind direction_of(mbarrier_action action) {
  switch (action) {
    case mbarrier_action::init:
    case mbarrier_action::inval:
      return timing::access_kind::store;
    case mbarrier_action::wait_state:
    case mbarrier_action::wait_parity:
      return timing::access_kind::load;
    default:
      return timing::access_kind::atomic;
  }
}

// Calls see(lane_access) for both sides of each copy in bulk. Its mbarrier is a part of the copy.
template <class See>
void see_bulk_copies(const decoded_op& op, const lane_set& s, const See& see) {
  using space = timing::address_space;
  using kind = timing::access_kind;
  std::uint64_t to[chunk_lanes];
  addresses_of(op, s, to);
  for (std::uint32_t rest = s.mask & s.where(op.guard); rest != 0; rest &= rest - 1) {
    const auto i = static_cast<std::uint32_t>(std::countr_zero(rest));
    const auto bytes = static_cast<std::uint32_t>(s.read(op.source[2], i));
    if (bytes == 0) continue;
    const space from = (op.code & bulk_copy_unit::from_shared) != 0 ? space::shared : space::global;
    see({from, kind::load, bytes, s.first_thread + i, bulk_copy_unit::source_of(op, s, i)});
    see({timing_space_of(op.space), op.atomic == atomic_op::none ? kind::store : kind::atomic, bytes,
         s.first_thread + i, to[i]});
  }
}

// Calls see(lane_access) for each access, lowest lane first. To be called before the operation runs.
template <class See>
void for_each_access(const decoded_op& op, std::span<const lane_set> sets, const See& see) {
  using space = timing::address_space;
  using kind = timing::access_kind;
  kind direction = kind::load;
  switch (op.kind) {
    case op_kind::load:
    case op_kind::copy_memory:
    case op_kind::matrix_load:
      break;
    case op_kind::copy_in_bulk:
      for (const lane_set& s : sets) see_bulk_copies(op, s, see);
      return;
    case op_kind::mbarrier:
      direction = direction_of(static_cast<mbarrier_action>(op.code));
      break;
    case op_kind::store:
    case op_kind::matrix_store:
      direction = kind::store;
      break;
    case op_kind::atomic:
      direction = kind::atomic;
      break;
    default:
      return;
  }
  const bool copies = op.kind == op_kind::copy_memory, is_generic = op.space == state_space::generic;
  const space named = timing_space_of(op.space);
  const std::uint32_t bytes = std::uint32_t{op.size} * op.count;
  std::uint64_t at[chunk_lanes];
  for (const lane_set& s : sets) {
    if (is_matrix(op.kind)) {
      const std::uint32_t on = s.mask & s.where(op.guard);
      for_each_matrix_access(op, s, [&](std::uint32_t, std::uint32_t lane, std::uint64_t address, std::uint32_t size) {
        const space where = is_generic ? resolve_generic(address) : named;
        if ((on >> lane & 1U) != 0) see({where, direction, size, s.first_thread + lane, address});
      });
      continue;
    }
    addresses_of(op, s, at);
    std::uint32_t rest = s.mask & s.where(op.guard);
    for (; copies && rest != 0; rest &= rest - 1) {  // cp.async loads from global memory and stores to shared memory
      const auto i = static_cast<std::uint32_t>(std::countr_zero(rest));
      if (memory_unit::copied_bytes(op, s, i) != 0)
        see({space::global, kind::load, op.size, s.first_thread + i, s.read(op.source[1], i) + op.second_offset});
      see({space::shared, kind::store, op.size, s.first_thread + i, at[i]});
    }
    for (; rest != 0; rest &= rest - 1) {
      const auto i = static_cast<std::uint32_t>(std::countr_zero(rest));
      std::uint64_t address = at[i];
      const space where = is_generic ? resolve_generic(address) : named;
      if (where == space::local) address += std::uint64_t{s.first_thread + i} << 32;
      see({where, direction, bytes, s.first_thread + i, address});
    }
  }
}

}  // namespace detail
}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
